import Client
import FoundationEssentials
import Web

/// How a command reaches what moderators do: each verb is one call of the API, over HTTP or on the database. Both ways run the same
/// routes, so that rows and codes are the same.
struct ModerationDoor: Sendable {
    typealias Value = Client.JSONValue
    typealias Method = CommonplaceClient.Method

    private let send: @Sendable (Method, String, [String: String?], Value?) async throws -> Value

    /// The API of a server, with an access token.
    init(_ server: CommonplaceClient) {
        send = { try await server.call($0, "/moderation" + $1, $2, $3) }
    }

    /// The same on the database, for somebody at its terminal.
    init(_ runtime: Runtime) {
        let door = TerminalDoor(
            runtime.community, settings: runtime.settings.site, name: ProcessInfo.processInfo.userName,
            logger: runtime.logger)
        send = { method, path, query, body in
            var parts = URLComponents()
            parts.queryItems = query.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
            let text = (parts.percentEncodedQuery ?? "").replacing("+", with: "%2B")
            let (status, bytes) = try await door.answer(
                method.rawValue, "/api/v1/moderation\(path)" + (text.isEmpty ? "" : "?" + text),
                body: try body.map { [UInt8](try JSONEncoder().encode($0)) } ?? [])
            guard (200..<300).contains(status) else {
                throw ClientError.refused(ServerProblem(status: status, body: bytes))
            }
            return try Value(body: bytes)
        }
    }

    /// Paths stand below `/moderation`. Throws `ClientError`.
    func get(_ path: String, _ query: [String: String?] = [:]) async throws -> Value {
        try await send(.get, path, query, nil)
    }

    @discardableResult
    func send(_ method: Method, _ path: String, _ body: Value? = nil) async throws -> Value {
        try await send(method, path, [:], body?.withoutNulls)
    }

    /// The items of a list, page after page, at most `limit`.
    func list(_ path: String, _ query: [String: String?] = [:], limit: Int) async throws -> [Value] {
        var items: [Value] = []
        var cursor: String?
        repeat {
            let paging = ["limit": String(min(100, limit - items.count)), "cursor": cursor]
            let page = try await get(path, query.merging(paging) { $1 })
            items += page["items"]?.array ?? []
            cursor = page["next_cursor"]?.string
        } while cursor != nil && items.count < limit
        if cursor != nil { Admin.say("There are more: --limit shows more than \(items.count).") }
        return items
    }
}

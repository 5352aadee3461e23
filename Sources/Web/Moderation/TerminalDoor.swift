import Community
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// What moderators do, for somebody at the server's own terminal: the routes of the API, without a socket, a token or a server that runs.
package struct TerminalDoor: Sendable {
    private let server: SiteServer
    private let name: String

    /// `name`: the operating system's, for the record.
    package init(_ community: Community, settings: SiteSettings, name: String, logger: Logger) {
        let site = Site(community: community, settings: settings)
        var table = RouteTable()
        table.area(Moderation.Routes.area) { Moderation.Routes(site).add(to: &$0) }
        table.everybody { Moderation.Routes(site).addLog(to: &$0) }
        self.server = SiteServer(site: site, table: table, logger: logger)
        self.name = name
    }

    /// The answer to one call. `target`: path and query from the root; `body`: JSON, or nothing.
    package func answer(
        _ method: String, _ target: String, body: [UInt8] = []
    ) async throws -> (status: Int, body: [UInt8]) {
        var headers: HTTPFields = [.contentLength: String(body.count)]
        if !body.isEmpty { headers[.contentType] = "application/json" }
        let head = HTTPRequest(
            method: HTTPRequest.Method(method) ?? .get, scheme: "http", authority: "localhost", path: target,
            headerFields: headers)
        let response = try await server.answer(
            Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body))), terminal: name)
        let collected = Collected()
        try await response.body.write(collected)
        return (response.status.code, collected.bytes)
    }

    /// Keeps what is written.
    private final class Collected: ResponseBodyWriter, Sendable {
        private let parts = Mutex<[UInt8]>([])

        var bytes: [UInt8] { parts.withLock(\.self) }

        func write(_ buffer: ByteBuffer) async throws { parts.withLock { $0 += buffer.readableBytesView } }

        func finish(_ trailers: HTTPFields?) async throws {}
    }
}

import Community
import HTTPTypes
import Hummingbird
import JSONWriting
import NIOCore
import Pages
import Synchronization
import Testing
import Web

/// The whole server in memory: routes behind all their rules, without a socket.
///
/// ```swift
/// try await withApp { app in
///     let ann = try await app.world.given.account("ann")
///     let answer = try await app.as(ann).put("/api/v1/books/42/review", ["rating": 4.5, "body": nil])
///     #expect(answer.status == .ok)
///     #expect(answer.json["rating"] == 4.5)
/// }
/// ```
/// Every answer is held against the shape that its route declares, so that `openapi.json` is true for whatever a test touches.
package struct TestApp: Sendable {
    package let world: World
    package let site: Site
    package let server: SiteServer
    /// Sent as `Authorization: Bearer …`, to pages as their cookie.
    package var token: String?
    /// The calls that every server has; tests add others.
    private let declared: Set<String>

    init(
        world: World, site: SiteSettings, limits: ServerLimits, status: ServerStatus, metrics: Prometheus?,
        hasPages: Bool = false, more: (inout RouteTable) -> Void
    ) throws {
        self.world = world
        self.site = Site(community: world.community, settings: site, limits: limits, status: status, metrics: metrics)
        var table = try RouteTable.all(self.site)
        declared = Set(table.routes.map(\.name))
        more(&table)
        server = SiteServer(
            site: self.site, table: table, pages: hasPages ? try Pages.table(self.site, over: table) : nil,
            logger: world.logger)
    }

    /// The same server as somebody calls it.
    package func `as`(_ reader: Signed) -> TestApp { with(token: reader.token) }
    package func `as`(_ reader: TestReader) -> TestApp { with(token: reader.token) }

    package func with(token: String?) -> TestApp {
        var app = self
        app.token = token
        return app
    }

    // MARK: Calls

    package func get(_ path: String, headers: HTTPFields = [:], sourceLocation: SourceLocation = #_sourceLocation)
        async throws -> TestAnswer
    {
        try await call(.get, path, headers: headers, sourceLocation: sourceLocation)
    }

    package func post(
        _ path: String, _ json: JSONValue? = nil, headers: HTTPFields = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TestAnswer {
        try await call(.post, path, json, headers: headers, sourceLocation: sourceLocation)
    }

    package func put(
        _ path: String, _ json: JSONValue? = nil, headers: HTTPFields = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TestAnswer {
        try await call(.put, path, json, headers: headers, sourceLocation: sourceLocation)
    }

    package func patch(
        _ path: String, _ json: JSONValue? = nil, headers: HTTPFields = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TestAnswer {
        try await call(.patch, path, json, headers: headers, sourceLocation: sourceLocation)
    }

    package func delete(_ path: String, headers: HTTPFields = [:], sourceLocation: SourceLocation = #_sourceLocation)
        async throws -> TestAnswer
    {
        try await call(.delete, path, headers: headers, sourceLocation: sourceLocation)
    }

    package func call(
        _ method: HTTPRequest.Method, _ path: String, _ json: JSONValue? = nil, headers: HTTPFields = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TestAnswer {
        var headers = headers
        if json != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        let body = try json.map { try JSONWriter.bytes($0) } ?? []
        return try await send(method, path, body: body, headers: headers, sourceLocation: sourceLocation)
    }

    /// Sends any bytes, from `address` where it is given, else from this machine.
    package func send(
        _ method: HTTPRequest.Method, _ path: String, body: [UInt8] = [], headers: HTTPFields = [:],
        host: String = "127.0.0.1:8080",
        address: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TestAnswer {
        var headers = headers
        if let token, server.pages.route(method, path) != nil {
            headers[.cookie] = "commonplace_dev=" + token
        } else if let token, headers[.authorization] == nil {
            headers[.authorization] = "Bearer " + token
        }
        if !body.isEmpty { headers[.contentLength] = String(body.count) }
        let request = Request(
            head: HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer(bytes: body)))
        ServerCalls.note()
        let response = try await server.answer(
            request, from: try SocketAddress(ipAddress: address ?? "127.0.0.1", port: 1))
        let collector = BodyCollector()
        try await response.body.write(collector)
        let answer = TestAnswer(status: response.status, headers: response.headers, body: collector.bytes)
        check(answer, method, path, sourceLocation)
        let isPage = answer.headers[.contentType]?.hasPrefix("text/html") == true
        if !isPage, let route = server.table.route(method, path), declared.contains(route.name) {
            try ExampleBook.note(route, body: body, reply: answer)
        }
        return answer
    }

    /// Signs up through the API, which most tests need not: `given.account()` is quicker.
    package func signUp(_ username: String, sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> TestReader
    {
        let email = JSONValue.string("\(username)@example.org")
        let password = JSONValue.string(TestReader.password)
        let answer = try await post(
            "/api/v1/accounts",
            [
                "username": .string(username), "email": email, "email_confirmation": email, "password": password,
                "password_confirmation": password,
            ], sourceLocation: sourceLocation)
        let token = try #require(
            answer.json["token"]?.text, "sign-up answered \(answer.text)", sourceLocation: sourceLocation)
        let id = try #require(answer.json["account"]?["id"]?.text, sourceLocation: sourceLocation)
        return TestReader(id: id, username: username, token: token)
    }

    // MARK: Honesty

    /// Records an issue where an answer has another shape than its route declares.
    private func check(
        _ answer: TestAnswer, _ method: HTTPRequest.Method, _ path: String, _ sourceLocation: SourceLocation
    ) {
        guard method != .head, method != .options, !answer.body.isEmpty else { return }
        if answer.status.code >= 400, answer.headers[.contentType] == "application/problem+json" {
            for mismatch in OpenAPI.problem.mismatches(with: answer.json) {
                Issue.record(
                    "\(method) \(path) answers a problem that is none: \(mismatch)", sourceLocation: sourceLocation)
            }
            checkCode(of: answer, method, path, sourceLocation)
            return
        }
        // A page stands where the table has the index.
        if answer.headers[.contentType]?.hasPrefix("text/html") == true, path == "/" { return }
        guard let route = server.table.route(method, path), var reply = route.reply else { return }
        if let dialect = route.dialect, answer.status.code >= 400 { reply = dialect.schema }
        for mismatch in reply.mismatches(with: answer.json) {
            Issue.record(
                "\(route.name) answers what openapi.json does not say: \(mismatch)", sourceLocation: sourceLocation)
        }
        if answer.status.kind == .successful, !route.successes.map(\.code).contains(answer.status.code) {
            Issue.record(
                "\(route.name) answers \(answer.status), openapi.json says \(route.successes)",
                sourceLocation: sourceLocation)
        }
    }
}

extension TestApp {
    /// Records an issue where a call answers a code that it does not declare.
    private func checkCode(
        of answer: TestAnswer, _ method: HTTPRequest.Method, _ path: String, _ sourceLocation: SourceLocation
    ) {
        guard let route = server.table.route(method, path), declared.contains(route.name),
            let code = answer.code.flatMap(ProblemCode.init(rawValue:)), !Route.everywhere.contains(code)
        else { return }
        #expect(answer.status.code == code.meaning.status, sourceLocation: sourceLocation)
        guard !route.allProblems.contains(code) else { return }
        Issue.record(
            "\(route.name) answers `\(code)`, which the comment of its handler does not say",
            sourceLocation: sourceLocation)
    }
}

/// Somebody who signed up through the API.
package struct TestReader: Sendable, Hashable {
    package static let password = Given.password

    package let id: String
    package let username: String
    package let token: String
}

/// What the server answered.
package struct TestAnswer: Sendable {
    package let status: HTTPResponse.Status
    package let headers: HTTPFields
    package let body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }
    /// The body as JSON; `.null` where it is none.
    package var json: JSONValue { (try? JSONValue.parse(body).value) ?? .null }
    /// `code` of a problem.
    package var code: String? { json["code"]?.text }
    /// Pointers of a problem's faults, in order.
    package var pointers: [String] { json["errors"]?.elements.compactMap { $0["pointer"]?.text } ?? [] }
}

/// Runs `body` against a server on a world of its own; see `withWorld`. `site` changes how the server presents itself, `limits` what it
/// allows, `hasPages` shows the community to browsers, `routes` adds routes that only the test has.
package func withApp<Result>(
    leaving leftovers: Leftovers = .nothing, tools: Media.Tools? = .find(program: try? BuiltProgram.path()),
    reading: Photos.Recognizer.Tools? = nil, proxy: TCPProxy? = nil,
    settings: (inout CommunitySettings) -> Void = { _ in }, site: (inout SiteSettings) -> Void = { _ in },
    limits: (inout ServerLimits) -> Void = { _ in },
    status: ServerStatus = ServerStatus(), metrics: Prometheus? = nil, hasPages: Bool = false,
    routes: (inout RouteTable) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (TestApp) async throws -> Result
) async throws -> Result {
    var siteSettings = SiteSettings(limitsRates: false)
    site(&siteSettings)
    var serverLimits = ServerLimits()
    // Tests load the machine fully: what waits there is no fault.
    serverLimits.turnWait = .seconds(60)
    limits(&serverLimits)
    return try await withWorld(
        leaving: leftovers, tools: tools, reading: reading, proxy: proxy, settings: settings,
        sourceLocation: sourceLocation
    ) { world in
        try await body(
            TestApp(
                world: world, site: siteSettings, limits: serverLimits, status: status, metrics: metrics,
                hasPages: hasPages, more: routes))
    }
}

/// Keeps what a response writes.
private final class BodyCollector: ResponseBodyWriter, Sendable {
    private let parts = Mutex<[UInt8]>([])

    var bytes: [UInt8] { parts.withLock { $0 } }
    func write(_ buffer: ByteBuffer) async throws { parts.withLock { $0.append(contentsOf: buffer.readableBytesView) } }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

import Community
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle

/// The server without its socket: the route table behind the rules that every call obeys.
package struct SiteServer: Sendable {
    package let site: Site
    package let table: RouteTable
    /// What browsers open; it goes before the table where both have an address.
    package let pages: RouteTable
    private let limits: ServerLimits
    private let router: RouterResponder<SiteContext>
    private let rules: RequestRules
    private let trusted: [AddressRange]
    private let counter: ConnectionCounter
    private let logger: Logger

    package init(site: Site, table: RouteTable, pages: RouteTable? = nil, logger: Logger) {
        self.site = site
        self.table = table
        let pages = pages ?? RouteTable(prefix: "")
        self.pages = pages
        self.limits = site.limits
        self.logger = logger
        self.trusted = site.trustedProxies
        self.counter = site.connections
        let rules = RequestRules(site: site, limits: site.limits)
        self.rules = rules
        let router = Router(context: SiteContext.self)
        let shown = Set(pages.routes.map(\.name))
        for route in pages.routes + table.routes.filter({ !shown.contains($0.name) }) {
            let endpoint = Endpoint(route: route, rules: rules)
            let path = RouterPath(route.path)
            router.on(path, method: route.method, responder: endpoint)
            if route.method == .get { router.on(path, method: .head, responder: endpoint) }
        }
        router.add(middleware: Unmatched(table: table, pages: pages, rules: rules))
        self.router = router.buildResponder()
    }

    /// What a caller who asks first may send: nothing to an address that is none, or before signing in.
    @Sendable private func room(for head: HTTPRequestHead) -> Int? {
        guard let method = HTTPRequest.Method(head.method.rawValue), let route = table.route(method, head.uri),
            route.access == .open || head.headers.contains(name: "authorization")
        else { return nil }
        return route.body.upload ?? Limits.body
    }

    /// Bytes of bodies that are in memory now.
    package var bodyBytes: Int { rules.bodies.bytes }
    /// Calls that may hash a password: those that have their turn, and those that wait for one.
    package var hashing: Int { rules.passwords.working }
    package var waitingToHash: Int { rules.passwords.waiting }
    /// Connections that are open now, streams among them.
    package var connections: Int { counter.count + counter.streamCount }

    /// Answers one request of somebody at the server's own terminal, by the operating system's name: what moderators do, without a socket,
    /// a token or a rate.
    package func answer(_ request: Request, terminal name: String) async throws -> Response {
        let source = SiteContext.Source(
            site: site, requestID: RequestID.text(from: nil), address: .local, isLocal: true,
            presence: Presence(), terminal: name, logger: logger)
        return try await router.respond(to: request, context: SiteContext(source: source))
    }

    /// Answers one request that came from `peer`, who waits as long as `presence` says so, and whose upgrade was refused for `refusal`; `channel`: the
    /// connection on which it came, where it came on one. Throws only what the connection must see: a parser's error in the body.
    @Sendable package func answer(
        _ request: Request, from peer: SocketAddress?, presence: Presence = Presence(),
        refusal: UpgradeRefusal = UpgradeRefusal(), on channel: (any Channel)? = nil
    ) async throws -> Response {
        let headers = request.headers
        let source = SiteContext.Source(
            site: site, requestID: RequestID.text(from: headers[.requestID]),
            address: ClientAddress(
                peer: peer, forwardedFor: trusted.isEmpty ? [] : headers[values: .forwardedFor], trusted: trusted),
            isLocal: ClientAddress(peer?.addressBytes ?? []).isLoopback && !headers.isForwarded,
            presence: presence, refusal: refusal.reason, channel: channel, logger: logger)
        return try await router.respond(to: request, context: SiteContext(source: source))
    }

    /// Listens until graceful shutdown, then lets what is in progress end. `onRunning` gets the address that was bound.
    package func service(
        host: String, port: Int, group: any EventLoopGroup, upgraders: @escaping Upgraders = { .none },
        onRunning: @escaping @Sendable (SocketAddress?) async -> Void = { _ in }
    ) -> any Service {
        let channel = HTTPChannel(
            limits: limits, counter: counter, upgraders: upgraders, room: room, answer: answer)
        return channel.server(
            configuration: ServerConfiguration(address: .hostname(host, port: port), backlog: 1024),
            onServerRunning: { await onRunning($0.localAddress) }, eventLoopGroup: group, logger: logger)
    }
}

/// Names of requests, for logs and problems.
enum RequestID {
    /// What the client sent, where that is 1 to 64 of `A-Z a-z 0-9 . _ -`; else 13 random characters.
    static func text(from header: String?) -> String {
        if let header, (1...64).contains(header.utf8.count), header.utf8.allSatisfy(isPlain) { return header }
        // From 36^12 on, all have 13: two answers of one kind are of one length, for every caller.
        return String(UInt64.random(in: 4_738_381_338_321_616_896 ... .max), radix: 36)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// What no route takes: 404, 405 with `Allow`, and `OPTIONS`, which is also how browsers ask before a cross-origin
/// call.
private struct Unmatched: RouterMiddleware {
    typealias Context = SiteContext
    let table: RouteTable
    let pages: RouteTable
    let rules: RequestRules

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        let allowed = table.methods(at: path) + pages.methods(at: path)
        var route = Route.unmatched { _, _ in
            if request.method == .options {
                guard !allowed.isEmpty || request.head.path == "*" else { throw Failure.notFound("page") }
                return Reply(status: .noContent, headers: CrossOrigin.preflight(allowed: allowed))
            }
            guard !allowed.isEmpty else { throw Failure.notFound("page") }
            var problem = Problem(.methodNotAllowed, "It takes " + allowed.joined(separator: ", ") + ".")
            problem.headers[.allow] = allowed.joined(separator: ", ")
            throw problem
        }
        // Who asks for no call of the API and for no file sees a page.
        if !path.hasPrefix("/api/"), request.headers[.accept]?.contains("text/html") == true {
            route.face = pages.routes.first?.face
        }
        return try await Endpoint(route: route, rules: rules, duration: rules.unmatchedDuration).respond(
            to: request, context: context)
    }
}

/// Cross-origin calls from browsers: from everywhere or from the origins that the owner names, with a token and never
/// with cookies, which this server does not know; so no page can use what its visitor is elsewhere. Probes, which want
/// no token, are never for pages of others.
struct CrossOrigin: Sendable {
    /// Empty: every origin.
    private let origins: Set<WebOrigin>

    init(origins: [String]) { self.origins = Set(origins.compactMap(WebOrigin.init)) }

    /// `Access-Control-Allow-Origin` for a page of `origin`; `nil` for one that is not allowed, whose browser then
    /// keeps the answer from it.
    func allowed(for origin: String?) -> String? {
        if origins.isEmpty { return "*" }
        guard let origin, let page = WebOrigin(origin), allows(page) else { return nil }
        return origin
    }

    /// Whether a page of `origin` may call.
    func allows(_ origin: WebOrigin) -> Bool { origins.isEmpty || origins.contains(origin) }

    static let exposed =
        "ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Idempotency-Replayed, Deprecation, X-Request-Id"

    static func preflight(allowed: [String]) -> HTTPFields {
        let methods = allowed.joined(separator: ", ")
        return [
            .allow: methods,
            .accessControlAllowMethods: methods,
            .accessControlAllowHeaders:
                "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id",
            .accessControlMaxAge: "86400",
        ]
    }
}

import Community
import HTTPTypes
import Hummingbird

/// One entry of the route table.
package struct Route: Sendable {
    /// Answers a call that has passed every rule. What it throws becomes a problem.
    package typealias Handler = @Sendable (Request, SiteContext) async throws -> Reply

    /// Who may call.
    package enum Access: String, Sendable {
        /// Everyone; a sent token is still checked and tells who is looking.
        case open
        /// Signed-in readers: 401 otherwise.
        case reader
        /// Signed-in readers with a session: 401 otherwise, and 403 `session_required` for access tokens. Keys,
        /// sessions and leaving.
        case session
        /// Signed-in readers who may post: verified, or on loopback. 401 and 403 otherwise.
        case verified
    }

    /// What an access token may do here.
    package enum Tokens: Hashable, Sendable {
        /// Nothing: 403 `session_required`.
        case refused
        /// Call, if it has the scope: 403 `insufficient_scope` otherwise.
        case scope(Accounts.Scope)
        /// It makes no difference: what is answered is for everybody alike.
        case ignored
    }

    /// What happens to the body before the handler runs.
    package enum Body: Sendable {
        /// There is none; what is sent is not read, and the connection ends where some of it is still to come.
        case none
        /// JSON of at most `Limits.body` bytes, read whole.
        case json(Schema)
        /// A picture of at most so many bytes, read whole, `Content-Type: image/…`. Such calls have their own, smaller
        /// number of turns and a longer time, so that slow senders keep nobody else waiting.
        case image(bytes: Int)
        /// JSON of at most so many bytes, in the turns of pictures: what fits into no other call.
        case jsonFile(Schema, bytes: Int)
        /// A file of one of `types`, of at most so many bytes. The handler takes it as it arrives; such calls have turns of
        /// their own.
        case file(types: [String], bytes: Int)

        /// Bytes of what is no small body.
        package var upload: Int? {
            switch self {
            case .image(let bytes), .jsonFile(_, let bytes), .file(_, let bytes): bytes
            case .none, .json: nil
            }
        }
        /// What JSON is expected.
        package var shape: Schema? {
            switch self {
            case .json(let schema), .jsonFile(let schema, _): schema
            case .none, .image, .file: nil
            }
        }
    }

    package let method: HTTPRequest.Method
    /// From the root, parameters in braces: `/api/v1/books/{book}`.
    package let path: String
    package let access: Access
    package let limit: RateClass
    /// One line for people: what the call does.
    package let summary: String
    package internal(set) var query: [QueryParameter]
    package let body: Body
    /// The status and shape of success; no shape where there is no JSON body.
    package let status: HTTPResponse.Status
    package internal(set) var reply: Schema?
    /// Not counted against the requests in flight: probes and long-lived connections.
    package let isExempt: Bool
    /// The token of the call is worthless afterwards: its `Idempotency-Key` belongs to the token and is known also
    /// then.
    package let endsSession: Bool
    package internal(set) var handler: Handler
    /// Headers that it reads beside those of every call.
    var headers: [QueryParameter] = []
    /// The media types of a reply that is no JSON.
    package var types: [String] = []
    /// The form of faults, for clients of another service's API; `nil`: `application/problem+json`.
    package var dialect: Dialect?
    package var tokens = Tokens.ignored
    /// What it is about: its tag in the document.
    package fileprivate(set) var area = "server"
    /// There for what browsers open by themselves, and not for calls of the API.
    package var face: Face?
    /// A picture that pages show: their cookie says who asks, too.
    var takesCookie = false
    /// A password may be hashed for it. Such calls have their own, smaller number of turns, so that log-ins keep nobody
    /// else waiting.
    package var hashesPassword = false

    /// What an access token needs here; `nil` where none may call, or where it makes no difference.
    package var scope: Accounts.Scope? { if case .scope(let scope) = tokens { scope } else { nil } }

    /// `GET /api/v1/books/{book}`.
    package var name: String { method.rawValue + " " + path }

    /// The statuses of success: what `PUT` finds missing it makes (201), and what it asks somebody for (202) may be so already.
    package var successes: [HTTPResponse.Status] {
        switch (method, status) {
        case (.put, .ok): [.ok, .created]
        case (.put, .accepted): [.ok, .created, .accepted]
        default: [status]
        }
    }
}

/// How another service's API words faults.
package struct Dialect: Sendable {
    package let schema: Schema
    let reply: @Sendable (Problem) throws -> Reply
}

/// A parameter after the `?`.
package struct QueryParameter: Sendable {
    package let name: String
    package let schema: Schema
    package let summary: String
    package let isRequired: Bool

    package init(_ name: String, _ schema: Schema, _ summary: String, isRequired: Bool = false) {
        self.name = name
        self.schema = schema
        self.summary = summary
        self.isRequired = isRequired
    }

    /// What every paged list takes: `limit` 1…100 (20) and `cursor`, and `direction`.
    package static let paging =
        pages + [
            QueryParameter(
                "direction", .choice(ListDirection.allCases.map(\.rawValue)),
                "Which way the list goes by what it is sorted by; its usual way where it is left out.")
        ]

    /// What a list takes that shows the best or the latest first, and goes no other way.
    package static let pages = [
        QueryParameter(
            "limit", .integer(Limits.page), "Items on the page, \(Limits.defaultPage) where it is left out."),
        QueryParameter("cursor", .string, "`next_cursor` or `prev_cursor` of another page of the same list."),
    ]
}

/// Every route of the server. Each domain adds its own; `Routes.swift` calls them in order.
package struct RouteTable: Sendable {
    package internal(set) var routes: [Route] = []
    let prefix: String
    /// What the routes that are added now belong to. Outside of every area, access tokens are refused.
    private var area = Area.none
    /// Whether what is added now may hash a password.
    private var hashesPassword = false

    enum Area {
        case none
        case everybody(String)
        case named(String)

        /// The tag of the routes that are added now.
        var tag: String {
            switch self {
            case .none: "accounts"
            case .everybody(let name), .named(let name): name
            }
        }
    }

    /// Paths are added behind `prefix`.
    package init(prefix: String = "/api/v1") { self.prefix = prefix }

    /// Adds what `add` adds as one area of the API, which names the scopes of access tokens: `read:AREA` for what `GET`
    /// does, `write:AREA` for the other methods. Within another area these belong to this one alone.
    package mutating func area(_ name: String, _ add: (inout RouteTable) -> Void) {
        let outer = area
        area = .named(name)
        add(&self)
        area = outer
    }

    /// Adds what `add` adds as calls for which `read:AREA` is enough, whatever their method: they change nothing but what the caller holds.
    mutating func reading(_ add: (inout RouteTable) -> Void) {
        let first = routes.count
        add(&self)
        for index in first..<routes.count {
            if let scope = routes[index].scope { routes[index].tokens = .scope(Accounts.Scope(.read, scope.area)) }
        }
    }

    /// Adds what is answered to everybody alike; `name` is the tag in the document.
    package mutating func everybody(_ name: String = "server", _ add: (inout RouteTable) throws -> Void) rethrows {
        area = .everybody(name)
        try add(&self)
        area = .none
    }

    /// Adds what `add` adds as calls for which a password may be hashed.
    package mutating func hashing(_ add: (inout RouteTable) -> Void) {
        hashesPassword = true
        add(&self)
        hashesPassword = false
    }

    /// Every scope that some route has, in order.
    package var scopes: [Accounts.Scope] { Set(routes.compactMap(\.scope)).sorted() }

    /// A call that changes nothing; `query` names what it reads from the address.
    package mutating func get(
        _ path: String, access: Route.Access = .open, limit: RateClass = .read, summary: String,
        query: [QueryParameter] = [],
        reply: Schema?, _ handler: @escaping Route.Handler
    ) {
        add(.get, path, access, limit, summary, query, .none, .ok, reply, handler)
    }

    /// `status` is what success answers: `.created` with a `Location`, `.ok`, or `.noContent` with no `reply`.
    package mutating func post(
        _ path: String, access: Route.Access = .verified, limit: RateClass = .write, summary: String,
        body: Schema? = nil,
        status: HTTPResponse.Status = .created, reply: Schema? = nil, _ handler: @escaping Route.Handler
    ) {
        add(.post, path, access, limit, summary, [], body.map(Route.Body.json) ?? .none, status, reply, handler)
    }

    /// A call that says what something is; repeating it changes nothing more.
    package mutating func put(
        _ path: String, access: Route.Access = .verified, limit: RateClass = .write, summary: String,
        body: Schema? = nil,
        status: HTTPResponse.Status = .ok, reply: Schema? = nil, _ handler: @escaping Route.Handler
    ) {
        add(.put, path, access, limit, summary, [], body.map(Route.Body.json) ?? .none, status, reply, handler)
    }

    /// A call that says what parts of something are; what is left out stays.
    package mutating func patch(
        _ path: String, access: Route.Access = .verified, limit: RateClass = .write, summary: String,
        body: Schema? = nil,
        status: HTTPResponse.Status = .ok, reply: Schema? = nil, _ handler: @escaping Route.Handler
    ) {
        add(.patch, path, access, limit, summary, [], body.map(Route.Body.json) ?? .none, status, reply, handler)
    }

    /// A call that takes something away; `endsSession`: its answer is repeated without a session.
    package mutating func delete(
        _ path: String, access: Route.Access = .reader, limit: RateClass = .write, summary: String,
        query: [QueryParameter] = [], body: Schema? = nil,
        status: HTTPResponse.Status = .noContent, reply: Schema? = nil, endsSession: Bool = false,
        _ handler: @escaping Route.Handler
    ) {
        add(
            .delete, path, access, limit, summary, query, body.map(Route.Body.json) ?? .none, status, reply, handler,
            endsSession: endsSession)
    }

    /// The root of the server, outside the prefix: a page stands in its place where the server shows pages.
    package mutating func root(summary: String, reply: Schema, _ handler: @escaping Route.Handler) {
        append(
            Route(
                method: .get, path: "/", access: .open, limit: .read, summary: summary, query: [], body: .none,
                status: .ok, reply: reply, isExempt: false, endsSession: false, handler: handler,
                types: ["text/html"]))
    }

    /// A page outside the prefix, for people, or text of another media type that belongs to one.
    package mutating func page(
        _ path: String, type: String = "text/html", summary: String, _ handler: @escaping Route.Handler
    ) {
        append(
            Route(
                method: .get, path: path, access: .open, limit: .read, summary: summary, query: [], body: .none,
                status: .ok, reply: nil, isExempt: false, endsSession: false, handler: handler, types: [type]))
    }

    /// A route outside the prefix that is never limited nor counted: probes and metrics.
    package mutating func probe(
        _ path: String, summary: String, query: [QueryParameter] = [], reply: Schema?,
        _ handler: @escaping Route.Handler
    ) {
        append(
            Route(
                method: .get, path: path, access: .open, limit: .unlimited, summary: summary, query: query, body: .none,
                status: .ok,
                reply: reply, isExempt: true, endsSession: false, handler: handler))
    }

    /// A search outside the prefix in the form of another service's API, for clients that were made for that one.
    package mutating func foreign(
        _ path: String, summary: String, query: [QueryParameter], reply: Schema, dialect: Dialect,
        _ handler: @escaping Route.Handler
    ) {
        append(
            Route(
                method: .get, path: path, access: .open, limit: .search, summary: summary, query: query, body: .none,
                status: .ok, reply: reply, isExempt: false, endsSession: false, handler: handler, dialect: dialect))
    }

    /// Gives the route added last another handler: for one that needs the whole table.
    mutating func replaceLast(_ handler: @escaping Route.Handler) {
        guard !routes.isEmpty else { return }
        routes[routes.count - 1].handler = handler
    }

    mutating func append(_ route: Route) {
        var route = route
        route.area = area.tag
        routes.append(route)
    }

    func tokens(
        _ method: HTTPRequest.Method, _ access: Route.Access, _ limit: RateClass, endsSession: Bool
    ) -> Route.Tokens {
        // Who proves something with a password or a code shows no token.
        if access == .open, limit == .auth { return .ignored }
        if access == .session || endsSession { return .refused }
        return switch area {
        case .none: .refused
        case .everybody: .ignored
        case .named(let name): .scope(Accounts.Scope(method == .get ? .read : .write, name))
        }
    }

    mutating func add(
        _ method: HTTPRequest.Method, _ path: String, _ access: Route.Access, _ limit: RateClass, _ summary: String,
        _ query: [QueryParameter], _ body: Route.Body, _ status: HTTPResponse.Status, _ reply: Schema?,
        _ handler: @escaping Route.Handler, endsSession: Bool = false
    ) {
        append(
            Route(
                method: method, path: prefix + path, access: access, limit: limit, summary: summary, query: query,
                body: body,
                status: status, reply: reply, isExempt: limit == .stream, endsSession: endsSession,
                handler: handler, tokens: tokens(method, access, limit, endsSession: endsSession),
                hashesPassword: hashesPassword))
    }
}

/// Which bucket a call draws from; the rates stand in `RateLimiter`.
package enum RateClass: String, Sendable, CaseIterable {
    case read, write, search
    /// Writing of which one call may make much work, or leaves something for good: what raises the scopes of a whole
    /// thread, opens every gate of a reader, or adds a text to the history of a post.
    case costly
    /// Whatever hashes a password or checks a secret: log-in, sign-up, verification.
    case auth
    /// Opening a stream: by address, then by account.
    case stream
    /// Sending a picture, and fetching one.
    case upload, image
    /// Calls that carry a token, by address: taken before the token is looked up.
    case address
    case unlimited
}

extension RouteTable {
    /// The methods that some route takes at `path`, `HEAD` and `OPTIONS` included, in a fixed order; none where there
    /// is no such path.
    func methods(at path: String) -> [String] {
        var methods = Set(reached(path.split(separator: "/")).map(\.method.rawValue))
        if methods.isEmpty { return [] }
        if methods.contains("GET") { methods.insert("HEAD") }
        methods.insert("OPTIONS")
        return ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter(methods.contains)
    }
}

extension Route {
    /// Stands in the log and in the metrics for whatever no route takes.
    static func unmatched(at path: String = "unmatched", _ handler: @escaping Handler) -> Route {
        Route(
            method: .get, path: path, access: .open, limit: .read, summary: "", query: [], body: .none,
            status: .ok, reply: nil,
            isExempt: false, endsSession: false, handler: handler)
    }
}

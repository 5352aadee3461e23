import Community
import HTTPTypes
import Hummingbird
import NIOCore

/// What sets a route apart that browsers open by themselves: a page, a file that belongs to pages, or a form that a page sends.
package struct Face: Sendable {
    /// Headers of its answers, in the place of those of the API.
    let headers: HTTPFields
    /// The token of the reader's session, from a cookie. One that opens nothing makes a stranger of who sends it.
    let token: @Sendable (Request) -> String?
    /// The page that says what went wrong, for the reader as far as the call knew.
    let refusal: @Sendable (Problem, Request, SiteContext) async -> Reply

    package init(
        headers: HTTPFields, token: @escaping @Sendable (Request) -> String?,
        refusal: @escaping @Sendable (Problem, Request, SiteContext) async -> Reply
    ) {
        self.headers = headers
        self.token = token
        self.refusal = refusal
    }
}

extension Route {
    /// What says who calls: a header for calls of the API, a cookie for pages.
    func authorization(of request: Request, at site: Site) -> String? {
        if let face { return face.token(request).map { "Bearer " + $0 } }
        let header = request.headers[.authorization]
        guard header == nil, takesCookie, request.headers[.fetchSite] == "same-origin" else { return header }
        return site.sessionCookie.value(in: request.headers[values: .cookie]).map { "Bearer " + $0 }
    }

    /// Path and query as they were sent. That of a page begins with one slash: a link to what begins with two leads to another host.
    func target(of request: Request) -> String {
        let sent = request.head.path ?? "/"
        guard face != nil else { return sent }
        return "/" + sent.drop { $0 == "/" || $0 == "\\" }
    }

    /// What a call is answered that was refused: a page, another service's form of a fault, or a problem.
    func reply(to request: Request, refusedFor problem: Problem, in context: SiteContext) async throws -> Reply {
        if let face { return await face.refusal(problem, request, context) }
        return try dialect?.reply(problem) ?? problem.reply(request: context.requestID, base: context.base)
    }

    /// Answers another call for the same caller, as if it had come by itself: it is admitted and its parameters are known. It counts as none
    /// of its own, and its blanks are left. `target`: its path, with `?` and what follows; `body`: JSON, for those that take it.
    package func answer(
        _ request: Request, within context: SiteContext, at target: String, body: ByteBuffer = ByteBuffer()
    ) async throws -> Reply {
        var inner = context.entering(self, at: target)
        inner.body = body
        inner.shape = self.body.shape
        try admit(inner)
        try checkParameters(of: target)
        return try await handler(request, inner)
    }
}

extension SiteContext {
    /// Takes one call of who calls, for what is done beside the call itself. Throws `Failure.limited` where none is left.
    package func take(_ limit: RateClass) throws(Failure) {
        _ = try site.admit(limit, by: identity.map { .account($0.account) } ?? .address(address))
    }

    /// The same call at the address of another route.
    package func entering(_ route: Route, at target: String) -> SiteContext {
        var inner = self
        inner.route = route.path
        inner.target = target
        let parts = target.prefix { $0 != "?" }.split(separator: "/")
        for (name, value) in zip(route.path.split(separator: "/"), parts) {
            guard let open = name.firstIndex(of: "{") else { continue }
            let fixed = name[..<open].count
            inner.coreContext.parameters[name[open...].dropFirst().dropLast()] = value.dropFirst(fixed)
        }
        return inner
    }
}

extension RouteTable {
    /// Keeps an address where nothing is answered: a table of places.
    package mutating func place(_ path: String) {
        append(.unmatched(at: path) { _, _ in throw Failure.notFound("page") })
    }

    /// A page for browsers at `path`, or a file that belongs to pages.
    package mutating func page(
        _ path: String, limit: RateClass = .read, summary: String, type: String = "text/html", face: Face,
        _ handler: @escaping Route.Handler
    ) {
        var route = Route(
            method: .get, path: path, access: .open, limit: limit, summary: summary, query: [], body: .none,
            status: .ok,
            reply: nil, isExempt: false, endsSession: false, handler: handler, types: [type])
        route.face = face
        append(route)
    }

    /// What a page sends to have `call` made: fields, or a file where `call` takes one. It answers 303. It costs what `call` costs; without a
    /// call it costs what writing costs.
    package mutating func form(
        _ path: String, for call: Route? = nil, face: Face, _ handler: @escaping Route.Handler
    ) {
        let body: Route.Body =
            switch call?.body {
            case .image(let bytes), .file(_, let bytes), .jsonFile(_, let bytes): .image(bytes: bytes + Limits.body)
            case .none?, .json, nil: .json(.any)
            }
        var route = Route(
            method: .post, path: path, access: .open, limit: call?.limit ?? .write,
            summary: call?.summary ?? "A form that makes no call.", query: [], body: body, status: .seeOther,
            reply: nil,
            isExempt: false, endsSession: call?.endsSession ?? false, handler: handler)
        route.face = face
        route.hashesPassword = call?.hashesPassword ?? false
        append(route)
    }
}

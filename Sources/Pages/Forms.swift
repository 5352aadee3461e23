import Community
import Cryptography
import HTTPTypes
import Hummingbird
import JSONWriting
import NIOCore
import Postgres
import Web

extension Pages {
    /// Adds `POST /do/METHOD/…` for each call that changes something, and the forms that are more than one call.
    func addForms(to table: inout RouteTable) throws {
        for route in api.routes where route.method != .get && route.isForForms {
            table.form("/do/" + route.method.rawValue + route.path.dropFirst("/api/v1".count), for: route, face: face) {
                try await take(route, $0, in: $1)
            }
        }
        for (path, call) in [("/sign-in", "/sessions"), ("/sign-up", "/accounts")] {
            let route = try api.known(.post, call)
            table.form(path, for: route, face: face) { try await signIn(by: route, $0, in: $1) }
        }
        let end = try api.known(.delete, "/me/sessions/current")
        table.form("/sign-out", for: end, face: face) { try await signOut(by: end, $0, in: $1) }
        // It changes no more than how this browser shows a book.
        table.form("/read/look", face: face) { request, context in
            let sent = try accepted(request, context)
            var reply = Self.lead(to: Self.ownAddress(sent["_then"]) ?? "/")
            reply.headers[.setCookie] = Look(of: sent).cookie(isSecure: site.isSecure)
            return reply
        }
    }

    /// Makes the call that a form names.
    private func take(_ named: Route, _ request: Request, in context: SiteContext) async throws -> Reply {
        let sent = try accepted(request, context)
        if sent["_preview"] != nil { return try await again(sent, Refused(previewing: sent), request, context) }
        // A button may turn what its form does into the opposite.
        var route = named
        if let said = sent["_method"], !said.isEmpty {
            guard let method = HTTPRequest.Method(said), let other = api.route(method, named.path), other.isForForms,
                other.limit == named.limit, other.hashesPassword == named.hashesPassword
            else { throw Problem(.badRequest, "This form cannot do that.") }
            route = other
        }
        let reply = try await make(route, sent, request, in: context)
        if request.headers[.accept]?.hasPrefix("application/json") == true { return reply }
        var lead = Self.lead(to: Self.address(after: reply, sent))
        if route.endsSession { lead.headers[.setCookie] = site.sessionCookie.setting("", seconds: 0) }
        return lead
    }

    /// What a form sent that may be taken from where it came. Throws `Problem` where it may not.
    private func accepted(_ request: Request, _ context: SiteContext) throws -> Sent {
        let sent = try Sent(request, context.body)
        try check(sent, request, context)
        return sent
    }

    private func make(_ route: Route, _ sent: Sent, _ request: Request, in context: SiteContext) async throws -> Reply {
        var target = "/api/v1"
        for part in route.path.split(separator: "/").dropFirst(2) {
            target += "/" + (part.hasPrefix("{") ? context.parameters[part.dropFirst().dropLast()] ?? "" : part)
        }
        let isUpload = if case .image = route.body { true } else { false }
        let inQuery = Set(route.query.map(\.name))
        let asked = sent.said.filter { (isUpload || inQuery.contains($0.name)) && !$0.value.isEmpty }
        if !asked.isEmpty {
            target += "?" + asked.map { Query.encode($0.name) + "=" + Query.encode($0.value) }.joined(separator: "&")
        }
        var headers: HTTPFields = [:]
        var body = ByteBuffer()
        if isUpload {
            guard let file = sent.file else { throw Failure.invalid("/file", .required, "must be chosen") }
            headers[.contentType] = file.type
            body = ByteBuffer(bytes: file.bytes)
        } else if let shape = route.body.shape {
            headers[.contentType] = "application/json"
            body = ByteBuffer(bytes: try JSONWriter.bytes(sent.body(shape, but: inQuery)))
        }
        // The others may be made twice without harm.
        if route.method == .post, context.identity != nil, let key = sent["_key"], !key.isEmpty {
            headers[.idempotencyKey] = key
        }
        headers[.userAgent] = request.headers[.userAgent]
        let call = Request(
            head: HTTPRequest(
                method: route.method, scheme: request.head.scheme, authority: request.head.authority, path: target,
                headerFields: headers),
            body: .init(buffer: body))
        return try await route.answer(call, within: context, at: target, body: body).filled(for: call, in: context)
    }

    // MARK: Sessions

    /// Signing in and signing up: the token of the answer goes into the cookie.
    private func signIn(by route: Route, _ request: Request, in context: SiteContext) async throws -> Reply {
        let sent = try accepted(request, context)
        let reply = try await make(route, sent, request, in: context)
        guard case .bytes(let bytes) = reply.content, let answer = JSONTape(Array(bytes.readableBytesView)) else {
            throw Problem(.internal)
        }
        guard let token = answer.text(at: ["token"]), let ends = answer.text(at: ["expires_at"]).flatMap(Timestamp.init)
        else { return Self.lead(to: "/sign-in?is_waiting=true") }
        var lead = Self.lead(to: Self.ownAddress(sent["_then"]) ?? "/home")
        let left = ends - context.community.services.clock.now()
        lead.headers[.setCookie] = site.sessionCookie.setting(token, seconds: max(1, Int(left.components.seconds)))
        return lead
    }

    private func signOut(by route: Route, _ request: Request, in context: SiteContext) async throws -> Reply {
        do {
            let sent = try accepted(request, context)
            if context.identity != nil { _ = try await make(route, sent, request, in: context) }
        } catch let problem as Problem where problem.code == .formExpired && context.identity == nil {
            // Whose session is over already wanted just that.
        }
        var lead = Self.lead(to: "/")
        lead.headers[.setCookie] = site.sessionCookie.setting("", seconds: 0)
        return lead
    }

    // MARK: Where it leads

    /// `_then`, its braces filled in from the answer. Where the answer lacks what they name, `_none`, its braces filled in
    /// from the form; where the form says neither, the page that it stood on.
    private static func address(after reply: Reply, _ sent: Sent) -> String {
        let from = ownAddress(sent["_from"]) ?? "/"
        guard let then = sent["_then"], !then.isEmpty else { return from }
        guard then.contains("{"), !reply.isSealed else { return ownAddress(then) ?? from }
        guard case .bytes(let bytes) = reply.content, let answer = JSONTape(Array(bytes.readableBytesView)) else {
            return from
        }
        let made = filled(then) { way in
            answer.value(at: way.split(separator: ".").map { String($0) }).map { answer.text($0) }
        }
        return ownAddress(made ?? sent["_none"].flatMap { filled($0) { sent[String($0)] } }) ?? from
    }

    /// `address` with what `value` gives for the names in its braces; `nil` where it gives nothing for one.
    private static func filled(_ address: String, _ value: (Substring) -> String?) -> String? {
        var (made, rest) = ("", address[...])
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            guard let value = value(rest[rest.index(after: open)..<close]) else { return nil }
            made += rest[..<open] + Query.encode(value)
            rest = rest[rest.index(after: close)...]
        }
        return made + rest
    }

    /// `address` where it is one of this server's pages: a path. `nil` for what leads elsewhere, however browsers may read it.
    static func ownAddress(_ address: String?) -> String? {
        guard let address, address.first == "/", address.utf8.count <= 2_000,
            address.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            !address.hasPrefix("//")
        else { return nil }
        return address
    }
}

extension Route {
    /// Whether a form can make this call: all but those that give a secret or take a large file.
    fileprivate var isForForms: Bool {
        switch body {
        case .file, .jsonFile: return false
        case .none, .json, .image:
            guard path.hasPrefix("/api/v1/") else { return false }
            let secrets = ["/sessions", "/accounts", "/me/access-tokens", "/stream/tickets"]
            let call = path.dropFirst("/api/v1".count)
            return !secrets.contains(String(call)) && !call.hasSuffix("/link")
        }
    }
}

extension RouteTable {
    /// Throws where there is no such call.
    fileprivate func known(_ method: HTTPRequest.Method, _ path: String) throws -> Route {
        guard let route = route(method, "/api/v1" + path) else { throw Pages.Call.NoRoute(address: path) }
        return route
    }
}

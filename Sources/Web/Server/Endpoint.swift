import Community
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import Postgres

/// What every call shares: the site, its limits, and the headers that every answer carries.
final class RequestRules: Sendable {
    let site: Site
    let limits: ServerLimits
    let gate: RequestGate
    /// For calls that carry a picture.
    let uploads: RequestGate
    /// For calls that carry a file.
    let files: RequestGate
    /// For calls that may hash a password.
    let passwords: RequestGate
    let hashing: AddressShares
    let bodies: BodyBudget
    let hosts: HostRule
    let crossOrigin: CrossOrigin
    let unmatchedDuration = RouteDuration(path: "unmatched")
    /// Headers of every answer.
    let common: HTTPFields
    let dates = DateHeader()

    static let hashingIsBusy = Failure.busy("Too many passwords are being checked.", retryAfter: .seconds(2))

    init(site: Site, limits: ServerLimits) {
        self.site = site
        self.limits = limits
        self.gate = RequestGate(capacity: limits.inFlight, backlog: limits.backlog, patience: limits.turnWait)
        self.uploads = RequestGate(
            capacity: limits.uploads, backlog: limits.uploadBacklog, patience: limits.uploadTime)
        self.files = RequestGate(
            capacity: limits.files, backlog: limits.fileBacklog, patience: limits.uploadTime)
        self.passwords = RequestGate(
            capacity: limits.passwords, backlog: limits.passwordBacklog, patience: limits.turnWait,
            refusal: Self.hashingIsBusy)
        self.hashing = AddressShares(each: limits.passwordsPerAddress)
        self.bodies = BodyBudget(capacity: limits.bodies)
        self.hosts = HostRule(publicURL: site.settings.publicURL)
        self.crossOrigin = CrossOrigin(origins: site.settings.origins)
        var common: HTTPFields = [
            .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
            .accessControlExposeHeaders: CrossOrigin.exposed,
            .vary: site.settings.origins.isEmpty ? "Authorization, Accept" : "Authorization, Accept, Origin",
        ]
        common[.referrerPolicy] = "no-referrer"
        common[.resourcePolicy] = "cross-origin"
        if site.settings.publicURL?.hasPrefix("https://") == true {
            common[.strictTransportSecurity] = "max-age=31536000"
        }
        self.common = common
    }
}

/// One route behind the rules, in this order: host, the address's rate, body, turn, deadline, caller, the caller's
/// rate, access, handler; then the headers, the log line and the measurement of the answer. A call whose body still
/// arrives holds no turn.
struct Endpoint: HTTPResponder {
    typealias Context = SiteContext
    private let route: Route
    private let rules: RequestRules
    private let duration: RouteDuration

    init(route: Route, rules: RequestRules, duration: RouteDuration? = nil) {
        self.route = route
        self.rules = rules
        self.duration = duration ?? RouteDuration(path: route.path)
    }

    func respond(to request: Request, context: SiteContext) async throws -> Response {
        let start = ContinuousClock.now
        var call = Call(context: context)
        var reply: Reply
        do {
            reply = try await serve(request, &call)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            let problem = Problem(error)
            if (error as? PostgresError)?.sqlState == .diskFull { rules.site.status.diskWasFull() }
            if problem.code == .internal {
                context.logger.error(
                    "a request failed",
                    metadata: [
                        "request_id": "\(context.requestID)", "route": "\(route.path)", "error": "\(Self.safe(error))",
                    ])
            }
            reply = try await route.reply(to: request, refusedFor: problem, in: call.context)
            reply = (try? await reply.filled(for: request, in: call.context)) ?? reply.emptied(base: call.context.base)
        }
        let response = finish(reply, request, call)
        record(request, response.status.code, ContinuousClock.now - start, call.context)
        return response
    }

    /// What one call gathers on its way.
    private struct Call {
        var context: SiteContext
        var rate: RateLimiter.Verdict?
        /// Bytes of its body, counted in the budget of all.
        var bodyBytes = 0
    }

    // MARK: The way in

    private func serve(_ request: Request, _ call: inout Call) async throws -> Reply {
        if call.context.terminal != nil { return try await serveTerminal(request, &call) }
        let authority = request.head.authority ?? ""
        call.context.base = rules.site.settings.publicURL ?? "http://" + authority
        guard rules.hosts.allows(authority) else {
            call.context.base = rules.site.settings.publicURL ?? ""
            throw Problem(
                .misdirected, "Ask it by the name in PUBLIC_URL.")
        }
        call.context.target = route.target(of: request)
        call.context.route = route.path
        call.context.shape = route.body.shape
        // Who calls makes no difference to a probe.
        if route.limit == .unlimited { return try await route.handler(request, call.context) }
        let authorization = route.authorization(of: request, at: rules.site)
        if authorization == nil {
            try limitRate(&call)
            if route.access != .open { throw Failure.unauthenticated() }
        } else {
            try limitAddress(call)
        }
        if route.isExempt { return try await serveInTurn(request, authorization, &call) }
        defer { rules.bodies.give(call.bodyBytes) }
        if case .json = route.body { call.context.body = try await readJSON(request, &call) }
        if route.hashesPassword { return try await serveHashing(request, authorization, &call) }
        let (gate, time) =
            switch route.body {
            case .none, .json: (rules.gate, rules.limits.requestTime)
            case .image, .jsonFile: (rules.uploads, rules.limits.uploadTime)
            case .file: (rules.files, rules.limits.fileTime)
            }
        try await gate.enter()
        defer { gate.leave() }
        return try await Deadline.within(time) {
            try await serveInTurn(request, authorization, &call)
        }
    }

    /// Who sits at the server's own terminal calls what moderators call, and nothing else.
    private func serveTerminal(_ request: Request, _ call: inout Call) async throws -> Reply {
        guard route.access == .open || route.scope?.area == Moderation.Routes.area else {
            throw Failure.unauthenticated()
        }
        call.context.base = rules.site.settings.publicURL ?? ""
        call.context.target = request.head.path ?? "/"
        call.context.route = route.path
        call.context.shape = route.body.shape
        defer { rules.bodies.give(call.bodyBytes) }
        if case .json = route.body { call.context.body = try await readJSON(request, &call) }
        try route.checkParameters(of: call.context.target)
        return try await route.handler(request, call.context).filled(for: request, in: call.context)
    }

    /// Hashing takes as long as a hundred reads, and strangers can ask for it: it holds none of the turns of other calls,
    /// and a caller that hangs up while it waits is not hashed for.
    private func serveHashing(_ request: Request, _ authorization: String?, _ call: inout Call) async throws -> Reply {
        guard rules.hashing.take(call.context.address) else { throw RequestRules.hashingIsBusy }
        defer { rules.hashing.give(call.context.address) }
        try await rules.passwords.enter()
        defer { rules.passwords.leave() }
        let presence = call.context.presence
        guard !presence.isGone else { throw Problem.callerGone }
        return try await Presence.$current.withValue(presence) {
            try await Deadline.within(rules.limits.requestTime) {
                do {
                    return try await serveInTurn(request, authorization, &call)
                } catch Failure.busy where presence.isGone {
                    throw Problem.callerGone
                }
            }
        }
    }

    private func serveInTurn(_ request: Request, _ authorization: String?, _ call: inout Call) async throws -> Reply {
        if let authorization {
            let isKnown = try await identify(authorization, &call)
            try limitRate(&call)
            guard isKnown || route.face != nil else {
                // The call may be the one that ended the session, made again because its answer was lost.
                if route.endsSession, let reply = try await call.context.storedReply(to: request) { return reply }
                throw Problem.invalidToken
            }
        }
        try route.admit(call.context)
        if request.method != .head { try route.checkParameters(of: call.context.target) }
        // Only now: what is uploaded is large, and strangers send none.
        let budget = rules.site.community.media.facilities.budget
        if case .image(let size) = route.body {
            let turn = try budget.begin(call.context.signedIn().account)
            let start = ContinuousClock.now
            // Who keeps a turn waiting pays for it.
            defer { budget.end(turn, took: max(.zero, .now - start - rules.limits.uploadBodyGrace)) }
            let type = request.mediaType ?? ""
            guard type.hasPrefix("image/") || type == Self.undeclared || route.face != nil else {
                throw Problem(Media.Refusal.unknownType)
            }
            call.context.body = try await readUpload(request, atMost: size)
        }
        if case .file(let types, _) = route.body {
            let type = request.mediaType ?? ""
            guard types.contains(type) || type == Self.undeclared else {
                throw Problem(.unsupportedMediaType, "Send one of \(types.joined(separator: ", ")).")
            }
        }
        guard case .jsonFile(_, let size) = route.body else {
            return try await route.handler(request, call.context).filled(for: request, in: call.context)
        }
        let turn = try budget.begin(call.context.signedIn().account)
        let start = ContinuousClock.now
        // What is done with it takes as long as converting a picture, and costs as much.
        defer { budget.end(turn, took: .now - start) }
        call.context.body = try await readUpload(request, atMost: size)
        return try await route.handler(request, call.context).filled(for: request, in: call.context)
    }

    /// False for a token that opens nothing. Log-in and sign-up do not care: a client may still hold its last session's
    /// token.
    private func identify(_ authorization: String, _ call: inout Call) async throws -> Bool {
        let isNeedless = route.limit == .auth && route.access == .open
        guard let token = BearerToken(authorization: authorization) else { return isNeedless }
        if route.endsSession { call.context.tokenDigest = token.digest }
        let identity = try await rules.site.community.accounts.identify(token: token.text)
        // A page is for sessions: what an access token may do is for the API to say.
        call.context.identity = route.face != nil && identity?.scopes != nil ? nil : identity
        return call.context.identity != nil || isNeedless
    }

    /// Before the database is asked whose a token is: addresses that try many are refused without it.
    private func limitAddress(_ call: Call) throws {
        let policy: RateClass = route.limit == .stream ? .stream : .address
        _ = try rules.site.admit(policy, by: .address(call.context.address))
    }

    private func limitRate(_ call: inout Call) throws {
        let caller =
            call.context.identity.map { RateLimiter.Caller.account($0.account) } ?? .address(call.context.address)
        call.rate = try rules.site.admit(route.limit, by: caller)
    }

    /// What stands in a body of JSON; 503 where the bodies of all calls together are too much.
    private func readJSON(_ request: Request, _ call: inout Call) async throws -> ByteBuffer {
        try await read(request, atMost: Limits.body) { count in
            guard rules.bodies.take(count) else {
                throw Failure.busy("Too many bodies at once.", retryAfter: .seconds(1))
            }
            call.bodyBytes += count
        }
    }

    /// The whole body; 413 before more than the limit is read. `count` is told of each part before it is kept.
    private func read(
        _ request: Request, atMost limit: Int, counting count: (Int) throws -> Void
    ) async throws -> ByteBuffer {
        var body = ByteBuffer()
        try await request.eachPart(atMost: limit) { part in
            try count(part.readableBytes)
            if body.readableBytes == 0 { body = part } else { body.writeImmutableBuffer(part) }
        }
        return body
    }

    /// Bytes that say for themselves what they are: what programs made from `openapi.json` call a picture.
    static let undeclared = "application/octet-stream"

    /// A body that has a time in which to arrive whole.
    private func readUpload(_ request: Request, atMost limit: Int) async throws -> ByteBuffer {
        try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
            group.addTask {
                // As many as have a turn are in memory, and no more.
                try await read(request, atMost: limit) { _ in }
            }
            group.addTask {
                try await Task.sleep(for: rules.limits.uploadBodyTime)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let body = first else {
                let seconds = rules.limits.uploadBodyTime.components.seconds
                throw Problem(.tooSlow, "It must arrive in \(seconds) s.")
            }
            return body
        }
    }

    // MARK: The way out

    private func finish(_ reply: Reply, _ request: Request, _ call: Call) -> Response {
        var headers = reply.headers
        headers.append(contentsOf: route.face?.headers ?? rules.common)
        // Probes want no token: without this any page could read those of a server on its visitor's own machine.
        headers[.accessControlAllowOrigin] =
            route.limit == .unlimited || route.face != nil
            ? nil : rules.crossOrigin.allowed(for: request.headers[.origin])
        if route.takesCookie { headers.append(HTTPField(name: .vary, value: "Cookie")) }
        headers[.date] = rules.dates.text
        headers[.requestID] = call.context.requestID
        call.rate?.add(to: &headers)
        if let location = headers[.location], location.hasPrefix("/") {
            headers[.location] = call.context.base + location
        }
        let isRead = request.method == .get || request.method == .head
        if headers[.cacheControl] == nil {
            headers[.cacheControl] =
                !isRead || reply.isSealed || reply.status.kind != .successful
                ? "no-store"
                : call.context.identity == nil && route.limit != .unlimited
                    ? "public, max-age=0, must-revalidate" : "private, no-cache"
        }
        guard case .bytes(let bytes) = reply.content else {
            guard case .stream(let body) = reply.content else {
                return Response(status: reply.status, headers: headers)
            }
            return Response(status: reply.status, headers: headers, body: request.method == .head ? .init() : body)
        }
        if isRead, reply.status == .ok, route.limit != .unlimited {
            let tag = headers[.eTag] ?? EntityTag.of(bytes)
            headers[.eTag] = tag
            if let known = request.headers[.ifNoneMatch], EntityTag.matches(tag, known) {
                headers[.contentType] = nil
                return Response(status: .notModified, headers: headers)
            }
        }
        let isEmpty = reply.status == .noContent || reply.status == .notModified
        if !isEmpty { headers[.contentLength] = String(bytes.readableBytes) }
        if request.method == .head || isEmpty {
            return Response(status: reply.status, headers: headers)
        }
        return Response(status: reply.status, headers: headers, body: .init(byteBuffer: bytes))
    }

    private func record(_ request: Request, _ status: Int, _ time: Duration, _ context: SiteContext) {
        duration.record(method: request.method, status: status, time)
        guard !route.isExempt, context.terminal == nil else { return }
        var metadata: Logger.Metadata = [
            "request_id": .string(context.requestID), "method": .string(request.method.rawValue),
            "route": .string(route.path),
            "status": .stringConvertible(status),
            "duration_ms": .stringConvertible(Double(time.wholeMicroseconds) / 1000),
        ]
        if let identity = context.identity { metadata["account_id"] = .stringConvertible(identity.account) }
        context.logger.info("request", metadata: metadata)
    }

    /// What may stand in a log: the kind of an error and never its values.
    private static func safe(_ error: any Error) -> String {
        (error as? PostgresError)?.description ?? String(describing: type(of: error))
    }
}

extension Problem {
    static var invalidToken: Problem {
        var problem = Problem(
            .unauthenticated, "The token opens nothing: it is wrong, or its session is over.")
        problem.headers[.wwwAuthenticate] = "Bearer realm=\"commonplace\", error=\"invalid_token\""
        return problem
    }
}

extension Problem {
    /// For the log: the client has closed its end of the connection, and nobody reads this. The status is nginx's.
    static var callerGone: Problem {
        Problem(
            .clientClosed, "It closed the connection before its turn came.")
    }

    /// An access token calls what is for its owner's sessions alone.
    static var sessionRequired: Problem {
        Problem(
            .sessionRequired,
            "Sign in with name and password for this: an access token is not enough.")
    }

    /// An access token lacks the scope of the call (RFC 6750 §3.1).
    static func insufficientScope(_ scope: Accounts.Scope) -> Problem {
        var problem = Problem(
            .insufficientScope, "It needs \(scope).")
        problem.headers[.wwwAuthenticate] =
            "Bearer realm=\"commonplace\", error=\"insufficient_scope\", scope=\"\(scope)\""
        return problem
    }
}

extension HTTPField.Name {
    package static let referrerPolicy = HTTPField.Name(known: "Referrer-Policy")
    static let resourcePolicy = HTTPField.Name(known: "Cross-Origin-Resource-Policy")
}

import Community
import HTTPTypes
import Hummingbird
import JSONWriting
import NIOCore
import Web

extension Pages {
    /// A page with the calls that it makes.
    struct Screen: Sendable {
        let page: Page
        let main: Call?
        /// In the place of `main`, for strangers.
        let strangers: Call?
        let beside: [(name: String, call: Call)]
        let cases: [(parameters: [String], template: String, call: Call)]
        /// What opening it costs: the dearest of its calls.
        var limit: RateClass {
            let limits = ([main] + cases.map { $0.call }).compactMap { $0?.route.limit }
            return limits.first { $0 != .read } ?? .read
        }

        /// Whether all strangers see the same.
        var isShared: Bool {
            if case .signIn = page.strangers { false } else { !page.isSecret }
        }

        init(_ page: Page, in api: RouteTable) throws {
            self.page = page
            main = try page.call.map { try Call($0, in: api) }
            strangers = if case .ask(let call) = page.strangers { try Call(call, in: api) } else { main }
            beside = try page.beside.map { ($0.key, try Call($0.value, in: api)) }
            cases = try page.cases.map { ($0.parameters, $0.template, try Call($0.call, in: api)) }
        }
    }

    /// A `GET` of the API, for whatever stands in the address of a page.
    struct Call: Sendable {
        struct NoRoute: Error {
            let address: String
        }

        let route: Route
        /// What is fixed of the address behind `/api/v1`, and what stands behind its `?`.
        private let path: Substring
        private let query: Substring

        init(_ address: String, in api: RouteTable) throws {
            guard let route = api.route(.get, "/api/v1" + address) else { throw NoRoute(address: address) }
            self.route = route
            let parts = address.split(separator: "?", maxSplits: 1)
            (path, query) = (parts[0], parts.count > 1 ? parts[1] : "")
        }

        /// Where an answer must be read first to know what is asked.
        var needsAnswer: Bool { path.contains(".") }

        /// Its address: `value` gives what stands for a name in braces, `asked` what the page's own address says behind its `?`, which goes
        /// before what is fixed. `nil` where something is missing.
        func target(asked: [(name: String, value: String)], value: (Substring) -> String?) -> String? {
            var whole = "/api/v1"
            for part in path.split(separator: "/") {
                guard part.hasPrefix("{") else {
                    whole += "/" + part
                    continue
                }
                guard let value = value(part.dropFirst().dropLast()) else { return nil }
                whole += "/" + value
            }
            var pairs = asked.map { $0.name + "=" + Query.encode($0.value) }
            for pair in query.split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, !asked.contains(where: { $0.name == parts[0] }) else { continue }
                if parts[1].hasPrefix("{") {
                    guard let value = value(parts[1].dropFirst().dropLast()) else { return nil }
                    pairs.append(parts[0] + "=" + value)
                } else {
                    pairs.append(String(pair))
                }
            }
            return pairs.isEmpty ? whole : whole + "?" + pairs.joined(separator: "&")
        }

        /// Whether it takes `name` from the page's address.
        func takes(_ name: String) -> Bool { name != "include" && route.query.contains { $0.name == name } }
    }

    /// The page as it is now, for who looks. `form`: what was sent from it and refused.
    func answer(
        _ screen: Screen, to request: Request, in context: SiteContext, form: Refused? = nil
    ) async throws -> Reply {
        let page = screen.page
        if page.isForStrangers, context.identity != nil { return Self.lead(to: "/home") }
        if context.identity == nil, case .signIn = page.strangers {
            return Self.lead(to: "/sign-in?then=" + Query.encode(context.target))
        }
        let query = try Asked(context)
        let chosen = screen.cases.first { $0.parameters.contains { query[$0] != nil } }
        let main = chosen?.call ?? (context.identity == nil ? screen.strangers : screen.main)
        var form = form
        var parts: Parts
        do {
            parts = try await self.parts(main, of: screen, query, request, context)
        } catch Failure.invalid(let faults) where form == nil {
            // What the address asks for cannot be.
            form = Refused(nil, Problem(Failure.invalid(faults)))
            parts = Parts()
        } catch Failure.notFound where page.isLenient {
            parts = Parts()
        }
        if parts.masthead == nil { parts.masthead = try await context.masthead() }
        let shown = Shown(
            screen: screen, template: chosen?.template ?? page.template, query: query, form: form,
            target: context.target)
        return try await render(shown, parts, request, context)
    }

    /// What the calls of a page answered: JSON, with blanks.
    struct Parts: Sendable {
        var main: ByteBuffer?
        var masthead: ByteBuffer?
        var beside: [(name: String, bytes: ByteBuffer?)] = []

        /// What stands at `way` in the answer that is named first.
        func value(at way: Substring) -> String? {
            let names = way.split(separator: ".").map { String($0) }
            guard let first = names.first, let bytes = bytes(of: first),
                let text = JSONTape(Array(bytes.readableBytesView))?.text(at: Array(names.dropFirst()))
            else { return nil }
            return Query.encode(text)
        }

        private func bytes(of name: String) -> ByteBuffer? {
            switch name {
            case "answer": main
            case "me": masthead
            default: beside.first { $0.name == name }?.bytes
            }
        }

        /// Whether the answer's author is who looks.
        var isMine: Bool { value(at: "me.id").map { $0 == value(at: "answer.author.id") } ?? false }
    }

    /// Makes the calls beside each other, and those that need an answer after it.
    private func parts(
        _ main: Call?, of screen: Screen, _ query: Asked, _ request: Request, _ context: SiteContext
    ) async throws -> Parts {
        let takenByMain = query.pairs.filter { main?.takes($0.name) == true }
        let others = query.pairs.filter { main?.takes($0.name) != true }
        @Sendable func own(_ name: Substring) -> String? { context.parameters[name].map { String($0) } }
        @Sendable func ask(_ call: Call, _ asked: [(name: String, value: String)], _ parts: Parts?) async throws
            -> ByteBuffer?
        {
            guard let target = call.target(asked: asked, value: { own($0) ?? parts?.value(at: $0) }) else { return nil }
            guard case .bytes(let bytes) = try await call.route.answer(request, within: context, at: target).content
            else { return nil }
            return bytes
        }
        @Sendable func askBeside(_ call: Call, _ parts: Parts?) async throws -> ByteBuffer? {
            do {
                return try await ask(call, others.filter { call.takes($0.name) }, parts)
            } catch let failure as Failure {
                switch failure {
                // What is not there for who looks is not shown.
                case .notFound, .forbidden, .unauthenticated: return nil
                default: throw failure
                }
            }
        }
        async let masthead = context.masthead()
        async let whole = main.asyncMap { try await ask($0, takenByMain, nil) }
        var parts = Parts()
        let early = screen.beside.filter { !$0.call.needsAnswer }
        parts.beside = try await early.mapBeside { try await askBeside($0.call, nil) }
        parts.main = try await whole ?? nil
        parts.masthead = try await masthead
        let known = parts
        let (isMine, ownersOnly) = (known.isMine, screen.page.besideMine)
        let late = screen.beside.filter { $0.call.needsAnswer && (isMine || !ownersOnly.contains($0.name)) }
        parts.beside += try await late.mapBeside { try await askBeside($0.call, known) }
        return parts
    }

    static func lead(to address: String) -> Reply {
        Reply(status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
    }
}

extension Optional where Wrapped: Sendable {
    fileprivate func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async rethrows -> Value? {
        guard let self else { return nil }
        return try await body(self)
    }
}

extension [(name: String, call: Pages.Call)] {
    /// What `body` gives for each, all at once, in their order.
    fileprivate func mapBeside(
        _ body: @escaping @Sendable (Element) async throws -> ByteBuffer?
    ) async throws -> [(name: String, bytes: ByteBuffer?)] {
        try await withThrowingTaskGroup(of: (place: Int, bytes: ByteBuffer?).self) { group in
            for (place, element) in enumerated() { group.addTask { (place, try await body(element)) } }
            var answers: [(name: String, bytes: ByteBuffer?)] = map { ($0.name, nil) }
            for try await (place, bytes) in group { answers[place].bytes = bytes }
            return answers
        }
    }
}

import Postgres

extension Moderation {
    /// The beginning of what somebody said, in one line.
    static func quote(_ said: String) -> String {
        let words = said.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard words.count > Limits.moderation.quote else { return words }
        return words.prefix(Limits.moderation.quote - 1) + "…"
    }
}

extension Moderation.Sought {
    /// The part of what is sought that lies in `span`.
    fileprivate func within(_ span: Span<ID<Moderation.Saying>>) -> Self {
        var part = self
        part.limit = span.limit
        switch span.direction {
        case .onward: part.until = span.place.rawValue
        case .back: part.from = max(from, span.place.rawValue + 1)
        }
        return part
    }
}

extension Moderation.Store {
    /// What moderators and administrators did, newest first. Throws `.notFound` for a reader who is not there.
    package func audit(
        _ filter: Moderation.AuditFilter, _ page: PageRequest<ID<Moderation.Action>>
    ) async throws -> Page<Moderation.Entry, ID<Moderation.Action>> {
        let database = services.database
        var actor = filter.actor
        if let name = actor, name != Moderation.Actor.system.text, !name.hasPrefix("cli:") {
            actor = "account:\(try await account(name))"
        }
        let author = filter.author == nil ? nil : try await account(filter.author ?? "")
        let thing: Thing? = if let target = filter.target { try await find(target, in: services.database) } else { nil }
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(
                Moderation.Statements.Audit(
                    actor: actor, kind: thing?.name, subject: thing?.id, author: author, verb: filter.verb, span: $0))
        }
    }

    /// What readers said, as a query finds it, newest first. Throws `.invalid` (`?since`, …), `.notFound`.
    package func sayings(
        _ query: Moderation.Query, _ page: PageRequest<ID<Moderation.Saying>>
    ) async throws -> Page<Moderation.Saying, ID<Moderation.Saying>> {
        let database = services.database
        let sought = try await sought(of: query) { "?" + $0 }
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(
                Moderation.Statements.Sayings(sought: sought.within($0), direction: $0.direction))
        }
    }

    /// Readers, the last that signed up first.
    package func dossiers(
        _ filter: Moderation.ReaderFilter, _ page: PageRequest<ID<Accounts.Account>>
    ) async throws -> Page<Moderation.Dossier, ID<Accounts.Account>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.reader.id) {
            try await database.all(
                Moderation.Statements.Dossiers(
                    state: filter.state, role: filter.role, domain: filter.emailDomain?.lowercased(),
                    name: filter.name.map(Self.folded), from: filter.since.map { IDMaker.first(at: $0) } ?? .min,
                    span: $0))
        }
    }

    /// Throws `.notFound`.
    package func dossier(of name: String) async throws -> Moderation.Dossier {
        guard
            let dossier = try await services.database.first(
                Moderation.Statements.OneDossier(folded: Self.folded(name)))
        else { throw Failure.notFound("reader \(name)") }
        return dossier
    }

    package func statistics() async throws -> Moderation.Statistics {
        let since = services.clock.now() - .seconds(7 * 86_400)
        let (open, decided, acts, readers, waiting) = try await services.database.pipeline(
            Moderation.Statements.OpenCases(), Moderation.Statements.DecidedCases(since: since),
            Moderation.Statements.ActsSince(since: IDMaker.first(at: since)), Moderation.Statements.ReadersByState(),
            Moderation.Statements.Waiting())
        return Moderation.Statistics(
            open: open.map(\.count), oldestOpen: open.map(\.oldest).min(), decided: decided.first?.count ?? 0,
            medianHours: decided.first?.median, acts: acts, readers: readers, waiting: waiting.first ?? 0)
    }

    /// A username as it is looked up, with or without `@`.
    static func folded(_ name: String) -> String {
        Accounts.Username.fold(name.hasPrefix("@") ? String(name.dropFirst()) : name)
    }

    /// Throws `.notFound`.
    func account(_ name: String) async throws -> ID<Accounts.Account> {
        let named = Accounts.Statements.Named(folded: Self.folded(name))
        guard let account = try await services.database.first(named) else { throw Failure.notFound("reader \(name)") }
        return account
    }
}

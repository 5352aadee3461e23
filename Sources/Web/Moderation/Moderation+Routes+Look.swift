import Community
import HTTPTypes
import Hummingbird
import Postgres

extension Moderation.Routes {
    /// What moderators look through: what they did, what readers said, readers.
    func addLook(to routes: inout RouteTable) {
        routes.get(
            "/moderation/audit", access: .reader,
            summary: "What moderators and administrators did, newest first; in private groups only that it was done.",
            query: [
                QueryParameter("actor", .string(1...Self.word), "A username, `cli:NAME` or `system`."),
                QueryParameter("target", .string(Reference.length), "What it was done to: `post:7112`, `reader:ann`."),
                QueryParameter("author", .string(1...Self.word), "Whose things it was done to: a username."),
                QueryParameter("verb", .choice(Moderation.AuditFilter.verbs), "On things of any kind."),
            ] + QueryParameter.paging, reply: .page(Self.entry), audit)
        routes.get(
            "/moderation/content", access: .reader,
            summary: "What readers said, newest first, as far as members may see it; what is hidden, too.",
            query: [
                QueryParameter("kind", Self.kinds, "Of this one alone."),
                QueryParameter("author", .string(1...Self.word), "A username."),
                QueryParameter("since", .time, "Said then or later."),
                QueryParameter("text", .string(1...Self.text), "Stands in the title or the text."),
                QueryParameter("link_domain", .string(1...Self.domain), "The text names it, or a domain below it."),
                QueryParameter("email_domain", .string(1...Self.domain), "The author's e-mail address has it."),
            ] + QueryParameter.paging, reply: .page(Self.saying), content)
        routes.get(
            "/moderation/readers", access: .reader, summary: "Readers, the last that signed up first.",
            query: [
                QueryParameter("state", .choice(Moderation.ReaderState.allCases.map(\.rawValue)), "In this one alone."),
                QueryParameter("role", .choice(Accounts.Role.allCases.map(\.rawValue)), "Of this one alone."),
                QueryParameter("email_domain", .string(1...Self.domain), "Their e-mail address has it."),
                QueryParameter("since", .time, "Signed up then or later."),
                QueryParameter("name", .string(1...Self.word), "How the username begins."),
            ] + QueryParameter.paging, reply: .page(Self.dossier), readers)
        routes.get(
            "/moderation/readers/{username}", access: .reader,
            summary: "A reader as moderators see them. The e-mail address is shown to administrators alone.",
            reply: Self.dossier, reader)
        routes.get(
            "/moderation/stats", access: .reader,
            summary: "How things stand: open cases, decisions and acts of seven days, readers by state.",
            reply: Self.statistics, stats)
    }

    /// `GET /moderation/audit?actor=&target=&author=&verb=` → 200 with a page; 403 `not_moderator`, 404, 422.
    /// Refused with `not_found` too.
    @Sendable private func audit(_ request: Request, context: SiteContext) async throws -> Reply {
        _ = try moderator(context)
        let query = try context.query()
        var filter = Moderation.AuditFilter()
        filter.actor = try query.text("actor", bytes: 1...Self.word)
        filter.author = try query.text("author", bytes: 1...Self.word)
        filter.verb = try query.choice("verb", of: Moderation.AuditFilter.verbs)
        let target = try query.text("target", bytes: Reference.length)
        filter.target = try target.map { try Reference.read($0, of: Community.things, at: "?target") }
        let asked = query.said(["actor", "target", "author", "verb"])
        let page = try context.page(list: "audit", filter: asked, key: ID<Moderation.Action>.self)
        return try Reply.page(try await store.audit(filter, page), list: "audit", filter: asked, context: context)
    }

    /// `GET /moderation/content?kind=&author=&since=&text=&link_domain=&email_domain=` → 200 with a page; 403 `not_moderator`,
    /// 404 for an unknown author, 422.
    /// Refused with `not_found` too.
    @Sendable private func content(_ request: Request, context: SiteContext) async throws -> Reply {
        _ = try moderator(context)
        let query = try context.query()
        var sought = Moderation.Query()
        sought.kind = try query.text("kind", bytes: 1...Self.word)
        sought.author = try query.text("author", bytes: 1...Self.word)
        sought.since = try query.time("since")
        sought.text = try query.text("text", bytes: 1...Self.text)
        sought.linkDomain = try query.text("link_domain", bytes: 1...Self.domain)
        sought.emailDomain = try query.text("email_domain", bytes: 1...Self.domain)
        let asked = query.said(["kind", "author", "since", "text", "link_domain", "email_domain"])
        let page = try context.page(list: "content", filter: asked, key: ID<Moderation.Saying>.self)
        return try Reply.page(try await store.sayings(sought, page), list: "content", filter: asked, context: context)
    }

    /// `GET /moderation/readers?state=&role=&email_domain=&since=&name=` → 200 with a page; 403 `not_moderator`, 422.
    @Sendable private func readers(_ request: Request, context: SiteContext) async throws -> Reply {
        let (actor, query) = (try moderator(context), try context.query())
        var filter = Moderation.ReaderFilter()
        filter.state = try query.choice("state", Moderation.ReaderState.self)
        filter.role = try query.choice("role", Accounts.Role.self)
        filter.emailDomain = try query.text("email_domain", bytes: 1...Self.domain)
        filter.since = try query.time("since")
        filter.name = try query.text("name", bytes: 1...Self.word)
        let asked = query.said(["state", "role", "email_domain", "since", "name"])
        let page = try context.page(list: "readers", filter: asked, key: ID<Accounts.Account>.self)
        let found = try await store.dossiers(filter, page).map { $0.seen(by: actor) }
        return try Reply.page(found, list: "readers", filter: asked, context: context)
    }

    /// `GET /moderation/readers/{username}` → 200; 403 `not_moderator`, 404.
    @Sendable private func reader(_ request: Request, context: SiteContext) async throws -> Reply {
        let actor = try moderator(context)
        return try Reply.json(.ok, try await store.dossier(of: try context.text("username")).seen(by: actor))
    }

    /// `GET /moderation/stats` → 200; 403 `not_moderator`.
    @Sendable private func stats(_ request: Request, context: SiteContext) async throws -> Reply {
        _ = try moderator(context)
        return try Reply.json(.ok, try await store.statistics())
    }

    // MARK: Forms

    /// Bytes of a name or a word, of a domain, and of a text that is sought.
    private static let (word, domain, text) = (110, 253, 4 * Limits.moderation.soughtText.upperBound)
    private static let kinds = Schema.choice(Community.utterances.map { $0.facts.name })

    /// `actor`: a username, `cli:NAME` for somebody at the server's own terminal, or `system`. From `target` to `after` all is null where it was
    /// done in a private group. `act`: the act on many that it is part of.
    static let entry = Schema.object(
        "AuditEntry",
        [
            "id": .id, "created_at": .time, "actor": .string, "action": .string, "target": .orNull(.string),
            "reason": .orNull(.string), "public": .orNull(.string), "before": .any, "after": .any, "act": .orNull(.id),
            "report": .orNull(.id), "undoes": .orNull(.id), "undone_by": .orNull(.id), "expires_at": .orNull(.time),
            "token": .orNull(.id),
        ])

    /// `quote`: the beginning, in one line.
    static let saying = Schema.object(
        "Saying",
        [
            "target": .string, "author": Accounts.Routes.reader, "quote": .string, "is_hidden": .boolean,
            "created_at": .time,
        ])

    /// `until`: where the state ends by itself. `email` is null for moderators.
    static let dossier = Schema.object(
        "ReaderDossier",
        [
            "reader": Accounts.Routes.reader, "role": .choice(Accounts.Role.allCases.map(\.rawValue)),
            "state": .choice(Accounts.State.allCases.map(\.rawValue)), "until": .orNull(.time),
            "is_verified": .boolean, "is_approved": .boolean, "email": .orNull(.string), "email_domain": .string,
            "friend_count": count, "comment_count": count, "session_count": count, "act_count": count,
            "report_count": count,
            "created_at": .time,
        ])

    /// Open cases by category, acts of seven days by what was done, readers by state. `median_hours`: from the opening of the cases that
    /// were decided in seven days to the decision.
    static let statistics = Schema.object(
        "ModerationStats",
        [
            "open": .array(counted), "oldest_opened_at": .orNull(.time), "decided_count": count,
            "median_hours": .orNull(.number),
            "acts": .array(counted), "readers": .array(counted), "waiting_count": count,
        ])
    private static let counted = Schema.object("Counted", ["name": .string, "count": count])
}

extension Query {
    /// A time of RFC 3339; `nil` where it was not given. Throws `Failure.invalid`.
    func time(_ name: String) throws(Failure) -> Timestamp? {
        guard let text = self[name] else { return nil }
        guard let time = Timestamp(text: text) else {
            throw .invalid("?" + name, .badFormat, "must be a time, as in 2026-01-08T10:00:00Z")
        }
        return time
    }

    /// What was given of `names`, for the filter of a cursor.
    func said(_ names: [String]) -> String { names.map { self[$0] ?? "" }.joined(separator: "\n") }
}

import Community
import HTTPTypes
import Hummingbird
import Postgres

extension Moderation.Routes {
    /// What moderators do to things, one or many, and take back.
    package func addActs(to routes: inout RouteTable) {
        routes.post(
            "/moderation/acts", access: .reader,
            summary: """
                Do something to a thing, or to many: those are frozen as a list (`is_dry_run` does no more), and the server goes through it \
                by itself.
                """,
            body: Self.newAct, status: .ok, reply: Self.act, make)
        routes.get(
            "/moderation/acts/{act}", access: .reader, summary: "An act, and how far it is.", reply: Self.act, show)
        routes.get(
            "/moderation/acts/{act}/targets", access: .reader,
            summary: "The things on its list, and what became of each.",
            query: [
                QueryParameter(
                    "outcome", .choice(Moderation.Bulk.Outcome.allCases.map(\.rawValue)), "Only these.")
            ] + QueryParameter.paging, reply: .page(Self.target), targets)
        routes.post(
            "/moderation/acts/{act}/start", access: .reader,
            summary: "Begin what a dry run froze: that list, as it is.",
            status: .ok, reply: Self.act, begin)
        routes.delete(
            "/moderation/acts/{act}", summary: "Stop it; what was done until then stays.", status: .ok, reply: Self.act,
            cancel)
        routes.post(
            "/moderation/acts/{act}/undo", access: .reader,
            summary: "Put back what is still as the act left it: an act of its own.", body: Self.undoing, status: .ok,
            reply: Self.act, undo)
    }

    /// `POST /moderation/acts` → 200 with the act; 403 `not_moderator`, `role_too_low`, 404, 409 `grew` and where it cannot be done as
    /// things are, 422.
    /// Refused with `not_found`, `post_deleted`, `suspended` too.
    @Sendable private func make(_ request: Request, context: SiteContext) async throws -> Reply {
        let actor = try moderator(context)
        var form = try context.form(request)
        let order = try order(&form, by: actor)
        let one = form.optionalString("target", bytes: Reference.length)
        let many = form.strings("targets", count: 0...Limits.moderation.named.upperBound, bytes: Reference.length)
        let isDry = form.boolean("is_dry_run", default: false)
        let expected = form.optionalInteger("expected_count", in: Limits.moderation.things)
        let query = query(&form)
        let isNamed = one != nil || !many.isEmpty
        if isNamed == (query != nil) {
            form.fault("targets", .required, "names what it is done to, or `query` does: send one of the two")
        }
        try form.check()
        if let query {
            return try await context.write(request) {
                try Reply.json(.ok, try await store.act(order, on: .found(query), isDry: isDry, expecting: expected))
            }
        }
        if let one, many.isEmpty, !isDry {
            let target = try Reference.read(one, of: Community.acted, at: "/target")
            return try await context.write(request) { try Reply.json(.ok, try await store.bulk(order, on: target)) }
        }
        let all = try (many + [one].compactMap(\.self)).enumerated().map {
            try Reference.read($0.element, of: Community.acted, at: "/targets/\($0.offset)")
        }
        return try await context.write(request) {
            try Reply.json(.ok, try await store.act(order, on: .named(all), isDry: isDry, expecting: expected))
        }
    }

    private func query(_ form: inout Form) -> Moderation.Query? {
        guard var inner = form.object("query") else { return nil }
        var query = Moderation.Query()
        query.kind = inner.optionalString("kind", bytes: 1...30)
        query.author = inner.optionalString("author", bytes: Reference.length)
        if let since = inner.optionalString("since", bytes: 1...40) {
            query.since = Timestamp(text: since)
            if query.since == nil { inner.fault("since", .badFormat, "must be a time like 2026-01-31T12:00:00Z") }
        }
        query.text = inner.optionalString("text", bytes: 1...1_000)
        query.linkDomain = inner.optionalString("link_domain", bytes: 1...253)
        query.emailDomain = inner.optionalString("email_domain", bytes: 1...253)
        form.add(inner)
        return query
    }

    private func order(
        _ form: inout Form, by actor: Moderation.Actor
    ) throws -> Moderation.Order {
        let verb = form.choice("verb", Moderation.Verb.self)
        var order = Moderation.Order(verb ?? .warn, by: actor, reason: form.string("reason", bytes: Self.reasonBytes))
        order.said = form.optionalString("public", bytes: Self.reasonBytes)
        order.report = form.optionalID("report", as: Moderation.Case.self)
        if let until = form.optionalString("until", bytes: 1...40) {
            order.expiresAt = Timestamp(text: until)
            if order.expiresAt == nil { form.fault("until", .badFormat, "must be a time like 2026-01-31T12:00:00Z") }
        }
        if let since = form.optionalString("since", bytes: 1...40) {
            order.wanted["since"] = Timestamp(text: since)?.text
            if order.wanted["since"] == nil {
                form.fault("since", .badFormat, "must be a time like 2026-01-31T12:00:00Z")
            }
        }
        if let scope = form.optionalInteger("scope", in: 0...Gate.end) { order.wanted["scope"] = String(scope) }
        if let role = form.optionalChoice("role", Accounts.Role.self) { order.wanted["role"] = role.rawValue }
        return order
    }

    /// `GET /moderation/acts/{act}` → 200; 403, 404.
    /// Refused with `not_moderator` too.
    @Sendable private func show(_ request: Request, context: SiteContext) async throws -> Reply {
        _ = try moderator(context)
        return try Reply.json(.ok, try await store.bulk(try id(context)))
    }

    /// `GET /moderation/acts/{act}/targets?outcome=` → 200 with a page; 403, 404.
    /// Refused with `not_moderator` too.
    @Sendable private func targets(_ request: Request, context: SiteContext) async throws -> Reply {
        _ = try moderator(context)
        let act = try id(context)
        let outcome = try context.query().choice("outcome", Moderation.Bulk.Outcome.self)
        let filter = act.text + (outcome?.rawValue ?? "")
        let page = try context.page(list: "act-targets", filter: filter, key: Int.self)
        return try Reply.page(
            try await store.targets(of: act, outcome, page), list: "act-targets", filter: filter, context: context)
    }

    /// `POST /moderation/acts/{act}/start` → 200; 403, 404, 409 `cancelled`.
    /// Refused with `not_moderator` too.
    /// Refused with `expired` too.
    @Sendable private func begin(_ request: Request, context: SiteContext) async throws -> Reply {
        let (actor, act) = (try moderator(context), try id(context))
        return try await context.write(request) { try Reply.json(.ok, try await store.begin(act, by: actor)) }
    }

    /// `DELETE /moderation/acts/{act}` → 200; 403, 404.
    /// Refused with `not_moderator` too.
    /// Refused with `role_too_low` too.
    @Sendable private func cancel(_ request: Request, context: SiteContext) async throws -> Reply {
        let (actor, act) = (try moderator(context), try id(context))
        return try await context.write(request) { try Reply.json(.ok, try await store.cancel(act, by: actor)) }
    }

    /// `POST /moderation/acts/{act}/undo` `{reason, public?, is_dry_run?}` → 200 with the act that undoes it; 403, 404, 409 `cannot_be_undone`,
    /// `undone`, `changed`.
    /// Refused with `not_moderator`, `role_too_low` too.
    /// Refused with `post_deleted`, `running` too.
    @Sendable private func undo(_ request: Request, context: SiteContext) async throws -> Reply {
        let (actor, act) = (try moderator(context), try id(context))
        var form = try context.form(request)
        var order = Moderation.Order(undoingBy: actor, reason: form.string("reason", bytes: Self.reasonBytes))
        order.said = form.optionalString("public", bytes: Self.reasonBytes)
        let isDry = form.boolean("is_dry_run", default: false)
        try form.check()
        let given = order
        return try await context.write(request) {
            try Reply.json(.ok, try await store.undo(act, given, isDry: isDry))
        }
    }

    private func id(_ context: SiteContext) throws -> ID<Moderation.Bulk> {
        try context.id("act", as: Moderation.Bulk.self)
    }

    // MARK: Forms

    /// `since`: of ratings that are held, from when on they count no longer. `scope`, `role`: what it is to be.
    private static let newAct = Schema.object(
        "NewAct",
        ["verb": .choice(Moderation.Verb.allCases.map(\.rawValue)), "reason": reason],
        optional: [
            "query": .orNull(asked), "target": .orNull(.string(Reference.length)),
            "targets": .array(.string(Reference.length)),
            "public": .orNull(reason), "report": .orNull(.id), "until": .orNull(.time),
            "since": .orNull(.time), "scope": .orNull(.integer(0...Gate.end)),
            "role": .orNull(.choice(Accounts.Role.allCases.map(\.rawValue))),
            "is_dry_run": .boolean, "expected_count": .orNull(.integer(Limits.moderation.things)),
        ])
    /// All that is given holds of what is found. An act on readers is done to those who said it; where only `since` and `email_domain` are
    /// given, to those who signed up since and have such an address.
    private static let asked = Schema.object(
        "ActQuery", [:],
        optional: [
            "kind": .orNull(.string), "author": .orNull(.string), "since": .orNull(.time), "text": .orNull(.string),
            "link_domain": .orNull(.string), "email_domain": .orNull(.string),
        ])
    private static let undoing = Schema.object(
        "Undoing", ["reason": reason], optional: ["public": .orNull(reason), "is_dry_run": .boolean])

    /// `id` is null where nothing had to be done. `verb` is `undo` for one that takes an act back. `state`: `frozen` after a dry run.
    static let act = Schema.object(
        "Act",
        [
            "id": .orNull(.id), "verb": .string, "state": .choice(Moderation.Bulk.State.allCases.map(\.rawValue)),
            "reason": .string, "public": .orNull(.string), "target_count": count, "done_count": count,
            "same_count": count,
            "refused_count": count, "changed_count": count, "until": .orNull(.time), "undoes": .orNull(.id),
            "created_at": .time, "ended_at": .orNull(.time),
        ])

    /// `outcome`: `same` where it was so already, `changed` where it is not as the act that is undone left it, null while it waits.
    private static let target = Schema.object(
        "ActTarget",
        [
            "target": .string, "outcome": .orNull(.choice(Moderation.Bulk.Outcome.allCases.map(\.rawValue))),
            "code": .orNull(.string),
        ])
}

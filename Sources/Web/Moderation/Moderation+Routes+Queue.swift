import Community
import HTTPTypes
import Hummingbird

extension Moderation.Routes {
    /// What moderators read and decide.
    func addQueue(to routes: inout RouteTable) {
        routes.get(
            "/moderation/reports", access: .reader,
            summary: "Cases that readers reported: open ones, the most urgent first, or decided ones, the last first.",
            query: [
                QueryParameter("state", .choice(CaseState.allCases.map(\.rawValue)), "Open ones unless you say so."),
                QueryParameter("category", .choice(Moderation.Category.allCases.map(\.rawValue)), "Of this one alone."),
            ] + QueryParameter.paging, reply: .page(Self.aCase), queue)
        routes.get(
            "/moderation/reports/{case}", access: .reader,
            summary: "A case: its reports, what was kept of what it is about, and what was done.", reply: Self.file,
            file)
        routes.put(
            "/moderation/reports/{case}/claim", access: .reader,
            summary: "Say that you look at it: for 30 minutes nobody else decides it.", reply: Self.aCase, claim)
        routes.delete(
            "/moderation/reports/{case}/claim", summary: "Leave it to others.", status: .ok, reply: Self.aCase, release)
        routes.post(
            "/moderation/reports/{case}/notes", access: .reader, summary: "Write something down for other moderators.",
            body: Schema.object("CaseNote", ["text": Self.reason]), status: .ok, reply: Self.aCase, note)
        routes.post(
            "/moderation/reports/{case}/decision", access: .reader,
            summary: "Decide it, with all its open reports; `version` is the one that you saw.",
            body: Schema.object(
                "CaseDecision",
                [
                    "outcome": .choice(["acted", "dismissed"]), "version": .integer(1...Int(Int32.max)),
                    "reason": Self.reason,
                ], optional: ["public": .orNull(Self.reason)]),
            status: .ok, reply: Self.aCase, decide)
        routes.post(
            "/moderation/reports/{case}/reopen", access: .reader, summary: "Take a decision back.",
            body: Schema.object(
                "CaseReopening",
                ["version": .integer(1...Int(Int32.max)), "reason": Self.reason]),
            status: .ok, reply: Self.aCase, reopen)
    }

    private enum CaseState: String, CaseIterable { case open, decided }

    func moderator(_ context: SiteContext) throws -> Moderation.Actor {
        try context.moderator()
    }

    /// `GET /moderation/reports?state=open|decided&category=` → 200 with a page; 403 `not_moderator`.
    @Sendable private func queue(_ request: Request, context: SiteContext) async throws -> Reply {
        _ = try moderator(context)
        let query = try context.query()
        let (state, category) = (
            try query.choice("state", CaseState.self) ?? .open, try query.choice("category", Moderation.Category.self)
        )
        let (list, filter) = ("cases-" + state.rawValue, category?.rawValue ?? "")
        switch state {
        case .open:
            let page = try context.page(list: list, filter: filter, key: Moderation.Key.self)
            return try Reply.page(
                try await store.queue(category, page), list: list, filter: filter, context: context)
        case .decided:
            let page = try context.page(list: list, filter: filter, key: TimeKey.self)
            return try Reply.page(
                try await store.decided(category, page), list: list, filter: filter, context: context)
        }
    }

    /// `GET /moderation/reports/{case}` → 200; 403 `not_moderator`, `own`, 404.
    @Sendable private func file(_ request: Request, context: SiteContext) async throws -> Reply {
        let actor = try moderator(context)
        return try Reply.json(
            .ok, try await store.file(of: try context.id("case", as: Moderation.Case.self), for: actor))
    }

    /// `PUT /moderation/reports/{case}/claim` → 200; 403, 404, 409 `claimed`, `decided`.
    /// Refused with `not_moderator` too.
    @Sendable private func claim(_ request: Request, context: SiteContext) async throws -> Reply {
        let (actor, id) = (try moderator(context), try context.id("case", as: Moderation.Case.self))
        return try await write(request, context, id) { try await store.claim(id, by: actor) }
    }

    /// `DELETE /moderation/reports/{case}/claim` → 200, also where it is not yours; 403, 404.
    /// Refused with `not_moderator` too.
    @Sendable private func release(_ request: Request, context: SiteContext) async throws -> Reply {
        let (actor, id) = (try moderator(context), try context.id("case", as: Moderation.Case.self))
        return try await write(request, context, id) { try await store.release(id, by: actor) }
    }

    /// `POST /moderation/reports/{case}/notes` `{text}` → 200 with the case; 403, 404, 422.
    /// Refused with `not_moderator` too.
    @Sendable private func note(_ request: Request, context: SiteContext) async throws -> Reply {
        let (actor, id) = (try moderator(context), try context.id("case", as: Moderation.Case.self))
        var form = try context.form(request)
        let text = form.string("text", bytes: Self.reasonBytes)
        try form.check()
        return try await write(request, context, id) { try await store.note(text, in: id, by: actor) }
    }

    /// `POST /moderation/reports/{case}/decision` `{outcome, version, reason, public?}` → 200 with the case; 403
    /// `role_too_low`, 404, 409 `claimed`, `decided`, `changed`, 422.
    /// Refused with `not_moderator` too.
    @Sendable private func decide(_ request: Request, context: SiteContext) async throws -> Reply {
        let (actor, id) = (try moderator(context), try context.id("case", as: Moderation.Case.self))
        var form = try context.form(request)
        let outcome = form.choice("outcome", Verdict.self)
        let version = form.integer("version", in: 1...Int(Int32.max))
        let reason = form.string("reason", bytes: Self.reasonBytes)
        let said = form.optionalString("public", bytes: Self.reasonBytes)
        try form.check()
        let decision = Moderation.Decision(
            outcome: outcome == .acted ? .acted : .dismissed, version: version, reason: reason, said: said)
        return try await write(request, context, id) { try await store.decide(id, decision, by: actor) }
    }

    private enum Verdict: String, CaseIterable { case acted, dismissed }

    /// `POST /moderation/reports/{case}/reopen` `{version, reason}` → 200 with the case; 403 `role_too_low`, 404, 409 `open`,
    /// `changed`, 422.
    /// Refused with `not_moderator` too.
    @Sendable private func reopen(_ request: Request, context: SiteContext) async throws -> Reply {
        let (actor, id) = (try moderator(context), try context.id("case", as: Moderation.Case.self))
        var form = try context.form(request)
        let version = form.integer("version", in: 1...Int(Int32.max))
        let reason = form.string("reason", bytes: Self.reasonBytes)
        try form.check()
        return try await write(request, context, id) {
            try await store.reopen(id, version: version, by: actor, reason: reason)
        }
    }

    /// Answers with the case as it is then; made again with its key, with the case as it is by then.
    private func write(
        _ request: Request, _ context: SiteContext, _ id: ID<Moderation.Case>,
        _ body: @escaping @Sendable () async throws -> Moderation.Case
    ) async throws -> Reply {
        let actor = try moderator(context)
        return try await context.write(
            request, again: { _ in try Reply.json(.ok, try await store.file(of: id, for: actor).about) }
        ) {
            try Reply.json(.ok, try await body())
        }
    }

    // MARK: Forms

    /// Characters are counted by the community; each takes at most four bytes.
    static let reasonBytes = 1...4 * Limits.moderation.reason.upperBound
    static let reason = Schema.string(reasonBytes)
    private static let states = Schema.choice(Moderation.Outcome.allCases.map(\.rawValue))
    static let count = Schema.integer(0...Int(Int32.max))

    /// `claimed_by`: a username, or `cli:NAME` for somebody at the server's own terminal. `target` may be gone.
    static let aCase = Schema.object(
        "ReportedCase",
        [
            "id": .id, "target": .string, "author": .orNull(Accounts.Routes.reader), "category": categories,
            "report_count": count, "reporter_count": count, "priority": count, "state": states,
            "claimed_by": .orNull(.string), "claim_ends_at": .orNull(.time), "version": .integer(1...Int(Int32.max)),
            "opened_at": .time, "changed_at": .time, "decided_at": .orNull(.time),
        ])

    /// The last hundred of each. `trust`: how likely a report is right, by those before; null for an account that does
    /// not count. `said`: by the names of the API.
    static let file = Schema.object(
        "CaseFile",
        [
            "case": aCase,
            "reports": .array(
                .object(
                    "FiledReport",
                    [
                        "id": .id, "reporter": Accounts.Routes.reader, "category": categories,
                        "text": .orNull(.string), "trust": .orNull(.number), "state": states, "created_at": .time,
                    ])),
            "evidence": .array(
                .object(
                    "Evidence",
                    ["id": .id, "target": .string, "author": .orNull(.string), "said": .any, "created_at": .time])),
            "acts": .array(
                .object(
                    "ModerationAct",
                    [
                        "id": .id, "actor": .string, "action": .string, "reason": .string, "before": .any,
                        "after": .any, "created_at": .time,
                    ])),
        ])
}

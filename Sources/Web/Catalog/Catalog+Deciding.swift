import Community
import HTTPTypes
import Hummingbird
import JSONWriting
import Postgres

extension Catalog.Routes {
    func addDeciding(to routes: inout RouteTable) {
        routes.get(
            "/proposals", access: .reader,
            summary: "Corrections and new editions that wait for a librarian, oldest first. For librarians.",
            query: QueryParameter.paging, reply: .page(Self.proposal), open)
        routes.get(
            "/me/proposals", access: .reader, summary: "Corrections and editions that you proposed, newest first.",
            query: QueryParameter.paging, reply: .page(Self.proposal), own)
        routes.get(
            "/proposals/{proposal}", access: .reader,
            summary: "One correction, for who proposed it and for librarians.",
            reply: Self.proposal, one)
        routes.post(
            "/proposals/{proposal}/accept", summary: "Carry a correction out. For librarians.", body: Self.answerBody,
            status: .ok, reply: Self.corrected, accept)
        routes.post(
            "/proposals/{proposal}/decline", summary: "Decline a correction. For librarians.", body: Self.answerBody,
            status: .noContent, decline)
        routes.delete("/proposals/{proposal}", summary: "Take back a correction that you proposed.", withdraw)
    }

    /// `GET /proposals` → 200 with a page; 403 `not_librarian`.
    @Sendable private func open(_ request: Request, context: SiteContext) async throws -> Reply {
        let page = try await store.openProposals(
            try context.page(list: "proposals", key: ID<Catalog.Proposal>.self), by: try reader(context))
        let bodies = Page(
            items: try await bodies(of: page.items, context), next: page.next, previous: page.previous)
        return try Reply.page(bodies, list: "proposals", context: context)
    }

    /// `GET /me/proposals` → 200 with a page.
    @Sendable private func own(_ request: Request, context: SiteContext) async throws -> Reply {
        let account = try context.signedIn().account
        let page = try await store.proposals(
            of: account,
            try context.page(list: "proposals.own", filter: account.text, key: ID<Catalog.Proposal>.self))
        let bodies = Page(
            items: try await bodies(of: page.items, context), next: page.next, previous: page.previous)
        return try Reply.page(bodies, list: "proposals.own", filter: account.text, context: context)
    }

    /// `GET /proposals/{proposal}` → 200; 404.
    @Sendable private func one(_ request: Request, context: SiteContext) async throws -> Reply {
        let proposal = try await store.proposal(
            try context.id("proposal", as: Catalog.Proposal.self), for: try reader(context))
        return try Reply.json(.ok, try await bodies(of: [proposal], context)[0])
    }

    /// With the pictures of those that propose covers, in one trip.
    private func bodies(of proposals: [Catalog.Proposal], _ context: SiteContext) async throws -> [ProposalBody] {
        let covers = try await site.community.media.proposedCovers(
            of: proposals.filter { $0.changes[.cover] != nil }.map(\.id))
        return proposals.map { proposal in
            ProposalBody(
                proposal: proposal, cover: covers[proposal.id].map { Media.PictureBody($0, base: context.base) })
        }
    }

    /// `POST /proposals/{proposal}/accept` `{answer}` → 200; 403, 404, 409 `already_decided`, `changed_since`, `isbn_taken`, 422 where it
    /// no longer fits.
    /// Refused with `not_librarian` too.
    @Sendable private func accept(_ request: Request, context: SiteContext) async throws -> Reply {
        let helper = try helper(context)
        let proposal = try context.id("proposal", as: Catalog.Proposal.self)
        let answer = try Self.answer(try context.form(request))
        return try await context.write(request) {
            try Reply.json(.ok, CorrectedBody(try await store.accept(proposal, answer: answer, by: helper)))
        }
    }

    /// `POST /proposals/{proposal}/decline` `{answer}` → 204; 403, 404, 409 `already_decided`.
    /// Refused with `not_librarian` too.
    @Sendable private func decline(_ request: Request, context: SiteContext) async throws -> Reply {
        let helper = try helper(context)
        let proposal = try context.id("proposal", as: Catalog.Proposal.self)
        let answer = try Self.answer(try context.form(request))
        return try await context.write(request) {
            try await store.decline(proposal, answer: answer, by: helper)
            return .noContent
        }
    }

    /// `DELETE /proposals/{proposal}` → 204; 404, 409 `already_decided`.
    @Sendable private func withdraw(_ request: Request, context: SiteContext) async throws -> Reply {
        let account = try context.signedIn().account
        let proposal = try context.id("proposal", as: Catalog.Proposal.self)
        return try await context.write(request) {
            try await store.withdraw(proposal, by: account)
            return .noContent
        }
    }

    /// Who reads: no good standing is asked for.
    private func reader(_ context: SiteContext) throws(Failure) -> Catalog.Helper {
        Catalog.Helper(Moderation.Actor(try context.signedIn()))
    }

    private static func answer(_ sent: Form) throws -> String? {
        var form = sent
        let answer = form.optionalString("answer", bytes: Limits.catalog.changeReason)
        try form.check()
        return answer
    }
}

extension Catalog.Routes {
    struct CorrectedBody: Encodable, Sendable {
        let outcome: String
        let version: Int?
        var editionID: ID<Catalog.Edition>?
        let proposalID: ID<Catalog.Proposal>?
        let revisionID: ID<Catalog.Revision>?

        init(_ corrected: Catalog.Corrected) {
            switch corrected {
            case .applied(let revision, let version, let edition):
                (outcome, proposalID, revisionID, self.version) = ("applied", nil, revision, version)
                editionID = edition
            case .proposed(let proposal): (outcome, proposalID, revisionID, version) = ("proposed", proposal, nil, nil)
            case .unchanged: (outcome, proposalID, revisionID, version) = ("unchanged", nil, nil, nil)
            }
        }
    }

    /// What a proposal or a revision is about.
    struct ThingBody: Encodable, Sendable {
        let kind: Catalog.Thing.Kind
        let id: String

        init(_ thing: Catalog.Thing) {
            kind = thing.kind
            id = String(thing.id)
        }
    }

    /// Facts in the order of their names: a dictionary has another one each time, and the tag of the answer with it.
    struct FactsBody: JSONForm, Sendable {
        private let facts: Catalog.Facts

        init(_ facts: Catalog.Facts) { self.facts = facts }

        func put(into object: JSONObject) {
            for (name, fact) in facts.sorted(by: { $0.key < $1.key }) { object.put(named: name.rawValue, fact) }
        }
    }

    struct RevisionBody: JSONForm, Sendable {
        let revision: Catalog.Revision

        func put(into object: JSONObject) {
            object.put("id", revision.id)
            object.put("created_at", revision.at)
            object.put("action", revision.action.rawValue)
            object.put("subject", ThingBody(revision.thing))
            object.put("author", revision.author)
            object.put("reason", revision.reason)
            object.put("before", FactsBody(Self.shown(revision.before)))
            object.put("after", FactsBody(Self.shown(revision.after)))
            object.put("undoes", revision.undoes)
        }

        /// Of chapters the first: all of them would be half a megabyte, a hundred times on a page.
        private static func shown(_ facts: Catalog.Facts) -> Catalog.Facts {
            guard let chapters = facts[.chapters]?.parts else { return facts }
            var facts = facts
            facts[.chapters] = .parts(Array(chapters.prefix(Limits.catalog.shownChapters)))
            return facts
        }
    }

    struct ProposalBody: JSONForm, Sendable {
        let proposal: Catalog.Proposal
        let cover: Media.PictureBody?

        func put(into object: JSONObject) {
            object.put("id", proposal.id)
            object.put("created_at", proposal.at)
            object.put("action", proposal.action.rawValue)
            object.put("subject", ThingBody(proposal.thing))
            object.put("author", proposal.author)
            object.put("changes", FactsBody(proposal.changes))
            object.put("cover", cover)
            object.put("reason", proposal.reason)
            object.put("state", proposal.state.rawValue)
            object.put("answer", proposal.answer)
            object.put("decided_at", proposal.decidedAt)
        }
    }

    static let answerBody = Schema.object(
        "Answer", [:], optional: ["answer": .orNull(.string(Limits.catalog.changeReason))])

    static let corrected = Schema.object(
        "Corrected",
        [
            "outcome": .choice(["applied", "proposed", "unchanged"]), "edition_id": .orNull(.id),
            "proposal_id": .orNull(.id),
            "revision_id": .orNull(.id), "version": .orNull(.integer),
        ])

    private static let subject = Schema.object(
        "CorrectedThing", ["kind": .choice(Catalog.Thing.Kind.allCases.map(\.rawValue)), "id": .id])

    static let revision = Schema.object(
        "Revision",
        [
            "id": .id, "created_at": .time, "action": .choice(Catalog.Revision.Action.allCases.map(\.rawValue)),
            "subject": subject, "author": .orNull(Accounts.Routes.reader), "reason": .string,
            "before": Catalog.Field.revised,
            "after": Catalog.Field.revised,
            "undoes": .orNull(.id),
        ])

    static let proposal = Schema.object(
        "Proposal",
        [
            "id": .id, "created_at": .time, "action": .choice(Catalog.Proposal.Action.allCases.map(\.rawValue)),
            "subject": subject, "author": Accounts.Routes.reader,
            "changes": Catalog.Field.changes,
            "cover": .orNull(Media.proposedCover), "reason": .string,
            "state": .choice(Catalog.Proposal.State.allCases.map(\.rawValue)), "decided_at": .orNull(.time),
            "answer": .orNull(.string),
        ])
}

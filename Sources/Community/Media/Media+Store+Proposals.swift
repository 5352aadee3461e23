import Postgres

extension Media.Store {
    /// Proposes `prepared` as the cover of an edition, in place of what the member has proposed for it before.
    /// Librarians decide.
    ///
    /// One transaction: picture, files' rows, proposal. Throws `.invalid` for `alt` and `reason`, `.notFound` for the
    /// edition, `.conflict` (`too_many_proposals`), `.forbidden` and `.unauthenticated` for a member who may write no
    /// more: converting takes its time.
    package func proposeCover(
        _ prepared: Media.Prepared, alt: String?, reason: String, of edition: ID<Catalog.Edition>,
        by helper: Catalog.Helper
    ) async throws -> ID<Catalog.Proposal> {
        try Media.check(alt: alt)
        guard let account = helper.account else { throw Failure.unauthenticated() }
        let catalog = Catalog.Store(services)
        return try await services.database.transaction { transaction in
            try await catalog.takeTurn(of: account, in: transaction)
            let edition = try await cover(of: edition).edition
            if let former = try await transaction.first(Catalog.OpenCoverProposal(account: account, edition: edition)) {
                try await catalog.withdraw(former, by: account)
            }
            let picture = try services.ids.make(Media.Picture.self)
            try await insert(prepared, as: picture, owner: nil, by: account, alt: alt, in: transaction)
            let proposal = try await catalog.propose(
                [.cover: .text(picture.text)], from: [:], of: .edition(edition), reason: reason, by: account,
                in: transaction)
            try await transaction.run(Catalog.AddProposedCover(proposal: proposal, picture: picture))
            return proposal
        }
    }

    /// The pictures that proposals would make covers, by proposal; none for those that propose something else.
    package func proposedCovers(of proposals: [ID<Catalog.Proposal>]) async throws -> [ID<Catalog.Proposal>: Media
        .Shown]
    {
        guard !proposals.isEmpty else { return [:] }
        let rows = try await services.database.all(Media.Statements.ProposedCovers(proposals: proposals))
        return Dictionary(grouping: rows, by: { $0.proposal }).compactMapValues { rows in rows.map { $0.file }.shown }
    }
}

extension Catalog.Store {
    /// Makes the picture of a proposal the cover of its edition, and records it.
    func showCover(
        _ picture: ID<Media.Picture>, of thing: Catalog.Thing, as authority: Catalog.Authority,
        in transaction: Transaction
    ) async throws -> Catalog.Corrected {
        guard case .edition(let edition) = thing else { throw Failure.notFound(thing.name) }
        let (former, version) = try await Media.lockCover(of: edition, in: transaction)
        try await transaction.run(Media.Statements.ShowCover(edition: edition, picture: picture))
        if let former { try await Media.remove(former, in: transaction) }
        let revision = try await recordCover(from: former, to: picture, of: edition, as: authority, in: transaction)
        return .applied(revision, version: version)
    }

    /// Removes the picture of a proposal that came to nothing.
    func dropCover(of proposal: ID<Catalog.Proposal>, in transaction: Transaction) async throws {
        guard let picture = try await transaction.first(Catalog.ProposedCover(proposal: proposal)) else { return }
        try await Media.remove(picture, in: transaction)
    }

    /// Records that an edition has another cover, or none: a revision of the field `cover`, whose facts are pictures'
    /// ids.
    func recordCover(
        from former: ID<Media.Picture>?, to next: ID<Media.Picture>?, of edition: ID<Catalog.Edition>,
        as authority: Catalog.Authority, in transaction: Transaction
    ) async throws -> ID<Catalog.Revision> {
        let id = try services.ids.make(Catalog.Revision.self)
        try await transaction.run(
            Catalog.AddRevision(
                id: id, at: services.clock.now(), actor: authority.actor, account: authority.account,
                action: authority.action, thing: .edition(edition), reason: authority.reason,
                before: try JSON([Catalog.Field.Name.cover: Catalog.Fact(former?.text)]),
                after: try JSON([Catalog.Field.Name.cover: Catalog.Fact(next?.text)]), proposal: authority.proposal))
        return id
    }
}

import Postgres

extension Catalog.Store {
    /// The proposals that wait, oldest first. Librarians only.
    package func openProposals(
        _ request: PageRequest<ID<Catalog.Proposal>>, by helper: Catalog.Helper
    ) async throws -> Page<Catalog.Proposal, ID<Catalog.Proposal>> {
        try helper.requireLibrarian()
        let database = services.database
        return try await request.read(from: .lowest, key: \.id) {
            try await database.all(Catalog.OpenProposals(span: $0))
        }
    }

    /// What a member proposed, newest first.
    package func proposals(
        of account: ID<Accounts.Account>, _ request: PageRequest<ID<Catalog.Proposal>>
    ) async throws -> Page<Catalog.Proposal, ID<Catalog.Proposal>> {
        let database = services.database
        return try await request.read(from: .highest, key: \.id) {
            try await database.all(Catalog.ProposalsOf(account: account, span: $0))
        }
    }

    /// One proposal, for its proposer and for librarians. Throws `.notFound` to everybody else.
    package func proposal(_ id: ID<Catalog.Proposal>, for helper: Catalog.Helper) async throws -> Catalog.Proposal {
        guard let found = try await services.database.first(Catalog.ProposalByID(id: id)),
            helper.isLibrarian || found.author.id == helper.account
        else { throw Failure.notFound("proposal \(id)") }
        return found
    }

    /// Carries a proposal out, in the proposer's name. Librarians only. Throws `.notFound`, `.conflict` with
    /// `already_decided`, or with `changed_since` where one of its fields is neither as it was then nor as it is to be,
    /// and what `correct` or `addEdition` throws where it no longer fits.
    package func accept(
        _ id: ID<Catalog.Proposal>, answer: String? = nil, by helper: Catalog.Helper
    ) async throws -> Catalog.Corrected {
        try await decide(id, .accepted, answer, by: helper) { proposal, transaction in
            var authority = Catalog.Authority(helper.actor, for: proposal.author.id, reason: proposal.reason)
            authority.proposal = id
            if let picture = try await transaction.first(Catalog.ProposedCover(proposal: id)) {
                return try await showCover(picture, of: proposal.thing, as: authority, in: transaction)
            }
            if proposal.action == .create, case .book(let book) = proposal.thing {
                let facts = try Self.checkedEdition(proposal.changes, by: helper)
                return try await addEdition(facts, to: book, as: authority, in: transaction)
            }
            let facts = try Catalog.checked(proposal.changes, of: proposal.thing.kind, by: helper)
            return try await apply(facts, to: proposal.thing, as: authority, in: transaction) { now in
                for (name, then) in proposal.before.sorted(by: { $0.key < $1.key }) {
                    let fact = now.facts[name] ?? .none
                    guard fact.isSame(as: then) || fact.isSame(as: proposal.changes[name] ?? .none) else {
                        throw Failure.conflict(code: .changedSince, "the field \(name.rawValue) has changed since")
                    }
                }
            }
        }
    }

    /// Declines a proposal. Librarians only. Throws `.notFound`, `.conflict` (`already_decided`).
    package func decline(_ id: ID<Catalog.Proposal>, answer: String? = nil, by helper: Catalog.Helper) async throws {
        _ = try await decide(id, .declined, answer, by: helper) { _, transaction in
            try await dropCover(of: id, in: transaction)
            return .unchanged
        }
    }

    private func decide(
        _ id: ID<Catalog.Proposal>, _ state: Catalog.Proposal.State, _ answer: String?, by helper: Catalog.Helper,
        _ body: @Sendable (Catalog.Proposal, Transaction) async throws -> Catalog.Corrected
    ) async throws -> Catalog.Corrected {
        try helper.requireLibrarian()
        try Self.check(answer ?? "", at: "/answer")
        return try await services.database.transaction { transaction in
            guard let proposal = try await transaction.first(Catalog.LockProposal(id: id)) else {
                throw Failure.notFound("proposal \(id)")
            }
            guard proposal.state == .open else {
                throw Failure.conflict(code: .alreadyDecided, "that proposal is \(proposal.state.rawValue)")
            }
            let outcome = try await body(proposal, transaction)
            try await transaction.run(
                Catalog.DecideProposal(
                    id: id, state: state, at: services.clock.now(), by: helper.actor.text, answer: answer))
            return outcome
        }
    }

    /// Takes one's own proposal back. Throws `.notFound`, `.conflict` (`already_decided`).
    package func withdraw(_ id: ID<Catalog.Proposal>, by account: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            guard let proposal = try await transaction.first(Catalog.LockProposal(id: id)),
                proposal.author.id == account
            else { throw Failure.notFound("proposal \(id)") }
            guard proposal.state == .open else {
                throw Failure.conflict(code: .alreadyDecided, "that proposal is \(proposal.state.rawValue)")
            }
            try await dropCover(of: id, in: transaction)
            try await transaction.run(
                Catalog.DecideProposal(
                    id: id, state: .withdrawn, at: services.clock.now(), by: "account:\(account)", answer: nil))
        }
    }
}

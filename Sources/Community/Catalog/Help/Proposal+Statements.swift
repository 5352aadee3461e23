import Postgres

extension Catalog {
    struct AddProposal: Statement {
        static let name = "catalog.add_proposal"
        static let sql: SQL<Self> = """
            insert into catalog_proposal (id, at, account_id, subject_kind, subject_id, before, changes, reason)
            values (\(\.id), \(\.at), \(\.account), \(\.thing.kind, "thing.kind"), \(\.thing.id, "thing.id"), \(\.before), \(\.changes), \(\.reason))
            """
        let id: ID<Proposal>
        let at: Timestamp
        let account: ID<Accounts.Account>
        let thing: Thing
        let before: JSON
        let changes: JSON
        let reason: String
    }

    private static let proposalColumns: Fragment = """
        proposal.id, proposal.at, proposal.account_id, account.username, proposal.subject_kind, proposal.subject_id,
               proposal.changes, proposal.reason, proposal.state, proposal.decided_at, proposal.answer,
               proposal.before
          from catalog_proposal proposal
          join account on account.id = proposal.account_id
        """

    private static func proposal(_ row: borrowing Row) throws -> Proposal {
        let kind: Thing.Kind = try row[4]
        let changes: JSON = try row[6]
        let before: JSON = try row[11]
        return Proposal(
            id: try row[0], at: try row[1], account: try row[2], username: try row[3], thing: Thing(kind, try row[5]),
            changes: try changes.facts(), reason: try row[7], state: try row[8], decidedAt: try row[9],
            answer: try row[10], before: try before.facts())
    }

    struct ProposalByID: Statement {
        static let name = "catalog.proposal_by_id"
        static let sql: SQL<Self> = "select \(proposalColumns) where proposal.id = \(\.id)"
        let id: ID<Proposal>
        static func decode(_ row: borrowing Row) throws -> Proposal { try proposal(row) }
    }

    struct LockProposal: Statement {
        static let name = "catalog.lock_proposal"
        static let sql: SQL<Self> = "select \(proposalColumns) where proposal.id = \(\.id) for update of proposal"
        let id: ID<Proposal>
        static func decode(_ row: borrowing Row) throws -> Proposal { try proposal(row) }
    }

    /// The queue, oldest first; index `catalog_proposal_open`.
    struct OpenProposals: Statement {
        static let name = "catalog.open_proposals"
        static let sql: SQL<Self> = """
            select \(proposalColumns)
             where proposal.state = 'open'
               and proposal.id > \(\.after)
             order by proposal.id
             limit \(\.limit)
            """
        let after: ID<Proposal>
        let limit: Int
        static func decode(_ row: borrowing Row) throws -> Proposal { try proposal(row) }
    }

    struct OpenProposalsBefore: Statement {
        static let name = "catalog.open_proposals_before"
        static let sql: SQL<Self> = """
            select \(proposalColumns)
             where proposal.state = 'open'
               and proposal.id < \(\.before)
             order by proposal.id desc
             limit \(\.limit)
            """
        let before: ID<Proposal>
        let limit: Int
        static func decode(_ row: borrowing Row) throws -> Proposal { try proposal(row) }
    }

    /// What one member proposed, newest first; index `catalog_proposal_of_account`.
    struct ProposalsOf: Statement {
        static let name = "catalog.proposals_of"
        static let sql: SQL<Self> = """
            select \(proposalColumns)
             where proposal.account_id = \(\.account)
               and proposal.id < \(\.after)
             order by proposal.id desc
             limit \(\.limit)
            """
        let account: ID<Accounts.Account>
        let after: ID<Proposal>
        let limit: Int
        static func decode(_ row: borrowing Row) throws -> Proposal { try proposal(row) }
    }

    struct ProposalsOfBefore: Statement {
        static let name = "catalog.proposals_of_before"
        static let sql: SQL<Self> = """
            select \(proposalColumns)
             where proposal.account_id = \(\.account)
               and proposal.id > \(\.before)
             order by proposal.id
             limit \(\.limit)
            """
        let account: ID<Accounts.Account>
        let before: ID<Proposal>
        let limit: Int
        static func decode(_ row: borrowing Row) throws -> Proposal { try proposal(row) }
    }

    /// Open proposals of one account, as many as the limit asks; index `catalog_proposal_open_of_account`.
    struct CountOpen: Statement {
        static let name = "catalog.count_open_proposals"
        static let sql: SQL<Self> = """
            select count(*)
              from (select 1 from catalog_proposal where account_id = \(\.account) and state = 'open' limit \(\.limit)) open
            """
        let account: ID<Accounts.Account>
        let limit: Int
        typealias Output = Int
    }

    struct DecideProposal: Statement {
        static let name = "catalog.decide_proposal"
        static let sql: SQL<Self> = """
            update catalog_proposal
               set state = \(\.state), decided_at = \(\.at), decided_by = \(\.by), answer = \(\.answer)
             where id = \(\.id)
               and state = 'open'
            """
        let id: ID<Proposal>
        let state: Proposal.State
        let at: Timestamp
        let by: String
        let answer: String?
    }
}

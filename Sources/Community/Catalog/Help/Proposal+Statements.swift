import Postgres

extension Catalog {
    struct AddProposal: Statement {
        static let name = "catalog.add_proposal"
        static let sql = """
            insert into catalog_proposal (id, at, account_id, subject_kind, subject_id, before, changes, reason)
            values ($1, $2, $3, $4, $5, $6, $7, $8)
            """
        let id: ID<Proposal>
        let at: Timestamp
        let account: ID<Accounts.Account>
        let thing: Thing
        let before: JSON
        let changes: JSON
        let reason: String
        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(at)
            parameters.append(account)
            parameters.append(thing.kind)
            parameters.append(thing.id)
            parameters.append(before)
            parameters.append(changes)
            parameters.append(reason)
        }
    }

    private static let proposalColumns = """
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
        static let sql = "select \(proposalColumns) where proposal.id = $1"
        let id: ID<Proposal>
        func bind(to parameters: inout Parameters) { parameters.append(id) }
        static func decode(_ row: borrowing Row) throws -> Proposal { try proposal(row) }
    }

    struct LockProposal: Statement {
        static let name = "catalog.lock_proposal"
        static let sql = "select \(proposalColumns) where proposal.id = $1 for update of proposal"
        let id: ID<Proposal>
        func bind(to parameters: inout Parameters) { parameters.append(id) }
        static func decode(_ row: borrowing Row) throws -> Proposal { try proposal(row) }
    }

    /// The queue, oldest first; index `catalog_proposal_open`.
    struct OpenProposals: Statement {
        static let name = "catalog.open_proposals"
        static let sql = """
            select \(proposalColumns)
             where proposal.state = 'open'
               and proposal.id > $1
             order by proposal.id
             limit $2
            """
        let after: ID<Proposal>
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(after)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Proposal { try proposal(row) }
    }

    struct OpenProposalsBefore: Statement {
        static let name = "catalog.open_proposals_before"
        static let sql = """
            select \(proposalColumns)
             where proposal.state = 'open'
               and proposal.id < $1
             order by proposal.id desc
             limit $2
            """
        let before: ID<Proposal>
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(before)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Proposal { try proposal(row) }
    }

    /// What one member proposed, newest first; index `catalog_proposal_of_account`.
    struct ProposalsOf: Statement {
        static let name = "catalog.proposals_of"
        static let sql = """
            select \(proposalColumns)
             where proposal.account_id = $1
               and proposal.id < $2
             order by proposal.id desc
             limit $3
            """
        let account: ID<Accounts.Account>
        let after: ID<Proposal>
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(after)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Proposal { try proposal(row) }
    }

    struct ProposalsOfBefore: Statement {
        static let name = "catalog.proposals_of_before"
        static let sql = """
            select \(proposalColumns)
             where proposal.account_id = $1
               and proposal.id > $2
             order by proposal.id
             limit $3
            """
        let account: ID<Accounts.Account>
        let before: ID<Proposal>
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(before)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Proposal { try proposal(row) }
    }

    /// Open proposals of one account, as many as the limit asks; index `catalog_proposal_open_of_account`.
    struct CountOpen: Statement {
        static let name = "catalog.count_open_proposals"
        static let sql = """
            select count(*)
              from (select 1 from catalog_proposal where account_id = $1 and state = 'open' limit $2) open
            """
        let account: ID<Accounts.Account>
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Int { try row[0] }
    }

    struct DecideProposal: Statement {
        static let name = "catalog.decide_proposal"
        static let sql = """
            update catalog_proposal
               set state = $2, decided_at = $3, decided_by = $4, answer = $5
             where id = $1
               and state = 'open'
            """
        let id: ID<Proposal>
        let state: Proposal.State
        let at: Timestamp
        let by: String
        let answer: String?
        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(state)
            parameters.append(at)
            parameters.append(by)
            parameters.append(answer)
        }
    }
}

import Postgres

extension Catalog {
    struct AddProposal: Statement {
        static let sql: SQL<Self> = """
            insert into catalog_proposal (id, at, account_id, action, subject_kind, subject_id, before, changes, reason)
            values (\(\.id), \(\.at), \(\.account), \(\.action), \(\.thing.kind, "thing.kind"), \(\.thing.id, "thing.id"), \(\.before), \(\.changes), \(\.reason))
            """
        let id: ID<Proposal>, at: Timestamp, account: ID<Accounts.Account>, action: Proposal.Action, thing: Thing
        let before: JSON, changes: JSON
        let reason: String
    }

    /// Whose it is by the name that everybody is told.
    private static func proposalColumns<S>() -> SQL<S> {
        """
        proposal.id, proposal.at, \(Accounts.Reader.told(of: "account")),
               proposal.subject_kind, proposal.subject_id, proposal.action, proposal.changes, proposal.reason, proposal.state,
               proposal.decided_at, proposal.answer, proposal.before
          from catalog_proposal proposal
          join account on account.id = proposal.account_id
        """
    }

    struct ProposalByID: Statement {
        static let sql: SQL<Self> = "select \(proposalColumns()) where proposal.id = \(\.id)"
        let id: ID<Proposal>
        typealias Output = Proposal
    }

    struct LockProposal: Statement {
        static let sql: SQL<Self> = "select \(proposalColumns()) where proposal.id = \(\.id) for update of proposal"
        let id: ID<Proposal>
        typealias Output = Proposal
    }

    /// The queue, oldest first; index `catalog_proposal_open`.
    struct OpenProposals: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let place = Keyset<Self>("proposal.id", "\(\.span.place)", isAscending: true, direction)
            return """
                select \(proposalColumns())
                 where proposal.state = 'open'
                   and \(place.condition)
                 order by \(place.order)
                 limit \(\.span.limit)
                """
        }
        let span: Span<ID<Proposal>>
        typealias Output = Proposal
    }

    /// What one member proposed, newest first; index `catalog_proposal_of_account`.
    struct ProposalsOf: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let place = Keyset<Self>("proposal.id", "\(\.span.place)", direction)
            return """
                select \(proposalColumns())
                 where proposal.account_id = \(\.account)
                   and \(place.condition)
                 order by \(place.order)
                 limit \(\.span.limit)
                """
        }
        let account: ID<Accounts.Account>, span: Span<ID<Proposal>>
        typealias Output = Proposal
    }

    /// Open proposals of one account, as many as the limit asks; index `catalog_proposal_open_of_account`.
    struct CountOpen: Statement {
        static let name = "catalog.count_open_proposals"
        static let sql: SQL<Self> = """
            select count(*)
              from (select 1 from catalog_proposal where account_id = \(\.account) and state = 'open' limit \(\.limit)) open
            """
        let account: ID<Accounts.Account>, limit: Int
        typealias Output = Int
    }

    struct DecideProposal: Statement {
        static let sql: SQL<Self> = """
            update catalog_proposal
               set state = \(\.state), decided_at = \(\.at), decided_by = \(\.by), answer = \(\.answer)
             where id = \(\.id)
               and state = 'open'
            """
        let id: ID<Proposal>, state: Proposal.State, at: Timestamp, by: String, answer: String?
    }
}

extension Catalog.Proposal: RowReadable {
    /// Reads the columns of `proposalColumns`.
    package init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), at: try columns("at"), author: try Accounts.Reader(&columns),
            thing: try Catalog.Thing(&columns), action: try columns("action"),
            changes: try (columns("changes") as JSON).facts(), reason: try columns("reason"),
            state: try columns("state"), decidedAt: try columns("decided_at"), answer: try columns("answer"),
            before: try (columns("before") as JSON).facts())
    }
}

extension Catalog.Thing {
    /// Reads the columns `subject_kind` and `subject_id`.
    init(_ columns: inout Columns) throws {
        self.init(try columns("subject_kind"), try columns("subject_id"))
    }
}

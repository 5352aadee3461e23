import Postgres

extension Catalog {
    struct AddProposedCover: Statement {
        static let sql: SQL<Self> =
            "insert into catalog_proposal_cover (proposal_id, picture_id) values (\(\.proposal), \(\.picture))"
        let proposal: ID<Proposal>, picture: ID<Media.Picture>
    }

    /// The picture that a proposal would make a cover.
    struct ProposedCover: Statement {
        static let sql: SQL<Self> = "select picture_id from catalog_proposal_cover where proposal_id = \(\.proposal)"
        let proposal: ID<Proposal>
        typealias Output = ID<Media.Picture>
    }

    /// The proposal of a cover for an edition that a member has open. Served by index
    /// `catalog_proposal_open_of_account`.
    struct OpenCoverProposal: Statement {
        static let sql: SQL<Self> = """
            select proposal.id
              from catalog_proposal proposal
              join catalog_proposal_cover on catalog_proposal_cover.proposal_id = proposal.id
             where proposal.account_id = \(\.account)
               and proposal.subject_kind = 'edition'
               and proposal.subject_id = \(\.edition)
               and proposal.state = 'open'
             order by proposal.id
             limit 1
            """
        let account: ID<Accounts.Account>, edition: ID<Edition>
        typealias Output = ID<Proposal>
    }
}

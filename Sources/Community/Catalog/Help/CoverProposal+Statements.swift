import Postgres

extension Catalog {
    struct AddProposedCover: Statement {
        static let name = "catalog.add_proposed_cover"
        static let sql = "insert into catalog_proposal_cover (proposal_id, picture_id) values ($1, $2)"
        let proposal: ID<Proposal>
        let picture: ID<Media.Picture>
        func bind(to parameters: inout Parameters) {
            parameters.append(proposal)
            parameters.append(picture)
        }
    }

    /// The picture that a proposal would make a cover.
    struct ProposedCover: Statement {
        static let name = "catalog.proposed_cover"
        static let sql = "select picture_id from catalog_proposal_cover where proposal_id = $1"
        let proposal: ID<Proposal>
        func bind(to parameters: inout Parameters) { parameters.append(proposal) }
        static func decode(_ row: borrowing Row) throws -> ID<Media.Picture> { try row[0] }
    }

    /// The proposal of a cover for an edition that a member has open. Served by index `catalog_proposal_open_of_account`.
    struct OpenCoverProposal: Statement {
        static let name = "catalog.open_cover_proposal"
        static let sql = """
            select proposal.id
              from catalog_proposal proposal
              join catalog_proposal_cover on catalog_proposal_cover.proposal_id = proposal.id
             where proposal.account_id = $1
               and proposal.subject_kind = 'edition'
               and proposal.subject_id = $2
               and proposal.state = 'open'
             order by proposal.id
             limit 1
            """
        let account: ID<Accounts.Account>
        let edition: ID<Edition>
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(edition)
        }
        static func decode(_ row: borrowing Row) throws -> ID<Proposal> { try row[0] }
    }
}

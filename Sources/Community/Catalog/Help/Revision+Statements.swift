import Postgres

extension Catalog {
    static let revisionStatements: [any Statement.Type] = [
        AddRevision.self, OneRevision.self, RevisionsAfter.self, RevisionsBefore.self, BooksAddedSince.self,
        ForgetHelper.self, ForgetDecider.self, DropProposals.self,
        AddProposal.self, LockProposal.self, OpenProposals.self, OpenProposalsBefore.self, ProposalsOf.self,
        ProposalsOfBefore.self, CountOpen.self, DecideProposal.self, ProposalByID.self,
        AddProposedCover.self, ProposedCover.self, OpenCoverProposal.self,
    ]

    struct AddRevision: Statement {
        static let name = "catalog.add_revision"
        static let sql: SQL<Self> = """
            insert into catalog_revision
                   (id, at, actor, account_id, action, subject_kind, subject_id, reason, before, after, proposal_id, undoes)
            values (\(\.id), \(\.at), \(\.actor), \(\.account), \(\.action), \(\.thing.kind, "thing.kind"), \(\.thing.id, "thing.id"), \(\.reason), \(\.before), \(\.after), \(\.proposal), \(\.undoes))
            """
        let id: ID<Revision>
        let at: Timestamp
        let actor: String
        let account: ID<Accounts.Account>?
        let action: Revision.Action
        let thing: Thing
        let reason: String
        let before: JSON
        let after: JSON
        var proposal: ID<Proposal>?
        var undoes: ID<Revision>?
    }

    private static func revisionColumns<S>(name: SQL<S>) -> SQL<S> {
        """
        revision.id, revision.at, revision.actor, revision.account_id, \(name), revision.action,
               revision.subject_kind, revision.subject_id, revision.reason, revision.before, revision.after,
               revision.proposal_id, revision.undoes
          from catalog_revision revision
        """
    }

    /// The name of whose change it is, where the viewer may see that account.
    private static func seenColumns<S: ForViewer>() -> SQL<S> {
        revisionColumns(
            name: """
                (select account.username
                      from account
                     where account.id = revision.account_id
                       and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "3")))
                """)
    }

    private static func revision(_ row: borrowing Row) throws -> Revision {
        let kind: Thing.Kind = try row[6]
        let before: JSON = try row[9]
        let after: JSON = try row[10]
        return Revision(
            id: try row[0], at: try row[1], actor: try row[2], account: try row[3], username: try row[4],
            action: try row[5], thing: Thing(kind, try row[7]), reason: try row[8], before: try before.facts(),
            after: try after.facts(), proposal: try row[11], undoes: try row[12])
    }

    /// Without the name of whose change it is.
    struct OneRevision: Statement {
        static let name = "catalog.one_revision"
        static let sql: SQL<Self> = "select \(revisionColumns(name: "null::text")) where revision.id = \(\.id)"
        let id: ID<Revision>
        static func decode(_ row: borrowing Row) throws -> Revision { try revision(row) }
    }

    /// The history of one thing, newest first; index `catalog_revision_of_subject`.
    struct RevisionsAfter: Statement, ForViewer {
        static let name = "catalog.revisions_after"
        static let sql: SQL<Self> = """
            select \(seenColumns())
             where revision.subject_kind = \(\.thing.kind, "thing.kind")
               and revision.subject_id = \(\.thing.id, "thing.id")
               and revision.id < \(\.after)
             order by revision.id desc
             limit \(\.limit)
            """
        let viewer: Viewer
        let thing: Thing
        let after: ID<Revision>
        let limit: Int
        static func decode(_ row: borrowing Row) throws -> Revision { try revision(row) }
    }

    /// The same the other way, oldest first.
    struct RevisionsBefore: Statement, ForViewer {
        static let name = "catalog.revisions_before"
        static let sql: SQL<Self> = """
            select \(seenColumns())
             where revision.subject_kind = \(\.thing.kind, "thing.kind")
               and revision.subject_id = \(\.thing.id, "thing.id")
               and revision.id > \(\.before)
             order by revision.id
             limit \(\.limit)
            """
        let viewer: Viewer
        let thing: Thing
        let before: ID<Revision>
        let limit: Int
        static func decode(_ row: borrowing Row) throws -> Revision { try revision(row) }
    }

    /// Takes one account's name and words off its changes. Served by index `catalog_revision_by_account`.
    struct ForgetHelper: Statement {
        static let name = "catalog.forget_helper"
        static let sql: SQL<Self> = """
            update catalog_revision
               set account_id = null, reason = ''
             where account_id = \(\.account)
            """
        let account: ID<Accounts.Account>
    }

    /// Takes one account's number off what it decided about others' changes and its own. Served by indexes `catalog_revision_by_actor` and
    /// `catalog_proposal_by_decider`.
    struct ForgetDecider: Statement {
        static let name = "catalog.forget_decider"
        static let sql: SQL<Self> = """
            with revisions as (
                update catalog_revision
                   set actor = 'account'
                 where actor = \(\.decider, "decider")
                   and actor like 'account:%')
            update catalog_proposal
               set decided_by = 'account'
             where decided_by = \(\.decider, "decider")
               and decided_by like 'account:%'
            """
        let account: ID<Accounts.Account>
        private var decider: String { "account:\(account)" }
    }

    /// Served by index `catalog_proposal_of_account`.
    struct DropProposals: Statement {
        static let name = "catalog.drop_proposals"
        static let sql: SQL<Self> = "delete from catalog_proposal where account_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// Books that one account added since a time, as many as the limit asks; index `catalog_revision_by_account`.
    struct BooksAddedSince: Statement {
        static let name = "catalog.books_added_since"
        static let sql: SQL<Self> = """
            select count(*)
              from (select 1
                      from catalog_revision
                     where account_id = \(\.account)
                       and id > \(\.since)
                       and action = 'create'
                       and subject_kind = 'book'
                     limit \(\.limit)) added
            """
        let account: ID<Accounts.Account>
        let since: ID<Revision>
        let limit: Int
        typealias Output = Int
    }
}

import Postgres

extension Catalog {
    struct AddRevision: Statement {
        static let sql: SQL<Self> = """
            insert into catalog_revision
                   (id, at, actor, account_id, action, subject_kind, subject_id, reason, before, after, proposal_id, undoes)
            values (\(\.id), \(\.at), \(\.actor), \(\.account), \(\.action), \(\.thing.kind, "thing.kind"), \(\.thing.id, "thing.id"), \(\.reason), \(\.before), \(\.after), \(\.proposal), \(\.undoes))
            """
        let id: ID<Revision>, at: Timestamp, actor: String, account: ID<Accounts.Account>?, action: Revision.Action
        let thing: Thing, reason: String, before: JSON, after: JSON
        var proposal: ID<Proposal>?
        var undoes: ID<Revision>?
    }

    /// `author`: the columns of `Accounts.Reader`.
    private static func revisionColumns<S>(author: SQL<S>) -> SQL<S> {
        """
        revision.id, revision.at, revision.actor, revision.account_id, \(author), revision.action,
               revision.subject_kind, revision.subject_id, revision.reason, revision.before, revision.after,
               revision.proposal_id, revision.undoes
          from catalog_revision revision
        """
    }

    /// With whose change it is, where the viewer may see that account.
    private static func seenColumns<S: ForViewer>() -> SQL<S> {
        """
        \(revisionColumns(author: Accounts.Reader.columns(of: "author")))
          left join account author
            on author.id = revision.account_id
           and \(Visibility.predicate(viewer: .viewer, owner: "author.id", level: "3"))
        """
    }

    /// Without whose change it is.
    struct OneRevision: Statement {
        static let sql: SQL<Self> =
            "select \(revisionColumns(author: "null::bigint as id, null::text as username, null::text[] as shown")) where revision.id = \(\.id)"
        let id: ID<Revision>
        typealias Output = Revision
    }

    /// The history of one thing, newest first; index `catalog_revision_of_subject`.
    struct Revisions: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let place = Keyset<Self>("revision.id", "\(\.span.place)", direction)
            return """
                select \(seenColumns())
                 where revision.subject_kind = \(\.thing.kind, "thing.kind")
                   and revision.subject_id = \(\.thing.id, "thing.id")
                   and \(place.condition)
                 order by \(place.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, thing: Thing, span: Span<ID<Revision>>
        typealias Output = Revision
    }

    /// Takes one account's name and words off its changes. Served by index `catalog_revision_by_account`.
    struct ForgetHelper: Statement {
        static let sql: SQL<Self> = """
            update catalog_revision
               set account_id = null, reason = ''
             where account_id = \(\.account)
            """
        let account: ID<Accounts.Account>
    }

    /// Takes one account's number off what it decided about others' changes and its own. Served by indexes
    /// `catalog_revision_by_actor` and `catalog_proposal_by_decider`.
    struct ForgetDecider: Statement {
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
        static let sql: SQL<Self> = "delete from catalog_proposal where account_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// Books that one account added since a time, as many as the limit asks; index `catalog_revision_by_account`.
    struct BooksAddedSince: Statement {
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
        let account: ID<Accounts.Account>, since: ID<Revision>, limit: Int
        typealias Output = Int
    }
}

extension Catalog.Revision: RowReadable {
    /// Reads the columns of `revisionColumns`.
    package init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), at: try columns("at"), actor: try columns("actor"),
            account: try columns("account_id"), author: try columns.part(through: "shown", Accounts.Reader.init),
            action: try columns("action"),
            thing: try Catalog.Thing(&columns), reason: try columns("reason"),
            before: try (columns("before") as JSON).facts(), after: try (columns("after") as JSON).facts(),
            proposal: try columns("proposal_id"), undoes: try columns("undoes"))
    }
}

import Postgres

extension Moderation.Statements {
    /// The columns that `Moderation.Case` reads; `moderation_case` in scope as `about`.
    private static let columns: Fragment = """
        about.id, \(target(of: "about.subject_kind", "about.subject_id", by: "about.author_id")) as target,
               \(Accounts.Reader.told(of: "author")),
               about.category, about.reports, about.reporters, about.priority, about.state,
               coalesce(claimer.username, about.claimed_by) as claimed_by, about.claimed_until, about.version, about.opened_at,
               about.changed_at, about.decided_at
        """

    private static let joins: Fragment = """
        left join account author on author.id = about.author_id and author.state <> 'deleted'
              left join account claimer on claimer.id = \(account(of: "about.claimed_by"))
        """

    /// A thing as it is named: `post:7112`, `reader:ann`, `picture:ann`. `author`: whose it is, of a kind of which each
    /// reader has one.
    static func target(of kind: Fragment, _ id: Fragment, by author: Fragment? = nil) -> Fragment {
        """
        case when \(kind) in ('account', 'picture')
                    then case \(kind) when 'account' then 'reader:' else 'picture:' end
                         || coalesce((select username from account named where named.id = \(author ?? id)), '')
                    else \(kind) || ':' || \(id) end
        """
    }

    /// Open cases, the most urgent first; index `moderation_case_queue`.
    struct Queue: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["(-about.priority)", "about.id"], ["\(\.span.place.priority)", "\(\.span.place.id)"],
                isAscending: true, direction)
            return """
                select \(columns)
                  from moderation_case about
                  \(joins)
                 where about.state = 'open'
                   and \(keyset.condition)
                   and (\(\.category)::text is null or about.category = \(\.category))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let category: Moderation.Category?, span: Span<Moderation.Key>
        typealias Output = Moderation.Case
    }

    /// Decided cases, the last first; index `moderation_case_decided`.
    struct Decided: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["about.decided_at", "about.id"], ["\(\.span.place.at)", "\(\.span.place.id)"],
                isAscending: false, direction)
            return """
                select \(columns)
                  from moderation_case about
                  \(joins)
                 where about.state <> 'open'
                   and \(keyset.condition)
                   and (\(\.category)::text is null or about.category = \(\.category))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let category: Moderation.Category?, span: Span<TimeKey>
        typealias Output = Moderation.Case
    }

    struct OneCase: Statement {
        static let sql: SQL<Self> = "select \(columns) from moderation_case about \(joins) where about.id = \(\.id)"
        let id: ID<Moderation.Case>
        typealias Output = Moderation.Case
    }

    /// The reports of a case, the last first, at most `limit`.
    struct ReportsIn: Statement {
        static let sql: SQL<Self> = """
            select report.id, \(Accounts.Reader.told(of: "reader")),
                   report.category, report.text,
                   report.trust::double precision as trust, report.state, report.created_at
              from report
              join account reader on reader.id = report.reporter_id
             where report.case_id = \(\.id)
             order by report.id desc
             limit \(\.limit)
            """
        let id: ID<Moderation.Case>, limit: Int

        static func decode(_ columns: inout Columns) throws -> Moderation.Filed {
            Moderation.Filed(
                id: try columns("id"), reporter: try Accounts.Reader(&columns), category: try columns("category"),
                text: try columns("text"), trust: try columns("trust"), state: try columns("state"),
                createdAt: try columns("created_at"))
        }
    }

    /// What was kept in a case, the last first, at most `limit`; index `moderation_evidence_of_case`.
    struct EvidenceIn: Statement {
        static let sql: SQL<Self> = """
            select evidence.id, \(target(of: "evidence.kind", "evidence.thing_id", by: "evidence.author_id")) as target,
                   author.username as author, evidence.said, evidence.created_at
              from moderation_evidence evidence
              left join account author on author.id = evidence.author_id
             where evidence.case_id = \(\.id)
             order by evidence.id desc
             limit \(\.limit)
            """
        let id: ID<Moderation.Case>, limit: Int

        static func decode(_ columns: inout Columns) throws -> Moderation.Evidence {
            Moderation.Evidence(
                id: try columns("id"), target: try columns("target"), author: try columns("author"),
                said: try columns("said"), createdAt: try columns("created_at"))
        }
    }

    /// What was done in a case, the last first, at most `limit`; index `moderation_action_of_report`.
    struct ActsIn: Statement {
        static let sql: SQL<Self> = """
            select done.id, done.at, coalesce(doer.username, done.actor) as actor, done.action, done.reason, done.before, done.after
              from moderation_action done
              left join account doer on doer.id = \(account(of: "done.actor"))
             where done.report = \(\.id)
             order by done.id desc
             limit \(\.limit)
            """
        let id: ID<Moderation.Case>, limit: Int
        typealias Output = Moderation.Action
    }

    /// Locks the account of the author of what a case is about; before the case.
    struct HoldAuthorOfCase: Statement {
        static let sql: SQL<Self> = """
            select author.id
              from moderation_case about
              join account author on author.id = about.author_id
             where about.id = \(\.id)
               for no key update of author
            """
        let id: ID<Moderation.Case>
        typealias Output = ID<Accounts.Account>
    }

    /// A case, locked.
    struct LockCase: Statement {
        static let sql: SQL<Self> = """
            select about.subject_kind, about.subject_id, about.author_id,
                   coalesce((select account.role from account where account.id = about.author_id), 'member') as role,
                   about.state, about.claimed_by, (select account.role from account where account.id = \(account(of: "about.claimed_by"))) as claimer,
                   about.claimed_until, about.version, about.decided_at
              from moderation_case about
             where about.id = \(\.id)
               for no key update
            """
        let id: ID<Moderation.Case>

        static func decode(_ columns: inout Columns) throws -> Moderation.HeldCase {
            Moderation.HeldCase(
                thing: (try columns("subject_kind"), try columns("subject_id")), author: try columns("author_id"),
                role: try columns("role"), state: try columns("state"), claimedBy: try columns("claimed_by"),
                claimer: try columns("claimer"), claimedUntil: try columns("claimed_until"),
                version: try columns("version"),
                decidedAt: try columns("decided_at"))
        }
    }

    struct SetClaim: Statement {
        static let sql: SQL<Self> = """
            update moderation_case
               set claimed_by = \(\.by), claimed_until = \(\.until), changed_at = \(\.at), version = version + 1
             where id = \(\.id)
            """
        let id: ID<Moderation.Case>, by: String?, until: Timestamp?, at: Timestamp
    }

    /// Decides a case with all its open reports. What was kept of it is erased at `erase`.
    struct Decide: Statement {
        static let sql: SQL<Self> = """
            with decided as (
                update report set state = \(\.outcome), decided_at = \(\.at) where case_id = \(\.id) and state = 'open'
            ), kept as (
                update moderation_evidence set erase_at = \(\.erase) where case_id = \(\.id)
            )
            update moderation_case
               set state = \(\.outcome), claimed_by = null, claimed_until = null, decided_at = \(\.at), changed_at = \(\.at),
                   version = version + 1
             where id = \(\.id)
            """
        let id: ID<Moderation.Case>, outcome: Moderation.Outcome, at: Timestamp, erase: Timestamp
    }

    /// Takes a decision back: the reports that it decided are open again.
    struct Reopen: Statement {
        static let sql: SQL<Self> = """
            with opened as (
                update report set state = 'open', decided_at = null where case_id = \(\.id) and decided_at = \(\.decidedAt)
            ), kept as (
                update moderation_evidence set erase_at = null where case_id = \(\.id)
            )
            update moderation_case
               set state = 'open', decided_at = null, changed_at = \(\.at), version = version + 1
             where id = \(\.id)
            """
        let id: ID<Moderation.Case>, decidedAt: Timestamp, at: Timestamp
    }

    /// Evidence whose time has come, at most `limit`; index `moderation_evidence_due`.
    struct EraseEvidence: Statement {
        static let sql: SQL<Self> = """
            delete from moderation_evidence
             where id in (select id from moderation_evidence where erase_at <= \(\.now) order by erase_at limit \(\.limit))
            """
        let now: Timestamp, limit: Int
    }
}

extension Moderation.Case: RowReadable {
    package init(_ columns: inout Columns) throws {
        id = try columns("id")
        target = try columns("target")
        author = try columns.part(through: "shown", Accounts.Reader.init)
        category = try columns("category")
        reports = try columns("reports")
        reporters = try columns("reporters")
        priority = try columns("priority")
        state = try columns("state")
        claimedBy = try columns("claimed_by")
        claimedUntil = try columns("claimed_until")
        version = try columns("version")
        openedAt = try columns("opened_at")
        changedAt = try columns("changed_at")
        decidedAt = try columns("decided_at")
    }
}

extension Moderation.Action: RowReadable {
    package init(_ columns: inout Columns) throws {
        id = try columns("id")
        at = try columns("at")
        actor = try columns("actor")
        action = try columns("action")
        reason = try columns("reason")
        before = try columns("before")
        after = try columns("after")
    }
}

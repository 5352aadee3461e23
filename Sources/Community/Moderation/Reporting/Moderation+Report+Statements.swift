import Postgres

extension Moderation.Statements {
    /// What `Moderation.News` reads.
    private static let news: Fragment = "known.id, known.state, known.category, known.priority, known.version"

    /// The account behind a name, where it is not over.
    /// Those of several names that are there.
    struct AccountsNamed: Statement {
        static let sql: SQL<Self> = """
            select username_folded, id from account where username_folded = any(\(\.folded)) and state <> 'deleted'
            """
        let folded: [String]

        static func decode(_ columns: inout Columns) throws -> (String, ID<Accounts.Account>) {
            (try columns("username_folded"), try columns("id"))
        }
    }

    /// Who reports; index `report_of_reporter`.
    struct ReporterOf: Statement {
        static let sql: SQL<Self> = """
            select \(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)")) as counts,
                   (select count(*) from (select 1 from report
                                           where report.reporter_id = reader.id and report.created_at > \(\.dayAgo)
                                           limit \(Limits.moderation.reportsPerDay)) lately) as lately,
                   past.acted, past.decided
              from account reader
             cross join lateral (
                   select count(*) filter (where decided.state = 'acted') as acted, count(*) as decided
                     from (select report.state
                             from report
                            where report.reporter_id = reader.id and report.state <> 'open'
                            order by report.id desc
                            limit 100) decided) past
             where reader.id = \(\.reader)
            """
        let reader: ID<Accounts.Account>, counting: Accounts.Counting, dayAgo: Timestamp

        static func decode(_ columns: inout Columns) throws -> Moderation.Reporter {
            Moderation.Reporter(
                counts: try columns("counts"), lately: try columns("lately"), right: try columns("acted"),
                decided: try columns("decided"))
        }
    }

    /// Opens a case, or adds to the one that is open. A decided one is opened again, with this report alone. Its row is
    /// locked. The key `moderation_case_of_subject` finds it.
    struct Open: Statement {
        private static let gravity: Fragment = "array['other', 'rule', 'spoiler', 'spam', 'abuse', 'legal']"
        static let sql: SQL<Self> = """
            insert into moderation_case as known (id, subject_kind, subject_id, author_id, group_id, state, category, reports,
                                                  reporters, trust, opened_at, changed_at)
            values (\(\.id), \(\.kind), \(\.subject), \(\.author), \(\.group), 'open', \(\.category), 1,
                    (\(\.trust)::real is not null)::integer, coalesce(\(\.trust)::real, 0), \(\.at), \(\.at))
            on conflict (subject_kind, subject_id) do update
               set state = 'open',
                   category = case when known.state = 'open'
                                    and array_position(\(gravity), known.category) > array_position(\(gravity), excluded.category)
                                   then known.category else excluded.category end,
                   reports = case when known.state = 'open' then known.reports else 0 end + 1,
                   reporters = case when known.state = 'open' then known.reporters else 0 end + excluded.reporters,
                   trust = case when known.state = 'open' then known.trust else 0 end + excluded.trust,
                   opened_at = case when known.state = 'open' then known.opened_at else excluded.opened_at end,
                   changed_at = excluded.changed_at,
                   decided_at = null,
                   version = known.version + 1
            returning \(news), known.reports
            """
        let id: ID<Moderation.Case>, kind: String, subject: Int64, author: ID<Accounts.Account>?, group: Int64?
        let category: Moderation.Category, trust: Float?, at: Timestamp

        static func decode(_ columns: inout Columns) throws -> (about: Moderation.News, reports: Int) {
            (try Moderation.News(&columns), try columns("reports"))
        }
    }

    /// Whether enough reporters who count want a thing of an open case out of sight, of an author below moderators. Readers whom the
    /// author blocks are not among them, and readers who are all in one group are not enough.
    struct MustHide: Statement {
        static let sql: SQL<Self> = """
            select about.subject_kind, about.subject_id, found.reporters
              from moderation_case about
              join account author on author.id = about.author_id and author.role in ('member', 'librarian')
             cross join lateral (
                   select count(*) as reporters, sum(report.trust) as trust, array_agg(report.reporter_id) as ids
                     from report
                    where report.case_id = about.id
                      and report.state = 'open'
                      and report.trust is not null
                      and not exists (select 1 from block
                                       where block.blocker_id = about.author_id and block.blocked_id = report.reporter_id)) found
             where about.id = \(\.id)
               and about.state = 'open'
               and found.reporters >= \(Limits.moderation.hidingReporters)
               and found.trust >= \(Limits.moderation.hidingReporters) / 2.0
               and not exists (select 1 from moderation_action seen
                                where seen.subject_kind = about.subject_kind
                                  and seen.subject_id = about.subject_id
                                  and seen.at >= about.opened_at
                                  and seen.action in (about.subject_kind || '.hide', about.subject_kind || '.unhide'))
               and not exists (select 1 from group_member
                                where group_member.reader_id = any(found.ids)
                                group by group_member.group_id
                               having count(*) = found.reporters)
            """
        let id: ID<Moderation.Case>

        static func decode(_ columns: inout Columns) throws -> (kind: String, subject: Int64, reporters: Int) {
            (try columns("subject_kind"), try columns("subject_id"), try columns("reporters"))
        }
    }

    /// The act by which the server hid what a case is about, unless it was undone; index `moderation_action_of_report`.
    struct HiddenBySystem: Statement {
        static let sql: SQL<Self> = """
            select hiding.id
              from moderation_action hiding
             where hiding.report = \(\.id)
               and hiding.actor = 'system'
               and hiding.action like '%.hide'
               and not exists (select 1 from moderation_action later where later.undoes = hiding.id)
             order by hiding.id desc
             limit 1
            """
        let id: ID<Moderation.Case>
        typealias Output = ID<Moderation.Action>
    }

    struct InsertReport: Statement {
        static let sql: SQL<Self> = """
            insert into report (id, case_id, reporter_id, category, text, trust, created_at)
            values (\(\.id), \(\.into), \(\.reporter), \(\.category), \(\.text), \(\.trust), \(\.at))
            """
        let id: ID<Moderation.Report>, into: ID<Moderation.Case>, reporter: ID<Accounts.Account>
        let category: Moderation.Category, text: String?, trust: Float?, at: Timestamp
    }

    /// Of a report in its case, or of an act.
    struct InsertEvidence: Statement {
        static let sql: SQL<Self> = """
            insert into moderation_evidence (id, case_id, report_id, act_id, kind, thing_id, author_id, said, created_at, erase_at)
            values (\(\.id), \(\.into), \(\.report), \(\.act), \(\.kind), \(\.thing), \(\.author), \(\.said), \(\.at), \(\.eraseAt))
            """
        let id: ID<Moderation.Evidence>
        var into: ID<Moderation.Case>?
        var report: ID<Moderation.Report>?
        var act: ID<Moderation.Action>?
        let kind: String, thing: Int64, author: ID<Accounts.Account>?, said: JSON, at: Timestamp
        var eraseAt: Timestamp?
    }

    /// What a reader reported, newest first; index `report_of_reporter`.
    struct ReportsOf: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("report.id", "\(\.span.place)", direction)
            return """
                select report.id, \(target(of: "about.subject_kind", "about.subject_id", by: "about.author_id")) as target,
                       report.category, report.text, report.state, report.created_at, report.decided_at
                  from report
                  join moderation_case about on about.id = report.case_id
                 where report.reporter_id = \(\.reader)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let reader: ID<Accounts.Account>, span: Span<ID<Moderation.Report>>

        static func decode(_ columns: inout Columns) throws -> Moderation.Report {
            Moderation.Report(
                id: try columns("id"), target: try columns("target"), category: try columns("category"),
                text: try columns("text"), state: try columns("state"), createdAt: try columns("created_at"),
                decidedAt: try columns("decided_at"))
        }
    }

    // MARK: The end of an account

    /// What an ended account said of others keeps its place in their cases, without its words.
    struct EmptyReports: Statement {
        static let sql: SQL<Self> = "update report set text = null where reporter_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// Nothing that an ended account said is kept. Index `moderation_evidence_of_author`.
    struct DropEvidence: Statement {
        static let sql: SQL<Self> = "delete from moderation_evidence where author_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// The reports in the open cases of an ended account are decided with them: there is nobody to act on.
    struct CloseCases: Statement {
        static let sql: SQL<Self> = """
            with closed as (
                update moderation_case known
                   set state = 'acted',
                       claimed_by = null,
                       claimed_until = null,
                       decided_at = \(\.at),
                       changed_at = \(\.at),
                       version = version + 1
                 where author_id = \(\.account)
                   and state = 'open'
                returning \(news)
            ), decided as (
                update report
                   set state = 'acted', decided_at = \(\.at)
                  from closed
                 where report.case_id = closed.id
                   and report.state = 'open'
            ), kept as (
                update moderation_evidence
                   set erase_at = \(\.erase)
                  from closed
                 where moderation_evidence.case_id = closed.id
                   and erase_at is null
            )
            select \(news) from closed known
            """
        let account: ID<Accounts.Account>, at: Timestamp, erase: Timestamp
        typealias Output = Moderation.News
    }
}

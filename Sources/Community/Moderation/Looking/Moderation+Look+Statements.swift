import Postgres

extension Moderation.Statements {
    // MARK: The audit

    /// Acts, newest first.
    struct Audit: ListStatement {
        /// Which index finds them; what else is asked is asked of each.
        enum Way: String, Postgres.Variation { case newest, actor, target, author, verb }

        static func sql(_ variation: Both<Way, Direction>) -> SQL<Self> {
            let keyset = Keyset<Self>("done.id", "\(\.span.place)", variation.second)
            return """
                select done.id, done.at, coalesce(doer.username, done.actor) as actor, done.action,
                       case when seen.is_told then \(target(of: "done.subject_kind", "done.subject_id")) end as target,
                       case when seen.is_told then done.reason end as reason, case when seen.is_told then done.said end as said,
                       case when seen.is_told then done.before end as before, case when seen.is_told then done.after end as after,
                       done.act, done.report, done.undoes,
                       (select max(later.id) from moderation_action later where later.undoes = done.id) as undone_by,
                       done.expires_at, done.token_id
                  from moderation_action done
                  left join account doer on doer.id = \(account(of: "done.actor"))
                 cross join lateral (select not \(isPrivate) as is_told limit 1) seen
                 where \(keyset.condition)
                   and \(way(variation.first))
                   and (\(\.actor)::text is null or done.actor = \(\.actor))
                   and (\(\.kind)::text is null
                        or done.subject_kind = \(\.kind) and done.subject_id = \(\.subject) and seen.is_told)
                   and (\(\.author)::bigint is null or done.author_id = \(\.author) and seen.is_told)
                   and (\(\.verb)::text is null or split_part(done.action, '.', 2) = \(\.verb))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }

        private static func way(_ way: Way) -> SQL<Self> {
            switch way {
            case .newest: "true"
            case .actor: "done.actor = \(\.actor)"
            case .target: "done.subject_kind = \(\.kind) and done.subject_id = \(\.subject)"
            case .author: "done.author_id = \(\.author)"
            case .verb: "split_part(done.action, '.', 2) = \(\.verb)"
            }
        }

        let actor: String?, kind: String?, subject: Int64?, author: ID<Accounts.Account>?, verb: String?
        let span: Span<ID<Moderation.Action>>

        var variation: Both<Way, Direction> {
            let way: Way =
                kind != nil ? .target : author != nil ? .author : actor != nil ? .actor : verb != nil ? .verb : .newest
            return Both(way, span.direction)
        }

        static func decode(_ columns: inout Columns) throws -> Moderation.Entry {
            Moderation.Entry(
                id: try columns("id"), at: try columns("at"), actor: try columns("actor"),
                action: try columns("action"), target: try columns("target"), reason: try columns("reason"),
                said: try columns("said"), before: try columns("before"), after: try columns("after"),
                act: try columns("act"), report: try columns("report"), undoes: try columns("undoes"),
                undoneBy: try columns("undone_by"), expiresAt: try columns("expires_at"), token: try columns("token_id")
            )
        }
    }

    /// The account that an actor is: `account:42`; null for others.
    static func account(of actor: Fragment) -> Fragment {
        "case when \(actor) like 'account:%' then substr(\(actor), 9)::bigint end"
    }

    /// Whether `done` is about something on the board of a private group.
    private static var isPrivate: Fragment {
        let groups = Community.things.filter { $0.facts.group.text != ThingFacts.noGroup.text }.map { kind in
            let facts = kind.facts
            return """
                when \(literal: facts.name) then (select \(facts.group) from \(facts.table) \(facts.joins)
                                                                    where \(facts.table).id = done.subject_id)
                """ as Fragment
        }
        return """
            exists (select from reading_group closed
                                                   where closed.visibility = 'private'
                                                     and closed.id = case done.subject_kind \(groups.joined(separator: "\n")) end)
            """
    }

    // MARK: What readers said

    /// What a query finds, newest first.
    struct Sayings: VariedStatement {
        static func sql(_ variation: Both<Moderation.Sought.Way, Direction>) -> SQL<Self> {
            let order: Fragment = variation.second == .onward ? "found.id desc" : "found.id"
            return """
                select found.id, found.kind || ':' || found.id as target,
                       \(Accounts.Reader.told(of: "author")),
                       coalesce(left(found.said, \(Limits.moderation.quote * 2)), '') as said, found.is_hidden, found.at
                  from (\(Moderation.Sought.found(variation.first, variation.second).of(\.sought))) found
                  join account author on author.id = found.author_id
                 order by \(order)
                 limit \(\.sought.limit)
                """
        }
        let sought: Moderation.Sought, direction: Direction
        var variation: Both<Moderation.Sought.Way, Direction> { Both(sought.way, direction) }

        static func decode(_ columns: inout Columns) throws -> Moderation.Saying {
            Moderation.Saying(
                id: try columns("id"), target: try columns("target"),
                author: try Accounts.Reader(&columns),
                quote: Moderation.quote(try columns("said")), isHidden: try columns("is_hidden"), at: try columns("at"))
        }
    }

    // MARK: Readers

    /// Readers, the last that signed up first.
    struct Dossiers: ListStatement {
        /// Which index finds them; what else is asked is asked of each.
        enum Way: String, Postgres.Variation { case newest, domain, name, waiting, state, role }

        static func sql(_ variation: Both<Way, Direction>) -> SQL<Self> {
            let keyset = Keyset<Self>("account.id", "\(\.span.place)", variation.second)
            return """
                \(dossier)
                 where account.state <> 'deleted'
                   and \(keyset.condition)
                   and account.id >= \(\.from)
                   and \(way(variation.first))
                   and (\(\.state)::text is null
                        or case \(\.state) when 'waiting' then account.approved_at is null else account.state = \(\.state) end)
                   and (\(\.role)::text is null or account.role = \(\.role))
                   and (\(\.domain)::text is null or split_part(account.email_folded, '@', 2) = \(\.domain))
                   and (\(\.name)::text is null or starts_with(account.username_folded, \(\.name)))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }

        private static func way(_ way: Way) -> SQL<Self> {
            switch way {
            case .newest: "true"
            case .domain: "split_part(account.email_folded, '@', 2) = \(\.domain)"
            // Behind the letters, digits and underscores of a username.
            case .name: "account.username_folded ~>=~ \(\.name) and account.username_folded ~<~ (\(\.name) || '~')"
            case .waiting: "account.approved_at is null"
            case .state: "account.state not in ('active', 'deleted') and account.state = \(\.state)"
            case .role: "account.role <> 'member' and account.role = \(\.role)"
            }
        }

        let state: Moderation.ReaderState?, role: Accounts.Role?, domain: String?, name: String?
        let from: ID<Accounts.Account>, span: Span<ID<Accounts.Account>>

        var variation: Both<Way, Direction> {
            let byState: Way? =
                switch state {
                case nil, .active: nil
                case .waiting: .waiting
                default: .state
                }
            let isElevated = role.map { $0 != .member } ?? false
            return Both(
                domain != nil ? .domain : name != nil ? .name : byState ?? (isElevated ? .role : .newest),
                span.direction)
        }

        typealias Output = Moderation.Dossier
    }

    /// One reader by name.
    struct OneDossier: Statement {
        static let sql: SQL<Self> = """
            \(dossier)
             where account.username_folded = \(\.folded) and account.state <> 'deleted'
            """
        let folded: String
        typealias Output = Moderation.Dossier
    }

    /// `until`: where the act that made the state what it is ends by itself.
    private static let dossier: Fragment = """
        select \(Accounts.Reader.told(of: "account")), account.role,
               account.state,
               (select last.expires_at
                  from moderation_action last
                 where last.subject_kind = 'account'
                   and last.subject_id = account.id
                   and last.action = case account.state when 'limited' then 'account.limit'
                                                        when 'frozen' then 'account.freeze'
                                                        when 'suspended' then 'account.suspend' end
                 order by last.id desc
                 limit 1) as until,
               account.verified_at is not null as is_verified, account.approved_at is not null as is_approved, account.email,
               coalesce((select friends from friend_tally where friend_tally.reader_id = account.id), 0) as friends,
               coalesce((select comments from reader_tally where reader_tally.reader_id = account.id), 0) as comments,
               (select count(*) from session where session.account_id = account.id) as sessions,
               (select count(*)
                  from moderation_action done
                 where done.author_id = account.id
                   and done.action not like 'report.%') as acts,
               (select coalesce(sum(about.reports), 0)
                  from moderation_case about
                 where about.author_id = account.id and about.state = 'open') as reports,
               account.created_at
          from account
        """

    // MARK: How things stand

    struct OpenCases: Statement {
        static let sql: SQL<Self> = """
            select category as name, count(*) as count, min(opened_at) as oldest
              from moderation_case
             where state = 'open'
             group by category
             order by count(*) desc, category
            """

        static func decode(
            _ columns: inout Columns
        ) throws -> (count: Moderation.Statistics.Count, oldest: Timestamp) {
            (.init(name: try columns("name"), count: try columns("count")), try columns("oldest"))
        }
    }

    /// Index `moderation_case_decided`.
    struct DecidedCases: Statement {
        static let sql: SQL<Self> = """
            select count(*) as count,
                   percentile_cont(0.5) within group (order by extract(epoch from decided_at - opened_at) / 3600) as median
              from moderation_case
             where state <> 'open'
               and decided_at >= \(\.since)
            """
        let since: Timestamp
        static func decode(_ columns: inout Columns) throws -> (count: Int, median: Double?) {
            (try columns("count"), try columns("median"))
        }
    }

    struct ActsSince: Statement {
        static let sql: SQL<Self> = """
            select action as name, count(*) as count
              from moderation_action
             where id >= \(\.since)
             group by action
             order by count(*) desc, action
            """
        let since: ID<Moderation.Action>
        typealias Output = Moderation.Statistics.Count
    }

    struct ReadersByState: Statement {
        static let sql: SQL<Self> = """
            select state as name, count(*) as count
              from account
             where state <> 'deleted'
             group by state
             order by count(*) desc, state
            """
        typealias Output = Moderation.Statistics.Count
    }

    struct Waiting: Statement {
        static let sql: SQL<Self> = "select count(*) from account where approved_at is null and state <> 'deleted'"
        typealias Output = Int
    }
}

extension Moderation.Statistics.Count: RowReadable {
    package init(_ columns: inout Columns) throws {
        name = try columns("name")
        count = try columns("count")
    }
}

extension Moderation.Dossier: RowReadable {
    package init(_ columns: inout Columns) throws {
        reader = try Accounts.Reader(&columns)
        role = try columns("role")
        state = try columns("state")
        until = try columns("until")
        isVerified = try columns("is_verified")
        isApproved = try columns("is_approved")
        email = try columns("email")
        friends = try columns("friends")
        comments = try columns("comments")
        sessions = try columns("sessions")
        acts = try columns("acts")
        reports = try columns("reports")
        createdAt = try columns("created_at")
    }
}

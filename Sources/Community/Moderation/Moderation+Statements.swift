import FoundationEssentials
import Postgres

extension Moderation {
    enum Statements {}
}

extension Moderation.Statements {
    /// The author of a thing, the account locked, and what the thing says.
    struct HoldAuthor<Kind: ThingKind>: Statement {
        static var name: String { "things.hold_\(Kind.facts.name)" }

        static var sql: SQL<Self> {
            let (facts, table) = (Kind.facts, Kind.facts.table)
            return """
                select held.id as author, held.role, \(facts.said ?? "null::jsonb") as said
                  from \(table)
                  \(facts.joins)
                  join account held on held.id = \(facts.author)
                 where \(table).id = \(\.id)
                   for no key update of held
                """
        }

        let id: ID<Kind>

        static func decode(
            _ columns: inout Columns
        ) throws -> (author: ID<Accounts.Account>, role: Accounts.Role, said: JSON?) {
            (try columns("author"), try columns("role"), try columns("said"))
        }
    }

    struct Record: Statement {
        static let sql: SQL<Self> = """
            insert into moderation_action (id, at, actor, action, subject_kind, subject_id, reason, before, after, act, report, undoes,
                   expires_at, author_id, said, token_id, group_id)
            select entry.id, entry.at, entry.actor, entry.action, entry.kind, entry.subject, entry.reason, entry.before, entry.after, entry.act,
                   entry.report, entry.undoes, entry.expires_at, entry.author, entry.said, entry.token, \(group(of: "entry.kind", "entry.subject"))
              from unnest(\(\.actions, each: \.id)::bigint[], \(\.actions, each: \.at)::timestamptz[], \(\.actions, each: \.actor.text, "actor")::text[],
                          \(\.actions, each: \.action)::text[], \(\.actions, each: \.kind)::text[], \(\.actions, each: \.subject)::bigint[],
                          \(\.actions, each: \.reason)::text[], \(\.actions, each: \.before)::jsonb[], \(\.actions, each: \.after)::jsonb[],
                          \(\.actions, each: \.act)::bigint[], \(\.actions, each: \.report)::bigint[], \(\.actions, each: \.undoes)::bigint[],
                          \(\.actions, each: \.expiresAt)::timestamptz[], \(\.actions, each: \.author)::bigint[], \(\.actions, each: \.said)::text[],
                          \(\.actions, each: \.actor.token, "token")::bigint[])
                   entry (id, at, actor, action, kind, subject, reason, before, after, act, report, undoes, expires_at, author, said, token)
            """
        let actions: [Moderation.NewAction]
    }

    /// Recorded acts, for who takes them back, in the order of their ids; indexes `moderation_action_undone`,
    /// `moderation_action_of_subject`.
    struct FormerActs: Statement {
        static let sql: SQL<Self> = """
            select done.id, done.action, done.subject_kind, done.subject_id, done.before, done.report,
                   exists (select 1 from moderation_action later where later.undoes = done.id) as is_undone, \(role(of: "done")) as role,
                   exists (select 1
                             from moderation_action later
                            where later.subject_kind = done.subject_kind
                              and later.subject_id = done.subject_id
                              and later.id > done.id
                              and split_part(later.action, '.', 2) = any(case split_part(done.action, '.', 2) \(aspects) end)
                              and (later.undoes is null or later.undoes < done.id)
                              and not exists (select 1 from moderation_action undoing where undoing.undoes = later.id)) as is_changed
              from moderation_action done
             where done.id = any(\(\.ids))
             order by done.id
            """
        let ids: [ID<Moderation.Action>]

        private static let aspects: Fragment = Moderation.Verb.allCases
            .map { "when \(literal: $0.rawValue) then array[\($0.aspect)]" as Fragment }.joined(separator: " ")

        static func decode(_ columns: inout Columns) throws -> Moderation.Former {
            let (id, action): (ID<Moderation.Action>, String) = (try columns("id"), try columns("action"))
            let (kind, subject): (String, Int64) = (try columns("subject_kind"), try columns("subject_id"))
            let before: JSON = try columns("before")
            return Moderation.Former(
                id: id, action: action, kind: kind, subject: subject, before: try words(before),
                report: try columns("report"), isUndone: try columns("is_undone"), role: try columns("role"),
                isChanged: try columns("is_changed"))
        }
    }

    /// SQL: the role of who did an act, as it is now; of somebody at the server's own terminal that of administrators.
    static func role<S>(of act: Fragment) -> SQL<S> {
        """
        case when \(act).actor like 'cli:%' then 'admin'
                        when \(act).actor like 'account:%'
                        then (select doer.role from account doer where doer.id = substr(\(act).actor, 9)::bigint) end
        """
    }

    /// The last act on a thing among some; index `moderation_action_of_subject`.
    struct LastActed: Statement {
        static let sql: SQL<Self> = """
            select last.action, last.actor, \(role(of: "last")) as role, last.author_id, last.expires_at, last.before, last.after
              from moderation_action last
             where last.subject_kind = \(\.kind)
               and last.subject_id = \(\.subject)
               and last.action = any(\(\.actions))
             order by last.id desc
             limit 1
            """
        let kind: String, subject: Int64, actions: [String]

        init(_ thing: Thing, _ verbs: [Moderation.Verb]) {
            (kind, subject) = (thing.name, thing.id)
            actions = verbs.map { thing.name + "." + $0.rawValue }
        }

        static func decode(_ columns: inout Columns) throws -> Moderation.Last {
            let (action, actor): (String, String) = (try columns("action"), try columns("actor"))
            let (role, author): (Accounts.Role?, ID<Accounts.Account>?) = (
                try columns("role"), try columns("author_id")
            )
            let expiresAt: Timestamp? = try columns("expires_at")
            let (before, after): (JSON, JSON) = (try columns("before"), try columns("after"))
            return Moderation.Last(
                verb: action.split(separator: ".").last.flatMap { Moderation.Verb(rawValue: String($0)) }, actor: actor,
                role: role, author: author, expiresAt: expiresAt, before: try words(before), after: try words(after))
        }
    }

    static func words(_ json: JSON) throws -> [String: String] {
        try JSONDecoder().decode([String: String].self, from: Data(json.bytes))
    }

    /// One row where the account may act as a moderator.
    struct Moderates: Statement {
        static let sql: SQL<Self> = """
            select id
              from account
             where id = \(\.account)
               and role in (\(Accounts.Role.allCases.filter { $0 >= .moderator }))
               and state in (\([Accounts.State.active, .limited]))
            """
        let account: ID<Accounts.Account>
        typealias Output = ID<Accounts.Account>
    }

    /// What was done to one thing, newest first; index `moderation_action_of_subject`.
    struct History: Statement {
        static let sql: SQL<Self> = """
            select id, at, actor, action, reason, before, after
              from moderation_action
             where subject_kind = \(\.subjectKind)
               and subject_id = \(\.subject)
             order by id desc
             limit \(\.limit)
            """
        let subjectKind: String, subject: Int64, limit: Int
        typealias Output = Moderation.Action
    }
}

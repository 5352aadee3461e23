import Foundation
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
            values (\(\.id), \(\.at), \(\.actor.text), \(\.action), \(\.subjectKind), \(\.subject), \(\.reason), \(\.before), \(\.after),
                    \(\.act), \(\.report), \(\.undoes), \(\.expiresAt), \(\.author), \(\.said), \(\.actor.token),
                    \(group(of: "\(\.subjectKind)", "\(\.subject)")))
            """
        let id: ID<Moderation.Action>, at: Timestamp, actor: Moderation.Actor, action: String, subjectKind: String
        let subject: Int64, reason: String, before: JSON, after: JSON
        var act: ID<Moderation.Bulk>?
        var report: ID<Moderation.Case>?
        var undoes: ID<Moderation.Action>?
        var expiresAt: Timestamp?
        var author: ID<Accounts.Account>?
        var said: String?
    }

    /// One act, for who takes it back; index `moderation_action_undone`.
    struct Done: Statement {
        static let sql: SQL<Self> = """
            select action, subject_kind, subject_id, before, report,
                   exists (select 1 from moderation_action later where later.undoes = done.id) as is_undone, \(role(of: "done")) as role
              from moderation_action done
             where id = \(\.id)
            """
        let id: ID<Moderation.Action>

        static func decode(_ columns: inout Columns) throws -> Moderation.Done {
            let action: String = try columns("action")
            let (kind, subject): (String, Int64) = (try columns("subject_kind"), try columns("subject_id"))
            let before: JSON = try columns("before")
            return Moderation.Done(
                action: action, kind: kind, subject: subject,
                before: (try? JSONDecoder().decode([String: String].self, from: Data(before.bytes))) ?? [:],
                report: try columns("report"),
                isUndone: try columns("is_undone"), role: try columns("role"))
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
                role: role, author: author, expiresAt: expiresAt, before: words(before), after: words(after))
        }
    }

    fileprivate static func words(_ json: JSON) -> [String: String] {
        (try? JSONDecoder().decode([String: String].self, from: Data(json.bytes))) ?? [:]
    }

    /// What an act took out of sight, until it is erased; index `moderation_evidence_of_act`.
    struct KeptBy: Statement {
        static let sql: SQL<Self> = "select said from moderation_evidence where act_id = \(\.act) limit 1"
        let act: ID<Moderation.Action>
        typealias Output = JSON
    }

    /// Whether somebody did one of these acts on the same thing later, and did not take it back; index `moderation_action_of_subject`.
    struct ActedLater: Statement {
        static let sql: SQL<Self> = """
            select exists (select 1
                             from moderation_action later
                            where later.subject_kind = \(\.kind)
                              and later.subject_id = \(\.subject)
                              and later.id > \(\.than)
                              and later.action = any(\(\.actions))
                              and (later.undoes is null or later.undoes < \(\.than))
                              and not exists (select 1 from moderation_action undoing where undoing.undoes = later.id))
            """
        let than: ID<Moderation.Action>, kind: String, subject: Int64, actions: [String]
        typealias Output = Bool
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

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
            values (\(\.id), \(\.at), \(\.actor), \(\.action), \(\.subjectKind), \(\.subject), \(\.reason), \(\.before), \(\.after),
                    \(\.act), \(\.report), \(\.undoes), \(\.expiresAt), \(\.author), \(\.said), \(\.token),
                    \(group(of: "\(\.subjectKind)", "\(\.subject)")))
            """
        let id: ID<Moderation.Action>, at: Timestamp, actor: String, action: String, subjectKind: String, subject: Int64
        let reason: String, before: JSON, after: JSON
        var act: ID<Moderation.Bulk>?
        var report: ID<Moderation.Case>?
        var undoes: ID<Moderation.Action>?
        var expiresAt: Timestamp?
        var author: ID<Accounts.Account>?
        var said: String?
        var token: ID<Accounts.AccessToken>?
    }

    /// One act, for who takes it back; index `moderation_action_undone`.
    struct Done: Statement {
        static let sql: SQL<Self> = """
            select action, subject_kind, subject_id, before, report,
                   exists (select 1 from moderation_action later where later.undoes = done.id) as is_undone
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
                isUndone: try columns("is_undone"))
        }
    }

    /// What an act took out of sight, until it is erased; index `moderation_evidence_of_act`.
    struct KeptBy: Statement {
        static let sql: SQL<Self> = "select said from moderation_evidence where act_id = \(\.act) limit 1"
        let act: ID<Moderation.Action>
        typealias Output = JSON
    }

    /// Whether somebody did one of these acts on the same thing later; index `moderation_action_of_subject`.
    struct ActedLater: Statement {
        static let sql: SQL<Self> = """
            select exists (select 1
                             from moderation_action later
                            where later.subject_kind = \(\.kind)
                              and later.subject_id = \(\.subject)
                              and later.id > \(\.than)
                              and later.action = any(\(\.actions)))
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

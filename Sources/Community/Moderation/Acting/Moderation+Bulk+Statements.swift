import FoundationEssentials
import Postgres

extension Moderation.Statements {
    struct MakeBulk: Statement {
        static let sql: SQL<Self> = """
            insert into moderation_bulk (id, state, verb, actor, role, token_id, reason, said, report, expires_at, undoes, asked, total, made_at)
            values (\(\.id), \(\.state), \(\.verb), \(\.actor.text, "actor"), \(\.actor.role, "role"), \(\.actor.token, "token"), \(\.reason), \(\.said), \(\.report), \(\.expiresAt),
                    \(\.undoes), \(\.asked), 0, \(\.at))
            """
        let id: ID<Moderation.Bulk>, state: Moderation.Bulk.State, verb: String, actor: Moderation.Actor
        let reason: String, said: String?, report: ID<Moderation.Case>?
        let expiresAt: Timestamp?, undoes: ID<Moderation.Bulk>?, asked: JSON, at: Timestamp
    }

    /// Puts things of one kind on a list, behind those that stand there. Of an author whom the actor may not act on each is refused.
    struct Freeze<Kind: Moderated>: Statement {
        static var name: String { "moderation.freeze_\(Kind.facts.name)" }

        static var sql: SQL<Self> {
            Moderation.Statements.freeze(
                Kind.self, from: "unnest(\(\.ids)::bigint[]) chosen (id)", undoes: "null::bigint", bulk: "\(\.bulk)",
                beyond: "\(\.beyond)")
        }

        let bulk: ID<Moderation.Bulk>, ids: [Int64], beyond: [String]
    }

    /// Puts those of the things on the list that are not there, refused.
    struct FreezeMissing: Statement {
        static let sql: SQL<Self> = """
            insert into moderation_target (bulk_id, place, beside, kind, thing_id, outcome, code)
            select \(\.bulk),
                   (select coalesce(max(place), 0) from moderation_target before where before.bulk_id = \(\.bulk))
                   + row_number() over (order by chosen.id),
                   0, \(\.kind), chosen.id, 'refused', 'not_found'
              from (select distinct unnest(\(\.ids)::bigint[])) chosen (id)
             where not exists (select 1 from moderation_target listed
                                where listed.bulk_id = \(\.bulk) and listed.kind = \(\.kind) and listed.thing_id = chosen.id)
            """
        let bulk: ID<Moderation.Bulk>, kind: String, ids: [Int64]
    }

    /// Whether there is such a case.
    struct IsCase: Statement {
        static let sql: SQL<Self> = "select exists (select 1 from moderation_case where id = \(\.id))"
        let id: ID<Moderation.Case>
        typealias Output = Bool
    }

    /// Puts what an act did to things of one kind on a list, but for what is undone; index `moderation_action_of_act`.
    struct FreezeDone<Kind: Moderated>: Statement {
        static var name: String { "moderation.freeze_done_\(Kind.facts.name)" }

        static var sql: SQL<Self> {
            Moderation.Statements.freeze(
                Kind.self,
                from: """
                    (select done.subject_id, done.id
                            from moderation_action done
                           where done.act = \(\.undoes)
                             and done.subject_kind = \(literal: Kind.facts.name)
                             and not exists (select 1 from moderation_action later where later.undoes = done.id)) chosen (id, action)
                    """,
                undoes: "chosen.action", bulk: "\(\.bulk)", beyond: "\(\.beyond)")
        }

        let bulk: ID<Moderation.Bulk>, undoes: ID<Moderation.Bulk>, beyond: [String]
    }

    /// Puts what readers said, or those who said it, on a list.
    struct FreezeFound: VariedStatement {
        static let name = "moderation.freeze_found"

        static func sql(_ variation: Both<Moderation.Sought.Way, Moderation.Chosen>) -> SQL<Self> {
            let found: SQL<Self> = "(\(Moderation.Sought.found(variation.first).of(\.sought))) found"
            let listed: SQL<Self> =
                switch variation.second {
                case .said: "select found.kind, found.id, found.beside, found.author_id as author from \(found)"
                case .readers: "select distinct 'account', found.author_id, 0::bigint, found.author_id from \(found)"
                case .accounts: Moderation.Sought.accounts(variation.first).of(\.sought)
                }
            return """
                insert into moderation_target (bulk_id, place, beside, kind, thing_id, outcome, code)
                select \(\.bulk), row_number() over (order by listed.kind, listed.beside, listed.author, listed.id), listed.beside,
                       listed.kind, listed.id, case when writer.role = any(\(\.beyond)) then 'refused' end,
                       case when writer.role = any(\(\.beyond)) then 'role_too_low' end
                  from (\(listed)) listed (kind, id, beside, author)
                  join account writer on writer.id = listed.author and writer.state <> 'deleted'
                """
        }

        let bulk: ID<Moderation.Bulk>, sought: Moderation.Sought, chosen: Moderation.Chosen, beyond: [String]
        var variation: Both<Moderation.Sought.Way, Moderation.Chosen> { Both(sought.way, chosen) }
    }

    /// In the order of what is beside each other, then of authors, so that accounts are locked in the order of their ids.
    static func freeze<S>(
        _ kind: (some Moderated).Type, from chosen: SQL<S>, undoes: SQL<S>, bulk: SQL<S>, beyond: SQL<S>
    ) -> SQL<S> {
        let (facts, table) = (kind.facts, kind.facts.table)
        return """
            insert into moderation_target (bulk_id, place, beside, kind, thing_id, undoes, outcome, code)
            select \(bulk),
                   (select coalesce(max(place), 0) from moderation_target before where before.bulk_id = \(bulk))
                   + row_number() over (order by listed.beside, listed.author, listed.id),
                   listed.beside, \(literal: facts.name), listed.id, listed.undoes,
                   case when listed.role = any(\(beyond)) then 'refused' end,
                   case when listed.role = any(\(beyond)) then 'role_too_low' end
              from (select distinct on (\(table).id) \(table).id, coalesce(\(facts.beside ?? facts.author), 0) as beside,
                           \(facts.author) as author, \(undoes) as undoes,
                           (select role from account writer where writer.id = \(facts.author)) as role
                      from \(chosen)
                      join \(table) on \(table).id = chosen.id
                      \(facts.joins)) listed
            """
    }

    /// How many stand on a list; kept with it.
    struct CountList: Statement {
        static let sql: SQL<Self> = """
            update moderation_bulk
               set total = (select count(*) from moderation_target target where target.bulk_id = \(\.bulk))
             where id = \(\.bulk)
            returning total
            """
        let bulk: ID<Moderation.Bulk>
        typealias Output = Int
    }

    struct OneBulk: Statement {
        static let sql: SQL<Self> = """
            select about.id, about.state, about.verb, about.reason, about.said, about.total, about.expires_at, about.undoes, about.made_at,
                   about.ended_at, found.done, found.same, found.refused, found.changed
              from moderation_bulk about
             cross join lateral (
                   select count(*) filter (where target.outcome = 'done') as done,
                          count(*) filter (where target.outcome = 'same') as same,
                          count(*) filter (where target.outcome = 'refused') as refused,
                          count(*) filter (where target.outcome = 'changed') as changed
                     from moderation_target target
                    where target.bulk_id = about.id) found
             where about.id = \(\.id)
            """
        let id: ID<Moderation.Bulk>

        static func decode(_ columns: inout Columns) throws -> Moderation.Bulk {
            let id: ID<Moderation.Bulk> = try columns("id")
            let (state, verb): (Moderation.Bulk.State, String) = (try columns("state"), try columns("verb"))
            let (reason, said): (String, String?) = (try columns("reason"), try columns("said"))
            let (total, expiresAt): (Int, Timestamp?) = (try columns("total"), try columns("expires_at"))
            let undoes: ID<Moderation.Bulk>? = try columns("undoes")
            let (madeAt, endedAt): (Timestamp, Timestamp?) = (try columns("made_at"), try columns("ended_at"))
            return Moderation.Bulk(
                id: id, state: state, verb: verb, reason: reason, said: said, total: total,
                outcomes: [
                    .done: try columns("done"), .same: try columns("same"), .refused: try columns("refused"),
                    .changed: try columns("changed"),
                ],
                expiresAt: expiresAt, undoes: undoes, madeAt: madeAt, endedAt: endedAt)
        }
    }

    /// An act on one thing, as those on many are told; none that a private group's own moderators did.
    struct OneAct: Statement {
        static let sql: SQL<Self> = """
            select id, action, reason, said, expires_at, undoes, at 
              from moderation_action done
             where id = \(\.id)
               and act is null
               and not (exists (select 1 from reading_group met where met.id = done.group_id and met.visibility = 'private')
                        and coalesce(\(role(of: "done")), 'moderator') in ('member', 'librarian'))
            """
        let id: ID<Moderation.Bulk>

        static func decode(_ columns: inout Columns) throws -> Moderation.Bulk {
            let (id, action): (ID<Moderation.Bulk>, String) = (try columns("id"), try columns("action"))
            let (reason, said): (String, String?) = (try columns("reason"), try columns("said"))
            let (expiresAt, undoes): (Timestamp?, ID<Moderation.Bulk>?) = (
                try columns("expires_at"), try columns("undoes")
            )
            let at: Timestamp = try columns("at")
            return Moderation.Bulk(
                id: id, state: .done, verb: action.split(separator: ".").last.map(String.init) ?? action,
                reason: reason,
                said: said, total: 1, outcomes: [.done: 1], expiresAt: expiresAt, undoes: undoes, madeAt: at,
                endedAt: at)
        }
    }

    /// What stands on a list, in its order.
    struct Targets: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(["target.place"], ["\(\.span.place)"], isAscending: true, direction)
            return """
                select target.place, \(target(of: "target.kind", "target.thing_id")) as target, target.outcome, target.code
                  from moderation_target target
                 where target.bulk_id = \(\.bulk)
                   and (\(\.outcome)::text is null or target.outcome = \(\.outcome))
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let bulk: ID<Moderation.Bulk>, outcome: Moderation.Bulk.Outcome?, span: Span<Int>

        static func decode(_ columns: inout Columns) throws -> Moderation.Target {
            Moderation.Target(
                place: try columns("place"), target: try columns("target"), outcome: try columns("outcome"),
                code: try columns("code"))
        }
    }

    /// An act on many, held against its end, with who does it as they are now.
    struct HoldBulk: Statement {
        static let sql: SQL<Self> = """
            select held.state, held.verb, held.actor, doer.id as doer, doer.role, held.reason, held.said, held.report, held.token_id,
                   held.expires_at, held.asked
              from moderation_bulk held
              left join account doer on doer.id = \(account(of: "held.actor"))
                                    and doer.state in ('active', 'limited') and doer.role in ('moderator', 'admin', 'owner')
             where held.id = \(\.id)
               for no key update of held
            """
        let id: ID<Moderation.Bulk>

        static func decode(_ columns: inout Columns) throws -> Moderation.HeldBulk {
            let (state, verb): (Moderation.Bulk.State, String) = (try columns("state"), try columns("verb"))
            let (actor, doer): (String, ID<Accounts.Account>?) = (try columns("actor"), try columns("doer"))
            let role: Accounts.Role? = try columns("role")
            let (reason, said): (String, String?) = (try columns("reason"), try columns("said"))
            let (report, token): (ID<Moderation.Case>?, ID<Accounts.AccessToken>?) = (
                try columns("report"), try columns("token_id")
            )
            let expiresAt: Timestamp? = try columns("expires_at")
            let asked: JSON = try columns("asked")
            return Moderation.HeldBulk(
                state: state, verb: verb, actor: Moderation.Actor(text: actor, doer, role, token: token),
                reason: reason,
                said: said, report: report, expiresAt: expiresAt,
                wanted: try words(asked))
        }
    }

    struct SetBulk: Statement {
        static let sql: SQL<Self> = """
            update moderation_bulk set state = \(\.state), ended_at = \(\.endedAt) where id = \(\.id)
            """
        let id: ID<Moderation.Bulk>, state: Moderation.Bulk.State, endedAt: Timestamp?
    }

    /// The next things to be done, all beside each other; index `moderation_target_waiting`.
    struct Portion: Statement {
        static let sql: SQL<Self> = """
            with waiting as materialized (
                select place, beside, kind, thing_id, undoes
                  from moderation_target
                 where bulk_id = \(\.bulk)
                   and outcome is null
                 order by place
                 limit \(\.limit)
            )
            select place, kind, thing_id, undoes
              from waiting
             where (beside, kind) = (select beside, kind from waiting order by place limit 1)
             order by place
            """
        let bulk: ID<Moderation.Bulk>, limit: Int

        static func decode(_ columns: inout Columns) throws -> Moderation.Due {
            Moderation.Due(
                place: try columns("place"), kind: try columns("kind"), subject: try columns("thing_id"),
                undoes: try columns("undoes"))
        }
    }

    /// The authors of things, locked in the order of their ids, before anything else of the portion is.
    struct HoldAuthors<Kind: Moderated>: Statement {
        static var name: String { "moderation.hold_authors_\(Kind.facts.name)" }

        static var sql: SQL<Self> {
            let (facts, table) = (Kind.facts, Kind.facts.table)
            return """
                select held.id
                  from account held
                 where held.id in (select \(facts.author) from \(table) \(facts.joins) where \(table).id = any(\(\.ids)))
                 order by held.id
                   for no key update
                """
        }

        let ids: [Int64]
    }

    struct Settle: Statement {
        static let sql: SQL<Self> = """
            with counted as (
                update moderation_bulk
                   set done = moderation_bulk.done + (select count(*) from unnest(\(\.all, each: \.outcome)::text[]) outcome where outcome = 'done')
                 where id = \(\.bulk)
            )
            update moderation_target target
               set outcome = settled.outcome, code = settled.code
              from unnest(\(\.all, each: \.place)::integer[], \(\.all, each: \.outcome)::text[], \(\.all, each: \.code)::text[])
                   settled (place, outcome, code)
             where target.bulk_id = \(\.bulk)
               and target.place = settled.place
            """
        let bulk: ID<Moderation.Bulk>, all: [Moderation.Settled]
    }

    /// Lists that nobody began; index `moderation_bulk_made`.
    struct DropLists: Statement {
        static let sql: SQL<Self> = """
            delete from moderation_bulk
             where id in (select id from moderation_bulk where state = 'frozen' and made_at < \(\.before) order by made_at limit \(\.limit))
            """
        let before: Timestamp, limit: Int
    }
}

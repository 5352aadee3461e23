import EventLog
import Postgres

extension Reactions.Statements {
    /// The account is held against its end. No row where the thing is not seen.
    struct MeetToReact<Kind: Reactable>: Statement, ForViewer {
        static var sql: SQL<Self> {
            let (facts, table) = (Kind.facts, Kind.facts.table)
            return """
                with reader as (select id, state from account where id = \(\.viewer) for share)
                select reader.state, \(table).id, \(facts.author) as author, \(facts.stands) as stands, \(Kind.opens()) as is_open,
                       \(Kind.toldScope) as scope, \(Kind.admits()) as is_admitted
                  from reader
                  join \(table) on \(table).id = \(facts.resolved("\(\.thing)"))
                  \(facts.joins)
                 where \(Kind.reacting.isThere)
                   and \(Kind.isMet())\(facts.hold)
                """
        }
        let viewer: ID<Accounts.Account>, thing: ID<Kind>

        static func decode(_ columns: inout Columns) throws -> Reactions.Met<Kind> {
            Reactions.Met(
                state: try columns("state"), thing: try columns("id"), author: try columns("author"),
                stands: try columns("stands"), isOpen: try columns("is_open"), scope: try columns("scope"),
                isAdmitted: try columns("is_admitted"))
        }
    }

    /// Affects no row where it is there already.
    struct InsertReaction<Kind: Reactable>: Statement {
        static var sql: SQL<Self> {
            """
            insert into \(Kind.given) (\(Kind.key), reader_id, name, at) values (\(\.thing), \(\.reader), \(\.reaction), \(\.at)) on conflict do nothing
            """
        }
        let thing: ID<Kind>, reader: ID<Accounts.Account>, reaction: Reaction, at: Timestamp
    }

    struct DeleteReaction<Kind: Reactable>: Statement {
        static var sql: SQL<Self> {
            "delete from \(Kind.given) where \(Kind.key) = \(\.thing) and reader_id = \(\.reader) and name = \(\.reaction)"
        }
        let thing: ID<Kind>, reader: ID<Accounts.Account>, reaction: Reaction
    }

    /// Makes those who react to one thing take turns until they commit.
    struct CountReaction<Kind: Reactable>: Statement {
        static var sql: SQL<Self> {
            """
            update \(Kind.facts.table)
               set reactions = reactions + \(\.by)::integer
             where id = \(\.thing)
               and \(Kind.isKept)
            """
        }
        let thing: ID<Kind>, by: Int32
    }

    /// One more or one less of a name, and no row for none. Follows the count, which holds the thing's row: a statement
    /// of its own, so that it sees what others tallied before.
    struct TallyReaction<Kind: Reactable>: Statement {
        static var sql: SQL<Self> {
            """
            merge into \(Kind.tally) tally
            using (select id from \(Kind.facts.table) where id = \(\.thing) and \(Kind.isKept)) thing
               on tally.\(Kind.key) = thing.id and tally.name = \(\.reaction)
             when matched and tally.n + \(\.by)::integer <= 0 then delete
             when matched then update set n = tally.n + \(\.by)::integer
             when not matched and \(\.by)::integer > 0 then insert (\(Kind.key), name, n) values (thing.id, \(\.reaction), 1)
            """
        }
        let thing: ID<Kind>, reaction: Reaction, by: Int32
    }

    /// Drops reactions to a thing that was deleted while they were on their way. Follows the count, which has waited for
    /// the thing's row and passed over it.
    struct DropLateReactions<Kind: Reactable>: Statement {
        static var sql: SQL<Self> {
            """
            delete from \(Kind.given)
             where \(Kind.key) = \(\.thing)
               and exists (select 1 from \(Kind.facts.table) where id = \(\.thing) and not \(Kind.isKept))
            """
        }
        let thing: ID<Kind>
    }

    /// Writes the event into the outbox with the counts as they are under the lock of the thing's row, which is held.
    struct TellReactions<Kind: Reactable>: Statement {
        static var sql: SQL<Self> {
            let (facts, table, reacting) = (Kind.facts, Kind.facts.table, Kind.reacting)
            return """
                insert into outbox (id, kind, topics, owner_id, subject_kind, subject_id, at, data)
                select \(\.event), \(literal: reacting.event), array[\(reacting.topic)], \(facts.author), \(reacting.subject.kind),
                       \(reacting.subject.value), \(\.at)::timestamptz,
                       jsonb_build_object(\(reacting.data), 'reactions', coalesce(
                           (select jsonb_object_agg(tally.name, tally.n)
                              from \(Kind.tally) tally
                             where tally.\(Kind.key) = \(table).id
                               and tally.n > 0), '{}'))
                  from \(table)
                  \(facts.joins)
                 where \(table).id = \(\.thing)
                   and \(reacting.isTold)
                """
        }
        let event: ID<Reaction>, thing: ID<Kind>, at: Timestamp
    }

    /// What others felt about things goes with them, whose rows are locked and whose counts are set.
    struct RemoveReactions<Kind: Reactable>: Statement {
        static var sql: SQL<Self> {
            """
            with gone as (delete from \(Kind.given) where \(Kind.key) = any(\(\.things)))
            delete from \(Kind.tally) where \(Kind.key) = any(\(\.things))
            """
        }
        let things: [ID<Kind>]
    }

    /// Things that a reader reacted to, oldest first. Index `post_reaction_of_reader` for a kind `post`.
    struct ReactedTo<Kind: Reactable>: Statement {
        static var sql: SQL<Self> {
            """
            select distinct \(Kind.key)
              from \(Kind.given)
             where reader_id = \(\.reader)
               and \(Kind.key) > \(\.after)
             order by \(Kind.key)
             limit \(\.limit)
            """
        }
        let reader: ID<Accounts.Account>, after: ID<Kind>, limit: Int
        typealias Output = ID<Kind>
    }

    struct LockReactedTo<Kind: Reactable>: Statement {
        static var sql: SQL<Self> {
            "select from \(Kind.facts.table) where id = any(\(\.things)) order by id for no key update"
        }
        let things: [ID<Kind>]
    }

    /// Takes a reader's reactions to things, which are locked, and what counts them.
    struct DropReactions<Kind: Reactable>: Statement {
        static var sql: SQL<Self> {
            let (table, key) = (Kind.facts.table, Kind.key)
            return """
                with gone as (
                    delete from \(Kind.given)
                     where reader_id = \(\.reader)
                       and \(key) = any(\(\.things))
                    returning \(key), name
                ), last as (
                    delete from \(Kind.tally) tally
                     using gone
                     where tally.\(key) = gone.\(key)
                       and tally.name = gone.name
                       and tally.n = 1
                ), tallied as (
                    update \(Kind.tally) tally
                       set n = tally.n - 1
                      from gone
                     where tally.\(key) = gone.\(key)
                       and tally.name = gone.name
                       and tally.n > 1
                )
                update \(table)
                   set reactions = \(table).reactions - fewer.n
                  from (select \(key), count(*)::integer as n from gone group by \(key)) fewer
                 where \(table).id = fewer.\(key)
                """
        }
        let reader: ID<Accounts.Account>, things: [ID<Kind>]
    }

    /// Whose a thing is, where somebody's reaction to it is there still.
    struct AuthorReactedTo<Kind: Reactable>: Statement {
        static var sql: SQL<Self> {
            """
            select \(Kind.facts.author)
              from \(Kind.facts.table)
              \(Kind.facts.joins)
             where \(Kind.facts.table).id = \(\.thing)
               and \(Kind.isReacted(to: "\(\.thing)", by: "\(\.actor)"))
            """
        }
        let thing: ID<Kind>, actor: ID<Accounts.Account>
        typealias Output = ID<Accounts.Account>
    }
}

// Reactions in the statements of a kind's own domain.
extension Reactable {
    fileprivate static var given: Fragment { "\(facts.table)_reaction" }
    fileprivate static var tally: Fragment { "\(facts.table)_reaction_tally" }
    fileprivate static var key: Fragment { "\(facts.table)_id" }
    /// Whether the thing in scope can have reactions: until it is taken back.
    fileprivate static var isKept: Fragment { facts.isDeleted.map { "not \($0)" } ?? "true" }

    /// SQL: whether a reader reacted to a thing of the kind, by their ids.
    static func isReacted<S>(to thing: SQL<S>, by reader: SQL<S>) -> SQL<S> {
        "exists (select 1 from \(given) given where given.\(key) = \(thing) and given.reader_id = \(reader))"
    }

    /// The columns that `[Reaction: Int]` and `Set<Reaction>` read of the thing in scope: null where `isShown` is false.
    static func reactionColumns<S: ForViewer>(isShown: SQL<S>) -> SQL<S> {
        func column(_ name: Fragment, _ rows: SQL<S>) -> SQL<S> {
            "case when \(isShown) and \(facts.table).reactions > 0 then array(\(rows)) end as \(name)"
        }
        let tallied: SQL<S> =
            "from \(tally) tally where tally.\(key) = \(facts.table).id and tally.n > 0 order by tally.name"
        return [
            column("reaction_names", "select tally.name \(tallied)"),
            column("reaction_counts", "select tally.n \(tallied)"),
            column(
                "own_reactions",
                "select own.name from \(given) own where own.\(key) = \(facts.table).id and own.reader_id = \(.viewer)"),
        ].joined(separator: ",\n       ")
    }

    /// Whose its reactions are. A reader gives each of the six to a thing at most once.
    static func personalReactions(isKept: Bool = false) -> PersonalTable {
        PersonalTable(
            given, key: "t.\(key)",
            secondKey: "array_position(array[\(Reaction.allCases)], t.name)::bigint",
            isKept: isKept)
    }

    /// What holds of its reactions.
    static var reactionRecounts: [Recount] {
        let (name, table): (Fragment, Fragment) = ("\(literal: "\(facts.name) ")", facts.table)
        return [
            Recount(
                "\(facts.name)_reactions", "The reactions to a \(facts.name) are those that are there.",
                """
                select \(name) || \(table).id || ': stored ' || \(table).reactions || ' reactions, counted ' || coalesce(given.n, 0)
                  from \(table)
                  left join (select \(key), count(*) as n from \(given) group by \(key)) given on given.\(key) = \(table).id
                 where \(table).reactions <> coalesce(given.n, 0)
                """),
            Recount(
                "\(facts.name)_tallies",
                "How many reacted to a \(facts.name) by each name is how many reactions there are.",
                """
                select \(name) || coalesce(stored.\(key), given.\(key)) || ': stored ' || coalesce(stored.n, 0) || ' '
                       || coalesce(stored.name, given.name) || ', counted ' || coalesce(given.n, 0)
                  from \(tally) stored
                  full join (select \(key), name, count(*) as n from \(given) group by \(key), name) given
                    on given.\(key) = stored.\(key) and given.name = stored.name
                 where coalesce(stored.n, 0) <> coalesce(given.n, 0)
                """),
        ]
    }
}

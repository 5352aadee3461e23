import Postgres

extension Moderation.Statements {
    /// SQL: the verb of the act in scope as `act`.
    static let verb: Fragment = "split_part(act.action, '.', 2)"

    /// SQL: whether `act` takes something from its reader. A title that a moderator changed is theirs, too.
    static let weighs: Fragment = """
        case \(verb)
                        when 'scope' then (act.after ->> 'scope')::integer > (act.before ->> 'scope')::integer
                        when 'role' then array_position(\(roles), act.after ->> 'role') < array_position(\(roles), act.before ->> 'role')
                        else \(verb) in (\(Moderation.Verb.allCases.filter(\.weighs)), 'edit') end
        """

    private static let roles: Fragment = "array[\(Accounts.Role.allCases)]"

    /// SQL: when a later act on the same thing took `act` back or took its place; index `moderation_action_of_subject`.
    static let undone: Fragment = """
        (select min(later.at)
                     from moderation_action later
                    where later.subject_kind = act.subject_kind
                      and later.subject_id = act.subject_id
                      and later.id > act.id
                      and (later.undoes = act.id
                           or split_part(later.action, '.', 2) = any(case \(verb) \(ends) end)))
        """

    private static let ends: Fragment = Moderation.Verb.allCases.filter { !$0.ends.isEmpty }
        .map { "when \(literal: $0.rawValue) then array[\($0.ends)]" as Fragment }.joined(separator: " ")

    /// What things say, each kept of an act; nothing of a kind that says nothing.
    struct Keep<Kind: ThingKind>: Statement {
        static var name: String { "moderation.keep_\(Kind.facts.name)" }

        static var sql: SQL<Self> {
            let (facts, table, said) = (Kind.facts, Kind.facts.table, Kind.facts.said ?? "null::jsonb")
            return """
                insert into moderation_evidence (id, act_id, kind, thing_id, author_id, said, created_at, erase_at)
                select hidden.id, hidden.act, \(literal: facts.name), \(table).id, \(facts.author), \(said),
                       \(\.at)::timestamptz, \(\.eraseAt)::timestamptz
                  from unnest(\(\.ids)::bigint[], \(\.acts)::bigint[], \(\.things)::bigint[]) hidden (id, act, thing)
                  join \(table) on \(table).id = hidden.thing
                  \(facts.joins)
                 where \(said) is not null
                """
        }

        let ids: [ID<Moderation.Evidence>], acts: [ID<Moderation.Action>], things: [ID<Kind>]
        let at: Timestamp, eraseAt: Timestamp
    }

    /// What weighs or weighed on a reader, newest first; index `moderation_action_of_author`.
    struct SanctionsOf: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("act.id", "\(\.span.place)", direction)
            return """
                select act.id, act.action, \(target(of: "act.subject_kind", "act.subject_id")) as target, act.reason, act.expires_at,
                       act.actor = 'system' as is_by_machine, act.at, \(undone) as undone_at, kept.said
                  from moderation_action act
                  left join moderation_evidence kept on kept.act_id = act.id and kept.author_id = act.author_id
                 where act.author_id = \(\.reader)
                   and act.actor <> 'account:' || act.author_id
                   and \(weighs)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let reader: ID<Accounts.Account>, span: Span<ID<Moderation.Action>>

        static func decode(_ columns: inout Columns) throws -> Moderation.Sanction {
            Moderation.Sanction(
                id: try columns("id"), action: try columns("action"), target: try columns("target"),
                reason: try columns("reason"), until: try columns("expires_at"),
                isByMachine: try columns("is_by_machine"), at: try columns("at"), undoneAt: try columns("undone_at"),
                said: try columns("said"))
        }
    }
}

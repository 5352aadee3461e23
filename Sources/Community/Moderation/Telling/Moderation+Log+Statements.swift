import Postgres

extension Moderation.Statements {
    /// SQL: the group in which something is done to a thing; null for none.
    static func group<S>(of kind: SQL<S>, _ id: SQL<S>) -> SQL<S> {
        let inGroups = Community.things.map { $0.facts }.filter { $0.isInGroups }
        let cases = inGroups.map { (facts: ThingFacts) -> SQL<S> in
            """
            when \(literal: facts.name)
                         then (select \(facts.group) from \(facts.table) \(facts.joins) where \(facts.table).id = \(id))
            """
        }
        return "case \(kind) \(cases.joined(separator: "\n")) end"
    }

    /// SQL: whether the log says anything of an act: of none that names a reader's role or a report, and of nobody whose account
    /// has ended.
    private static func isLogged(_ act: Fragment) -> Fragment {
        """
        (split_part(\(act).action, '.', 2) in (\(Moderation.Verb.allCases.filter { $0 != .role }), 'edit')
                    or \(act).action in ('report.resolve', 'report.dismiss') and \(act).said is not null)
                   and not exists (select 1 from account author where author.id = \(act).author_id and author.state = 'deleted')
        """
    }

    /// SQL: whether it was not done in a private group.
    private static func isPublic(_ act: Fragment) -> Fragment {
        """
        not exists (select 1 from reading_group met where met.id = \(act).group_id and met.visibility = 'private')
        """
    }

    private static func columns<S>(count: SQL<S>) -> SQL<S> {
        """
        act.action, case act.subject_kind when 'account' then 'reader' else act.subject_kind end as kind,
                       \(count) as count,
                       case when act.actor = 'system' then 'server'
                            when act.actor like 'cli:%' then 'admin'
                            else coalesce((select case when actor.role in (\([Accounts.Role.admin, .owner])) then 'admin'
                                                       when actor.role <> 'moderator' and act.group_id is not null then 'group' end
                                             from account actor
                                            where actor.id = substr(act.actor, 9)::bigint), 'moderator') end as by,
                       act.at, act.expires_at, \(undone) as undone_at, act.said
        """
    }

    /// All of it, newest first: acts on one thing, by index `moderation_action_alone`, and acts on many, of which the first on one thing that
    /// may be told stands for all; index `moderation_action_of_act`.
    struct PublicLog: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("act.id", "\(\.span.place)", direction)
            let ofMany = Keyset<Self>("many.id", "\(\.span.place)", direction)
            return """
                select *
                  from ((select act.id, \(columns(count: "1"))
                           from moderation_action act
                          where act.act is null
                            and \(keyset.condition)
                            and \(isLogged("act"))
                            and \(isPublic("act"))
                          order by \(keyset.order)
                          limit \(\.span.limit))
                        union all
                        (select many.id, \(columns(count: "many.done"))
                           from moderation_bulk many
                          cross join lateral (
                                select act.*
                                  from moderation_action act
                                 where act.act = many.id
                                   and \(isLogged("act"))
                                   and \(isPublic("act"))
                                 order by act.id
                                 limit 1) act
                          where \(ofMany.condition)
                          order by \(ofMany.order)
                          limit \(\.span.limit))) act
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let span: Span<ID<Moderation.Action>>
        typealias Output = Moderation.Logged
    }

    /// What was done in one group, newest first; index `moderation_action_of_group`.
    struct GroupLog: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("act.id", "\(\.span.place)", direction)
            let together: SQL<Self> = """
                case when act.act is null then 1
                                 else (select count(*)
                                         from moderation_action done
                                        where done.act = act.act and done.group_id = \(\.group)) end
                """
            return """
                select act.id, \(columns(count: together))
                  from moderation_action act
                 where act.group_id = \(\.group)
                   and \(keyset.condition)
                   and \(isLogged("act"))
                   and (act.act is null
                        or not exists (select 1
                                         from moderation_action earlier
                                        where earlier.act = act.act
                                          and earlier.id < act.id
                                          and earlier.group_id = \(\.group)
                                          and \(isLogged("earlier"))))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let group: Int64, span: Span<ID<Moderation.Action>>
        typealias Output = Moderation.Logged
    }
}

extension Moderation.Logged: RowReadable {
    package init(_ columns: inout Columns) throws {
        id = try columns("id")
        action = try columns("action")
        kind = try columns("kind")
        count = try columns("count")
        by = try columns("by")
        at = try columns("at")
        until = try columns("expires_at")
        undoneAt = try columns("undone_at")
        said = try columns("said")
    }
}

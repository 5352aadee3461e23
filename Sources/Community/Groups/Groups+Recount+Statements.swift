import Postgres

extension Groups {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "members", "A group has as many members as it says, and none once it is closed.",
            """
            select 'group ' || reading_group.id || ': stored ' || reading_group.members || ' members, counted '
                   || count(member.reader_id)
              from reading_group
              left join group_member member on member.group_id = reading_group.id
             group by reading_group.id
            having count(member.reader_id) <> reading_group.members
                or reading_group.closed_at is not null and count(member.reader_id) > 0
            """),
        Recount(
            "tallies", "A reader is in as many groups as is said of them.",
            """
            select 'reader ' || coalesce(stored.reader_id, counted.reader_id) || ': stored '
                   || coalesce(stored.groups, 0) || ' groups, counted ' || coalesce(counted.n, 0)
              from reader_tally stored
              full join (select reader_id, count(*) as n from group_member group by reader_id) counted
                on counted.reader_id = stored.reader_id
             where coalesce(stored.groups, 0) <> coalesce(counted.n, 0)
            """),
        Recount(
            "owners", "A group that is not closed has an owner.",
            """
            select 'group ' || reading_group.id || ' has no owner'
              from reading_group
             where reading_group.closed_at is null
               and not exists (select 1 from group_member member
                                where member.group_id = reading_group.id and member.role = 'owner')
            """),
        Recount(
            "waiting", "No member waits, is invited or is banned.",
            """
            select 'group ' || member.group_id || ', member ' || member.reader_id
                   || ' also waits, is invited or is banned'
              from group_member member
             where exists (select 1 from group_request other
                            where other.group_id = member.group_id and other.reader_id = member.reader_id)
                or exists (select 1 from group_invitation other
                            where other.group_id = member.group_id and other.reader_id = member.reader_id
                              and other.ended_at is null)
                or exists (select 1 from group_ban other
                            where other.group_id = member.group_id and other.reader_id = member.reader_id)
            """),
    ]
}

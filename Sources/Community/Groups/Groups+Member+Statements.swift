import Postgres

extension Groups {
    /// How many there are already, each counted no further than its limit.
    struct Counts: Sendable {
        let made: Int
        let memberships: Int
        let requests: Int
        let invitations: Int
    }
}

extension Groups.Statements {
    /// Members of a group whom the viewer sees, those who joined first first; index `group_member_list`. They are
    /// sorted before it is asked, for as many as a page has, whether they are seen. None where the group is not open to
    /// the viewer.
    struct Members: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["member.joined_at", "member.reader_id"], ["\(\.span.place.at)", "\(\.span.place.id)"],
                isAscending: true, direction)
            return """
                select \(Accounts.Reader.columns(of: "reader")), member.role, member.joined_at
                  from (select member.reader_id, member.role, member.joined_at
                          from group_member member
                         where member.group_id = \(\.group)
                           and \(keyset.condition)
                         order by \(keyset.order)) member
                  join account reader on reader.id = member.reader_id
                 where exists (select 1 from reading_group where reading_group.id = \(\.group) and \(isOpen()))
                   and \(Visibility.predicate(viewer: .viewer, owner: "member.reader_id", level: "2"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, group: ID<Groups.Group>, span: Span<Groups.Key>

        static func decode(_ columns: inout Columns) throws -> Groups.Member {
            Groups.Member(
                reader: try Accounts.Reader(&columns), role: try columns("role"), joinedAt: try columns("joined_at"))
        }
    }

    /// One member, whatever blocks there are.
    struct OneMember: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(Accounts.Reader.columns(of: "reader")), member.role, member.joined_at
              from group_member member
              join account reader on reader.id = member.reader_id
             where member.group_id = \(\.group)
               and member.reader_id = \(\.reader)
            """
        let viewer: ID<Accounts.Account>, group: ID<Groups.Group>, reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> Groups.Member {
            try Members.decode(&columns)
        }
    }

    // MARK: Under the lock of the group

    /// No row for a group that is closed. The accounts are locked before.
    struct LockGroup: Statement {
        static let sql: SQL<Self> =
            "select id from reading_group where id = \(\.group) and closed_at is null for no key update"
        let group: ID<Groups.Group>
        typealias Output = ID<Groups.Group>
    }

    /// What a group that is there is, and a reader to it.
    struct StandingIn: Statement {
        static let sql: SQL<Self> = """
            select reading_group.joining, reading_group.visibility, reading_group.members, reading_group.version,
                   reading_group.name, reading_group.hidden_at is not null as is_hidden,
                   (select role from group_member where group_id = \(\.group) and reader_id = \(\.reader)) as role,
                   exists (select 1 from group_invitation where group_id = \(\.group) and reader_id = \(\.reader) and ended_at is null) as is_invited,
                   exists (select 1 from group_request where group_id = \(\.group) and reader_id = \(\.reader)) as has_requested,
                   exists (select 1 from group_ban where group_id = \(\.group) and reader_id = \(\.reader)) as is_banned
              from reading_group
             where reading_group.id = \(\.group)
               and reading_group.closed_at is null
            """
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> Groups.Standing {
            Groups.Standing(
                joining: try columns("joining"), visibility: try columns("visibility"), members: try columns("members"),
                version: try columns("version"), name: try columns("name"), isHidden: try columns("is_hidden"),
                role: try columns("role"),
                isInvited: try columns("is_invited"), hasRequested: try columns("has_requested"),
                isBanned: try columns("is_banned"))
        }
    }

    /// A member by username, whatever blocks there are: the group's leaders act on all.
    struct MemberNamed: Statement {
        static let sql: SQL<Self> = """
            select member.reader_id, member.role
              from account
              join group_member member on member.reader_id = account.id and member.group_id = \(\.group)
             where account.username_folded = \(\.folded)
            """
        let group: ID<Groups.Group>, folded: String

        static func decode(_ columns: inout Columns) throws -> (id: ID<Accounts.Account>, role: Groups.Role) {
            (try columns("reader_id"), try columns("role"))
        }
    }

    /// What one reader has already, whose account is locked.
    struct CountsOf: Statement {
        static let sql: SQL<Self> = """
            select (select count(*) from (select from reading_group
                                           where maker_id = \(\.reader) and closed_at is null limit \(Limits.groups.made)) made) as made,
                   (select count(*) from (select from group_member
                                           where reader_id = \(\.reader) limit \(Limits.groups.memberships)) inside) as memberships,
                   (select count(*) from (select from group_request
                                           where reader_id = \(\.reader) limit \(Limits.groups.openRequests)) asked) as requests,
                   (select count(*) from (select from group_invitation
                                           where inviter_id = \(\.reader) and at > \(\.dayAgo)
                                           limit \(Limits.groups.invitationsPerDay)) invited) as invitations
            """
        let reader: ID<Accounts.Account>, dayAgo: Timestamp

        static func decode(_ columns: inout Columns) throws -> Groups.Counts {
            Groups.Counts(
                made: try columns("made"), memberships: try columns("memberships"), requests: try columns("requests"),
                invitations: try columns("invitations"))
        }
    }

    struct InsertMember: Statement {
        static let sql: SQL<Self> =
            "insert into group_member (group_id, reader_id, role, joined_at) values (\(\.group), \(\.reader), \(\.role), \(\.at))"
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>, role: Groups.Role, at: Timestamp
    }

    /// All writing in the group as this member has ended then.
    struct DeleteMember: Statement {
        static let sql: SQL<Self> = "delete from group_member where group_id = \(\.group) and reader_id = \(\.reader)"
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>
    }

    struct CountMembers: Statement {
        static let sql: SQL<Self> = "update reading_group set members = members + \(\.by) where id = \(\.group)"
        let group: ID<Groups.Group>, by: Int32
    }

    struct SetRole: Statement {
        static let sql: SQL<Self> =
            "update group_member set role = \(\.role) where group_id = \(\.group) and reader_id = \(\.reader)"
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>, role: Groups.Role
    }

    /// Owners and moderators; index `group_member_leading`.
    struct Leaders: Statement {
        static let sql: SQL<Self> = """
            select reader_id, role
              from group_member
             where group_id = \(\.group)
               and role <> 'member'
             order by reader_id
             limit \(\.limit)
            """
        let group: ID<Groups.Group>, limit: Int

        init(of group: ID<Groups.Group>) {
            self.group = group
            limit = Limits.groups.leaders + 1
        }

        static func decode(_ columns: inout Columns) throws -> (id: ID<Accounts.Account>, role: Groups.Role) {
            (try columns("reader_id"), try columns("role"))
        }
    }

    /// To whom a group passes that has lost its last owner: moderators before members, those in good standing first,
    /// then those who have been there longest. No row where nobody is left.
    struct Heir: Statement {
        static let sql: SQL<Self> = """
            select member.reader_id
              from group_member member
              join account on account.id = member.reader_id
             where member.group_id = \(\.group)
             order by account.state = 'active' desc, member.role = 'moderator' desc, member.joined_at, member.reader_id
             limit 1
            """
        let group: ID<Groups.Group>
        typealias Output = ID<Accounts.Account>
    }

    /// One group less for each of these readers; goes with the commit. Who has no counter any more gets none.
    struct Uncount: Statement {
        static let sql: SQL<Self> = """
            with held as materialized (
                select reader_id from reader_tally where reader_id = any(\(\.readers)) order by reader_id for update
            )
            update reader_tally
               set groups = reader_tally.groups - 1
              from held
             where reader_tally.reader_id = held.reader_id
            """
        let readers: [ID<Accounts.Account>]
    }
}

import Postgres

extension Lending.Statements {
    private static func memberColumns<S: ForViewer>() -> SQL<S> {
        """
        \(Accounts.Reader.columns(of: "reader")), library_member.role, library_member.invited_at, library_member.joined_at
        """
    }

    /// A member or invited reader by username, where the viewer may see that reader.
    struct MemberNamed: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(memberColumns())
              from account reader
              join library_member on library_member.library_id = \(\.library) and library_member.reader_id = reader.id
             where reader.username_folded = \(\.folded)
               and \(Visibility.predicate(viewer: .viewer, owner: "reader.id", level: "2"))
            """
        let viewer: ID<Accounts.Account>, library: ID<Lending.SharedLibrary>, folded: String
        typealias Output = Lending.Member
    }

    /// What a reader is in a library that is locked.
    struct LockMember: Statement {
        static let sql: SQL<Self> = """
            select role, joined_at is not null as has_joined from library_member where library_id = \(\.library) and reader_id = \(\.reader) for update
            """
        let library: ID<Lending.SharedLibrary>, reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (role: Lending.Role, hasJoined: Bool) {
            (try columns("role"), try columns("has_joined"))
        }
    }

    /// How many libraries a reader belongs to or is invited to, counted up to `limit`; how many members and invited a
    /// library has.
    struct CountOf: Statement {
        static let sql: SQL<Self> = """
            select (select count(*) from (select 1 from library_member where reader_id = \(\.reader) limit \(\.limit)) own) as libraries,
                   (select count(*) from (select 1 from library_member where library_id = \(\.library) limit \(\.limit)) belonging) as members
            """
        let reader: ID<Accounts.Account>, library: ID<Lending.SharedLibrary>, limit: Int

        static func decode(_ columns: inout Columns) throws -> (libraries: Int, members: Int) {
            (try columns("libraries"), try columns("members"))
        }
    }

    /// Invitations of a reader since then that still stand or were accepted, counted up to `limit`.
    struct InvitedSince: Statement {
        static let sql: SQL<Self> = """
            select count(*) from (select 1 from library_member where invited_by = \(\.reader) and invited_at > \(\.since) limit \(\.limit)) lately
            """
        let reader: ID<Accounts.Account>, since: Timestamp, limit: Int
        typealias Output = Int
    }

    struct Invite: Statement {
        static let sql: SQL<Self> = """
            insert into library_member (library_id, reader_id, role, invited_by, invited_at)
            values (\(\.library), \(\.reader), \(\.role), \(\.by), \(\.at))
            """
        let library: ID<Lending.SharedLibrary>, reader: ID<Accounts.Account>, role: Lending.Role
        let by: ID<Accounts.Account>, at: Timestamp
    }

    struct Join: Statement {
        static let sql: SQL<Self> = """
            update library_member
               set joined_at = \(\.at)
             where library_id = \(\.library)
               and reader_id = \(\.reader)
               and joined_at is null
            """
        let library: ID<Lending.SharedLibrary>, reader: ID<Accounts.Account>, at: Timestamp
    }

    struct SetRole: Statement {
        static let sql: SQL<Self> =
            "update library_member set role = \(\.role) where library_id = \(\.library) and reader_id = \(\.reader)"
        let library: ID<Lending.SharedLibrary>, reader: ID<Accounts.Account>, role: Lending.Role
    }

    struct RemoveMember: Statement {
        static let sql: SQL<Self> =
            "delete from library_member where library_id = \(\.library) and reader_id = \(\.reader)"
        let library: ID<Lending.SharedLibrary>, reader: ID<Accounts.Account>
    }

    /// Whether another owner is there than this one.
    struct OtherOwners: Statement {
        static let sql: SQL<Self> = """
            select exists (select 1 from library_member
                            where library_id = \(\.library)
                              and reader_id <> \(\.reader)
                              and role = 'owner'
                              and joined_at is not null)
            """
        let library: ID<Lending.SharedLibrary>, reader: ID<Accounts.Account>
        typealias Output = Bool
    }

    /// Of a library that is locked.
    struct CountMembers: Statement {
        static let sql: SQL<Self> =
            "update library set members = members + \(\.by, as: Int32.self) where id = \(\.library)"
        let library: ID<Lending.SharedLibrary>, by: Int
    }

    /// The link that this reader made: who is no owner any more shares nothing.
    struct DropLinkOf: Statement {
        static let sql: SQL<Self> =
            "delete from library_link where library_id = \(\.library) and reader_id = \(\.reader)"
        let library: ID<Lending.SharedLibrary>, reader: ID<Accounts.Account>
    }

    /// The members of a library whom the viewer may see, and `withInvited` the invited, in the order of their accounts.
    /// Primary key.
    struct Members: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("library_member.reader_id", "\(\.span.place)", isAscending: true, direction)
            return """
                select \(memberColumns())
                  from library_member
                  join account reader on reader.id = library_member.reader_id
                 where library_member.library_id = \(\.library)
                   and \(keyset.condition)
                   and (\(\.withInvited)::boolean or library_member.joined_at is not null)
                   and \(Visibility.predicate(viewer: .viewer, owner: "library_member.reader_id", level: "2"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, library: ID<Lending.SharedLibrary>, withInvited: Bool, span: Span<ID<Accounts.Account>>
        typealias Output = Lending.Member
    }
}

extension Lending.Member: RowReadable {
    /// Reads the columns of `memberColumns`.
    package init(_ columns: inout Columns) throws {
        self.init(
            reader: try Accounts.Reader(&columns), role: try columns("role"), invitedAt: try columns("invited_at"),
            joinedAt: try columns("joined_at"))
    }
}

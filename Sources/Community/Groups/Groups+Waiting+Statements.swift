import Postgres

// Who waits to come in, who may, and who may not.
extension Groups.Statements {
    /// Requests that wait, oldest first, of readers whom the viewer sees; index `group_request_list`.
    struct Requests: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["request.at", "request.reader_id"], ["\(\.span.place.at)", "\(\.span.place.id)"],
                isAscending: true, direction)
            return """
                select \(Accounts.Reader.columns(of: "reader")), request.at
                  from group_request request
                  join account reader on reader.id = request.reader_id
                 where request.group_id = \(\.group)
                   and \(keyset.condition)
                   and \(Visibility.predicate(viewer: .viewer, owner: "request.reader_id", level: "2"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, group: ID<Groups.Group>, span: Span<Groups.Key>

        static func decode(_ columns: inout Columns) throws -> Groups.Application {
            Groups.Application(reader: try Accounts.Reader(&columns), requestedAt: try columns("at"))
        }
    }

    struct InsertRequest: Statement {
        static let sql: SQL<Self> =
            "insert into group_request (group_id, reader_id, at) values (\(\.group), \(\.reader), \(\.at))"
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>, at: Timestamp
    }

    struct DeleteRequest: Statement {
        static let sql: SQL<Self> = "delete from group_request where group_id = \(\.group) and reader_id = \(\.reader)"
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>
    }

    // MARK: Invitations

    /// Another's invitation that waits stays; one that has ended is made anew. Affects no row where one waits.
    struct PutInvitation: Statement {
        static let sql: SQL<Self> = """
            insert into group_invitation as known (group_id, reader_id, inviter_id, at)
            values (\(\.group), \(\.reader), \(\.inviter), \(\.at))
            on conflict (group_id, reader_id) do update
               set inviter_id = excluded.inviter_id, at = excluded.at, ended_at = null
             where known.ended_at is not null
            """
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>, inviter: ID<Accounts.Account>, at: Timestamp
    }

    /// It counts against its inviter's day all the same. Affects no row where none waits.
    struct EndInvitation: Statement {
        static let sql: SQL<Self> = """
            update group_invitation set ended_at = \(\.at) where group_id = \(\.group) and reader_id = \(\.reader) and ended_at is null
            """
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>, at: Timestamp
    }

    /// One that was followed.
    struct DropInvitation: Statement {
        static let sql: SQL<Self> =
            "delete from group_invitation where group_id = \(\.group) and reader_id = \(\.reader)"
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>
    }

    /// Who invited a reader whose invitation waits.
    struct InviterOf: Statement {
        static let sql: SQL<Self> = """
            select inviter_id from group_invitation where group_id = \(\.group) and reader_id = \(\.reader) and ended_at is null
            """
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>
        typealias Output = ID<Accounts.Account>
    }

    // MARK: Bans

    struct PutBan: Statement {
        static let sql: SQL<Self> = """
            insert into group_ban (group_id, reader_id, at) values (\(\.group), \(\.reader), \(\.at)) on conflict do nothing
            """
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>, at: Timestamp
    }

    /// Whom a group bans, the newest first, of readers whom the viewer sees; index `group_ban_list`.
    struct Bans: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["ban.at", "ban.reader_id"], ["\(\.span.place.at)", "\(\.span.place.id)"],
                isAscending: false, direction)
            return """
                select \(Accounts.Reader.columns(of: "reader")), ban.at
                  from group_ban ban
                  join account reader on reader.id = ban.reader_id
                 where ban.group_id = \(\.group)
                   and \(keyset.condition)
                   and \(Visibility.predicate(viewer: .viewer, owner: "ban.reader_id", level: "2"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, group: ID<Groups.Group>, span: Span<Groups.Key>

        static func decode(_ columns: inout Columns) throws -> Groups.Ban {
            Groups.Ban(reader: try Accounts.Reader(&columns), bannedAt: try columns("at"))
        }
    }

    struct DropBan: Statement {
        static let sql: SQL<Self> = "delete from group_ban where group_id = \(\.group) and reader_id = \(\.reader)"
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>
    }
}

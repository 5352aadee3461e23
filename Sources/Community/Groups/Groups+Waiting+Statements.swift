import Postgres

// Who waits to come in, who may, and who may not.
extension Groups {
    static let waitingStatements: [any Statement.Type] = [
        Statements.Requests<Onward>.self, Statements.Requests<Back>.self, Statements.InsertRequest.self,
        Statements.DeleteRequest.self, Statements.PutInvitation.self, Statements.EndInvitation.self,
        Statements.DropInvitation.self, Statements.InviterOf.self, Statements.PutBan.self, Statements.DropBan.self,
        Statements.Bans<Onward>.self, Statements.Bans<Back>.self,
    ]
}

extension Groups.Statements {
    /// What is done about one reader and one group, whose row is locked.
    protocol OfTwo: PositionalStatement {
        var group: ID<Groups.Group> { get }
        var reader: ID<Accounts.Account> { get }
    }

    /// Requests that wait, oldest first, of readers whom the viewer sees; index `group_request_list`.
    struct Requests<Way: OldDirection>: Statement, ForViewer {
        static var name: String { "groups.requests_\(Way.name)" }
        static var sql: SQL<Self> {
            let keyset = Keyset<Self>(
                ["request.at", "request.reader_id"], ["\(\.place.at)", "\(\.place.id)"], isAscending: true, Way.self)
            return """
                select reader.id, reader.username,
                       \(Privacy.shown("reader.name", .name, viewer: .viewer, owner: "reader.id")),
                       request.at
                  from group_request request
                  join account reader on reader.id = request.reader_id
                 where request.group_id = \(\.group)
                   and \(keyset.condition)
                   and \(Visibility.predicate(viewer: .viewer, owner: "request.reader_id", level: "2"))
                 order by \(keyset.order)
                 limit \(\.limit)
                """
        }
        let viewer: ID<Accounts.Account>
        let group: ID<Groups.Group>
        let place: Groups.Key
        let limit: Int

        static func decode(_ columns: inout Columns) throws -> Groups.Application {
            Groups.Application(
                reader: Accounts.Reader(
                    id: try columns("id"), username: try columns("username"), name: try columns("name")),
                at: try columns("at"))
        }
    }

    struct InsertRequest: Statement {
        static let name = "groups.insert_request"
        static let sql: SQL<Self> =
            "insert into group_request (group_id, reader_id, at) values (\(\.group), \(\.reader), \(\.at))"
        let group: ID<Groups.Group>
        let reader: ID<Accounts.Account>
        let at: Timestamp
    }

    struct DeleteRequest: OfTwo {
        static let name = "groups.delete_request"
        static let sql = "delete from group_request where group_id = $1 and reader_id = $2"
        let group: ID<Groups.Group>
        let reader: ID<Accounts.Account>
    }

    // MARK: Invitations

    /// Another's invitation that waits stays; one that has ended is made anew. Affects no row where one waits.
    struct PutInvitation: Statement {
        static let name = "groups.put_invitation"
        static let sql: SQL<Self> = """
            insert into group_invitation as known (group_id, reader_id, inviter_id, at)
            values (\(\.group), \(\.reader), \(\.inviter), \(\.at))
            on conflict (group_id, reader_id) do update
               set inviter_id = excluded.inviter_id, at = excluded.at, ended_at = null
             where known.ended_at is not null
            """
        let group: ID<Groups.Group>
        let reader: ID<Accounts.Account>
        let inviter: ID<Accounts.Account>
        let at: Timestamp
    }

    /// It counts against its inviter's day all the same. Affects no row where none waits.
    struct EndInvitation: Statement {
        static let name = "groups.end_invitation"
        static let sql: SQL<Self> = """
            update group_invitation set ended_at = \(\.at) where group_id = \(\.group) and reader_id = \(\.reader) and ended_at is null
            """
        let group: ID<Groups.Group>
        let reader: ID<Accounts.Account>
        let at: Timestamp
    }

    /// One that was followed.
    struct DropInvitation: OfTwo {
        static let name = "groups.drop_invitation"
        static let sql = "delete from group_invitation where group_id = $1 and reader_id = $2"
        let group: ID<Groups.Group>
        let reader: ID<Accounts.Account>
    }

    /// Who invited a reader whose invitation waits.
    struct InviterOf: OfTwo {
        static let name = "groups.inviter_of"
        static let sql = """
            select inviter_id from group_invitation where group_id = $1 and reader_id = $2 and ended_at is null
            """
        let group: ID<Groups.Group>
        let reader: ID<Accounts.Account>
        typealias Output = ID<Accounts.Account>
    }

    // MARK: Bans

    struct PutBan: Statement {
        static let name = "groups.put_ban"
        static let sql: SQL<Self> = """
            insert into group_ban (group_id, reader_id, at) values (\(\.group), \(\.reader), \(\.at)) on conflict do nothing
            """
        let group: ID<Groups.Group>
        let reader: ID<Accounts.Account>
        let at: Timestamp
    }

    /// Whom a group bans, the newest first, of readers whom the viewer sees; index `group_ban_list`.
    struct Bans<Way: OldDirection>: Statement, ForViewer {
        static var name: String { "groups.bans_\(Way.name)" }
        static var sql: SQL<Self> {
            let keyset = Keyset<Self>(
                ["ban.at", "ban.reader_id"], ["\(\.place.at)", "\(\.place.id)"], isAscending: false, Way.self)
            return """
                select reader.id, reader.username,
                       \(Privacy.shown("reader.name", .name, viewer: .viewer, owner: "reader.id")),
                       ban.at
                  from group_ban ban
                  join account reader on reader.id = ban.reader_id
                 where ban.group_id = \(\.group)
                   and \(keyset.condition)
                   and \(Visibility.predicate(viewer: .viewer, owner: "ban.reader_id", level: "2"))
                 order by \(keyset.order)
                 limit \(\.limit)
                """
        }
        let viewer: ID<Accounts.Account>
        let group: ID<Groups.Group>
        let place: Groups.Key
        let limit: Int

        static func decode(_ columns: inout Columns) throws -> Groups.Ban {
            Groups.Ban(
                reader: Accounts.Reader(
                    id: try columns("id"), username: try columns("username"), name: try columns("name")),
                at: try columns("at"))
        }
    }

    struct DropBan: OfTwo {
        static let name = "groups.drop_ban"
        static let sql = "delete from group_ban where group_id = $1 and reader_id = $2"
        let group: ID<Groups.Group>
        let reader: ID<Accounts.Account>
    }
}

extension Groups.Statements.OfTwo {
    func bind(to parameters: inout Parameters) {
        parameters.append(group)
        parameters.append(reader)
    }
}

import Postgres

extension Friends {
    static let circleStatements: [any Statement.Type] = [
        Statements.MayListFriends.self,
        Statements.FriendsOf<NewestFirst>.self, Statements.FriendsOf<OldestFirst>.self,
        Statements.MutualFriends<NewestFirst>.self, Statements.MutualFriends<OldestFirst>.self,
        Statements.FriendsOfFriends.self, Statements.SimilarShelves.self, Statements.ReadersNamed.self,
        Statements.BooksNamed.self, Statements.SeenReader.self, Statements.InsertDismissal.self,
        Statements.CountDismissals.self, Statements.ForgetDismissals.self,
    ]

    /// A part of somebody's friends, as the viewer sees it, beginning beyond `key`.
    struct CircleSlice: Sendable {
        let viewer: ID<Accounts.Account>
        let reader: ID<Accounts.Account>
        let key: Key
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(reader)
            parameters.append(key.time)
            parameters.append(key.id)
            parameters.append(limit)
        }
    }
}

extension Friends.Statements {
    /// A reader by username whose friends the viewer may list: oneself and friends.
    struct MayListFriends: Statement, ForViewer {
        static let name = "friends.may_list_friends"
        static let sql: SQL<Self> = """
            select account.id
              from account
             where account.username_folded = \(\.folded)
               and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "1"))
            """
        let viewer: ID<Accounts.Account>
        let folded: String
        typealias Output = ID<Accounts.Account>
    }

    /// The friends of a reader whom the viewer may see, on from a place. Index `friendship_list`.
    struct FriendsOf<Way: ListWay>: PositionalStatement {
        static var name: String { "friends.friends_of_" + Way.name }
        static var sql: String {
            """
            select account.id, account.username, \(Privacy.shown("account.name", .name, viewer: "$1", owner: "account.id")), friendship.since
              from friendship
              join account on account.id = friendship.friend_id
             where friendship.reader_id = $2
               and (friendship.since, friendship.friend_id) \(Way.comparison) ($3, $4)
               and \(Visibility.predicate(viewer: "$1", owner: "friendship.friend_id", level: "2"))
             order by friendship.since \(Way.order), friendship.friend_id \(Way.order)
             limit $5
            """
        }
        let slice: Friends.CircleSlice
        func bind(to parameters: inout Parameters) { slice.bind(to: &parameters) }
        static func decode(_ columns: inout Columns) throws -> Friends.Friend {
            Friends.Friend(
                reader: Accounts.Reader(
                    id: try columns("id"), username: try columns("username"), name: try columns("name")),
                since: try columns("since"))
        }
    }

    /// The friends of the viewer who are also those of another reader, on from a place in the viewer's list: at most all of the viewer's
    /// friends are looked at. Indexes `friendship_list`, `friendship_pkey`.
    struct MutualFriends<Way: ListWay>: PositionalStatement {
        static var name: String { "friends.mutual_friends_" + Way.name }
        static var sql: String {
            """
            with shared as materialized (
                select friendship.friend_id, friendship.since
                  from friendship
                  join friendship theirs on theirs.reader_id = $2 and theirs.friend_id = friendship.friend_id
                 where friendship.reader_id = $1
                   and (friendship.since, friendship.friend_id) \(Way.comparison) ($3, $4)
            )
            select account.id, account.username, \(Privacy.shown("account.name", .name, viewer: "$1", owner: "account.id")), shared.since
              from shared
              join account on account.id = shared.friend_id
             where \(Visibility.predicate(viewer: "$1", owner: "shared.friend_id", level: "1"))
             order by shared.since \(Way.order), shared.friend_id \(Way.order)
             limit $5
            """
        }
        let slice: Friends.CircleSlice
        func bind(to parameters: inout Parameters) { slice.bind(to: &parameters) }
        static func decode(_ columns: inout Columns) throws -> Friends.Friend {
            Friends.Friend(
                reader: Accounts.Reader(
                    id: try columns("id"), username: try columns("username"), name: try columns("name")),
                since: try columns("since"))
        }
    }
}

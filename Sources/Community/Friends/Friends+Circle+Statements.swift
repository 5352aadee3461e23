import Postgres

extension Friends.Statements {
    /// A reader by username whose friends the viewer may list: oneself and friends.
    struct MayListFriends: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select account.id
              from account
             where account.username_folded = \(\.folded)
               and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "1"))
            """
        let viewer: ID<Accounts.Account>, folded: String
        typealias Output = ID<Accounts.Account>
    }

    /// The friends of a reader whom the viewer may see, newest first. Index `friendship_list`.
    struct FriendsOf: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset("friendship.since", "friendship.friend_id", at: \Self.span.place, direction)
            return """
                select \(Accounts.Reader.columns(of: "account")), friendship.since
                  from friendship
                  join account on account.id = friendship.friend_id
                 where friendship.reader_id = \(\.reader)
                   and \(keyset.condition)
                   and \(Visibility.predicate(viewer: .viewer, owner: "friendship.friend_id", level: "2"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, reader: ID<Accounts.Account>, span: Span<Friends.Key>
        typealias Output = Friends.Friend
    }

    /// The friends of the viewer who are also those of another reader, in the order of the viewer's list: at most all
    /// of the viewer's friends are looked at. Indexes `friendship_list`, `friendship_pkey`.
    struct MutualFriends: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let within = Keyset("friendship.since", "friendship.friend_id", at: \Self.span.place, direction)
            let shared = Keyset("shared.since", "shared.friend_id", at: \Self.span.place, direction)
            return """
                with shared as materialized (
                    select friendship.friend_id, friendship.since
                      from friendship
                      join friendship theirs on theirs.reader_id = \(\.reader) and theirs.friend_id = friendship.friend_id
                     where friendship.reader_id = \(.viewer)
                       and \(within.condition)
                )
                select \(Accounts.Reader.columns(of: "account")), shared.since
                  from shared
                  join account on account.id = shared.friend_id
                 where \(Visibility.predicate(viewer: .viewer, owner: "shared.friend_id", level: "1"))
                 order by \(shared.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, reader: ID<Accounts.Account>, span: Span<Friends.Key>
        typealias Output = Friends.Friend
    }
}

import Postgres

extension Friends {
    enum Statements {}
}

extension Friends.Statements {
    /// A reader by username, for readers who may see them as a signed-in reader.
    struct FindReader: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(Accounts.Reader.columns(of: "account"))
              from account
             where account.username_folded = \(\.folded)
               and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "2"))
            """
        let viewer: ID<Accounts.Account>, folded: String
        typealias Output = Accounts.Reader
    }

    /// How a reader appears in events; locked.
    struct ReaderOf: Statement {
        static let sql: SQL<Self> =
            "select \(Accounts.Reader.told(of: "account")) from account where account.id = \(\.account)"
        let account: ID<Accounts.Account>
        typealias Output = Accounts.Reader
    }

    /// A reader whom the viewer may see or has blocked already.
    struct FindBlockable: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select account.id
              from account
             where account.username_folded = \(\.folded)
               and (\(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "2"))
                    or exists (select from block own where own.blocker_id = \(\.viewer) and own.blocked_id = account.id))
            """
        let viewer: ID<Accounts.Account>, folded: String
        typealias Output = ID<Accounts.Account>
    }

    /// Locks two accounts, the lower identifier first: the one order in which anything on two readers is done. A row
    /// for each that is not deleted.
    struct LockPair: Statement {
        struct Output: Sendable {
            let account: ID<Accounts.Account>
            let state: Accounts.State
            /// Approved, neither suspended nor leaving.
            let isThere: Bool
        }

        static let sql: SQL<Self> = """
            select id, state, state not in ('suspended', 'leaving') and approved_at is not null as is_there
              from account
             where id in (\(\.one), \(\.other))
               and state <> 'deleted'
             order by id
               for no key update
            """
        let one: ID<Accounts.Account>, other: ID<Accounts.Account>
        static func decode(_ columns: inout Columns) throws -> Output {
            Output(account: try columns("id"), state: try columns("state"), isThere: try columns("is_there"))
        }
    }

    /// Everything that asking and answering look at, in one row. The counts look at no more rows than their bound.
    struct StandingOf: Statement {
        static let name = "friends.standing"
        static let sql: SQL<Self> = """
            select exists (select from friendship where reader_id = \(\.own) and friend_id = \(\.other)) as are_friends,
                   exists (select from block
                            where blocker_id = \(\.own) and blocked_id = \(\.other) or blocker_id = \(\.other) and blocked_id = \(\.own)) as is_blocked,
                   (select id from friend_request
                     where sender_id = \(\.own) and recipient_id = \(\.other) and state in ('pending', 'declined')) as outgoing,
                   (select id from friend_request
                     where sender_id = \(\.other) and recipient_id = \(\.own) and state in ('pending', 'declined')) as incoming,
                   (select max(decided_at) from friend_request
                     where recipient_id = \(\.other) and sender_id = \(\.own) and state = 'dropped') as declined_at,
                   (select count(*) from (select from friend_request
                                           where sender_id = \(\.own) and state in ('pending', 'declined') limit \(\.limit, "limit")) own) as own_open,
                   (select count(*) from (select from friend_request
                                           where sender_id = \(\.own) and created_at > \(\.dayAgo) limit \(\.limit, "limit")) today) as own_today,
                   (select count(*) from (select from friend_request
                                           where recipient_id = \(\.other) and state = 'pending' limit \(\.limit, "limit")) theirs) as their_waiting,
                   coalesce((select friends from friend_tally where reader_id = \(\.own)), 0) as own_friends,
                   coalesce((select friends from friend_tally where reader_id = \(\.other)), 0) as their_friends
            """
        let own: ID<Accounts.Account>, other: ID<Accounts.Account>, dayAgo: Timestamp
        private var limit: Int { max(Limits.friends.openRequests, Limits.friends.requestsPerDay) + 1 }
        static func decode(_ columns: inout Columns) throws -> Friends.Standing {
            Friends.Standing(
                areFriends: try columns("are_friends"), isBlocked: try columns("is_blocked"),
                outgoing: try columns("outgoing"), incoming: try columns("incoming"),
                declinedAt: try columns("declined_at"), ownOpen: Int(try columns("own_open") as Int64),
                ownToday: Int(try columns("own_today") as Int64),
                theirWaiting: Int(try columns("their_waiting") as Int64),
                ownFriends: Int(try columns("own_friends") as Int64),
                theirFriends: Int(try columns("their_friends") as Int64))
        }
    }

    struct InsertRequest: Statement {
        static let sql: SQL<Self> = """
            insert into friend_request (id, sender_id, recipient_id, created_at, state, decided_at)
            values (\(\.id), \(\.sender), \(\.recipient), \(\.at), case when \(\.declinedAt)::timestamptz is null then 'pending' else 'declined' end, \(\.declinedAt))
            """
        let id: ID<Friends.Request>, sender: ID<Accounts.Account>, recipient: ID<Accounts.Account>, at: Timestamp
        /// Not `nil` for one that is not to reach its recipient, who declined at that time.
        let declinedAt: Timestamp?
    }

    /// The two of a request, for one of them, who may see the other.
    struct RequestOf: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select friend_request.sender_id, friend_request.recipient_id
              from friend_request
             where friend_request.id = \(\.request)
               and (friend_request.sender_id = \(\.viewer)
                    and \(Visibility.predicate(viewer: .viewer, owner: "friend_request.recipient_id", level: "2"))
                 or friend_request.recipient_id = \(\.viewer)
                    and \(Visibility.predicate(viewer: .viewer, owner: "friend_request.sender_id", level: "2")))
            """
        let viewer: ID<Accounts.Account>, request: ID<Friends.Request>
        static func decode(_ columns: inout Columns) throws -> Friends.Pair {
            Friends.Pair(sender: try columns("sender_id"), recipient: try columns("recipient_id"))
        }
    }

    /// A request's state now, locked; the accounts are locked before.
    struct LockRequest: Statement {
        static let sql: SQL<Self> = "select state, created_at from friend_request where id = \(\.request) for update"
        let request: ID<Friends.Request>
        static func decode(_ columns: inout Columns) throws -> (state: Friends.Request.State, createdAt: Timestamp) {
            (try columns("state"), try columns("created_at"))
        }
    }

    /// A request that waits, or that was declined by somebody who now asks themselves, becomes a friendship.
    struct Accept: Statement {
        static let sql: SQL<Self> = """
            update friend_request set state = 'accepted', decided_at = \(\.at) where id = \(\.request) and state in ('pending', 'declined')
            """
        let request: ID<Friends.Request>, at: Timestamp
    }

    /// The sender of a request that the viewer accepted, and when it was made, while the two are friends and the viewer
    /// may see them.
    struct AcceptedRequest: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select friend_request.sender_id, friend_request.created_at
              from friend_request
             where friend_request.id = \(\.request)
               and friend_request.recipient_id = \(\.viewer)
               and friend_request.state = 'accepted'
               and exists (select 1
                             from friendship
                            where friendship.reader_id = \(\.viewer)
                              and friendship.friend_id = friend_request.sender_id)
               and \(Visibility.predicate(viewer: .viewer, owner: "friend_request.sender_id", level: "2"))
            """
        let viewer: ID<Accounts.Account>, request: ID<Friends.Request>
        static func decode(_ columns: inout Columns) throws -> (sender: ID<Accounts.Account>, createdAt: Timestamp) {
            (try columns("sender_id"), try columns("created_at"))
        }
    }

    struct Decline: Statement {
        static let sql: SQL<Self> =
            "update friend_request set state = 'declined', decided_at = \(\.at) where id = \(\.request) and state = 'pending'"
        let request: ID<Friends.Request>, at: Timestamp
    }

    /// Takes a request back; that it was declined before, and when, is kept.
    struct Withdraw: Statement {
        static let sql: SQL<Self> = """
            update friend_request
               set state = case state when 'pending' then 'withdrawn' else 'dropped' end,
                   decided_at = coalesce(decided_at, \(\.at))
             where id = \(\.request)
               and state in ('pending', 'declined')
            """
        let request: ID<Friends.Request>, at: Timestamp
    }

    /// Withdraws what is or looks open between two readers, in both directions.
    struct WithdrawBetween: Statement {
        static let sql: SQL<Self> = """
            update friend_request
               set state = case state when 'pending' then 'withdrawn' else 'dropped' end,
                   decided_at = coalesce(decided_at, \(\.at))
             where state in ('pending', 'declined')
               and (sender_id = \(\.one) and recipient_id = \(\.other) or sender_id = \(\.other) and recipient_id = \(\.one))
            """
        let one: ID<Accounts.Account>, other: ID<Accounts.Account>, at: Timestamp
    }

    /// Both rows of a friendship and both counts. Affects two rows.
    struct Befriend: Statement {
        static let sql: SQL<Self> = """
            with made as (
                insert into friendship (reader_id, friend_id, since)
                values (\(\.one), \(\.other), \(\.since)), (\(\.other), \(\.one), \(\.since))
                returning reader_id
            )
            insert into friend_tally (reader_id, friends)
            select reader_id, 1 from made order by reader_id
                on conflict (reader_id) do update set friends = friend_tally.friends + 1
            """
        let one: ID<Accounts.Account>, other: ID<Accounts.Account>, since: Timestamp
    }

    /// Ends a friendship and takes it out of both counts. Affects two rows, or none where there was no friendship.
    struct Part: Statement {
        static let sql: SQL<Self> = """
            with ended as (
                delete from friendship
                 where reader_id = \(\.one) and friend_id = \(\.other) or reader_id = \(\.other) and friend_id = \(\.one)
                returning reader_id
            )
            update friend_tally
               set friends = friend_tally.friends - 1
              from ended
             where friend_tally.reader_id = ended.reader_id
            """
        let one: ID<Accounts.Account>, other: ID<Accounts.Account>
    }

    // MARK: The end of an account

    /// Ends every friendship of one account and takes it out of the others' counts, in the order of their identifiers.
    struct PartAll: Statement {
        static let sql: SQL<Self> = """
            with ended as (
                delete from friendship
                 where reader_id = \(\.account) or friend_id = \(\.account)
                returning reader_id
            ), locked as materialized (
                select friend_tally.reader_id
                  from friend_tally
                 where friend_tally.reader_id in (select reader_id from ended where reader_id <> \(\.account))
                 order by friend_tally.reader_id
                   for update
            ), gone as (
                delete from friend_tally where reader_id = \(\.account)
            )
            update friend_tally
               set friends = friend_tally.friends - 1
              from locked
             where friend_tally.reader_id = locked.reader_id
            """
        let account: ID<Accounts.Account>
    }

    struct WithdrawAll: Statement {
        static let sql: SQL<Self> =
            "delete from friend_request where sender_id = \(\.account) or recipient_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    struct UnblockAll: Statement {
        static let sql: SQL<Self> = "delete from block where blocker_id = \(\.account) or blocked_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    // MARK: Upkeep

    /// Forgets decided requests that count against nobody any more; index `friend_request_decided`.
    struct SweepRequests: Statement {
        static let sql: SQL<Self> = """
            delete from friend_request
             where id in (select old.id from friend_request old
                           where old.state <> 'pending' and old.decided_at < \(\.before)
                           limit \(\.limit))
            """
        let before: Timestamp, limit: Int
    }
}

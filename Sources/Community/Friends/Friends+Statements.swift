import Postgres

extension Friends {
    package static let statements: [any Statement.Type] = asking + muteStatements + circleStatements

    private static let asking: [any Statement.Type] = [
        Statements.FindReader.self, Statements.ReaderOf.self, Statements.FindBlockable.self, Statements.LockPair.self,
        Statements.StandingOf.self,
        Statements.InsertRequest.self, Statements.RequestOf.self, Statements.LockRequest.self, Statements.Accept.self,
        Statements.Decline.self, Statements.Withdraw.self,
        Statements.WithdrawBetween.self, Statements.Befriend.self, Statements.Part.self, Statements.InsertBlock.self,
        Statements.CountBlocks.self, Statements.FindBlocked.self, Statements.DeleteBlock.self,
        Statements.FriendsAfter.self,
        Statements.FriendsBefore.self, Statements.IncomingAfter.self, Statements.IncomingBefore.self,
        Statements.OutgoingAfter.self,
        Statements.OutgoingBefore.self, Statements.BlocksAfter.self, Statements.BlocksBefore.self,
        Statements.PartAll.self, Statements.WithdrawAll.self, Statements.UnblockAll.self,
        Statements.SweepRequests.self, Statements.AcceptedRequest.self,
    ]

    enum Statements {}
}

extension Friends.Statements {
    /// A reader by username, for whoever may see them as a signed-in reader.
    struct FindReader: Statement {
        static let name = "friends.find_reader"
        static let sql = """
            select account.id, account.username, \(Privacy.shown("account.name", .name, viewer: "$1", owner: "account.id"))
              from account
             where account.username_folded = $2
               and \(Visibility.predicate(viewer: "$1", owner: "account.id", level: "2"))
            """
        let viewer: ID<Accounts.Account>
        let folded: String
        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(folded)
        }
        static func decode(_ row: borrowing Row) throws -> Accounts.Reader {
            Accounts.Reader(id: try row[0], username: try row[1], name: try row[2])
        }
    }

    /// How a reader appears in what is told; locked.
    struct ReaderOf: Statement {
        static let name = "friends.reader_of"
        static let sql =
            "select account.id, account.username, \(Privacy.told("account.name", owner: "account.id")) from account where account.id = $1"
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(account) }
        static func decode(_ row: borrowing Row) throws -> Accounts.Reader {
            Accounts.Reader(id: try row[0], username: try row[1], name: try row[2])
        }
    }

    /// A reader whom the viewer may see or has blocked already.
    struct FindBlockable: Statement {
        static let name = "friends.find_blockable"
        static let sql = """
            select account.id
              from account
             where account.username_folded = $2
               and (\(Visibility.predicate(viewer: "$1", owner: "account.id", level: "2"))
                    or exists (select from block own where own.blocker_id = $1 and own.blocked_id = account.id))
            """
        let viewer: ID<Accounts.Account>
        let folded: String
        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(folded)
        }
        static func decode(_ row: borrowing Row) throws -> ID<Accounts.Account> { try row[0] }
    }

    /// Locks two accounts, the lower identifier first: the one order in which anything on two readers is done. A row for each that is not
    /// deleted.
    struct LockPair: Statement {
        struct Output: Sendable {
            let account: ID<Accounts.Account>
            let state: Accounts.State
            /// Approved, neither suspended nor leaving.
            let isThere: Bool
        }

        static let name = "friends.lock_pair"
        static let sql = """
            select id, state, state not in ('suspended', 'leaving') and approved_at is not null
              from account
             where id in ($1, $2)
               and state <> 'deleted'
             order by id
               for no key update
            """
        let one: ID<Accounts.Account>
        let other: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) {
            parameters.append(one)
            parameters.append(other)
        }
        static func decode(_ row: borrowing Row) throws -> Output {
            Output(account: try row[0], state: try row[1], isThere: try row[2])
        }
    }

    /// Everything that asking and answering look at, in one row. The counts look at no more rows than their bound.
    struct StandingOf: Statement {
        static let name = "friends.standing"
        static let sql = """
            select exists (select from friendship where reader_id = $1 and friend_id = $2),
                   exists (select from block
                            where blocker_id = $1 and blocked_id = $2 or blocker_id = $2 and blocked_id = $1),
                   (select id from friend_request
                     where sender_id = $1 and recipient_id = $2 and state in ('pending', 'declined')),
                   (select id from friend_request
                     where sender_id = $2 and recipient_id = $1 and state in ('pending', 'declined')),
                   (select max(decided_at) from friend_request
                     where recipient_id = $2 and sender_id = $1 and state = 'dropped'),
                   (select count(*) from (select from friend_request
                                           where sender_id = $1 and state in ('pending', 'declined') limit $4) own),
                   (select count(*) from (select from friend_request
                                           where sender_id = $1 and created_at > $3 limit $4) today),
                   (select count(*) from (select from friend_request
                                           where recipient_id = $2 and state = 'pending' limit $4) theirs),
                   coalesce((select friends from friend_tally where reader_id = $1), 0),
                   coalesce((select friends from friend_tally where reader_id = $2), 0)
            """
        let own: ID<Accounts.Account>
        let other: ID<Accounts.Account>
        let dayAgo: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(own)
            parameters.append(other)
            parameters.append(dayAgo)
            parameters.append(max(Limits.Friends.openRequests, Limits.Friends.requestsPerDay) + 1)
        }
        static func decode(_ row: borrowing Row) throws -> Friends.Standing {
            Friends.Standing(
                areFriends: try row[0], isBlocked: try row[1], outgoing: try row[2], incoming: try row[3],
                declinedAt: try row[4], ownOpen: Int(try row[5] as Int64), ownToday: Int(try row[6] as Int64),
                theirWaiting: Int(try row[7] as Int64), ownFriends: Int(try row[8] as Int64),
                theirFriends: Int(try row[9] as Int64))
        }
    }

    struct InsertRequest: Statement {
        static let name = "friends.insert_request"
        static let sql = """
            insert into friend_request (id, sender_id, recipient_id, created_at, state, decided_at)
            values ($1, $2, $3, $4, case when $5::timestamptz is null then 'pending' else 'declined' end, $5)
            """
        let id: ID<Friends.Request>
        let sender: ID<Accounts.Account>
        let recipient: ID<Accounts.Account>
        let at: Timestamp
        /// Not `nil` for one that is not to reach its recipient, who declined at that time.
        let declinedAt: Timestamp?
        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(sender)
            parameters.append(recipient)
            parameters.append(at)
            parameters.append(declinedAt)
        }
    }

    /// The two of a request, for one of them, who may see the other.
    struct RequestOf: Statement {
        static let name = "friends.request_of"
        static let sql = """
            select friend_request.sender_id, friend_request.recipient_id
              from friend_request
             where friend_request.id = $2
               and (friend_request.sender_id = $1
                    and \(Visibility.predicate(viewer: "$1", owner: "friend_request.recipient_id", level: "2"))
                 or friend_request.recipient_id = $1
                    and \(Visibility.predicate(viewer: "$1", owner: "friend_request.sender_id", level: "2")))
            """
        let viewer: ID<Accounts.Account>
        let request: ID<Friends.Request>
        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(request)
        }
        static func decode(_ row: borrowing Row) throws -> Friends.Pair {
            Friends.Pair(sender: try row[0], recipient: try row[1])
        }
    }

    /// A request's state now, locked; the accounts are locked before.
    struct LockRequest: Statement {
        static let name = "friends.lock_request"
        static let sql = "select state, created_at from friend_request where id = $1 for update"
        let request: ID<Friends.Request>
        func bind(to parameters: inout Parameters) { parameters.append(request) }
        static func decode(_ row: borrowing Row) throws -> (state: Friends.Request.State, createdAt: Timestamp) {
            (try row[0], try row[1])
        }
    }

    /// A request that waits, or that was declined by somebody who now asks themselves, becomes a friendship.
    struct Accept: Statement {
        static let name = "friends.accept"
        static let sql = """
            update friend_request set state = 'accepted', decided_at = $2 where id = $1 and state in ('pending', 'declined')
            """
        let request: ID<Friends.Request>
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(request)
            parameters.append(at)
        }
    }

    /// The sender of a request that the viewer accepted, and when it was made, while the two are friends and the viewer
    /// may see them.
    struct AcceptedRequest: Statement {
        static let name = "friends.accepted_request"
        static let sql = """
            select friend_request.sender_id, friend_request.created_at
              from friend_request
             where friend_request.id = $2
               and friend_request.recipient_id = $1
               and friend_request.state = 'accepted'
               and exists (select 1
                             from friendship
                            where friendship.reader_id = $1
                              and friendship.friend_id = friend_request.sender_id)
               and \(Visibility.predicate(viewer: "$1", owner: "friend_request.sender_id", level: "2"))
            """
        let viewer: ID<Accounts.Account>
        let request: ID<Friends.Request>
        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(request)
        }
        static func decode(_ row: borrowing Row) throws -> (sender: ID<Accounts.Account>, createdAt: Timestamp) {
            (try row[0], try row[1])
        }
    }

    struct Decline: Statement {
        static let name = "friends.decline"
        static let sql =
            "update friend_request set state = 'declined', decided_at = $2 where id = $1 and state = 'pending'"
        let request: ID<Friends.Request>
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(request)
            parameters.append(at)
        }
    }

    /// Takes a request back; that it was declined before, and when, is kept.
    struct Withdraw: Statement {
        static let name = "friends.withdraw"
        static let sql = """
            update friend_request
               set state = case state when 'pending' then 'withdrawn' else 'dropped' end,
                   decided_at = coalesce(decided_at, $2)
             where id = $1
               and state in ('pending', 'declined')
            """
        let request: ID<Friends.Request>
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(request)
            parameters.append(at)
        }
    }

    /// Withdraws what is or looks open between two readers, in both directions.
    struct WithdrawBetween: Statement {
        static let name = "friends.withdraw_between"
        static let sql = """
            update friend_request
               set state = case state when 'pending' then 'withdrawn' else 'dropped' end,
                   decided_at = coalesce(decided_at, $3)
             where state in ('pending', 'declined')
               and (sender_id = $1 and recipient_id = $2 or sender_id = $2 and recipient_id = $1)
            """
        let one: ID<Accounts.Account>
        let other: ID<Accounts.Account>
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(one)
            parameters.append(other)
            parameters.append(at)
        }
    }

    /// Both rows of a friendship and both counts. Affects two rows.
    struct Befriend: Statement {
        static let name = "friends.befriend"
        static let sql = """
            with made as (
                insert into friendship (reader_id, friend_id, since)
                values ($1, $2, $3), ($2, $1, $3)
                returning reader_id
            )
            insert into friend_tally (reader_id, friends)
            select reader_id, 1 from made order by reader_id
                on conflict (reader_id) do update set friends = friend_tally.friends + 1
            """
        let one: ID<Accounts.Account>
        let other: ID<Accounts.Account>
        let since: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(one)
            parameters.append(other)
            parameters.append(since)
        }
    }

    /// Ends a friendship and takes it out of both counts. Affects two rows, or none where there was no friendship.
    struct Part: Statement {
        static let name = "friends.part"
        static let sql = """
            with ended as (
                delete from friendship
                 where reader_id = $1 and friend_id = $2 or reader_id = $2 and friend_id = $1
                returning reader_id
            )
            update friend_tally
               set friends = friend_tally.friends - 1
              from ended
             where friend_tally.reader_id = ended.reader_id
            """
        let one: ID<Accounts.Account>
        let other: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) {
            parameters.append(one)
            parameters.append(other)
        }
    }

    // MARK: The end of an account

    /// Ends every friendship of one account and takes it out of the others' counts, in the order of their identifiers.
    struct PartAll: Statement {
        static let name = "friends.part_all"
        static let sql = """
            with ended as (
                delete from friendship
                 where reader_id = $1 or friend_id = $1
                returning reader_id
            ), locked as materialized (
                select friend_tally.reader_id
                  from friend_tally
                 where friend_tally.reader_id in (select reader_id from ended where reader_id <> $1)
                 order by friend_tally.reader_id
                   for update
            ), gone as (
                delete from friend_tally where reader_id = $1
            )
            update friend_tally
               set friends = friend_tally.friends - 1
              from locked
             where friend_tally.reader_id = locked.reader_id
            """
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(account) }
    }

    struct WithdrawAll: Statement {
        static let name = "friends.withdraw_all"
        static let sql = "delete from friend_request where sender_id = $1 or recipient_id = $1"
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(account) }
    }

    struct UnblockAll: Statement {
        static let name = "friends.unblock_all"
        static let sql = "delete from block where blocker_id = $1 or blocked_id = $1"
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(account) }
    }

    // MARK: Upkeep

    /// Forgets decided requests that count against nobody any more; index `friend_request_decided`.
    struct SweepRequests: Statement {
        static let name = "friends.sweep_requests"
        static let sql = """
            delete from friend_request
             where id in (select old.id from friend_request old
                           where old.state <> 'pending' and old.decided_at < $1
                           limit $2)
            """
        let before: Timestamp
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(before)
            parameters.append(limit)
        }
    }
}

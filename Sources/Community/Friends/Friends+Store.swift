import Jobs
import Postgres

extension Friends {
    /// The two of a request.
    struct Pair: Sendable, Hashable {
        let sender: ID<Accounts.Account>
        let recipient: ID<Accounts.Account>
    }

    /// What a reader may do about friends. Blocks and lists stand in `Friends+Store+….swift`.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// Asks the reader of that username for friendship.
        ///
        /// One transaction: request, event. Throws `.notFound` for whom the sender may not see; `.invalid` (`/username`
        /// `oneself`); `.forbidden` (`account_frozen`, `email_unverified`); `.conflict` (`already_friends`,
        /// `too_many_open_requests`, `inbox_full`, `too_many_friends`); `.limited`.
        package func ask(_ username: String, by sender: Accounts.Identity) async throws -> Asked {
            let folded = Accounts.Username.fold(username)
            return try await services.database.transaction { transaction in
                guard
                    let found = try await transaction.first(
                        Statements.FindReader(viewer: sender.account, folded: folded))
                else {
                    throw Failure.notFound("reader")
                }
                guard found.id != sender.account else {
                    throw Failure.invalid("/username", .oneself, "is your own")
                }
                let standing = try await lock(sender.account, found.id, in: transaction)
                let isNew = services.isNew(bornAt: sender.createdAt)
                switch try standing.ask(isNew: isNew, limitsRates: services.settings.limitsRates) {
                case .stays(let id):
                    return .open(id)
                case .accept(let id):
                    let pair = Pair(sender: found.id, recipient: sender.account)
                    try await befriend(pair, request: id, in: transaction)
                    return .accepted(id)
                case .keep(let declinedAt):
                    return .sent(
                        try await insert(from: sender.account, to: found.id, declinedAt: declinedAt, in: transaction))
                case .send:
                    let id = try await insert(from: sender.account, to: found.id, in: transaction)
                    let asker = try await reader(sender.account, in: transaction)
                    try await Event.requested(id, by: asker, of: found.id).append(in: transaction, services: services)
                    try await Notifications.Tell.told(
                        .friendRequested, to: found.id, by: sender.account, cause: id.rawValue
                    )
                    .enqueue(in: transaction)
                    return .sent(id)
                }
            }
        }

        /// Accepts a request. Accepting twice is accepting once. Throws `.notFound` for a request that is not to
        /// `reader`, or was declined or withdrawn; `.forbidden` (`account_frozen`); `.conflict` (`too_many_friends`).
        package func accept(_ request: ID<Request>, by reader: ID<Accounts.Account>) async throws -> Request {
            try await services.database.transaction { transaction in
                let pair = try await pair(of: request, for: reader, in: transaction)
                guard pair.recipient == reader else { throw Failure.notFound("friend request") }
                let standing = try await lock(reader, pair.sender, in: transaction)
                guard let row = try await transaction.first(Statements.LockRequest(request: request)),
                    !standing.isBlocked
                else {
                    throw Failure.notFound("friend request")
                }
                switch row.state {
                case .pending:
                    try standing.makeRoom()
                    try await befriend(pair, request: request, in: transaction)
                case .accepted where standing.areFriends: break
                case .accepted, .declined, .withdrawn, .dropped: throw Failure.notFound("friend request")
                }
                return Request(
                    id: request, reader: try await self.reader(pair.sender, in: transaction), direction: .in,
                    state: .accepted, createdAt: row.createdAt)
            }
        }

        /// A request that `reader` accepted, as `accept` showed it: the two are friends still. Throws `.notFound`.
        package func accepted(_ request: ID<Request>, by reader: ID<Accounts.Account>) async throws -> Request {
            let asked = Statements.AcceptedRequest(viewer: reader, request: request)
            guard let found = try await services.database.first(asked) else { throw Failure.notFound("friend request") }
            return Request(
                id: request, reader: try await self.reader(found.sender, in: services.database), direction: .in,
                state: .accepted, createdAt: found.createdAt)
        }

        /// Declines a request; nobody is told. Throws `.notFound` where it is not to `reader` or no longer open,
        /// `.forbidden` (`account_frozen`).
        package func decline(_ request: ID<Request>, by reader: ID<Accounts.Account>) async throws {
            try await services.database.transaction { transaction in
                let pair = try await pair(of: request, for: reader, in: transaction)
                guard pair.recipient == reader else { throw Failure.notFound("friend request") }
                _ = try await lock(reader, pair.sender, in: transaction)
                guard try await transaction.run(Statements.Decline(request: request, at: services.clock.now())) == 1
                else {
                    throw Failure.notFound("friend request")
                }
            }
        }

        /// Takes back one's own request. Throws `.notFound` where it is not `reader`'s or no longer looks open,
        /// `.forbidden` (`account_frozen`).
        package func withdraw(_ request: ID<Request>, by reader: ID<Accounts.Account>) async throws {
            try await services.database.transaction { transaction in
                let pair = try await pair(of: request, for: reader, in: transaction)
                guard pair.sender == reader else { throw Failure.notFound("friend request") }
                _ = try await lock(reader, pair.recipient, in: transaction)
                guard try await transaction.run(Statements.Withdraw(request: request, at: services.clock.now())) == 1
                else {
                    throw Failure.notFound("friend request")
                }
            }
        }

        /// Ends a friendship for both. Throws `.notFound` where there is none, `.forbidden` (`account_frozen`).
        package func remove(_ friend: ID<Accounts.Account>, of reader: ID<Accounts.Account>) async throws {
            try await services.database.transaction { transaction in
                guard try await part(reader, friend, in: transaction) else { throw Failure.notFound("friend") }
            }
        }

        /// Ends the friendship with the reader of that username; nothing where there is none. What comes of it says
        /// nothing about the other, not even whether there is anybody of that username. Throws `.forbidden`
        /// (`account_frozen`).
        package func remove(_ username: String, of reader: ID<Accounts.Account>) async throws {
            let folded = Accounts.Username.fold(username)
            try await services.database.transaction { transaction in
                let friend = Statements.FindFriend(reader: reader, folded: folded)
                guard let other = try await transaction.first(friend) else { return }
                _ = try await part(reader, other, in: transaction)
            }
        }

        /// Whether they were friends.
        private func part(
            _ reader: ID<Accounts.Account>, _ friend: ID<Accounts.Account>, in transaction: Transaction
        ) async throws -> Bool {
            // A suspended friend can be removed too: whether both are there to act does not matter.
            let locked = try await transaction.all(Statements.LockPair(one: reader, other: friend))
            try locked.first { $0.account == reader }?.state.mayWrite()
            guard try await transaction.run(Statements.Part(one: reader, other: friend)) == 2 else { return false }
            try await Community.relationChanges(.parted, of: reader, and: friend, in: services, transaction)
            try await Event.friendshipChanged(reader, friend).append(in: transaction, services: services)
            return true
        }

        /// Forgets requests that were decided more than 30 days ago; with a declined one, that it was. In batches, each
        /// a transaction of its own, until none is left.
        package func sweep() async throws {
            let before = services.clock.now() - .seconds(Limits.friends.declineDays * 86_400)
            let batch = Sweep.batch
            while try await services.database.run(Statements.SweepRequests(before: before, limit: batch)) == batch {}
        }

        /// Locks both accounts and reads what they are to each other. Throws `.notFound` where one is no longer there
        /// to act, `.forbidden` (`account_frozen`) where `own` may not write.
        func lock(
            _ own: ID<Accounts.Account>, _ other: ID<Accounts.Account>, in transaction: some Queryable
        ) async throws -> Standing {
            let locked = try await transaction.all(Statements.LockPair(one: own, other: other))
            guard locked.count == 2, locked.allSatisfy(\.isThere) else { throw Failure.notFound("reader") }
            try locked.first { $0.account == own }?.state.mayWrite()
            return try await transaction.one(
                Statements.StandingOf(own: own, other: other, dayAgo: services.clock.now() - .seconds(86_400)))
        }

        private func pair(
            of request: ID<Request>, for viewer: ID<Accounts.Account>, in transaction: some Queryable
        ) async throws -> Pair {
            guard let pair = try await transaction.first(Statements.RequestOf(viewer: viewer, request: request)) else {
                throw Failure.notFound("friend request")
            }
            return pair
        }

        /// `declinedAt`: when the recipient said no to one before.
        private func insert(
            from sender: ID<Accounts.Account>, to recipient: ID<Accounts.Account>, declinedAt: Timestamp? = nil,
            in transaction: some Queryable
        ) async throws -> ID<Request> {
            let id: ID<Request> = try services.ids.make()
            try await transaction.run(
                Statements.InsertRequest(
                    id: id, sender: sender, recipient: recipient, at: services.clock.now(), declinedAt: declinedAt))
            return id
        }

        /// The request becomes a friendship; both accounts are locked.
        private func befriend(_ pair: Pair, request: ID<Request>, in transaction: some Queryable) async throws {
            guard try await transaction.run(Statements.Accept(request: request, at: services.clock.now())) == 1 else {
                throw Failure.notFound("friend request")
            }
            try await transaction.run(
                Statements.Befriend(one: pair.sender, other: pair.recipient, since: services.clock.now()))
            let accepter = try await reader(pair.recipient, in: transaction)
            try await Event.accepted(request, by: accepter, of: pair.sender).append(in: transaction, services: services)
            try await Notifications.Tell.told(
                .friendAccepted, to: pair.sender, by: pair.recipient, cause: request.rawValue
            ).enqueue(in: transaction)
            try await Event.friendshipChanged(pair.sender, pair.recipient).append(in: transaction, services: services)
        }

        private func reader(_ account: ID<Accounts.Account>, in transaction: some Queryable) async throws
            -> Accounts.Reader
        {
            try await transaction.one(Statements.ReaderOf(account: account))
        }
    }
}

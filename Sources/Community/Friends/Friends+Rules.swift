import Postgres

extension Friends {
    /// What two readers are to each other and how much the bounds have left, read while both accounts are locked. `own`
    /// is who acts.
    struct Standing: Sendable, Hashable {
        var areFriends = false
        /// In either direction.
        var isBlocked = false
        /// Request of the one who acts, if it looks open to them: pending or declined.
        var outgoing: ID<Request>?
        /// Request of the other, if pending or declined.
        var incoming: ID<Request>?
        /// When the other declined a request of theirs that they have taken back since.
        var declinedAt: Timestamp?
        var ownOpen = 0
        var ownToday = 0
        var theirWaiting = 0
        var ownFriends = 0
        var theirFriends = 0
    }

    /// What is to be done.
    enum Decision: Sendable, Hashable {
        case send
        /// Looks like `send` and reaches nobody: the other declined at that time.
        case keep(declinedAt: Timestamp)
        case stays(ID<Request>)
        case accept(ID<Request>)
    }
}

extension Friends.Standing {
    /// What asking does. `limitsRates` is false on loopback where rates are off.
    func ask(isNew: Bool, limitsRates: Bool) throws(Failure) -> Friends.Decision {
        guard !isBlocked else { throw .notFound("reader") }
        guard !areFriends else { throw .conflict(code: .alreadyFriends, "you are friends already") }
        if let outgoing { return .stays(outgoing) }
        if let incoming {
            try makeRoom()
            return .accept(incoming)
        }
        try makeRoom()
        guard ownOpen < Limits.friends.openRequests else {
            throw .conflict(code: .tooManyOpenRequests, "withdraw a request first: \(ownOpen) of yours are open")
        }
        guard theirWaiting < Limits.friends.openRequests else {
            throw .conflict(code: .inboxFull, "too many requests wait for this reader")
        }
        let daily = isNew ? Limits.friends.requestsOnFirstDay : Limits.friends.requestsPerDay
        guard !limitsRates || ownToday < daily else {
            throw .limited(policy: "friend_requests", retryAfter: .seconds(3600))
        }
        return declinedAt.map { .keep(declinedAt: $0) } ?? .send
    }

    /// Throws `.conflict` where one of the two has all the friends that one may have.
    func makeRoom() throws(Failure) {
        guard ownFriends < Limits.friends.friends else {
            throw .conflict(code: .tooManyFriends, "you have as many friends as a reader may have")
        }
        guard theirFriends < Limits.friends.friends else {
            throw .conflict(code: .tooManyFriends, "this reader has as many friends as one may have")
        }
    }
}

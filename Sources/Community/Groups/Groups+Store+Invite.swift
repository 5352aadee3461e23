import EventLog
import Jobs
import Postgres

extension Groups.Store {
    /// Invites a friend into a group; again is once, and a member stays one. By an owner or a moderator it
    /// lifts a ban.
    ///
    /// One transaction: invitation, event, notification. Throws `.notFound` for the group and for a reader whom
    /// `inviter` may not see; `.invalid` (`/username` `oneself`); `.forbidden` (`account_frozen`, `email_unverified`,
    /// `not_a_member`, `role_too_low`, `not_friends`); `.limited`.
    package func invite(_ username: String, into id: ID<Groups.Group>, by inviter: Accounts.Identity) async throws {
        try inviter.mayPost()
        let folded = Accounts.Username.fold(username)
        try await services.database.transaction { transaction in
            let found = Friends.Statements.FindReader(viewer: inviter.account, folded: folded)
            guard let other = try await transaction.first(found)?.id else { throw Failure.notFound("reader") }
            guard other != inviter.account else { throw Failure.invalid("/username", .oneself, "is your own") }
            let friends = try await Friends.Store(services).lock(inviter.account, other, in: transaction)
            guard !friends.isBlocked else { throw Failure.notFound("reader") }
            let standing = try await lock(id, for: inviter.account, in: transaction)
            try standing.mayInvite(into: id)
            guard friends.areFriends else {
                throw Failure.notInvitable
            }
            let theirs = try await transaction.one(Groups.Statements.StandingIn(group: id, reader: other))
            guard theirs.role == nil, !theirs.isInvited else { return }
            let isLeader = (standing.role ?? .member) > .member
            guard isLeader || !theirs.isBanned else { throw Failure.roleTooLow(.moderator) }
            try await put(id, named: standing.name, for: other, by: inviter.account, in: transaction)
        }
    }

    private func put(
        _ id: ID<Groups.Group>, named name: String, for reader: ID<Accounts.Account>, by inviter: ID<Accounts.Account>,
        in transaction: Transaction
    ) async throws {
        let now = services.clock.now()
        let (counts, inviters) = try await services.database.pipeline(
            Groups.Statements.CountsOf(reader: inviter, dayAgo: now - .seconds(86_400)),
            Friends.Statements.ReaderOf(account: inviter))
        guard let teller = inviters.first else { throw Failure.unauthenticated() }
        guard !services.settings.limitsRates || (counts.first?.invitations ?? 0) < Limits.groups.invitationsPerDay
        else {
            throw Failure.limited(policy: "group_invitations", retryAfter: .seconds(3600))
        }
        let event = try Groups.Event.invited(id, name: name, by: teller, reader).row(in: services)
        try await transaction.batch { batch in
            batch.run(Groups.Statements.PutInvitation(group: id, reader: reader, inviter: inviter, at: now))
            batch.run(Groups.Statements.DropBan(group: id, reader: reader))
            batch.run(EventLog.Statements.Append(event: event))
        }
        try await tell(.groupInvited, of: id, to: reader, by: inviter, in: transaction)
    }

    /// Puts what concerns one reader and a group into the queue of notifications.
    private func tell(
        _ kind: Notifications.Kind, of group: ID<Groups.Group>, to reader: ID<Accounts.Account>,
        by actor: ID<Accounts.Account>, in transaction: Transaction
    ) async throws {
        let cause: ID<Notifications.Tell> = try services.ids.make()
        try await Notifications.Tell.told(kind, to: reader, by: actor, of: group.rawValue, cause: cause.rawValue)
            .enqueue(in: transaction)
    }

    /// Takes an invitation back: for its sender, owners and moderators; nothing where none waits. Throws `.notFound`,
    /// `.forbidden` (`account_frozen`, `not_a_member`, `role_too_low`).
    package func uninvite(_ username: String, from id: ID<Groups.Group>, by member: ID<Accounts.Account>) async throws {
        let folded = Accounts.Username.fold(username)
        try await services.database.transaction { transaction in
            let named = try await transaction.first(Accounts.Statements.Named(folded: folded))
            let (writer, _) = try await writer(member, in: transaction)
            try writer.state.mayWrite()
            let standing = try await lock(id, for: member, in: transaction)
            try standing.mustBe(.member, of: id)
            guard let named else { throw Failure.notFound("reader") }
            let inviter = try await transaction.first(Groups.Statements.InviterOf(group: id, reader: named))
            guard let inviter else { return }
            if inviter != member { try standing.mustBe(.moderator, of: id) }
            try await transaction.run(
                Groups.Statements.EndInvitation(group: id, reader: named, at: services.clock.now()))
            try await Groups.Event.membershipChanged([named]).append(in: transaction, services: services)
        }
    }

    /// Lets in a reader who asked to be; a member stays in. For owners and moderators.
    ///
    /// One transaction: member, counters, events, notification. Throws `.notFound` also where nobody of that name has
    /// asked; `.forbidden` (`account_frozen`, `not_a_member`, `role_too_low`); `.conflict` (`group_full`,
    /// `too_many_groups`: theirs).
    package func accept(_ username: String, into id: ID<Groups.Group>, by leader: ID<Accounts.Account>) async throws {
        let folded = Accounts.Username.fold(username)
        try await services.database.transaction { transaction in
            let named = try await transaction.first(Accounts.Statements.Named(folded: folded))
            let locked = try await transaction.all(Friends.Statements.LockPair(one: leader, other: named ?? leader))
            guard let own = locked.first(where: { $0.account == leader }) else { throw Failure.unauthenticated() }
            try own.state.mayWrite()
            let standing = try await lock(id, for: leader, in: transaction)
            try standing.mustBe(.moderator, of: id)
            guard let named, locked.contains(where: { $0.account == named && $0.isThere }) else {
                throw Failure.notFound("request")
            }
            let theirs = try await transaction.one(Groups.Statements.StandingIn(group: id, reader: named))
            if theirs.role != nil { return }
            guard theirs.hasRequested else { throw Failure.notFound("request") }
            let (readers, tellers) = try await services.database.pipeline(
                Friends.Statements.ReaderOf(account: named), Friends.Statements.ReaderOf(account: leader))
            guard let reader = readers.first, let teller = tellers.first else { throw Failure.notFound("request") }
            try await enter(reader, id, theirs, in: transaction)
            try await Groups.Event.accepted(id, name: standing.name, by: teller, named)
                .append(in: transaction, services: services)
            try await tell(.groupAccepted, of: id, to: named, by: leader, in: transaction)
        }
    }

    /// Declines a request; nobody is told, and they may ask again. Throws `.notFound` also where nobody of that name
    /// has asked, `.forbidden` (`account_frozen`, `not_a_member`, `role_too_low`).
    package func decline(_ username: String, from id: ID<Groups.Group>, by leader: ID<Accounts.Account>) async throws {
        let folded = Accounts.Username.fold(username)
        try await services.database.transaction { transaction in
            let named = try await transaction.first(Accounts.Statements.Named(folded: folded))
            let (writer, _) = try await writer(leader, in: transaction)
            try writer.state.mayWrite()
            try await lock(id, for: leader, in: transaction).mustBe(.moderator, of: id)
            guard let named,
                try await transaction.run(Groups.Statements.DeleteRequest(group: id, reader: named)) == 1
            else { throw Failure.notFound("request") }
        }
    }
}

import EventLog
import Postgres

// What owners and moderators do to members.
extension Groups.Store {
    /// Gives a member another role. For owners. Throws `.notFound`; `.forbidden` (`account_frozen`, `not_a_member`,
    /// `role_too_low`); `.conflict` (`last_owner`, `too_many_leaders`).
    package func setRole(
        of username: String, to role: Groups.Role, in id: ID<Groups.Group>, by owner: ID<Accounts.Account>
    ) async throws -> Groups.Member {
        let folded = Accounts.Username.fold(username)
        return try await services.database.transaction { transaction in
            let (writer, _) = try await writer(owner, in: transaction)
            try writer.state.mayWrite()
            try await lock(id, for: owner, in: transaction).mustBe(.owner, of: id)
            let (members, leaders) = try await services.database.pipeline(
                Groups.Statements.MemberNamed(group: id, folded: folded), Groups.Statements.Leaders(of: id))
            guard let member = members.first else { throw Failure.notFound("member") }
            let others = leaders.filter { $0.id != member.id }
            guard role == .owner || member.role != .owner || others.contains(where: { $0.role == .owner }) else {
                throw Failure.conflict(code: .lastOwner, "make another owner first: a group has at least one")
            }
            let bound = Limits.groups.leaders
            guard role == .member || others.count < bound else {
                throw Failure.conflict(code: .tooManyLeaders, "a group has at most \(bound) owners and moderators")
            }
            try await transaction.run(Groups.Statements.SetRole(group: id, reader: member.id, role: role))
            return try await transaction.one(Groups.Statements.OneMember(viewer: owner, group: id, reader: member.id))
        }
    }

    /// Removes a member, and their request and invitation; with `isBan` they do not come in again, also who is no
    /// member. For owners and moderators, on lower roles; owners on all but themselves, who leave.
    ///
    /// Throws `.notFound` for a reader who has nothing to do with the group unless they are banned; `.invalid`
    /// (`/username` `oneself`); `.forbidden` (`account_frozen`, `not_a_member`, `role_too_low`).
    package func remove(
        _ username: String, from id: ID<Groups.Group>, isBan: Bool = false, by leader: ID<Accounts.Account>
    ) async throws {
        let folded = Accounts.Username.fold(username)
        try await services.database.transaction { transaction in
            let named = try await transaction.first(Accounts.Statements.Named(folded: folded))
            // Both, so that nobody who is banned is an account that ends meanwhile.
            let locked = try await transaction.all(Friends.Statements.LockPair(one: leader, other: named ?? leader))
            guard let own = locked.first(where: { $0.account == leader }) else { throw Failure.unauthenticated() }
            try own.state.mayWrite()
            let standing = try await lock(id, for: leader, in: transaction)
            try standing.mustBe(.moderator, of: id)
            guard let named, locked.contains(where: { $0.account == named }) else { throw Failure.notFound("member") }
            guard named != leader else {
                throw Failure.invalid("/username", .oneself, "is your own: leave the group instead")
            }
            let theirs = try await transaction.one(Groups.Statements.StandingIn(group: id, reader: named))
            guard isBan || theirs.role != nil else { throw Failure.notFound("member") }
            try (standing.role ?? .member).mayActOn(theirs.role)
            try await out(named, theirs, of: id, isBan: isBan, in: transaction)
        }
    }

    /// Lifts a ban; nothing where there is none. Who was banned is told nothing, and may join as others do. For owners
    /// and moderators.
    ///
    /// Throws `.notFound` also where nobody goes by that name, `.forbidden` (`account_frozen`, `not_a_member`,
    /// `role_too_low`).
    package func unban(_ username: String, from id: ID<Groups.Group>, by leader: ID<Accounts.Account>) async throws {
        let folded = Accounts.Username.fold(username)
        try await services.database.transaction { transaction in
            let named = try await transaction.first(Accounts.Statements.Named(folded: folded))
            let (writer, _) = try await writer(leader, in: transaction)
            try writer.state.mayWrite()
            try await lock(id, for: leader, in: transaction).mustBe(.moderator, of: id)
            guard let named else { throw Failure.notFound("reader") }
            try await transaction.run(Groups.Statements.DropBan(group: id, reader: named))
        }
    }

    /// Whom a group bans, the newest first, as far as the reader sees them. For owners and moderators. Throws
    /// `.notFound`, `.forbidden` (`not_a_member`, `role_too_low`).
    package func bans(
        of id: ID<Groups.Group>, for leader: ID<Accounts.Account>, page: PageRequest<Groups.Key>
    ) async throws -> Page<Groups.Ban, Groups.Key> {
        let database = services.database
        let standing = Groups.Statements.StandingIn(group: id, reader: leader)
        guard let standing = try await database.first(standing) else { throw Failure.notFound("group \(id)") }
        try standing.mustBe(.moderator, of: id)
        return try await page.read(from: .highest, key: \.key) {
            try await database.all(Groups.Statements.Bans(viewer: leader, group: id, span: $0))
        }
    }

    private func out(
        _ reader: ID<Accounts.Account>, _ standing: Groups.Standing, of id: ID<Groups.Group>, isBan: Bool,
        in transaction: Transaction
    ) async throws {
        let now = services.clock.now()
        try await transaction.batch { batch in
            batch.run(Groups.Statements.DeleteRequest(group: id, reader: reader))
            batch.run(Groups.Statements.EndInvitation(group: id, reader: reader, at: now))
            if isBan { batch.run(Groups.Statements.PutBan(group: id, reader: reader, at: now)) }
        }
        guard let role = standing.role else { return }
        try await takeOut(reader, role: role, of: id, in: transaction)
        try transaction.atCommit { $0.run(Groups.Statements.Uncount(readers: [reader])) }
    }
}

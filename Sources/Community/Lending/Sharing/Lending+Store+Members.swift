import EventLog
import Postgres

extension Lending.Store {
    /// Invites a friend into a library. For its owners. Inviting again changes the role that the invited will have.
    ///
    /// One transaction: invitation, event. Throws `.notFound` for the library and for a reader whom the owner may not
    /// see; `.forbidden` (`not_owner`, `account_frozen`, `email_unverified`, `not_friends`); `.invalid` (`/role`) for a
    /// second owner of an own library; `.conflict` (`permanent` for the server's, `already_member`, `library_full`,
    /// `too_many_libraries`); `.limited`.
    package func invite(
        _ username: String, as role: Lending.Role, into id: ID<Lending.SharedLibrary>, by identity: Accounts.Identity
    ) async throws -> Lending.Member {
        try identity.mayPost()
        let folded = Accounts.Username.fold(username)
        let owner = identity.account
        return try await services.database.transaction { transaction in
            guard
                let other = try await transaction.first(
                    Friends.Statements.FindReader(viewer: owner, folded: folded))
            else { throw Failure.notFound("reader") }
            guard other.id != owner else { throw Failure.invalid("/username", .oneself, "is your own") }
            let standing = try await Friends.Store(services).lock(owner, other.id, in: transaction)
            guard !standing.isBlocked else { throw Failure.notFound("reader") }
            let (seen, row) = try await lock(id, by: identity, as: .owner, in: transaction)
            try Self.check(role, in: row.kind)
            let now = services.clock.now()
            if let old = try await transaction.first(
                Lending.Statements.LockMember(library: id, reader: other.id))
            {
                guard !old.hasJoined else {
                    throw Failure.conflict(code: .alreadyMember, "this reader is a member already")
                }
                try await transaction.run(
                    Lending.Statements.SetRole(library: id, reader: other.id, role: role))
                return try await member(username, of: id, for: owner, in: transaction)
            }
            guard standing.areFriends else {
                throw Failure.notInvitable
            }
            try await requireRoom(of: other.id, in: id, transaction)
            try await limitInvitations(of: owner, in: transaction)
            try await transaction.run(
                Lending.Statements.Invite(library: id, reader: other.id, role: role, by: owner, at: now))
            let inviter = try await transaction.one(Friends.Statements.ReaderOf(account: owner))
            try await Lending.Event.invited(other.id, into: seen, as: role, by: inviter).append(
                in: transaction, services: services)
            return try await member(username, of: id, for: owner, in: transaction)
        }
    }

    /// Accepts an invitation to a library. Accepting twice is accepting once. Throws `.notFound`, `.forbidden`
    /// (`account_frozen`).
    package func accept(
        _ id: ID<Lending.SharedLibrary>, by reader: ID<Accounts.Account>
    ) async throws -> Lending.SharedLibrary {
        try await services.database.transaction { transaction in
            let (seen, _) = try await belonging(to: id, reader, in: transaction)
            if seen.isInvited {
                try await transaction.run(
                    Lending.Statements.Join(library: id, reader: reader, at: services.clock.now()))
                try await transaction.run(Lending.Statements.CountMembers(library: id, by: 1))
            }
            return try await library(id, for: .reader(reader), in: transaction)
        }
    }

    /// Declines an invitation to a library; a frozen reader may, too. Throws `.notFound` for who is not invited.
    package func decline(_ id: ID<Lending.SharedLibrary>, by reader: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            let (seen, _) = try await belonging(to: id, reader, isFrozenToo: true, in: transaction)
            guard seen.isInvited else { throw Failure.notFound("invitation to library \(id)") }
            try await takeOut(reader, role: seen.role, hasJoined: false, of: id, in: transaction)
        }
    }

    /// Leaves a library; a frozen reader may, too, and who is no member has left. What the reader has from it is to be
    /// returned as before. Throws `.notFound`, `.conflict` (`permanent` for one's own and the server's, `last_owner`).
    package func leave(_ id: ID<Lending.SharedLibrary>, by reader: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            let (seen, row) = try await seen(id, reader, isFrozenToo: true, in: transaction)
            guard row.kind != .own || seen.reader?.id != reader else {
                throw Failure.conflict(code: .permanent, "this is your own library")
            }
            guard seen.role != nil, !seen.isInvited else { return }
            try await takeOut(reader, role: seen.role, hasJoined: true, of: id, in: transaction)
        }
    }

    /// Gives a member or an invited reader another role. For owners. Throws `.notFound`, `.forbidden` (`not_owner`,
    /// `account_frozen`), `.invalid` (`/role`), `.conflict` (`last_owner`, `permanent`).
    package func setRole(
        of username: String, to role: Lending.Role, in id: ID<Lending.SharedLibrary>, by identity: Accounts.Identity
    ) async throws -> Lending.Member {
        try await services.database.transaction { transaction in
            let (_, row) = try await lock(id, by: identity, as: .owner, in: transaction)
            let member = try await self.member(username, of: id, for: identity.account, in: transaction)
            guard row.kind != .own || member.reader.id.rawValue != id.rawValue else {
                throw Failure.conflict(code: .permanent, "a reader owns their own library")
            }
            try Self.check(role, in: row.kind)
            if member.role == .owner, role != .owner {
                try await requireAnotherOwner(than: member, in: id, transaction)
                try await transaction.run(Lending.Statements.DropLinkOf(library: id, reader: member.reader.id))
            }
            try await transaction.run(Lending.Statements.SetRole(library: id, reader: member.reader.id, role: role))
            return try await self.member(username, of: id, for: identity.account, in: transaction)
        }
    }

    /// Removes a member, or withdraws an invitation. For owners; oneself, one leaves. Throws `.notFound`, `.forbidden`
    /// (`not_owner`, `account_frozen`), `.conflict` (`last_owner`, `permanent`).
    package func remove(
        _ username: String, from id: ID<Lending.SharedLibrary>, by identity: Accounts.Identity
    ) async throws {
        try await services.database.transaction { transaction in
            let (_, row) = try await lock(id, by: identity, as: .owner, in: transaction)
            let member = try await self.member(username, of: id, for: identity.account, in: transaction)
            guard row.kind != .own || member.reader.id.rawValue != id.rawValue else {
                throw Failure.conflict(code: .permanent, "a reader owns their own library")
            }
            try await takeOut(
                member.reader.id, role: member.role, hasJoined: member.joinedAt != nil, of: id, in: transaction)
        }
    }

    /// The members of a library whom the viewer may see, in the order in which their accounts were made; owners see the
    /// invited too. Throws `.notFound`, also for who is no member and for the server's.
    package func members(
        of id: ID<Lending.SharedLibrary>, for viewer: Viewer, page: PageRequest<ID<Accounts.Account>>
    ) async throws -> Page<Lending.Member, ID<Accounts.Account>> {
        let library = try await library(id, for: viewer)
        guard library.kind != .server, let role = library.joined else { throw Failure.notFound("library \(id)") }
        let database = services.database
        return try await page.read(from: .lowest, key: \.reader.id) {
            try await database.all(
                Lending.Statements.Members(viewer: viewer, library: id, withInvited: role == .owner, span: $0))
        }
    }

    /// One member, or an invited reader, as an owner sees them. Throws `.notFound`, also for who is no owner.
    package func member(
        _ username: String, of id: ID<Lending.SharedLibrary>, for owner: ID<Accounts.Account>
    ) async throws -> Lending.Member {
        guard try await library(id, for: .reader(owner)).joined == .owner else {
            throw Failure.notFound("library \(id)")
        }
        return try await member(username, of: id, for: owner, in: services.database)
    }

    // MARK: -

    /// Throws `.conflict` where the reader has as many libraries, or the library as many members, as may be;
    /// invitations count.
    func requireRoom(
        of reader: ID<Accounts.Account>, in library: ID<Lending.SharedLibrary>, _ transaction: Transaction
    ) async throws {
        let limit = max(Limits.lending.libraries, Limits.lending.members)
        let count = try await transaction.one(
            Lending.Statements.CountOf(reader: reader, library: library, limit: limit))
        guard count.libraries < Limits.lending.libraries else {
            throw Failure.conflict(
                code: .tooManyLibraries, "a reader belongs to at most \(Limits.lending.libraries) libraries")
        }
        guard count.members < Limits.lending.members else {
            throw Failure.conflict(
                code: .libraryFull, "a library has at most \(Limits.lending.members) members")
        }
    }

    private func limitInvitations(of owner: ID<Accounts.Account>, in transaction: Transaction) async throws {
        let bound = Limits.lending.invitationsPerDay
        let lately = try await transaction.one(
            Lending.Statements.InvitedSince(
                reader: owner, since: services.clock.now() - .seconds(86_400), limit: bound))
        guard !services.settings.limitsRates || lately < bound else {
            throw Failure.limited(policy: "library_invitations", retryAfter: .seconds(3600))
        }
    }

    /// Throws `.invalid` for an owner beside the one of an own library, `.conflict` (`permanent`) for the server's.
    private static func check(_ role: Lending.Role, in kind: Lending.Kind) throws(Failure) {
        switch kind {
        case .group: break
        case .own:
            guard role != .owner else { throw .invalid("/role", .mismatch, "an own library has one owner") }
        case .server: throw .conflict(code: .permanent, "everybody belongs to the server's library")
        }
    }

    /// Locks the account, then the library. Throws `.notFound` for who neither belongs to it nor is invited.
    private func belonging(
        to id: ID<Lending.SharedLibrary>, _ reader: ID<Accounts.Account>, isFrozenToo: Bool = false,
        in transaction: Transaction
    ) async throws -> (Lending.SharedLibrary, Lending.Statements.LockLibrary.Output) {
        let found = try await seen(id, reader, isFrozenToo: isFrozenToo, in: transaction)
        guard found.0.role != nil else { throw Failure.notFound("library \(id)") }
        return found
    }

    /// Locks the account, then the library. Throws `.notFound` for who does not see it, `.conflict` (`permanent`) for the
    /// server's.
    private func seen(
        _ id: ID<Lending.SharedLibrary>, _ reader: ID<Accounts.Account>, isFrozenToo: Bool, in transaction: Transaction
    ) async throws -> (Lending.SharedLibrary, Lending.Statements.LockLibrary.Output) {
        if isFrozenToo {
            try await transaction.run(Accounts.Statements.LockState(reader: reader))
        } else {
            try await lock(reader, in: transaction)
        }
        guard let row = try await transaction.first(Lending.Statements.LockLibrary(library: id)) else {
            throw Failure.notFound("library \(id)")
        }
        let seen = try await library(id, for: .reader(reader), in: transaction)
        guard row.kind != .server else {
            throw Failure.conflict(code: .permanent, "everybody belongs to the server's library")
        }
        return (seen, row)
    }

    /// Takes a member or an invitation out of a library that is locked.
    private func takeOut(
        _ reader: ID<Accounts.Account>, role: Lending.Role?, hasJoined: Bool, of id: ID<Lending.SharedLibrary>,
        in transaction: Transaction
    ) async throws {
        if role == .owner, hasJoined {
            guard try await transaction.one(Lending.Statements.OtherOwners(library: id, reader: reader)) else {
                throw Failure.conflict(code: .lastOwner, "make another owner first, or end the library")
            }
            try await transaction.run(Lending.Statements.DropLinkOf(library: id, reader: reader))
        }
        try await transaction.run(Lending.Statements.RemoveMember(library: id, reader: reader))
        if hasJoined { try await transaction.run(Lending.Statements.CountMembers(library: id, by: -1)) }
    }

    private func requireAnotherOwner(
        than member: Lending.Member, in id: ID<Lending.SharedLibrary>, _ transaction: Transaction
    ) async throws {
        guard member.joinedAt != nil else { return }
        guard try await transaction.one(Lending.Statements.OtherOwners(library: id, reader: member.reader.id)) else {
            throw Failure.conflict(code: .lastOwner, "make another owner first")
        }
    }

    /// A member or invited reader by name. Throws `.notFound`, also for whom the viewer may not see.
    private func member(
        _ username: String, of id: ID<Lending.SharedLibrary>, for viewer: ID<Accounts.Account>,
        in queryable: some Queryable
    ) async throws -> Lending.Member {
        guard
            let member = try await queryable.first(
                Lending.Statements.MemberNamed(
                    viewer: viewer, library: id, folded: Accounts.Username.fold(username)))
        else { throw Failure.notFound("member") }
        return member
    }
}

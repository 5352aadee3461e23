import EventLog
import Jobs
import Postgres

// Coming and going. The reader who comes is locked before the group, so that the limits of both are exact.
extension Groups.Store {
    /// Joins a group, or asks to; again is once. An invitation lets in whatever the way of joining.
    ///
    /// One transaction: member or request, counters, event, for a request also notifications. Throws `.notFound`;
    /// `.forbidden` (`account_frozen`, `email_unverified`, `banned`, `invitation_needed`); `.conflict` (`group_full`,
    /// `too_many_groups`, `too_many_requests`).
    package func join(_ id: ID<Groups.Group>, by reader: ID<Accounts.Account>) async throws -> Groups.Joined {
        try await join(id, by: reader, isByInvitation: false)
    }

    /// Joins a group by an invitation; again is once. Throws as `join`, and `.notFound` without one.
    package func acceptInvitation(
        to id: ID<Groups.Group>, by reader: ID<Accounts.Account>
    ) async throws -> Groups.Group {
        switch try await join(id, by: reader, isByInvitation: true) {
        case .entered(let group), .member(let group), .pending(let group): return group
        }
    }

    /// Declines an invitation; nobody is told. Throws `.notFound` where none waits.
    package func declineInvitation(to id: ID<Groups.Group>, by reader: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            _ = try await writer(reader, in: transaction)
            try await lock(id, for: reader, in: transaction).mustBeSeen(id)
            let end = Groups.Statements.EndInvitation(group: id, reader: reader, at: services.clock.now())
            guard try await transaction.run(end) == 1 else {
                throw Failure.notFound("invitation into group \(id)")
            }
        }
    }

    private func join(
        _ id: ID<Groups.Group>, by reader: ID<Accounts.Account>, isByInvitation: Bool
    ) async throws -> Groups.Joined {
        try await services.database.transaction { transaction in
            let (writer, _) = try await writer(reader, in: transaction)
            let standing = try await lock(id, for: reader, in: transaction)
            if isByInvitation {
                try standing.mustBeSeen(id)
                guard standing.role != nil || standing.isInvited else {
                    throw Failure.notFound("invitation into group \(id)")
                }
            }
            let entry = try standing.join(id)
            if entry == .enters || entry == .asks { try writer.mayPost(on: services) }
            switch entry {
            case .stays, .waits: break
            case .enters: try await enter(writer.told, id, standing, in: transaction)
            case .asks: try await ask(writer.told, id, standing, in: transaction)
            }
            let group = try await transaction.one(Groups.Statements.One(viewer: .reader(reader), group: id))
            return switch entry {
            case .enters: .entered(group)
            case .stays: .member(group)
            case .asks, .waits: .pending(group)
            }
        }
    }

    /// Lets a reader, whose account is locked, into a group, whose row is locked. Throws `.conflict` (`group_full`,
    /// `too_many_groups`).
    func enter(
        _ reader: Accounts.Reader, _ id: ID<Groups.Group>, _ standing: Groups.Standing, in transaction: Transaction
    ) async throws {
        guard standing.members < Limits.groups.members else {
            throw Failure.conflict(code: .groupFull, "a group has at most \(Limits.groups.members) members")
        }
        let now = services.clock.now()
        try await transaction.one(
            Groups.Statements.CountsOf(reader: reader.id, dayAgo: now - .seconds(86_400))
        ).mayEnter()
        let event = try Groups.Event.joined(id, reader).row(in: services)
        let control = try Groups.Event.membershipChanged([reader.id]).row(in: services)
        try await transaction.batch { batch in
            batch.run(Groups.Statements.InsertMember(group: id, reader: reader.id, role: .member, at: now))
            batch.run(Groups.Statements.CountMembers(group: id, by: 1))
            batch.run(Groups.Statements.DeleteRequest(group: id, reader: reader.id))
            batch.run(Groups.Statements.DropInvitation(group: id, reader: reader.id))
            batch.run(EventLog.Statements.Append(event: event))
            batch.run(EventLog.Statements.Append(event: control))
        }
        try transaction.atCommit { $0.run(Accounts.AddToTally(of: reader.id, groups: 1)) }
    }

    private func ask(
        _ reader: Accounts.Reader, _ id: ID<Groups.Group>, _ standing: Groups.Standing, in transaction: Transaction
    ) async throws {
        let now = services.clock.now()
        let (counts, leaders) = try await services.database.pipeline(
            Groups.Statements.CountsOf(reader: reader.id, dayAgo: now - .seconds(86_400)),
            Groups.Statements.Leaders(of: id))
        let bound = Limits.groups.openRequests
        guard (counts.first?.requests ?? 0) < bound else {
            throw Failure.conflict(code: .tooManyRequests, "at most \(bound) requests wait for an answer")
        }
        try await transaction.run(Groups.Statements.InsertRequest(group: id, reader: reader.id, at: now))
        try await Groups.Event.requested(id, name: standing.name, by: reader, of: leaders.map(\.id))
            .append(in: transaction, services: services)
        let cause: ID<Notifications.Tell> = try services.ids.make()
        try await Notifications.Tell.requested(id, by: reader.id, cause: cause.rawValue).enqueue(in: transaction)
    }

    /// Leaves a group, or takes a request back. Nothing where there is neither. A frozen reader may, too. The group
    /// passes on, or closes, as `Groups` says. Throws `.notFound`.
    package func leave(_ id: ID<Groups.Group>, by reader: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            _ = try await writer(reader, in: transaction)
            let standing = try await lock(id, for: reader, in: transaction)
            if standing.role == nil { try standing.mustBeSeen(id) }
            try await transaction.run(Groups.Statements.DeleteRequest(group: id, reader: reader))
            guard let role = standing.role else { return }
            try await takeOut(reader, role: role, of: id, in: transaction)
            try transaction.atCommit { $0.run(Groups.Statements.Uncount(readers: [reader])) }
        }
    }

    /// Takes a member out of a group whose row is locked, and shows them out. The counter of who goes is the caller's
    /// to change.
    func takeOut(
        _ reader: ID<Accounts.Account>, role: Groups.Role, of id: ID<Groups.Group>, in transaction: Transaction
    ) async throws {
        let event = try Groups.Event.left(id, reader).row(in: services)
        let control = try Groups.Event.membershipChanged([reader]).row(in: services)
        try await transaction.batch { batch in
            batch.run(Groups.Statements.DeleteMember(group: id, reader: reader))
            batch.run(Groups.Statements.CountMembers(group: id, by: -1))
            batch.run(EventLog.Statements.Append(event: event))
            batch.run(EventLog.Statements.Append(event: control))
        }
        try await Groups.close(.group(id.rawValue), to: [reader], in: transaction, services: services)
        if role == .owner { try await passOn(id, in: transaction) }
    }

    /// A group without an owner gets one; one without members ends.
    private func passOn(_ id: ID<Groups.Group>, in transaction: Transaction) async throws {
        let (leaders, heirs) = try await services.database.pipeline(
            Groups.Statements.Leaders(of: id), Groups.Statements.Heir(group: id))
        guard !leaders.contains(where: { $0.role == .owner }) else { return }
        guard let heir = heirs.first else { return try await end(id, in: transaction) }
        try await transaction.run(Groups.Statements.SetRole(group: id, reader: heir, role: .owner))
    }
}

import Postgres

extension Groups.Store {
    /// One group. Throws `.notFound` also for a private one of which the viewer may not know.
    package func group(_ id: ID<Groups.Group>, for viewer: Viewer) async throws -> Groups.Group {
        guard let group = try await services.database.first(Groups.Statements.One(viewer: viewer, group: id)) else {
            throw Failure.notFound("group \(id)")
        }
        return group
    }

    /// Whether a reader may follow what happens in a group: a public one, or one that they are in.
    package func isOpen(_ id: ID<Groups.Group>, to reader: ID<Accounts.Account>) async throws -> Bool {
        try await services.database.first(Groups.Statements.IsOpenTo(viewer: .reader(reader), group: id)) != nil
    }

    /// Public groups. `prefix`: those alone whose names begin so, whatever the case.
    package func directory(
        _ sort: Groups.Sort = .active, prefix: String = "", for viewer: Viewer, page: PageRequest<Groups.Place>
    ) async throws -> Page<Groups.Group, Groups.Place> {
        let prefix = Groups.fold(prefix)
        let database = services.database
        return try await page.read(in: sort, key: sort.place(of:)) {
            try await database.all(Groups.Statements.Directory(viewer: viewer, prefix: prefix, sort: sort, span: $0))
        }
    }

    /// Groups that a reader is in, as far as the viewer sees them, the newest group first.
    package func groups(
        of reader: ID<Accounts.Account>, for viewer: Viewer, page: PageRequest<ID<Groups.Group>>
    ) async throws -> Page<Groups.Group, ID<Groups.Group>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Groups.Statements.OfReader(viewer: viewer, reader: reader, span: $0))
        }
    }

    /// The same of the reader with this username. Throws `.notFound` for one that the viewer may not know of.
    package func groups(
        of username: String, for viewer: Viewer, page: PageRequest<ID<Groups.Group>>
    ) async throws -> Page<Groups.Group, ID<Groups.Group>> {
        try await groups(
            of: try await Library.Store(services).reader(username, for: viewer).id, for: viewer, page: page)
    }

    /// What a reader is invited into, by readers whom they see.
    package func invitations(
        of reader: ID<Accounts.Account>, page: PageRequest<ID<Groups.Group>>
    ) async throws -> Page<Groups.Invitation, ID<Groups.Group>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.group.id) {
            try await database.all(Groups.Statements.Invitations(viewer: reader, span: $0))
        }
    }

    /// Members whom the viewer sees, those who joined first first. Throws `.notFound`; `.forbidden` (`not_a_member`)
    /// for viewers who are only invited into a private group.
    package func members(
        of id: ID<Groups.Group>, for viewer: Viewer, page: PageRequest<Groups.Key>
    ) async throws -> Page<Groups.Member, Groups.Key> {
        let group = try await group(id, for: viewer)
        guard group.visibility == .public || group.role != nil else { throw Failure.notMember }
        let database = services.database
        return try await page.read(from: .lowest, key: \.key) {
            try await database.all(Groups.Statements.Members(viewer: viewer, group: id, span: $0))
        }
    }

    /// What moderators did in the group, newest first. Throws `.notFound`; `.forbidden` (`not_a_member`).
    package func moderationLog(
        of id: ID<Groups.Group>, for reader: ID<Accounts.Account>, page: PageRequest<ID<Moderation.Action>>
    ) async throws -> Page<Moderation.Logged, ID<Moderation.Action>> {
        guard try await group(id, for: .reader(reader)).role != nil else { throw Failure.notMember }
        return try await Moderation.Store(services).log(ofGroup: id.rawValue, page)
    }

    /// One member, as `members` shows them. Throws as it, and `.notFound` for a reader who is none or is not seen.
    package func member(
        _ username: String, of id: ID<Groups.Group>, for reader: ID<Accounts.Account>
    ) async throws -> Groups.Member {
        let group = try await group(id, for: .reader(reader))
        guard group.visibility == .public || group.role != nil else { throw Failure.notMember }
        let found = Friends.Statements.FindReader(viewer: reader, folded: Accounts.Username.fold(username))
        guard let other = try await services.database.first(found)?.id,
            let member = try await services.database.first(
                Groups.Statements.OneMember(viewer: reader, group: id, reader: other))
        else { throw Failure.notFound("member") }
        return member
    }

    /// Requests that wait, oldest first. For owners and moderators. Throws `.notFound`, `.forbidden` (`not_a_member`,
    /// `role_too_low`).
    package func requests(
        to id: ID<Groups.Group>, for leader: ID<Accounts.Account>, page: PageRequest<Groups.Key>
    ) async throws -> Page<Groups.Application, Groups.Key> {
        let database = services.database
        let standing = Groups.Statements.StandingIn(group: id, reader: leader)
        guard let standing = try await database.first(standing) else { throw Failure.notFound("group \(id)") }
        try standing.mustBe(.moderator, of: id)
        return try await page.read(from: .lowest, key: \.key) {
            try await database.all(Groups.Statements.Requests(viewer: leader, group: id, span: $0))
        }
    }
}

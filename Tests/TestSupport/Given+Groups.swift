import Community
import Postgres

extension Given {
    /// A group of `owner` with these members, as the store leaves it, without events and whatever the limits say.
    package func club(
        by owner: ID<Accounts.Account>, _ visibility: Groups.Openness = .public, joining: Groups.Joining = .open,
        name: String = "Club", with members: [(ID<Accounts.Account>, Groups.Role)] = []
    ) async throws -> ID<Groups.Group> {
        let id: ID<Groups.Group> = try world.services.ids.make()
        let now = world.clock.now().text
        try await world.asSuperuser(
            """
            insert into reading_group (id, name, folded, joining, visibility, members, maker_id, active_at, created_at)
            values (\(id), '\(name)', lower('\(name)'), '\(joining.rawValue)', '\(visibility.rawValue)', 0, \(owner), '\(now)', '\(now)')
            """)
        for (reader, role) in [(owner, Groups.Role.owner)] + members { try await member(reader, role, of: id) }
        return id
    }

    /// One member more of a group, in the same way.
    package func member(
        _ reader: ID<Accounts.Account>, _ role: Groups.Role = .member, of group: ID<Groups.Group>
    ) async throws {
        try await world.asSuperuser(
            """
            insert into group_member (group_id, reader_id, role, joined_at)
            values (\(group), \(reader), '\(role.rawValue)', '\(world.clock.now().text)');
            update reading_group set members = members + 1 where id = \(group);
            insert into reader_tally as tally (reader_id, groups) values (\(reader), 1)
            on conflict (reader_id) do update set groups = tally.groups + 1
            """)
    }

    /// A thread on a group's board, about a book or about none.
    package func thread(
        in group: ID<Groups.Group>, by author: ID<Accounts.Account>, about book: ID<Catalog.Work>? = nil,
        title: String = "A thread", body: String = "What I think.", scope: Gate.Scope? = nil
    ) async throws -> MadeThread {
        let new = Boards.NewThread(title: title, body: body, scope: scope.map { .scope($0) })
        let opened = try await world.community.boards.open(new, in: group, about: book, by: author)
        return MadeThread(id: opened.thread.id, post: opened.post.id)
    }
}

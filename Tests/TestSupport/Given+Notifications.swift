import Community
import Jobs
import Postgres

extension Given {
    /// A notification that a post of the reader's own was raised, as the store leaves it.
    package func notification(
        to reader: ID<Accounts.Account>, of post: ID<Boards.Post>
    ) async throws -> ID<Notifications.Item> {
        let id: ID<Notifications.Item> = try world.services.ids.make()
        try await world.asSuperuser(
            """
            insert into notification (id, reader_id, kind, subject_id, cause_id, at)
            values (\(id), \(reader), 'post.raised', \(post), \(id), '\(world.clock.now().text)');
            insert into reader_tally as tally (reader_id, unread_notifications) values (\(reader), 1)
            on conflict (reader_id) do update set unread_notifications = tally.unread_notifications + 1
            """)
        return id
    }
}

extension World {
    /// Tells everybody of what happened so far, and sends the mails that are on their way. Gives how many jobs failed.
    @discardableResult
    package func tell() async throws -> Int {
        let worker = Jobs.Worker(database: database, logger: logger)
        Notifications.register(on: worker, community: community)
        Mail.register(on: worker, community: community)
        return try await worker.drain().failures.count
    }

    /// What `commonplace check` says of notifications.
    package func notificationDifferences() async throws -> [String] {
        try await database.differences(of: Notifications.self)
    }
}

import Community
import Postgres

/// A post as rows of the tables, without the rules of writing: what those that only read of posts start from.
package struct PostRow: Sendable {
    package let id: Int64
    package let thread: Int64
    package let author: ID<Accounts.Account>
    /// Of `post_text`.
    package let text: Int64
}

extension Given {
    /// A thread, with its first post at `scope`.
    package func threadRow(
        by author: ID<Accounts.Account>, on book: ID<Catalog.Work>, kind: Boards.Kind = .discussion, scope: Int = 0
    ) async throws -> PostRow {
        let id = try world.services.ids.make(Never.self).rawValue
        try await world.asSuperuser(
            """
            insert into thread (id, work_id, author_id, kind, title, last_post_id, last_post_at, created_at)
            values (\(id), \(book), \(author), '\(kind.rawValue)', 'A title', \(id), now(), now())
            """)
        return try await postRow(by: author, in: id, scope: scope)
    }

    /// The next post of a thread. `also`: another book that it gives away, and how much of that.
    package func postRow(
        by author: ID<Accounts.Account>, in thread: Int64, scope: Int = 0,
        also: (book: ID<Catalog.Work>, scope: Int)? = nil
    ) async throws -> PostRow {
        let (id, text) = (
            try world.services.ids.make(Never.self).rawValue, try world.services.ids.make(Never.self).rawValue
        )
        try await world.asSuperuser(
            """
            insert into post (id, thread_id, number, author_id, depth, path, scope, also_work_id, also_scope, text_id,
                              created_at, work_id)
            select \(id), \(thread), 1 + count(*), \(author), 0, lpad('\(id)', 16, '0'), \(scope),
                   \(also.map { "\($0.book)" } ?? "null"), \(also.map { "\($0.scope)" } ?? "null"), \(text), now(),
                   (select work_id from thread where id = \(thread))
              from post where thread_id = \(thread);
            insert into post_text (id, post_id, body, html, at) values (\(text), \(id), 'x', '<p>x</p>', now())
            """)
        return PostRow(id: id, thread: thread, author: author, text: text)
    }

    /// The same post after an edit, which gave it another text.
    package func edited(_ post: PostRow) async throws -> PostRow {
        let text = try world.services.ids.make(Never.self).rawValue
        try await world.asSuperuser(
            """
            insert into post_text (id, post_id, body, html, at) values (\(text), \(post.id), 'y', '<p>y</p>', now());
            update post set text_id = \(text) where id = \(post.id)
            """)
        return PostRow(id: post.id, thread: post.thread, author: post.author, text: text)
    }
}

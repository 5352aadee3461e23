import Community
import MarkdownReading
import Postgres

/// A thread that a test made, with the post that opens it.
package struct MadeThread: Sendable, Hashable {
    package let id: ID<Boards.Thread>
    package let post: ID<Boards.Post>
}

extension Given {
    /// A thread on a book's board as the store leaves it, counters and marker included, without an event and whatever
    /// the limits say: it gives nothing away unless `scope` says otherwise.
    package func thread(
        on book: ID<Catalog.Work>, by author: ID<Accounts.Account>, title: String = "A thread",
        kind: Boards.Kind = .discussion, scope: Gate.Scope = .free, also: Boards.Also? = nil,
        body: String = "What I think.", veiled: String? = nil
    ) async throws -> MadeThread {
        let ids = world.services.ids
        let made = MadeThread(id: try ids.make(), post: try ids.make())
        let new = Row(id: made.post, text: try ids.make(), body: body, veiled: veiled, scope: scope, also: also)
        let now = world.clock.now().text
        try await world.asSuperuser(
            """
            insert into thread (id, work_id, author_id, kind, title, last_post_id, last_post_at, created_at)
            values (\(made.id), \(book), \(author), '\(kind.rawValue)', \(quoted(title)), \(made.post), '\(now)', '\(now)');
            insert into post (id, thread_id, number, author_id, depth, path, \(Row.columns), created_at, work_id)
            values (\(made.post), \(made.id), 1, \(author), 0, lpad(to_hex(\(made.post)), 16, '0'), \(new.values), '\(now)', \(book));
            \(new.rest(thread: made.id, author: author, title: title, at: now))
            """)
        return made
    }

    /// A reply in a thread, in the same way: to the post that is named, else to the thread as a whole.
    package func post(
        in thread: ID<Boards.Thread>, by author: ID<Accounts.Account>, answering parent: ID<Boards.Post>? = nil,
        quoting quote: ID<Boards.Post>? = nil, scope: Gate.Scope = .free, also: Boards.Also? = nil,
        body: String = "A reply.", veiled: String? = nil
    ) async throws -> ID<Boards.Post> {
        let ids = world.services.ids
        let new = Row(id: try ids.make(), text: try ids.make(), body: body, veiled: veiled, scope: scope, also: also)
        let now = world.clock.now().text
        try await world.asSuperuser(
            """
            with place as (
                select id, path, depth
                  from post
                 where id = (select case when depth = 6 then parent_id else id end
                               from post where id = \(parent?.text ?? "null"))
            ), bumped as (
                update thread set posts = posts + 1, replies = replies + 1, last_post_id = \(new.id), last_post_at = '\(now)'
                 where id = \(thread) returning posts, work_id
            ), answered as (
                update post set replies = post.replies + 1 from place where post.id = place.id
            )
            insert into post (id, thread_id, number, author_id, parent_id, answers_id, quoted_id, depth, path,
                              \(Row.columns), created_at, work_id)
            select \(new.id), \(thread), bumped.posts, \(author), place.id,
                   case when place.depth = \(Limits.boards.depth - 1) then \(parent?.text ?? "null")::bigint end,
                   \(quote?.text ?? "null"), coalesce(place.depth + 1, 0),
                   coalesce(place.path, '') || lpad(to_hex(\(new.id)), 16, '0'), \(new.values), '\(now)',
                   bumped.work_id
              from bumped left join place on true;
            \(new.rest(thread: thread, author: author, title: nil, at: now))
            """)
        return new.id
    }

    /// What a first post and a reply have in common.
    private struct Row {
        let id: ID<Boards.Post>
        let text: ID<Boards.Text>
        let body: String
        let veiled: String?
        let scope: Gate.Scope
        let also: Boards.Also?

        static let columns = "scope, also_work_id, also_scope, text_id"

        var values: String {
            let other = also.map { "\($0.book), \($0.scope.position)" } ?? "null, null"
            return "\(scope.position), \(other), \(text)"
        }

        /// The text, its words, the counters, and that its author has read so far and follows the thread.
        func rest(thread: ID<Boards.Thread>, author: ID<Accounts.Account>, title: String?, at now: String) -> String {
            let words = WordVector.text(title: title, plain: Markdown.render(body).plain)
            let title = title.map(quoted) ?? "null"
            let hidden = veiled.map { "\(quoted($0)), \(quoted("<p>\($0)</p>"))" } ?? "null, null"
            return """
                insert into post_text (id, post_id, title, body, html, veiled_body, veiled_html, at)
                values (\(text), \(id), \(title), \(quoted(body)), \(quoted("<p>\(body)</p>")), \(hidden), '\(now)');
                insert into post_search (post_id, thread_id, board_id, text_id, words)
                select \(id), id, board_id, \(text),
                       \(quoted(words))::tsvector || ('#' || id || ' #' || board_id)::tsvector
                  from thread where id = \(thread);
                insert into board_scope as counted (work_id, scope, posts)
                select work_id, \(scope.position), 1 from thread where id = \(thread) and group_id is null
                on conflict (work_id, scope) do update set posts = counted.posts + 1;
                insert into thread_reader as mine (reader_id, thread_id, read_number, watching, at)
                select \(author), \(thread), number, 'followed', '\(now)' from post where id = \(id)
                on conflict (reader_id, thread_id) do update
                   set read_number = greatest(mine.read_number, excluded.read_number),
                       watching = coalesce(mine.watching, 'followed');
                insert into reader_tally as tally (reader_id, comments) values (\(author), 1)
                on conflict (reader_id) do update set comments = tally.comments + 1
                """
        }
    }
}

/// Text as a literal of SQL.
private func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

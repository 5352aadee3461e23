import EventLog
import Jobs
import MarkdownReading
import Postgres

extension Boards.Store {
    /// Writes a reply in a thread, to one of its posts or to the thread as a whole.
    ///
    /// One transaction: post, number, text, counters, marker, event. Throws `.invalid`; `.notFound` for a thread,
    /// parent or quoted post that is not there for the author, whom a block keeps from it among others; `.forbidden`
    /// (`account_frozen`, `email_unverified`, `thread_locked`, `post_gated`, `not_a_member`);
    /// `.limited`; `.conflict` (`duplicate_post`).
    package func reply(
        _ new: Boards.NewPost, in thread: ID<Boards.Thread>, by author: ID<Accounts.Account>
    ) async throws -> Boards.Replied {
        try new.validate()
        let text = try await Markdown.written(new.body, by: author, in: services.database)
        return try await services.database.transaction { transaction in
            let now = services.clock.now()
            let (writers, _, recent, rows) = try await services.database.pipeline(
                Accounts.Statements.LockWriter(account: author),
                Groups.Statements.HoldMemberAt(thread: thread, post: nil, reader: author),
                Boards.Statements.Recent(of: author, saying: text, at: thread.rawValue, on: services),
                Boards.Statements.ReplyGround(viewer: author, thread: thread, parent: new.parent, quoted: new.quoted))
            guard let writer = writers.first else { throw Failure.unauthenticated() }
            try writer.mayPost(on: services)
            let ground = try Boards.Ground(rows, of: thread, for: new)
            try recent.first?.mayReply(isNew: services.isNew(bornAt: writer.bornAt), at: now)
            let usual = try await scope(new.scope, atLeast: ground.scope, by: author, in: ground.work, in: transaction)
            let said = try await also(new.also, by: author, in: ground.work, in: transaction)
            let draft = Draft(
                id: try services.ids.make(), thread: thread, place: ground.place, quoted: new.quoted,
                scope: usual.scope,
                also: try ground.also(with: said), text: text, textID: try services.ids.make(), at: now)
            let post = try await write(draft, on: ground, by: writer, in: transaction)
            return Boards.Replied(post: post, scopeReason: usual.reason)
        }
    }

    /// A reply before it has its number.
    private struct Draft {
        let id: ID<Boards.Post>
        let thread: ID<Boards.Thread>
        let place: Boards.Ground.Place
        let quoted: ID<Boards.Post>?
        let scope: Gate.Scope
        let also: Boards.Also?
        let text: Markdown.Text
        let textID: ID<Boards.Text>
        let at: Timestamp

        func post(number: Int, by author: Accounts.Reader) -> Boards.Post {
            Boards.Post(
                id: id, thread: thread, number: number, parent: place.parent, answers: place.answers,
                depth: place.depth, author: author, opens: nil, scope: scope, also: also, quoted: quoted,
                text: Boards.Text(body: text.body, html: text.html, isVeiled: false), createdAt: at)
        }
    }

    /// The number first, which the event tells; everything else goes with the commit, while the thread's row is locked.
    private func write(
        _ draft: Draft, on ground: Boards.Ground, by writer: Accounts.Writer, in transaction: Transaction
    ) async throws -> Boards.Post {
        let inserted = try await transaction.first(
            Boards.Statements.InsertReply(
                id: draft.id, thread: draft.thread, author: writer.id, place: draft.place, quoted: draft.quoted,
                scope: draft.scope, also: draft.also, text: draft.textID, at: draft.at))
        guard let number = inserted else {
            // Locked, hidden or taken away since: run the whole transaction again, which then finds it so and says why.
            throw PostgresError(.server, sqlState: .serializationFailure, statement: Boards.Statements.InsertReply.name)
        }
        let post = draft.post(number: number, by: writer.reader)
        let thread = Boards.Event.Thread(
            id: draft.thread, kind: ground.kind, book: ground.work, group: ground.group, title: nil)
        let event = Boards.Event.created(thread, Boards.Event.Told(post, by: writer.told, draft.text, draft.textID))
        let record = try EventLog.Statements.Append(event: event.row(in: services))
        let telling = try Jobs.Enqueue(Notifications.Tell.written(draft.id, by: writer.id))
        try transaction.atCommit { batch in
            Texts.Revision(id: draft.textID, thing: draft.id, text: draft.text, at: draft.at).add(to: &batch)
            batch.run(
                Boards.Statements.SetWords(
                    post: draft.id, thread: draft.thread, text: draft.textID,
                    words: WordVector.text(title: nil, plain: draft.text.plain)))
            batch.run(
                Boards.Statements.MarkWritten(reader: writer.id, thread: draft.thread, number: number, at: draft.at))
            batch.run(Boards.Statements.CountScope(thread: draft.thread, scope: draft.scope, by: 1))
            batch.run(Accounts.AddToTally(of: writer.id, comments: 1))
            batch.run(record)
            batch.run(telling)
            if ground.group != nil { batch.run(Groups.Statements.Touch(thread: draft.thread, at: draft.at)) }
        }
        return post
    }
}

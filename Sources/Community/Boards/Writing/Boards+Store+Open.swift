import EventLog
import Jobs
import MarkdownReading
import Postgres

extension Boards.Store {
    /// Opens a thread on the board of a book, or of what it was merged into.
    ///
    /// One transaction: thread, post, text, counters, marker, event. Throws `.invalid`; `.notFound` for the book;
    /// `.forbidden` (`account_frozen`, `email_unverified`, `not_moderator` for an announcement); `.limited`;
    /// `.conflict` (`duplicate_post`).
    package func open(
        _ new: Boards.NewThread, on work: ID<Catalog.Work>, by author: ID<Accounts.Account>
    ) async throws -> Boards.Opened {
        try new.validate()
        let text = try await Markdown.written(new.body, by: author, in: services.database)
        return try await services.database.transaction { transaction in
            let now = services.clock.now()
            let (writers, recent, boards) = try await services.database.pipeline(
                Accounts.Statements.LockWriter(account: author),
                Boards.Statements.Recent(of: author, saying: text, at: work.rawValue, on: services),
                Catalog.HoldBook(work: work))
            guard let writer = writers.first else { throw Failure.unauthenticated() }
            try writer.mayPost(on: services)
            let work = try await board(boards.first, insteadOf: work, in: transaction)
            guard new.kind != .announcement || writer.isModerator else { throw Failure.notModerator }
            try recent.first?.mayOpen(isNew: services.isNew(bornAt: writer.bornAt), at: now)
            return try await open(new, text, on: Home(work: work, group: nil), by: writer, at: now, in: transaction)
        }
    }

    /// Opens a thread on the board of a group, about a book or about none; then it gives nothing away.
    ///
    /// As on a book's board. Throws `.invalid` (`/book_id` `unknown` among others); `.notFound` for the group;
    /// `.forbidden` (`account_frozen`, `email_unverified`, `not_a_member`, `not_moderator` for an announcement by a
    /// mere member); `.limited`; `.conflict` (`duplicate_post`).
    package func open(
        _ new: Boards.NewThread, in group: ID<Groups.Group>, about work: ID<Catalog.Work>?,
        by author: ID<Accounts.Account>
    ) async throws -> Boards.Opened {
        try new.validate()
        let text = try await Markdown.written(new.body, by: author, in: services.database)
        return try await services.database.transaction { transaction in
            let now = services.clock.now()
            let (writers, recent, boards, roles, standings) = try await services.database.pipeline(
                Accounts.Statements.LockWriter(account: author),
                Boards.Statements.Recent(of: author, saying: text, at: group.rawValue, on: services),
                Catalog.HoldBook(work: work ?? .min),
                Groups.Statements.HoldMember(group: group, reader: author),
                Groups.Statements.StandingIn(group: group, reader: author))
            guard let writer = writers.first else { throw Failure.unauthenticated() }
            guard let standing = standings.first else { throw Failure.notFound("group \(group)") }
            try standing.mustBeSeen(group)
            try writer.mayPost(on: services)
            guard let role = roles.first else { throw Failure.notMember }
            guard new.kind != .announcement || writer.isModerator || role > .member else { throw Failure.notModerator }
            try recent.first?.mayOpen(isNew: services.isNew(bornAt: writer.bornAt), at: now)
            guard work == nil || boards.first != nil else {
                throw Failure.invalid("/book_id", .unknown, "there is no such book")
            }
            var home = Home(work: nil, group: group)
            if let work { home.work = try await board(boards.first, insteadOf: work, in: transaction) }
            return try await open(new, text, on: home, by: writer, at: now, in: transaction)
        }
    }

    /// Where a thread is to stand.
    private struct Home {
        var work: ID<Catalog.Work>?
        let group: ID<Groups.Group>?
    }

    private func open(
        _ new: Boards.NewThread, _ text: Markdown.Text, on home: Home, by writer: Accounts.Writer, at now: Timestamp,
        in transaction: Transaction
    ) async throws -> Boards.Opened {
        let usual = try await scope(new.scope, atLeast: .free, by: writer.id, in: home.work, in: transaction)
        let also = try await self.also(new.also, by: writer.id, in: home.work, in: transaction)
        let post = Boards.Post(
            id: try services.ids.make(), thread: try services.ids.make(), number: 1, parent: nil, answers: nil,
            depth: 0, author: writer.reader, opens: new.kind, scope: usual.scope, also: also, quoted: nil,
            text: Boards.Text(body: text.body, html: text.html, isVeiled: false), createdAt: now)
        try write(post, text, title: new.title, on: home, by: writer, in: transaction)
        let thread = Boards.Thread(
            id: post.thread, book: home.work, group: home.group, author: post.author, kind: new.kind, title: new.title,
            excerpt: Boards.excerpt(of: text), scope: post.scope, replies: 0, reactions: 0, posts: 1, unread: 0,
            watching: .followed, isLocked: false,
            isPinned: false, version: 1, createdAt: now, lastPostAt: now, isMuted: false)
        return Boards.Opened(thread: thread, post: post, scopeReason: usual.reason)
    }

    /// The book that was held. Where it was merged while this waited for it, that must be held, too.
    private func board(
        _ found: ID<Catalog.Work>?, insteadOf work: ID<Catalog.Work>, in transaction: Transaction
    ) async throws -> ID<Catalog.Work> {
        var held = found
        if let found, found != work { held = try await transaction.first(Catalog.HoldBook(work: found)) }
        guard let held else { throw Failure.notFound("book \(work)") }
        return held
    }

    // Inlined, Swift 6.3.1 loses count of who owns the writer, and its optimiser ends with an error.
    @inline(never)
    private func write(
        _ post: Boards.Post, _ text: Markdown.Text, title: String, on home: Home, by writer: Accounts.Writer,
        in transaction: Transaction
    ) throws {
        let id: ID<Boards.Text> = try services.ids.make()
        let thread = Boards.Event.Thread(
            id: post.thread, kind: post.opens ?? .discussion, book: home.work, group: home.group, title: title)
        let event = Boards.Event.opened(thread, Boards.Event.Told(post, by: writer.told, text, id))
        let record = try EventLog.Statements.Append(event: event.row(in: services))
        let telling = try Jobs.Enqueue(Notifications.Tell.written(post.id, by: writer.id))
        try transaction.atCommit { batch in
            batch.run(
                Boards.Statements.InsertThread(
                    id: post.thread, work: home.work, group: home.group, author: writer.id, kind: thread.kind,
                    title: title, post: post.id, at: post.createdAt))
            batch.run(
                Boards.Statements.InsertFirst(
                    id: post.id, thread: post.thread, author: writer.id, scope: post.scope, also: post.also, text: id,
                    at: post.createdAt))
            Texts.Revision(id: id, thing: post.id, title: title, text: text, at: post.createdAt).add(to: &batch)
            batch.run(
                Boards.Statements.SetWords(
                    post: post.id, thread: post.thread, text: id,
                    words: WordVector.text(title: title, plain: text.plain)))
            batch.run(
                Boards.Statements.MarkWritten(reader: writer.id, thread: post.thread, number: 1, at: post.createdAt))
            batch.run(Boards.Statements.CountScope(thread: post.thread, scope: post.scope, by: 1))
            batch.run(Accounts.AddToTally(of: writer.id, comments: 1))
            batch.run(record)
            batch.run(telling)
            if home.group != nil { batch.run(Groups.Statements.Touch(thread: post.thread, at: post.createdAt)) }
        }
    }
}

import EventLog
import Jobs
import MarkdownReading
import Postgres

extension Reviews.Store {
    /// Answers a review, one's own too. What answers a marked review is under its mark for good.
    ///
    /// One transaction: reply, number, count, event, notifications. Throws `.invalid`; `.notFound` for a review that is
    /// not there for the author, whom a block keeps from it among others; `.forbidden` (`account_frozen`,
    /// `email_unverified`, `review_gated`); `.limited` and `.conflict` (`duplicate_post`) as posts are.
    package func reply(
        _ body: String, to review: ID<Reviews.Review>, by author: ID<Accounts.Account>
    ) async throws -> Reviews.Reply {
        let text = try await rendered(body, by: author)
        return try await services.database.transaction { transaction in
            let now = services.clock.now()
            let (writers, recent, grounds) = try await services.database.pipeline(
                Accounts.Statements.LockWriter(account: author),
                Boards.Statements.Recent(of: author, saying: text, at: review.rawValue, on: services),
                Reviews.Statements.ReplyGround(author: author, review: review))
            guard let writer = writers.first else { throw Failure.unauthenticated() }
            try writer.mayPost(on: services)
            guard let ground = grounds.first else { throw Failure.notFound("review \(review)") }
            guard ground.isOpen else { throw Failure.reviewGated }
            try recent.first?.mayReply(isNew: services.isNew(bornAt: writer.bornAt), at: now)
            let (id, textID): (ID<Reviews.Reply>, ID<Reviews.Text>) = (try services.ids.make(), try services.ids.make())
            let inserted = try await transaction.first(
                Reviews.Statements.InsertReply(
                    id: id, review: review, author: author, textID: textID, text: text, at: now))
            guard let (number, spoilers) = inserted else { throw Failure.notFound("review \(review)") }
            let reply = Reviews.Reply(
                id: id, review: review, number: number, author: writer.reader,
                text: Reviews.Text(body: text.body, html: text.html, isVeiled: false), spoilers: spoilers, version: 1,
                createdAt: now, editedAt: nil)
            try tell(
                .replied(reply, by: writer.told, text: textID), of: ground.book, at: ground.visibility, in: transaction)
            let telling = try Jobs.Enqueue(Notifications.Tell.replied(id, by: author))
            try transaction.atCommit { $0.run(telling) }
            return reply
        }
    }

    /// Makes a reply of one's own say something else; the same again changes nothing. One transaction: text, event,
    /// notifications of readers whom it mentions. Throws `.invalid`; `.notFound`
    /// for a reply that is somebody else's or gone, or to a review that is not there for its author any more;
    /// `.forbidden` (`account_frozen`, `email_unverified`, `review_gated`); `.preconditionFailed`.
    package func edit(
        _ reply: ID<Reviews.Reply>, to body: String, by author: ID<Accounts.Account>,
        ifVersion version: Precondition = .none
    ) async throws -> Reviews.Reply {
        let text = try await rendered(body, by: author)
        return try await services.database.transaction { transaction in
            let (writer, standing) = try await lock(reply, by: author, in: transaction)
            try writer.mayPost(on: services)
            guard standing.isSeen else { throw Failure.notFound("review reply \(reply)") }
            guard standing.isOpen else { throw Failure.reviewGated }
            let old = standing.reply
            try version.check(old.version)
            guard text.body != old.text.body else { return old }
            let now = services.clock.now()
            let textID: ID<Reviews.Text> = try services.ids.make()
            var new = old
            new.text = Reviews.Text(body: text.body, html: text.html, isVeiled: false)
            (new.version, new.editedAt) = (old.version + 1, now)
            try await transaction.run(Reviews.Statements.ChangeReply(reply: reply, textID: textID, text: text, at: now))
            try tell(
                .edited(new, by: writer.told, text: textID), of: standing.book, at: standing.visibility,
                in: transaction)
            let telling = try Jobs.Enqueue(Notifications.Tell.replyEdited(reply, to: textID, by: author))
            if !text.mentions.isEmpty { try transaction.atCommit { $0.run(telling) } }
            return new
        }
    }

    /// Takes a reply of one's own away, wherever it stands. Throws `.notFound` for one that is somebody else's or gone,
    /// `.forbidden` (`account_frozen`), `.preconditionFailed`.
    package func remove(
        _ reply: ID<Reviews.Reply>, by author: ID<Accounts.Account>, ifVersion version: Precondition = .none
    ) async throws {
        try await services.database.transaction { transaction in
            let (writer, standing) = try await lock(reply, by: author, in: transaction)
            try writer.state.mayWrite()
            try version.check(standing.reply.version)
            try await transaction.run(Reviews.Statements.DeleteReply(reply: reply))
            // Nobody else has one that a moderator hides.
            let level: Visibility = standing.reply.isHidden ? .private : min(writer.level, standing.visibility)
            try tell(
                .removed(standing.reply, level: level), of: standing.book, at: standing.visibility, in: transaction)
        }
    }

    /// One reply. Throws `.notFound` also for one that is hidden.
    package func reply(_ id: ID<Reviews.Reply>, for viewer: Viewer) async throws -> Reviews.ShownReply {
        guard let reply = try await services.database.first(Reviews.Statements.OneReply(viewer: viewer, reply: id))
        else {
            throw Failure.notFound("review reply \(id)")
        }
        return reply
    }

    /// Replies to a review, oldest first. Throws `.notFound` for a review that is not there for the viewer.
    package func replies(
        to review: ID<Reviews.Review>, for viewer: Viewer, page: PageRequest<Reviews.ReplyPlace>
    ) async throws -> Page<Reviews.ShownReply, Reviews.ReplyPlace> {
        var isSeen = false
        let replies = try await page.read(from: .lowest, key: \.key) { span in
            let (reviews, replies) = try await services.database.pipeline(
                Reviews.Statements.One(viewer: viewer, review: review),
                Reviews.Statements.Replies(viewer: viewer, review: review, span: span))
            isSeen = !reviews.isEmpty
            return replies
        }
        guard isSeen else { throw Failure.notFound("review \(review)") }
        return replies.map(\.item)
    }

    private func rendered(_ body: String, by author: ID<Accounts.Account>) async throws -> Markdown.Text {
        var faults = Faults()
        Boards.check(body: body, into: &faults)
        try faults.check()
        return try await Markdown.written(body, by: author, in: services.database)
    }

    /// The author, then the review, then the reply, all locked in one round trip.
    func lock(
        _ reply: ID<Reviews.Reply>, by author: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> (Accounts.Writer, Reviews.StandingReply) {
        let (writers, _, found) = try await services.database.pipeline(
            Accounts.Statements.LockWriter(account: author), Reviews.Statements.LockReviewOf(reply: reply),
            Reviews.Statements.StandingReply(viewer: author, reply: reply))
        guard let writer = writers.first else { throw Failure.unauthenticated() }
        guard let standing = found.first else { throw Failure.notFound("review reply \(reply)") }
        return (writer, standing)
    }

    /// Followers of a book hear of what members may see.
    func tell(
        _ event: Reviews.TalkEvent, of book: ID<Catalog.Work>, at visibility: Visibility, in transaction: Transaction
    ) throws {
        guard visibility >= .members else { return }
        let record = try EventLog.Statements.Append(event: event.row(of: book, in: services))
        try transaction.atCommit { $0.run(record) }
    }
}

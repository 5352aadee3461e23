import EventLog
import Postgres

// What a moderator hides comes out of the counts and off open sockets as what its reader makes private does, and comes
// back as what its reader shows again.
extension Reviews.Review: Deletable {
    package static func setHidden(
        _ isHidden: Bool, _ id: ID<Self>, of services: Services, in transaction: Transaction
    ) async throws -> Bool {
        let asked = Reviews.Statements.LockToHide(review: id)
        guard let (reader, isSo) = try await transaction.first(asked), isSo != isHidden else { return false }
        let held = try await transaction.one(
            Reviews.Statements.Held(viewer: reader, review: id, counting: Accounts.Counting(services)))
        let (old, now) = (held.review, services.clock.now())
        var new = old
        (new.visibility, new.hiddenLevel) = isHidden ? (.private, old.visibility) : (old.wanted, nil)
        new.version += 1
        let counted = held.counts && new.visibility >= .members
        let records = try Reviews.Event.between(old, new).map {
            EventLog.Statements.Append(
                event: try $0.row(id: try services.ids.make(Reviews.Event.self).rawValue, text: held.text, at: now))
        }
        let review = new
        try await transaction.batch { batch in
            batch.run(Reviews.Statements.SetHidden(review: review, at: isHidden ? now : nil, counted: counted))
            batch.run(
                Library.Rated(
                    reader: reader, work: review.book.id, rating: review.rating, level: review.visibility))
            for record in records { batch.run(record) }
        }
        try Reviews.Store(services).count(
            review.book.id, from: held.counted ? old.share : .nothing, to: counted ? review.share : .nothing,
            in: transaction)
        return true
    }

    package static func erase(_ id: ID<Self>, of services: Services, in transaction: Transaction) async throws {
        guard let reader = try await transaction.first(Reviews.Statements.LockToHide(review: id))?.reader else {
            return
        }
        let review = try await transaction.one(
            Reviews.Statements.Held(viewer: reader, review: id, counting: Accounts.Counting(services))
        ).review
        let now = services.clock.now()
        try await transaction.batch { batch in
            batch.run(Reviews.Statements.Delete(review: id))
            batch.run(Library.Rated(reader: reader, work: review.book.id, rating: nil, level: .private))
            batch.run(
                Activity.Statements.Undo(subject: id.rawValue, since: review.createdAt, kind: nil, at: now))
        }
    }
}

extension Reviews.Reply: Deletable {
    package static func setHidden(
        _ isHidden: Bool, _ id: ID<Self>, of services: Services, in transaction: Transaction
    ) async throws -> Bool {
        guard let author = try await transaction.first(Reviews.Statements.AuthorOf(reply: id)) else { return false }
        let store = Reviews.Store(services)
        let (writer, standing) = try await store.lock(id, by: author, in: transaction)
        guard standing.reply.isHidden != isHidden else { return false }
        let change = Reviews.Statements.SetReplyHidden(
            reply: id, at: isHidden ? services.clock.now() : nil, replies: isHidden ? -1 : 1)
        let text = try await transaction.one(change)
        var reply = standing.reply
        (reply.isHidden, reply.version) = (isHidden, reply.version + 1)
        try store.tell(
            isHidden
                ? .removed(reply, level: min(writer.level, standing.visibility))
                : .edited(reply, by: writer.told, text: text),
            of: standing.book, at: standing.visibility, in: transaction)
        return true
    }

    package static func erase(_ id: ID<Self>, of services: Services, in transaction: Transaction) async throws {
        try await transaction.run(Reviews.Statements.DeleteReply(reply: id))
    }
}

import EventLog
import JSONWriting
import Postgres

extension Reviews {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case posted = "review.posted"
        case rated = "book.rated"
        case edited = "review.edited"
        case removed = "review.removed"
        case replied = "review.replied"
        case replyEdited = "review.reply_edited"
        case replyRemoved = "review.reply_removed"
        /// One reaction more or less: `{"review": {"id"}, "book": {"id"}, "reactions"}`, all its counts. See
        /// `Review.reacting`.
        case reacted = "review.reacted"
    }

    /// What a change of a review tells others. Version 1 of each carries the review as the API shows it to readers who may
    /// not see inline spoilers.
    ///
    /// The subject is the text that it tells: it is delivered only while that is the review's. Bare stars have the
    /// review itself.
    enum Event: Hashable, Sendable {
        /// A text that was not there before.
        case posted(Review)
        /// A rating, new or changed, without a change of the text.
        case rated(Review)
        /// Text, mark or level changed.
        case edited(Review)
        /// All of it is gone, or out of sight: carries ids only.
        case removed(Review)

        /// What distinguishes `new` from `old`, in this order; nothing where nothing does.
        ///
        /// A lower level first takes the review back from everybody who could see it: a reader who may see it still gets it
        /// again with the next event.
        static func between(_ old: Review?, _ new: Review) -> [Event] {
            guard let old else { return [new.body == nil ? .rated(new) : .posted(new)] }
            if new.visibility < old.visibility {
                return [.removed(old), old.body == nil && new.body != nil ? .posted(new) : .edited(new)]
            }
            if old.body == nil, new.body != nil { return [.posted(new)] }
            // What is no news, and the stars, which are another event.
            var rest = new
            (rest.rating, rest.levelIsOwn) = (old.rating, old.levelIsOwn)
            (rest.version, rest.editedAt) = (old.version, old.editedAt)
            return rest != old ? [.edited(new)] : old.rating != new.rating ? [.rated(new)] : []
        }

        var kind: EventKind {
            switch self {
            case .posted: .posted
            case .rated: .rated
            case .edited: .edited
            case .removed: .removed
            }
        }

        var review: Review {
            switch self {
            case .posted(let review), .rated(let review), .edited(let review), .removed(let review): review
            }
        }

        /// The row of the outbox. A removed review can no longer be looked up, so its event is shown at the level that
        /// it had. The book's topic is named only for what members may see: followers of a book learn nothing of
        /// the rest, not even that it is there. `text`: the row of the text that the review has now.
        func row(id: Int64, text: ID<Text>?, at time: Timestamp) throws -> NewEvent {
            let subject: (kind: EventSubject, id: Int64) =
                if case .removed = self {
                    (.level, Int64(review.visibility.rawValue))
                } else {
                    text.map { (.reviewText, $0.rawValue) } ?? (.review, review.id.rawValue)
                }
            let book: [Topic] = review.visibility >= .members ? [.book(review.book.id.rawValue)] : []
            return NewEvent(
                id: id, kind: kind.rawValue, version: 1, topics: [.reader(review.author.id.rawValue)] + book,
                owner: review.author.id.rawValue, subjectKind: subject.kind.name, subject: subject.id, at: time,
                data: try data())
        }

        private func data() throws -> JSON {
            if case .removed = self {
                return try JSON.object {
                    $0.put("review", idOf: review.id)
                    $0.put("author", idOf: review.author.id)
                    $0.put("book", idOf: review.book.id)
                }
            }
            // The review, at most ten authors, and whether its text is cut.
            return try JSON.fitting(Limits.reviews.body.upperBound) { object, room in
                let told = review.text?.told(room: room)
                var said = review
                // What is one viewer's is told to nobody.
                (said.book, said.text, said.levelIsOwn, said.ownReactions) = (
                    review.book.shortened, told?.text, nil, []
                )
                object.put("review", said)
                object.put("is_cut", told?.isCut ?? false)
            }
        }
    }
}

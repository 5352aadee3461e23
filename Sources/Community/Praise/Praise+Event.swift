import EventLog
import JSONWriting
import Postgres

extension Praise {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case favourited = "book.favourited"
        case recommended = "book.recommended"
        case favouriteRemoved = "favourite.removed"
        case recommendationRemoved = "recommendation.removed"
    }

    /// What praising a book tells others, to `reader:R` and, where members may hear of it, `book:W`.
    enum Event: Sendable {
        /// `book.favourited`, `book.recommended`. Version 1: `{"id", "reader", "book"}`. `level`: at most who hears of
        /// it.
        case given(Mark, level: Visibility)
        /// It is taken back, or no longer for all who heard of it: `favourite.removed`, `recommendation.removed`.
        /// Version 1: `{"reader": {"id"}, "book": {"id"}}`. Shown at the level that it was told at.
        case removed(Kind, reader: ID<Accounts.Account>, book: ID<Catalog.Work>, level: Visibility)

        private var kind: EventKind {
            switch self {
            case .given(let mark, _): mark.kind == .favourite ? .favourited : .recommended
            case .removed(let kind, _, _, _): kind == .favourite ? .favouriteRemoved : .recommendationRemoved
            }
        }

        /// The row of the outbox. The book's topic is named only for what members may hear.
        func row(id: Int64, at time: Timestamp) throws -> NewEvent {
            switch self {
            case .given(let mark, let level):
                return NewEvent(
                    id: id, kind: kind.rawValue, version: 1, topics: topics(mark.reader.id, mark.book.id, level),
                    owner: mark.reader.id.rawValue, subjectKind: EventSubject.praise.name,
                    subject: mark.id.rawValue, at: time,
                    data: try JSON.object {
                        $0.put("id", mark.id)
                        $0.put("reader", mark.reader)
                        $0.put("book", mark.book.shortened)
                    })
            case .removed(_, let reader, let book, let level):
                return NewEvent(
                    id: id, kind: kind.rawValue, version: 1, topics: topics(reader, book, level),
                    owner: reader.rawValue, subjectKind: EventSubject.level.name, subject: Int64(level.rawValue),
                    at: time,
                    data: try JSON.object {
                        $0.put("reader", idOf: reader)
                        $0.put("book", idOf: book)
                    })
            }
        }

        private func topics(_ reader: ID<Accounts.Account>, _ book: ID<Catalog.Work>, _ level: Visibility) -> [Topic] {
            [.reader(reader.rawValue)] + (level >= .members ? [.book(book.rawValue)] : [])
        }
    }
}

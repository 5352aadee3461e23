import EventLog
import JSONWriting
import Postgres

extension Library {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case moved = "shelf.moved"
        case removed = "shelf.removed"
    }

    /// What a move tells others, to `reader:R` and, where members may hear of it, `book:W`. Nothing of the reader's
    /// notes, dates or settings is in it.
    enum Event: Sendable {
        /// Version 1: `{"entry": {"id"}, "reader", "book", "from", "shelf", "read_count"}`; `from` is null for a book
        /// that was not in the library, and the same as `shelf` where only dates, edition or level changed. `level`:
        /// at most who hears of it.
        case moved(Moved, level: Visibility)
        /// The book is no longer in the library, or no longer for all who heard of it. Version 1: `{"reader": {"id"},
        /// "book": {"id"}}`. Shown at the level that the move was told at.
        case removed(reader: ID<Accounts.Account>, book: ID<Catalog.Work>, level: Visibility)

        /// What tells of the step from `old` (`nil`: not in the library), which was told at `before`. A lower level
        /// first takes the book back from everybody who heard of it: those who still may hear of it get it again with
        /// the next event.
        static func between(_ old: Status?, told before: Visibility, _ moved: Moved, told level: Visibility) -> [Event]
        {
            let now = Event.moved(moved, level: level)
            guard old != nil, level < before else { return [now] }
            return [.removed(reader: moved.reader.id, book: moved.book.id, level: before), now]
        }

        struct Moved: JSONForm, Sendable {
            let entry: ID<Entry>
            let reader: Accounts.Reader
            let book: Catalog.Book
            let from: Status?
            let to: Status
            let timesRead: Int

            func put(into object: JSONObject) {
                object.put("entry", idOf: entry)
                object.put("reader", reader)
                object.put("book", book.shortened)
                object.put("from", from)
                object.put("shelf", to)
                object.put("read_count", timesRead)
            }
        }

        /// The row of the outbox. The book's topic is named only for what members may hear: followers of a book
        /// learn nothing of the rest, not even that it is there.
        func row(id: Int64, at time: Timestamp) throws -> NewEvent {
            switch self {
            case .moved(let moved, let level):
                NewEvent(
                    id: id, kind: EventKind.moved.rawValue, version: 1,
                    topics: topics(of: moved.reader.id, moved.book.id, level),
                    owner: moved.reader.id.rawValue, subjectKind: EventSubject.shelf.name,
                    subject: moved.entry.rawValue, at: time, data: try JSON(encoding: moved))
            case .removed(let reader, let book, let level):
                NewEvent(
                    id: id, kind: EventKind.removed.rawValue, version: 1, topics: topics(of: reader, book, level),
                    owner: reader.rawValue, subjectKind: EventSubject.level.name, subject: Int64(level.rawValue),
                    at: time,
                    data: try JSON.object {
                        $0.put("reader", idOf: reader)
                        $0.put("book", idOf: book)
                    })
            }
        }

        private func topics(of reader: ID<Accounts.Account>, _ book: ID<Catalog.Work>, _ level: Visibility) -> [Topic] {
            [.reader(reader.rawValue)] + (level >= .members ? [.book(book.rawValue)] : [])
        }
    }
}

import JSONWriting
import Postgres

extension Reviews {
    /// What one friend of the viewer's makes of a book, each part as far as the friend lets it be seen.
    package struct Friend: Hashable, Sendable, JSONForm {
        package let reader: Accounts.Reader
        package let shelf: Library.OnShelf?
        /// Ten-thousandths of the book.
        package let position: Int?
        package let rating: Rating?
        package let review: ID<Review>?
        /// The review lies ahead of the viewer.
        package let isGated: Bool
        /// When the newest part of it was made or changed.
        package let at: Timestamp

        package var key: TimeKey { TimeKey(at: at, id: reader.id.rawValue) }

        package func put(into object: JSONObject) {
            object.put("reader", reader)
            object.put("shelf", shelf?.status)
            object.put("read_count", shelf?.timesRead)
            object.put("position", position)
            object.put("rating", rating)
            object.put("review_id", review)
            object.put("is_review_gated", isGated)
            object.put("changed_at", at)
        }
    }

    /// The friends of a reader who have to do with a book.
    package struct FriendsOnBook: Sendable {
        /// How many have it on which shelf, of all pages; without those on which nobody has it.
        package let counts: [Library.Status: Int]
        package let page: Page<Friend, TimeKey>
    }
}

extension Reviews.Store {
    /// Friends of the reader who shelved, rated or reviewed a work, or what it was merged into, and let the reader see that; the latest first. A work that is
    /// unknown has none.
    package func friends(
        on work: ID<Catalog.Work>, of reader: ID<Accounts.Account>, page: PageRequest<TimeKey>
    ) async throws -> Reviews.FriendsOnBook {
        var counts: [Library.Status: Int] = [:]
        let friends = try await page.read(from: .highest, key: \.key) { span in
            let (counted, friends) = try await services.database.pipeline(
                Reviews.Statements.FriendCounts(viewer: .reader(reader), work: work),
                Reviews.Statements.FriendsOn(viewer: .reader(reader), work: work, span: span))
            counts = Dictionary(counted.map { ($0.status, $0.readers) }) { first, _ in first }
            return friends
        }
        return Reviews.FriendsOnBook(counts: counts, page: friends)
    }
}

import JSONWriting
import Postgres

/// What readers follow: books, authors, series and lists. Readers are befriended (`Friends`), never followed.
///
/// **Following** the same again is following it once. What was merged into another is followed as that; a merge of the
/// catalogue takes over who followed what is gone. A list is followed by readers who may see it, and is not shown once
/// they may no longer; it can be unfollowed all the same. A frozen reader changes nothing. At most 1,000 of one reader.
///
/// **What it does**: `/me/feed` shows the reviews of followed books, of the books of followed authors and series, and of
/// those on followed lists (`Feed`); the stream's `home` carries those of followed books. Nobody is told who follows
/// what, and it is counted nowhere.
///
/// - Tables: `follow`.
/// - Events: `follow.changed` on `control`, where the home of a reader is made of other topics now.
/// - Jobs: none.
package enum Follows {
    enum Statements {}
}

extension Follows {
    /// What can be followed.
    package enum Kind: String, Sendable, CaseIterable, PostgresText {
        case book, author, series, list

        var thing: any ThingKind.Type {
            switch self {
            case .book: Catalog.Work.self
            case .author: Catalog.Author.self
            case .series: Catalog.Series.self
            case .list: Library.List.self
            }
        }
    }

    /// One thing that a reader follows.
    package struct Follow: Hashable, Sendable {
        /// Its place in the list.
        package let id: ID<Follow>
        package let subject: Thing
        /// The title of a book or list, the name of an author or series; empty for a book that has none now.
        package let title: String
        package let followedAt: Timestamp
    }
}

extension Follows.Follow: JSONForm {
    /// `id` is that of what is followed.
    package func put(into object: JSONObject) {
        object.put("kind", subject.name)
        object.put("id", String(subject.id))
        object.put("title", title)
        object.put("followed_at", followedAt)
    }
}

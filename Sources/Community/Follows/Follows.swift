import Postgres

/// What readers follow: books, authors, series and lists. Readers are befriended (`Friends`), never followed.
///
/// **Following** the same again is following it once. What was merged into another is followed as that; a merge of the
/// catalogue takes over who followed what is gone. A list is followed by readers who may see it, and is not shown once
/// they may no longer; it can be unfollowed all the same. A frozen reader changes nothing. At most 1,000 of one reader.
///
/// **What it does**: `/feed` shows the reviews of followed books, of the books of followed authors and series, and of
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
    }

    /// What is followed.
    package enum Subject: Hashable, Sendable {
        case book(ID<Catalog.Work>)
        case author(ID<Catalog.Author>)
        case series(ID<Catalog.Series>)
        case list(ID<Library.List>)

        package var kind: Kind {
            switch self {
            case .book: .book
            case .author: .author
            case .series: .series
            case .list: .list
            }
        }

        package var id: Int64 {
            switch self {
            case .book(let id): id.rawValue
            case .author(let id): id.rawValue
            case .series(let id): id.rawValue
            case .list(let id): id.rawValue
            }
        }

        init(_ kind: Kind, _ id: Int64) {
            self =
                switch kind {
                case .book: .book(ID(rawValue: id))
                case .author: .author(ID(rawValue: id))
                case .series: .series(ID(rawValue: id))
                case .list: .list(ID(rawValue: id))
                }
        }
    }

    /// One thing that a reader follows.
    package struct Follow: Hashable, Sendable {
        /// Its place in the list.
        package let id: ID<Follow>
        package let subject: Subject
        /// The title of a book or list, the name of an author or series; empty for a book that has none now.
        package let title: String
        package let since: Timestamp
    }
}

extension Follows.Follow: Encodable {
    private enum CodingKeys: String, CodingKey { case kind, id, title, since }

    /// `id` is that of what is followed.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(subject.kind.rawValue, forKey: .kind)
        try container.encode(String(subject.id), forKey: .id)
        try container.encode(title, forKey: .title)
        try container.encode(since, forKey: .since)
    }
}

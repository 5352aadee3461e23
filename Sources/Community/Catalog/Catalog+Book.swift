import JSONWriting
import Postgres

extension Catalog {
    /// Of which medium a work is.
    package enum WorkKind: String, Sendable, CaseIterable, PostgresText {
        case book, film, show, audiobook
    }

    /// A book as it is shown beside what is about it. Every other form of a book, in lists and on its page, has the same
    /// members and more.
    package struct Book: Hashable, Sendable {
        package let id: ID<Work>
        /// Empty where it has none.
        package let title: String
        /// In the order of the title page.
        package internal(set) var authors: [AuthorName]
        /// Of first publication; the earliest edition's where the work's is not known.
        package let year: Int?
        /// `book`, `film`, `show` or `audiobook`.
        package let kind: String
        /// `nil` for a book without editions.
        package let cover: Media.Cover?

        init(
            id: ID<Work>, title: String, authors: [AuthorName], year: Int? = nil, kind: String = "book",
            cover: Media.Cover? = nil
        ) {
            self.id = id
            self.title = title
            self.authors = authors
            self.year = year
            self.kind = kind
            self.cover = cover
        }

        /// With no more authors than an event has room for.
        var shortened: Book {
            var copy = self
            copy.authors = Array(authors.prefix(10))
            return copy
        }
    }
}

extension Catalog.BookItem {
    /// The book as it is shown beside what is about it.
    package func book(with cover: Media.Cover?) -> Catalog.Book {
        Catalog.Book(id: id, title: title ?? "", authors: authors, year: year, kind: kind, cover: cover)
    }
}

extension Catalog.Book: RowReadable {
    /// Reads the columns of `columns`.
    package init(_ columns: inout Columns) throws {
        id = try columns("id")
        title = try columns("title")
        year = try columns("year")
        kind = try columns("kind")
        let chosen: [String] = try columns("cover") ?? []
        let (ids, names): ([ID<Catalog.Author>], [String]) = (try columns("author_ids"), try columns("author_names"))
        authors = zip(ids, names).map { Catalog.AuthorName(id: $0, name: $1) }
        cover = Media.Cover(
            chosen, title: title, author: names.isEmpty ? nil : names.prefix(2).joined(separator: ", "))
    }

    /// The columns that it is read from: `work` must be in scope.
    static let columns: Fragment = columns(
        authorIDs: """
            array(select author.id from work_author join author on author.id = work_author.author_id
                      where work_author.work_id = work.id and author.name is not null order by work_author.position)
            """,
        authorNames: """
            array(select author.name from work_author join author on author.id = work_author.author_id
                      where work_author.work_id = work.id and author.name is not null order by work_author.position)
            """)

    /// The same where `rows` has them already.
    static func columns(of rows: Fragment) -> Fragment {
        "\(rows).id, \(rows).title, \(rows).year, \(rows).kind, \(rows).cover, \(rows).author_ids, \(rows).author_names"
    }

    /// The same where the authors are given by other SQL.
    static func columns(authorIDs: Fragment, authorNames: Fragment) -> Fragment {
        """
        work.id, coalesce(work.title, '') as title,
               coalesce(work.year, (select min(dated.year) from edition dated
                                     where dated.work_id = work.id and dated.withdrawn_at is null)) as year,
               work.kind, \(Media.Cover.column) as cover,
               \(authorIDs) as author_ids,
               \(authorNames) as author_names
        """
    }
}

extension Catalog.Book: JSONForm {
    package func put(into object: JSONObject) { put(into: object, shelf: nil) }

    /// `shelf`: the caller's, where it is known already.
    func put(into object: JSONObject, shelf: Library.Status?) {
        object.put("id", id)
        object.put("title", title.isEmpty ? nil : title)
        object.put("authors", authors)
        object.put("year", year)
        object.put("kind", kind)
        object.put("cover", cover)
        if let shelf { object.put("shelf", shelf) } else { object.put("shelf", blankFor: id.rawValue) }
    }
}

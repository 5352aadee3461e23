import JSONWriting
import Postgres

extension Catalog {
    /// A book as it is shown beside what is about it.
    package struct Book: Hashable, Sendable {
        package let id: ID<Work>
        package let title: String
        /// In the order of the title page.
        package internal(set) var authors: [AuthorName]

        /// With no more authors than an event has room for.
        var shortened: Book {
            var copy = self
            copy.authors = Array(authors.prefix(10))
            return copy
        }
    }
}

extension Catalog.Book: RowReadable {
    /// Reads the columns of `columns`.
    package init(_ columns: inout Columns) throws {
        id = try columns("id")
        title = try columns("title")
        let (ids, names): ([ID<Catalog.Author>], [String]) = (try columns("author_ids"), try columns("author_names"))
        authors = zip(ids, names).map { Catalog.AuthorName(id: $0, name: $1) }
    }

    /// The columns that it is read from: `work` must be in scope.
    static let columns: Fragment = """
        work.id, coalesce(work.title, '') as title,
               array(select author.id from work_author join author on author.id = work_author.author_id
                      where work_author.work_id = work.id and author.name is not null order by work_author.position)
               as author_ids,
               array(select author.name from work_author join author on author.id = work_author.author_id
                      where work_author.work_id = work.id and author.name is not null order by work_author.position)
               as author_names
        """
}

extension Catalog.Book: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("title", title)
        object.put("authors", authors)
    }
}

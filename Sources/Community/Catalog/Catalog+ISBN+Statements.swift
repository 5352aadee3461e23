import Postgres

extension Catalog {
    /// Listed works with editions of these ISBNs. Served by the primary key of `edition_isbn`.
    struct WorksOfISBNs: Statement {
        static let sql: SQL<Self> = """
            select edition_isbn.isbn, edition.work_id
              from edition_isbn
              join edition on edition.id = edition_isbn.edition_id
             where edition_isbn.isbn = any(\(\.isbns))
               and edition.withdrawn_at is null
             group by edition_isbn.isbn, edition.work_id
            """
        let isbns: [ISBN]
        static func decode(_ columns: inout Columns) throws -> (ISBN, ID<Work>) {
            (try columns("isbn"), try columns("work_id"))
        }
    }
}

import Community
import Postgres

extension Bench {
    // MARK: Catalogue

    /// The books of goodbooks-10k, as queries are made of them.
    struct Goodbooks: Statement {
        static let sql: SQL<Self> = """
            select work.id, work.title,
                   array(select author.name from work_author join author on author.id = work_author.author_id
                          where work_author.work_id = work.id and author.name is not null order by work_author.position) as authors,
                   array(select edition_isbn.isbn from edition join edition_isbn on edition_isbn.edition_id = edition.id
                          where edition.work_id = work.id order by edition_isbn.isbn) as isbns
              from work_source
              join work on work.id = work_source.work_id and work.title is not null
             where work_source.key like 'goodreads:%'
             order by work.id
            """
        static func decode(_ columns: inout Columns) throws -> CatalogueQueries.Book {
            let id: ID<Catalog.Work> = try columns("id")
            return CatalogueQueries.Book(
                id: id.text, title: try columns("title"), authors: try columns("authors"), isbns: try columns("isbns"))
        }
    }

    /// The book that `catalogue-fill` adds under `BenchCatalogueFill.thereThere`.
    struct ThereThere: Statement {
        static let sql: SQL<Self> = "select work_id from work_source where key = 'bench:there-there'"
        typealias Output = ID<Catalog.Work>
    }

    /// The keys of 200 books anywhere in the catalogue.
    struct BrowsePlaces: Statement {
        static let sql: SQL<Self> = """
            select work_id, popularity, rating, pages, title, author
              from browse_entry
             where scope_id = 0
             order by hashint8(work_id)
             limit 200
            """
        static func decode(_ columns: inout Columns) throws -> BenchCatalogue.BrowseKeys {
            BenchCatalogue.BrowseKeys(
                work: try columns("work_id"), popularity: try columns("popularity"), rating: try columns("rating"),
                pages: try columns("pages"), title: try columns("title"),
                author: try columns("author"))
        }
    }

    // MARK: Filling the catalogue

    struct Titles: Statement {
        static let sql: SQL<Self> = "select title from work where title is not null order by id limit 30000"
        typealias Output = String
    }

    struct Names: Statement {
        static let sql: SQL<Self> = "select name from author where name is not null order by id limit 30000"
        typealias Output = String
    }

    struct SubjectIDs: Statement {
        static let name = "bench.subjects"
        static let sql: SQL<Self> = "select id from subject order by id limit 5000"
        typealias Output = ID<Catalog.Subject>
    }
}

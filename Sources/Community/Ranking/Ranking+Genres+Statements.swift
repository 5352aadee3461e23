import Postgres

extension Ranking.Statements {
    struct GenresOf: Statement {
        static let sql: SQL<Self> = """
            select genre.slug, genre.name
              from reader_genre
              join genre on genre.id = reader_genre.genre_id
             where reader_genre.reader_id = \(\.reader)
             order by reader_genre.place
            """
        let reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> Ranking.Genre {
            Ranking.Genre(slug: try columns("slug"), name: try columns("name"))
        }
    }

    /// Those of the names that are genres', held until the end.
    struct GenresNamed: Statement {
        static let sql: SQL<Self> = "select slug from genre where slug = any(\(\.slugs)) order by id for key share"
        let slugs: [String]
        typealias Output = String
    }

    struct DropGenres: Statement {
        static let sql: SQL<Self> = "delete from reader_genre where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }

    struct PutGenres: Statement {
        static let sql: SQL<Self> = """
            insert into reader_genre (reader_id, place, genre_id)
            select \(\.reader), named.place, genre.id
              from unnest(\(\.slugs)::text[]) with ordinality named (slug, place)
              join genre on genre.slug = named.slug
            """
        let reader: ID<Accounts.Account>, slugs: [String]
    }
}

import Postgres

extension Ranking.Statements {
    struct GenresOf: Statement {
        static let name = "ranking.genres_of"
        static let sql = """
            select genre.slug, genre.name
              from reader_genre
              join genre on genre.id = reader_genre.genre_id
             where reader_genre.reader_id = $1
             order by reader_genre.place
            """
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(reader) }

        static func decode(_ row: borrowing Row) throws -> Ranking.Genre {
            Ranking.Genre(slug: try row[0], name: try row[1])
        }
    }

    /// Those of the names that are genres', held until the end.
    struct GenresNamed: Statement {
        static let name = "ranking.genres_named"
        static let sql = "select slug from genre where slug = any($1) order by id for key share"
        let slugs: [String]

        func bind(to parameters: inout Parameters) { parameters.append(slugs) }

        static func decode(_ row: borrowing Row) throws -> String { try row[0] }
    }

    struct DropGenres: Statement {
        static let name = "ranking.drop_genres"
        static let sql = "delete from reader_genre where reader_id = $1"
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(reader) }
    }

    struct PutGenres: Statement {
        static let name = "ranking.put_genres"
        static let sql = """
            insert into reader_genre (reader_id, place, genre_id)
            select $1, named.place, genre.id
              from unnest($2::text[]) with ordinality named (slug, place)
              join genre on genre.slug = named.slug
            """
        let reader: ID<Accounts.Account>
        let slugs: [String]

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(slugs)
        }
    }
}

import Postgres

extension Catalog {
    /// What `commonplace check` looks at; `work_popularity.readers` is looked at by the reviews.
    package static let recounts: [any Recount.Type] = [
        Recounts.Genres.self, Recounts.Imported.self, Browse.RecountScopes.self, Browse.RecountEntries.self,
        Browse.RecountLeftEntries.self,
    ]

    enum Recounts {}
}

extension Catalog.Recounts {
    /// Genres whose stored number of works is wrong, with the right one.
    struct Genres: Recount {
        static let rule = "The number of works of each genre is that of its works."
        static let sql: SQL<Self> = """
            select genre.id, genre.work_count::bigint, counted.works
              from genre
             cross join lateral (select count(*) as works from work_genre where genre_id = genre.id) counted
             where counted.works <> genre.work_count
             order by genre.id
            """

        /// Genre, stored, counted.
        static func decode(_ columns: inout Columns) throws -> (Int64, Int64, Int64) {
            (try columns("id"), try columns("work_count"), try columns("works"))
        }

        static func line(_ difference: (Int64, Int64, Int64)) -> String {
            "genre \(difference.0): stored \(difference.1) works, counted \(difference.2)"
        }
    }

    /// Works whose stored number of imported ratings is wrong, with the right one.
    struct Imported: Recount {
        static let rule = "The number of imported ratings of each work is the sum over their sources."
        static let sql: SQL<Self> = """
            select popularity.work_id, popularity.imported, coalesce(counted.ratings, 0)::bigint as ratings
              from work_popularity popularity
              left join (select work_id, sum(count) as ratings from imported_rating group by work_id) counted
                on counted.work_id = popularity.work_id
             where popularity.imported <> coalesce(counted.ratings, 0)
             order by popularity.work_id
            """

        /// Work, stored, counted.
        static func decode(_ columns: inout Columns) throws -> (Int64, Int64, Int64) {
            (try columns("work_id"), try columns("imported"), try columns("ratings"))
        }

        static func line(_ difference: (Int64, Int64, Int64)) -> String {
            "book \(difference.0): stored \(difference.1) imported ratings, counted \(difference.2)"
        }
    }
}

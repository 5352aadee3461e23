import Postgres

extension Catalog {
    static let volumeStatements: [any Statement.Type] = [VolumesOfWorks.self]

    /// Listed works in the order of `works`, each with one of its first 50 editions: the one of `isbn` where it has it, else the first with an ISBN, else the
    /// first. Served by primary keys and index `edition_work`.
    struct VolumesOfWorks: Statement {
        static let name = "catalog.volumes_of_works"
        static let sql: SQL<Self> = """
            select work.id, work.version, work.title, work.subtitle, work.description, work.year, work.language,
                   names.names, genres.names, rating.n, rating.sum,
                   chosen.id, chosen.publisher, chosen.published, chosen.year, chosen.pages, chosen.language, chosen.isbns
              from unnest(\(\.works)::bigint[]) with ordinality as wanted (id, place)
              join work on work.id = wanted.id and work.title is not null
              join work_popularity popularity on popularity.work_id = work.id and popularity.listed
              left join work_rating rating on rating.work_id = work.id
              left join lateral (select array_agg(author.name order by work_author.position) as names
                                   from work_author
                                   join author on author.id = work_author.author_id
                                  where work_author.work_id = work.id
                                    and work_author.position <= 10
                                    and author.name is not null
                                    and author.withdrawn_at is null) names on true
              left join lateral (select array_agg(genre.name order by genre.name) as names
                                   from work_genre
                                   join genre on genre.id = work_genre.genre_id
                                  where work_genre.work_id = work.id) genres on true
              left join lateral (select edition.id, edition.publisher, edition.published, edition.year, edition.pages,
                                        edition.language, own.isbns
                                   from (select early.id, early.publisher, early.published, early.year, early.pages,
                                                early.language, false as is_asked
                                           from (select id, publisher, published, year, pages, language
                                                   from edition
                                                  where work_id = work.id
                                                    and withdrawn_at is null
                                                  order by id
                                                  limit 50) early
                                          union all
                                         select edition.id, edition.publisher, edition.published, edition.year,
                                                edition.pages, edition.language, true
                                           from edition_isbn
                                           join edition on edition.id = edition_isbn.edition_id
                                          where edition_isbn.isbn = \(\.isbn)
                                            and edition.work_id = work.id
                                            and edition.withdrawn_at is null) edition
                                   left join lateral (select array_agg(isbn order by isbn) as isbns
                                                        from edition_isbn
                                                       where edition_id = edition.id) own on true
                                  order by edition.is_asked desc, own.isbns is not null desc, edition.id
                                  limit 1) chosen on true
             order by wanted.place
            """
        let works: [ID<Work>]
        let isbn: ISBN?

        static func decode(_ row: borrowing Row) throws -> Volume {
            let version: Int32 = try row[1]
            let year: Int16? = try row[5]
            let count: Int32? = try row[9]
            return Volume(
                work: try row[0], version: Int(version), title: try row[2], subtitle: try row[3],
                description: try row[4], year: year.map(Int.init), authors: try row[7] ?? [], genres: try row[8] ?? [],
                rating: RatingSummary(count: Int(count ?? 0), quarters: try row[10] ?? 0, histogram: []),
                language: try row[6], edition: try edition(row))
        }

        private static func edition(_ row: borrowing Row) throws -> Volume.Edition? {
            guard let id: ID<Edition> = try row[11] else { return nil }
            let year: Int16? = try row[14]
            let pages: Int32? = try row[15]
            return Volume.Edition(
                id: id, publisher: try row[12], published: try row[13], year: year.map(Int.init),
                pages: pages.map(Int.init), language: try row[16], isbns: try row[17] ?? [])
        }
    }
}

import Postgres

extension Catalog {
    /// Listed works in the order of `works`, each with one of its first 50 editions: the one of `isbn` where it has it,
    /// else the first with an ISBN, else the first. Served by primary keys and index `edition_work`.
    struct VolumesOfWorks: Statement {
        static let sql: SQL<Self> = """
            select work.id, work.version, work.title, work.subtitle, work.description, work.year,
                   names.names as authors, genres.names as genres, rating.n, rating.sum, work.language,
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
        let works: [ID<Work>], isbn: ISBN?

        static func decode(_ columns: inout Columns) throws -> Volume {
            Volume(
                work: try columns("id"), version: try columns("version"), title: try columns("title"),
                subtitle: try columns("subtitle"), description: try columns("description"),
                year: try columns("year"), authors: try columns("authors") ?? [],
                genres: try columns("genres") ?? [],
                rating: RatingSummary(count: try columns("n") ?? 0, quarters: try columns("sum") ?? 0, histogram: []),
                language: try columns("language"),
                edition: try columns.part(through: "isbns") { columns in
                    Volume.Edition(
                        id: try columns("id"), publisher: try columns("publisher"), published: try columns("published"),
                        year: try columns("year"), pages: try columns("pages"), language: try columns("language"),
                        isbns: try columns("isbns") ?? [])
                })
        }
    }
}

import Postgres

extension Media {
    static let coverStatements: [any Statement.Type] = [
        Statements.CoverOf.self, Statements.CoversOf.self, Statements.CoversOfTop.self, Statements.LockEdition.self,
        Statements.FormerCover.self,
        Statements.ShowCover.self, Statements.RenewPage.self,
    ]
}

extension Media.Statements {
    /// What an edition's cover is made of, in one width.
    struct CoverOf: Statement {
        static let name = "media.cover_of"
        static let sql = """
            select file.hash, file.type, picture.alt, first_file.hash, coalesce(edition.title, work.title),
                   (select string_agg(author.name, ', ' order by work_author.position)
                      from work_author
                      join author on author.id = work_author.author_id
                     where work_author.work_id = work.id
                       and work_author.position <= 2
                       and author.withdrawn_at is null)
              from edition
              join work on work.id = edition.work_id
              left join edition_cover on edition_cover.edition_id = edition.id
              left join picture on picture.id = edition_cover.picture_id
              left join picture_variant variant on variant.picture_id = picture.id and variant.width = $2
              left join media_file file on file.hash = variant.hash and file.missing_at is null
              left join lateral (select hash
                                   from picture_variant
                                  where picture_id = picture.id
                                  order by width desc
                                  limit 1) first_file on true
             where edition.id = $1
               and edition.withdrawn_at is null
            """
        let edition: ID<Catalog.Edition>
        let width: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(edition)
            parameters.append(width)
        }

        struct Output: Sendable {
            let hash: Media.Hash?
            let type: String?
            let alt: String?
            /// The hash of the largest file: what the picture's addresses are told apart by.
            let tag: Media.Hash?
            let design: Media.CoverDesign
        }

        static func decode(_ row: borrowing Row) throws -> Output {
            Output(
                hash: try row[0], type: try row[1], alt: try row[2], tag: try row[3],
                design: Media.CoverDesign(title: try row[4], author: try row[5]))
        }
    }

    /// The cover of each of `works`, an SQL expression of one column, that has an edition.
    private static func covers(of works: StaticString) -> String {
        """
        select wanted.work_id, chosen.edition_id, chosen.alt, chosen.hash, coalesce(chosen.title, work.title),
               (select string_agg(author.name, ', ' order by work_author.position)
                  from work_author
                  join author on author.id = work_author.author_id
                 where work_author.work_id = work.id
                   and work_author.position <= 2
                   and author.withdrawn_at is null)
          from \(works) wanted (work_id)
          join work on work.id = wanted.work_id
         cross join lateral (
               select edition.id as edition_id, edition.title, picture.alt,
                      (select hash
                         from picture_variant
                        where picture_id = picture.id
                        order by width desc
                        limit 1) as hash
                 from edition
                 left join edition_cover on edition_cover.edition_id = edition.id
                 left join picture on picture.id = edition_cover.picture_id
                where edition.work_id = wanted.work_id
                  and edition.withdrawn_at is null
                order by picture.id is null, edition.id
                limit 1) chosen
        """
    }

    /// The cover of each of some works that has an edition.
    struct CoversOf: Statement {
        static let name = "media.covers_of"
        static let sql = covers(of: "unnest($1::bigint[])")
        let works: [ID<Catalog.Work>]
        func bind(to parameters: inout Parameters) { parameters.append(works) }

        struct Output: Sendable {
            let work: ID<Catalog.Work>
            let cover: Media.Cover
        }

        static func decode(_ row: borrowing Row) throws -> Output {
            let alt: String? = try row[2]
            return Output(
                work: try row[0],
                cover: Media.Cover(
                    edition: try row[1], hash: try row[3],
                    alt: try alt ?? Media.CoverDesign(title: try row[4], author: try row[5]).alt))
        }
    }

    /// The same for the listed works that are read most, in any order: those of `Catalog.BooksAfter` from the top.
    struct CoversOfTop: Statement {
        static let name = "media.covers_of_top"
        static let sql = covers(
            of: """
                (select work_id
                               from work_popularity
                              where listed
                              order by readers + 3 * recommends desc, imported desc, work_id desc
                              limit $1)
                """)
        let limit: Int

        func bind(to parameters: inout Parameters) { parameters.append(limit) }
        static func decode(_ row: borrowing Row) throws -> CoversOf.Output { try CoversOf.decode(row) }
    }

    /// Locks an edition against another who sets its cover.
    struct LockEdition: Statement {
        static let name = "media.lock_edition"
        static let sql = "select id from edition where id = $1 and withdrawn_at is null for no key update"
        let edition: ID<Catalog.Edition>
        func bind(to parameters: inout Parameters) { parameters.append(edition) }
        static func decode(_ row: borrowing Row) throws -> ID<Catalog.Edition> { try row[0] }
    }

    /// The picture that is an edition's cover now.
    struct FormerCover: Statement {
        static let name = "media.former_cover"
        static let sql = "select picture_id from edition_cover where edition_id = $1"
        let edition: ID<Catalog.Edition>
        func bind(to parameters: inout Parameters) { parameters.append(edition) }
        static func decode(_ row: borrowing Row) throws -> ID<Media.Picture> { try row[0] }
    }

    struct ShowCover: Statement {
        static let name = "media.show_cover"
        static let sql = """
            insert into edition_cover (edition_id, picture_id)
            values ($1, $2)
                on conflict (edition_id) do update set picture_id = excluded.picture_id
            """
        let edition: ID<Catalog.Edition>
        let picture: ID<Media.Picture>
        func bind(to parameters: inout Parameters) {
            parameters.append(edition)
            parameters.append(picture)
        }
    }

    /// Has the page of the edition's book, which names its cover, built anew.
    struct RenewPage: Statement {
        static let name = "media.renew_page"
        static let sql = """
            update work
               set page = null, version = version + 1
             where id = (select work_id from edition where id = $1)
            """
        let edition: ID<Catalog.Edition>
        func bind(to parameters: inout Parameters) { parameters.append(edition) }
    }
}

import Postgres

extension Media.Statements {
    /// The first two authors of `work`, as a cover names them.
    private static let authors: Fragment = """
        (select string_agg(author.name, ', ' order by work_author.position)
                      from work_author
                      join author on author.id = work_author.author_id
                     where work_author.work_id = work.id
                       and work_author.position <= 2
                       and author.withdrawn_at is null)
        """

    /// What the cover of an edition, or of the one that it was merged into, is made of, in one width.
    struct CoverOf: Statement {
        static let sql: SQL<Self> = """
            select edition.id, file.hash, file.type, picture.alt, first_file.hash as tag, coalesce(edition.title, work.title) as design,
                   \(authors) as author
              from edition
              join work on work.id = edition.work_id
              left join edition_cover on edition_cover.edition_id = edition.id
              left join picture on picture.id = edition_cover.picture_id
              left join picture_variant variant on variant.picture_id = picture.id and variant.width = \(\.width)
              left join media_file file on file.hash = variant.hash and file.missing_at is null
              left join lateral (select hash
                                   from picture_variant
                                  where picture_id = picture.id
                                  order by width desc
                                  limit 1) first_file on true
             where edition.id = (select coalesce(merged_into, id) from edition where id = \(\.edition))
               and edition.withdrawn_at is null
            """
        let edition: ID<Catalog.Edition>, width: Int

        struct Output: Sendable {
            /// The edition that was asked for, or what it was merged into.
            let edition: ID<Catalog.Edition>
            let hash: Media.Hash?
            let type: String?
            let alt: String?
            /// The hash of the largest file: what the picture's addresses are told apart by.
            let tag: Media.Hash?
            let design: Media.CoverDesign
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(
                edition: try columns("id"), hash: try columns("hash"), type: try columns("type"),
                alt: try columns("alt"), tag: try columns("tag"),
                design: Media.CoverDesign(title: try columns("design"), author: try columns("author")))
        }
    }

    /// The edition whose cover stands for a book, or for the one that it was merged into, and what is drawn where there
    /// is none.
    struct CoverOfBook: Statement {
        static let sql: SQL<Self> = """
            select (select edition.id
                      from edition
                      left join edition_cover on edition_cover.edition_id = edition.id
                     where edition.work_id = work.id
                       and edition.withdrawn_at is null
                     order by edition_cover.picture_id is null, edition.id
                     limit 1) as edition,
                   work.title, \(authors) as author
              from work
             where work.id = \(Catalog.resolved("\(\.work)"))
               and work.withdrawn_at is null
            """
        let work: ID<Catalog.Work>
        static func decode(
            _ columns: inout Columns
        ) throws -> (edition: ID<Catalog.Edition>?, design: Media.CoverDesign) {
            (try columns("edition"), Media.CoverDesign(title: try columns("title"), author: try columns("author")))
        }
    }

    /// The cover of each of `works`, an SQL expression of one column, that has an edition.
    private static func covers<S>(of works: SQL<S>) -> SQL<S> {
        """
        select wanted.work_id, chosen.edition_id, chosen.hash, chosen.alt,
               coalesce(chosen.title, work.title) as title, \(authors) as author
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
        static let isPlannedOnce = true
        static let sql: SQL<Self> = covers(of: "unnest(\(\.works)::bigint[])")
        let works: [ID<Catalog.Work>]

        struct Output: Sendable {
            let work: ID<Catalog.Work>
            let cover: Media.Cover
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            let work: ID<Catalog.Work> = try columns("work_id")
            let (edition, hash): (ID<Catalog.Edition>, Media.Hash?) = (try columns("edition_id"), try columns("hash"))
            let alt: String? = try columns("alt")
            let design = Media.CoverDesign(title: try columns("title"), author: try columns("author"))
            return Output(work: work, cover: Media.Cover(edition: edition, hash: hash, alt: alt ?? design.alt))
        }
    }

    /// The same for the listed works that are read most, in any order: those of `Catalog.TopBooks`.
    struct CoversOfTop: Statement {
        static let sql: SQL<Self> = covers(
            of: """
                (select work_id
                               from work_popularity
                              where listed
                              order by readers + 3 * recommends desc, imported desc, work_id desc
                              limit \(Limits.profiles.openingBooks))
                """)
        static func decode(_ columns: inout Columns) throws -> CoversOf.Output { try CoversOf.decode(&columns) }
    }

    /// Locks an edition against another who sets its cover, and gives its version.
    struct LockEdition: Statement {
        static let sql: SQL<Self> =
            "select version from edition where id = \(\.edition) and withdrawn_at is null for no key update"
        let edition: ID<Catalog.Edition>
        typealias Output = Int
    }

    /// The picture that is an edition's cover now.
    struct FormerCover: Statement {
        static let sql: SQL<Self> = "select picture_id from edition_cover where edition_id = \(\.edition)"
        let edition: ID<Catalog.Edition>
        typealias Output = ID<Media.Picture>
    }

    /// The files of the pictures that proposals would make covers, ascending by width.
    struct ProposedCovers: Statement {
        static let sql: SQL<Self> = """
            select proposed.proposal_id, picture.alt, variant.width, variant.hash
              from catalog_proposal_cover proposed
              join picture on picture.id = proposed.picture_id
              join picture_variant variant on variant.picture_id = picture.id
             where proposed.proposal_id = any(\(\.proposals))
             order by proposed.proposal_id, variant.width
            """
        let proposals: [ID<Catalog.Proposal>]
        static func decode(_ columns: inout Columns) throws -> (proposal: ID<Catalog.Proposal>, file: ShownVariant) {
            (try columns("proposal_id"), try ShownVariant(&columns))
        }
    }

    struct ShowCover: Statement {
        static let sql: SQL<Self> = """
            insert into edition_cover (edition_id, picture_id)
            values (\(\.edition), \(\.picture))
                on conflict (edition_id) do update set picture_id = excluded.picture_id
            """
        let edition: ID<Catalog.Edition>, picture: ID<Media.Picture>
    }

    /// Has the page of the edition's book, which names its cover, built anew.
    struct RenewPage: Statement {
        static let sql: SQL<Self> = """
            update work
               set page = null, version = version + 1
             where id = (select work_id from edition where id = \(\.edition))
            """
        let edition: ID<Catalog.Edition>
    }
}

import Postgres

extension Catalog {
    /// The edition under a source's key, and its work.
    struct AdoptedEdition: Statement {
        static let sql: SQL<Self> = """
            select edition.id, edition.work_id, edition_source.is_alias
              from edition_source
              join edition on edition.id = edition_source.edition_id
             where edition_source.key = \(\.key)
            """
        let key: String
        static func decode(_ columns: inout Columns) throws -> (edition: ID<Edition>, work: ID<Work>, isAlias: Bool) {
            (try columns("id"), try columns("work_id"), try columns("is_alias"))
        }
    }

    /// The edition of the most popular listed work that has one of these ISBNs.
    struct EditionOfISBNs: Statement {
        static let sql: SQL<Self> = """
            select edition.id, edition.work_id
              from edition_isbn
              join edition on edition.id = edition_isbn.edition_id and edition.withdrawn_at is null
              join work_popularity popularity on popularity.work_id = edition.work_id and popularity.listed
             where edition_isbn.isbn = any(\(\.isbns))
             order by popularity.readers + 3 * popularity.recommends desc, popularity.imported desc, edition.id
             limit 1
            """
        let isbns: [ISBN]
        static func decode(_ columns: inout Columns) throws -> (edition: ID<Edition>, work: ID<Work>) {
            (try columns("id"), try columns("work_id"))
        }
    }

    /// Listed books (no films, and no shows) of one of these titles with their authors' names, the most popular first. Served by index
    /// `work_search_title`.
    struct WorksTitled: Statement {
        static let sql: SQL<Self> = """
            select popularity.work_id,
                   coalesce((select array_agg(author.name)
                               from work_author
                               join author on author.id = work_author.author_id
                              where work_author.work_id = popularity.work_id
                                and author.name is not null), '{}') as authors
              from (select work_id
                      from work_search
                     where title = any(\(\.titles))
                     limit 500) titled
              join work_popularity popularity on popularity.work_id = titled.work_id and popularity.listed
              join work on work.id = titled.work_id and work.kind = 'book'
             order by popularity.readers + 3 * popularity.recommends desc, popularity.imported desc, popularity.work_id
            """
        /// As `Normaliser.titleKey` makes them.
        let titles: [String]
        static func decode(_ columns: inout Columns) throws -> (work: ID<Work>, authors: [String]) {
            (try columns("work_id"), try columns("authors"))
        }
    }

    /// From now on a source's key leads to this edition, work or author, and its record is not taken in. A key that
    /// leads somewhere already stays.
    struct Hang: VariedStatement {
        static func sql(_ kind: Thing.Kind) -> SQL<Self> {
            """
            insert into \(kind.table)_source (key, \(kind.table)_id, digest, is_alias)
            values (\(\.key), \(\.thing.id, "thing.id"), 0, true)
                on conflict (key) do nothing
            """
        }
        let key: String, thing: Thing
        var variation: Thing.Kind { thing.kind }

        init(_ key: String, on thing: Thing) {
            self.key = key
            self.thing = thing
        }
    }

    /// Gives an edition what it lacks, and its work a new version where that was anything.
    struct FillEdition: Statement {
        static let sql: SQL<Self> = """
            with given (publisher, published, year, pages, language, format) as (
                values (\(\.from.publisher)::text, \(\.from.published)::text, \(\.from.year, as: Int.self)::smallint, \(\.from.pages, as: Int.self)::integer, \(\.from.language)::text, \(\.from.format)::text)),
            filled as (
                update edition
                   set publisher = coalesce(edition.publisher, given.publisher),
                       published = coalesce(edition.published, given.published),
                       year = coalesce(edition.year, given.year), pages = coalesce(edition.pages, given.pages),
                       language = coalesce(edition.language, given.language),
                       format = coalesce(edition.format, given.format)
                  from given
                 where edition.id = \(\.edition)
                   and (edition.publisher is null and given.publisher is not null
                        or edition.published is null and given.published is not null
                        or edition.year is null and given.year is not null
                        or edition.pages is null and given.pages is not null
                        or edition.language is null and given.language is not null
                        or edition.format is null and given.format is not null)
                returning edition.work_id)
            update work
               set version = version + 1, page = null
              from filled
             where work.id = filled.work_id
            """
        let edition: ID<Edition>, from: EditionRecord
        init(edition: ID<Edition>, from record: EditionRecord) {
            self.edition = edition
            self.from = record
        }
    }

    /// Gives an edition those of these ISBNs that no edition has.
    struct GiveISBNs: Statement {
        static let sql: SQL<Self> = """
            insert into edition_isbn (isbn, edition_id)
            select line.isbn, \(\.edition)::bigint
              from unnest(\(\.isbns)::bigint[]) as line (isbn)
             where not exists (select from edition_isbn known where known.isbn = line.isbn)
            """
        let isbns: [ISBN], edition: ID<Edition>
    }

    /// Gives a work what it lacks, and a new version where that was anything.
    struct FillWork: Statement {
        static let sql: SQL<Self> = """
            update work
               set subtitle = coalesce(work.subtitle, given.subtitle),
                   description = coalesce(work.description, given.description),
                   year = coalesce(work.year, given.year), language = coalesce(work.language, given.language),
                   version = work.version + 1, page = null
              from (values (\(\.from.subtitle)::text, \(\.from.description)::text, \(\.from.year, as: Int.self)::smallint, \(\.from.language)::text)) as given (subtitle, description, year, language)
             where work.id = \(\.work)
               and (work.subtitle is null and given.subtitle is not null
                    or work.description is null and given.description is not null
                    or work.year is null and given.year is not null
                    or work.language is null and given.language is not null)
            """
        let work: ID<Work>, from: WorkRecord
        init(work: ID<Work>, from record: WorkRecord) {
            self.work = work
            self.from = record
        }
    }

    /// Which headings these works have.
    struct LackedHeadings: Statement {
        static let sql: SQL<Self> = """
            select work.locked, work.id,
                   exists (select 1 from work_genre where work_id = work.id) as has_genres,
                   exists (select 1 from work_subject where work_id = work.id) as has_subjects,
                   exists (select 1 from work_series where work_id = work.id) as has_series
              from work
             where work.id = any(\(\.works))
             order by work.id
               for update
            """
        let works: [ID<Work>]

        struct Output: Sendable {
            let work: ID<Work>
            let locked: Set<Field.Name>
            let hasGenres, hasSubjects, hasSeries: Bool
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            let locked: [String] = try columns("locked")
            return Output(
                work: try columns("id"), locked: Set(locked.compactMap(Field.Name.init(rawValue:))),
                hasGenres: try columns("has_genres"), hasSubjects: try columns("has_subjects"),
                hasSeries: try columns("has_series"))
        }
    }
}

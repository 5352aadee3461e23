import Postgres

extension Catalog {
    /// What is stored under one key of an edition, with the work that it hangs on now.
    struct FoundEdition: Sendable {
        let key: String
        let found: Found<Edition>
        let work: ID<Work>
    }

    struct FindEditions: Statement {
        static let sql: SQL<Self> = """
            select edition_source.key, edition_source.edition_id as id, edition_source.revision, edition_source.digest,
                   edition_source.is_alias, edition.work_id
              from edition_source
              join edition on edition.id = edition_source.edition_id
             where edition_source.key = any(\(\.keys))
            """
        let keys: [String]
        static func decode(_ columns: inout Columns) throws -> FoundEdition {
            FoundEdition(key: try columns("key"), found: try Found(&columns), work: try columns("work_id"))
        }
    }

    /// Columns of editions.
    struct EditionColumns: Sendable {
        var ids: [ID<Edition>] = []
        var works: [ID<Work>] = []
        var titles: [String?] = []
        var subtitles: [String?] = []
        var publishers: [String?] = []
        var published: [String?] = []
        var years: [Int16?] = []
        var pages: [Int32?] = []
        var languages: [String?] = []
        var formats: [String?] = []

        mutating func append(_ id: ID<Edition>, of work: ID<Work>, _ record: EditionRecord) {
            ids.append(id)
            works.append(work)
            titles.append(record.title)
            subtitles.append(record.subtitle)
            publishers.append(record.publisher)
            published.append(record.published)
            years.append(record.year)
            pages.append(record.pages)
            languages.append(record.language)
            formats.append(record.format)
        }

        /// A row for each.
        static let rows: SQL<Self> = """
            unnest(\(\.ids)::bigint[], \(\.works)::bigint[], \(\.titles)::text[], \(\.subtitles)::text[], \(\.publishers)::text[], \(\.published)::text[], \(\.years)::smallint[], \(\.pages)::integer[], \(\.languages)::text[], \(\.formats)::text[])
                   as line (id, work_id, title, subtitle, publisher, published, year, pages, language, format)
            """
    }

    struct InsertEditions: Statement {
        static let sql: SQL<Self> = """
            insert into edition (id, work_id, title, subtitle, publisher, published, year, pages, language, format)
            select id, work_id, title, subtitle, publisher, published, year, pages, language, format
              from \(EditionColumns.rows.of(\Self.columns))
            """
        let columns: EditionColumns
    }

    struct UpdateEditions: Statement {
        static let sql: SQL<Self> = """
            update edition
               set work_id = line.work_id, title = line.title, subtitle = line.subtitle, publisher = line.publisher,
                   published = line.published, year = line.year, pages = line.pages, language = line.language,
                   format = line.format, withdrawn_at = null
              from \(EditionColumns.rows.of(\Self.columns))
             where edition.id = line.id
            """
        let columns: EditionColumns
    }

    struct AddISBNs: Statement {
        static let sql: SQL<Self> = """
            insert into edition_isbn (isbn, edition_id)
            select isbn, edition_id
              from unnest(\(\.isbns)::bigint[], \(\.editions)::bigint[]) as line (isbn, edition_id)
                on conflict do nothing
            """
        let isbns: [ISBN], editions: [ID<Edition>]
    }

    /// Gives editions the ISBNs of records that are parts of them, unless somebody set theirs. Gives the works of those
    /// that got any.
    struct GiveISBNsOfParts: Statement {
        static let sql: SQL<Self> = """
            with given as (
                insert into edition_isbn (isbn, edition_id)
                select line.isbn, edition.id
                  from unnest(\(\.isbns)::bigint[], \(\.editions)::bigint[]) as line (isbn, edition_id)
                  join edition on edition.id = line.edition_id
                 where edition.withdrawn_at is null
                   and not 'isbns' = any(edition.locked)
                    on conflict do nothing
                returning edition_id)
            select distinct edition.work_id
              from given
              join edition on edition.id = given.edition_id
             order by edition.work_id
            """
        let isbns: [ISBN], editions: [ID<Edition>]
        typealias Output = ID<Work>
    }

    /// Makes room for the ISBNs of newer records. An edition that others are parts of keeps what it has: codes are
    /// added to it.
    struct ReplaceISBNs: Statement {
        static let sql: SQL<Self> = """
            delete from edition_isbn
             where edition_id = any(\(\.editions))
               and not exists (select 1 from edition_source
                                where edition_source.edition_id = edition_isbn.edition_id
                                  and is_alias
                                  and digest <> 0)
            """
        let editions: [ID<Edition>]
    }

    struct RemoveISBNs: Statement {
        static let sql: SQL<Self> = "delete from edition_isbn where edition_id = any(\(\.editions))"
        let editions: [ID<Edition>]
    }
}

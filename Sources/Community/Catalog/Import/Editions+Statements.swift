import Postgres

extension Catalog {
    static let editionStatements: [any Statement.Type] = [
        FindEditions.self, InsertEditions.self, UpdateEditions.self, AddISBNs.self, GiveISBNsOfParts.self,
        RemoveISBNs.self, ReplaceISBNs.self,
    ]

    /// What is stored under one key of an edition, with the work that it hangs on now.
    struct FoundEdition: Sendable {
        let key: String
        let found: Found<Edition>
        let work: ID<Work>
    }

    struct FindEditions: Statement {
        static let name = "catalog.find_editions"
        static let sql: SQL<Self> = """
            select edition_source.key, edition_source.edition_id, edition_source.revision, edition_source.digest,
                   edition_source.is_alias, edition.work_id
              from edition_source
              join edition on edition.id = edition_source.edition_id
             where edition_source.key = any(\(\.keys))
            """
        let keys: [String]
        static func decode(_ row: borrowing Row) throws -> FoundEdition {
            FoundEdition(key: try row[0], found: try Found(row), work: try row[5])
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

        func bind(to parameters: inout Parameters) {
            parameters.append(ids)
            parameters.append(works)
            parameters.append(titles)
            parameters.append(subtitles)
            parameters.append(publishers)
            parameters.append(published)
            parameters.append(years)
            parameters.append(pages)
            parameters.append(languages)
            parameters.append(formats)
        }
    }

    struct InsertEditions: PositionalStatement {
        static let name = "catalog.insert_editions"
        static let sql = """
            insert into edition (id, work_id, title, subtitle, publisher, published, year, pages, language, format)
            select id, work_id, title, subtitle, publisher, published, year, pages, language, format
              from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
                          $7::smallint[], $8::integer[], $9::text[], $10::text[])
                   as line (id, work_id, title, subtitle, publisher, published, year, pages, language, format)
            """
        let columns: EditionColumns
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    struct UpdateEditions: PositionalStatement {
        static let name = "catalog.update_editions"
        static let sql = """
            update edition
               set work_id = line.work_id, title = line.title, subtitle = line.subtitle, publisher = line.publisher,
                   published = line.published, year = line.year, pages = line.pages, language = line.language,
                   format = line.format, withdrawn_at = null
              from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
                          $7::smallint[], $8::integer[], $9::text[], $10::text[])
                   as line (id, work_id, title, subtitle, publisher, published, year, pages, language, format)
             where edition.id = line.id
            """
        let columns: EditionColumns
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    struct AddISBNs: Statement {
        static let name = "catalog.add_isbns"
        static let sql: SQL<Self> = """
            insert into edition_isbn (isbn, edition_id)
            select isbn, edition_id
              from unnest(\(\.isbns)::bigint[], \(\.editions)::bigint[]) as line (isbn, edition_id)
                on conflict do nothing
            """
        let isbns: [ISBN]
        let editions: [ID<Edition>]
    }

    /// Gives editions the ISBNs of records that are parts of them, unless somebody set theirs. Gives the works of those that got any.
    struct GiveISBNsOfParts: Statement {
        static let name = "catalog.give_isbns_of_parts"
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
        let isbns: [ISBN]
        let editions: [ID<Edition>]
        typealias Output = ID<Work>
    }

    /// Makes room for the ISBNs of newer records. An edition that others are parts of keeps what it has: codes are added to it.
    struct ReplaceISBNs: Statement {
        static let name = "catalog.replace_isbns"
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
        static let name = "catalog.remove_isbns"
        static let sql: SQL<Self> = "delete from edition_isbn where edition_id = any(\(\.editions))"
        let editions: [ID<Edition>]
    }
}

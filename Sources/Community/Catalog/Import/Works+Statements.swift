import Postgres

extension Catalog {
    /// Columns of works.
    struct WorkColumns: Sendable {
        var ids: [ID<Work>] = []
        var titles: [String?] = []
        var subtitles: [String?] = []
        var descriptions: [String?] = []
        var years: [Int16?] = []
        var languages: [String?] = []

        mutating func append(_ id: ID<Work>, _ record: WorkRecord) {
            ids.append(id)
            titles.append(record.title)
            subtitles.append(record.subtitle)
            descriptions.append(record.description)
            years.append(record.year)
            languages.append(record.language)
        }

        /// A row for each.
        static let rows: SQL<Self> = """
            unnest(\(\.ids)::bigint[], \(\.titles)::text[], \(\.subtitles)::text[], \(\.descriptions)::text[], \(\.years)::smallint[], \(\.languages)::text[])
                   as line (id, title, subtitle, description, year, language)
            """
    }

    struct InsertWorks: Statement {
        static let sql: SQL<Self> = """
            insert into work (id, title, subtitle, description, year, language)
            select id, title, subtitle, description, year, language
              from \(WorkColumns.rows.of(\Self.columns))
            """
        let columns: WorkColumns
    }

    struct UpdateWorks: Statement {
        static let sql: SQL<Self> = """
            update work
               set title = line.title, subtitle = line.subtitle, description = line.description, year = line.year,
                   language = line.language, merged_into = null, withdrawn_at = null, page = null, version = version + 1
              from \(WorkColumns.rows.of(\Self.columns))
             where work.id = line.id
            """
        let columns: WorkColumns
    }

    /// Gives new works their place in lists.
    struct AddPopularity: Statement {
        static let sql: SQL<Self> = """
            insert into work_popularity (work_id, listed)
            select id, listed
              from unnest(\(\.works)::bigint[], \(\.listed)::boolean[]) as line (id, listed)
            """
        let works: [ID<Work>], listed: [Bool]
    }

    /// Gives known works their place in lists, or takes it away. What our readers did stays as it is.
    struct PutPopularity: Statement {
        static let sql: SQL<Self> = """
            insert into work_popularity (work_id, listed)
            select id, listed
              from unnest(\(\.works)::bigint[], \(\.listed)::boolean[]) as line (id, listed)
                on conflict (work_id) do update
               set listed = excluded.listed
            """
        let works: [ID<Work>], listed: [Bool]
    }

    /// Tells the pages of these authors' works that they are out of date.
    ///
    /// Without a condition on `page`: the row's lock is what keeps a page that is being built from being stored after
    /// this.
    struct TouchWorksOf: Statement {
        static let sql: SQL<Self> = """
            update work
               set page = null, version = version + 1
             where id in (select work_id from work_author where author_id = any(\(\.authors))
                           union
                          select edition.work_id
                            from edition_contributor
                            join edition on edition.id = edition_contributor.edition_id
                           where edition_contributor.author_id = any(\(\.authors)))
            """
        let authors: [ID<Author>]
    }

    /// Tells the pages of works that got something hung on them that they are out of date.
    ///
    /// Works without a page are left alone, which spares an import most of its updates. That is safe only after
    /// inserting a row that refers to the work: its foreign key holds a lock that the building of a page waits for.
    struct TouchWorks: Statement {
        static let sql: SQL<Self> =
            "update work set page = null, version = version + 1 where id = any(\(\.works)) and page is not null"
        let works: [ID<Work>]
    }

    /// Tells pages that they are out of date, whatever changed.
    struct BumpWorks: Statement {
        static let sql: SQL<Self> = "update work set page = null, version = version + 1 where id = any(\(\.works))"
        let works: [ID<Work>]
    }

    struct LinkAuthors: Statement {
        static let sql: SQL<Self> = """
            insert into work_author (work_id, position, author_id, role)
            select work_id, position, author_id, nullif(role, '')
              from unnest(\(\.works)::bigint[], \(\.positions)::smallint[], \(\.authors)::bigint[], \(\.roles)::text[]) as line (work_id, position, author_id, role)
            """
        let works: [ID<Work>], positions: [Int16], authors: [ID<Author>]
        /// Empty where nobody said. Sources do not: there may be none at all.
        var roles: [String] = []
    }

    struct UnlinkAuthors: Statement {
        static let sql: SQL<Self> = "delete from work_author where work_id = any(\(\.works))"
        let works: [ID<Work>]
    }
}

import Postgres

// Whole batches at once: each statement takes columns, one array each, and makes rows of them.

extension Catalog {
    static let mergeStatements: [any Statement.Type] = [
        LockImports.self, ImportTimeout.self,
        FindAuthors.self, InsertAuthors.self, UpdateAuthors.self, AddAuthorSources.self, PutAuthorSources.self,
        RefreshAuthors.self,
        TouchWorksOf.self,
        FindWorks.self, InsertWorks.self, UpdateWorks.self, AddWorkSources.self, PutWorkSources.self,
        AddPopularity.self, PutPopularity.self, AddToIndex.self, IndexWorks.self,
        LinkAuthors.self, UnlinkAuthors.self, TouchWorks.self, BumpWorks.self,
        FindEditions.self, InsertEditions.self, UpdateEditions.self, AddEditionSources.self, PutEditionSources.self,
        AddISBNs.self,
        RemoveISBNs.self,
    ]

    /// One merge at a time in the whole cluster, so that no two make the same author. Held until the transaction ends.
    struct LockImports: Statement {
        static let name = "catalog.lock_imports"
        static let sql = "select pg_advisory_xact_lock(hashtextextended('catalog.import', 0))"
    }

    /// A batch of thousands of rows may take longer than a request's statement.
    struct ImportTimeout: Statement {
        static let name = "catalog.import_timeout"
        static let sql = "select set_config('statement_timeout', '120s', true)"
    }

    /// What is stored under one source key.
    struct Found<Entity>: Sendable {
        let id: ID<Entity>
        let stamp: Stamp
        let isAlias: Bool

        /// Only referred to so far.
        var isBare: Bool { stamp.digest == 0 }
    }

    struct FindAuthors: Statement {
        static let name = "catalog.find_authors"
        static let sql = """
            select key, author_id, revision, digest, is_alias
              from author_source
             where key = any($1)
            """
        let keys: [String]
        func bind(to parameters: inout Parameters) { parameters.append(keys) }
        static func decode(_ row: borrowing Row) throws -> (String, Found<Author>) {
            (
                try row[0],
                Found(id: try row[1], stamp: Stamp(revision: try row[2], digest: try row[3]), isAlias: try row[4])
            )
        }
    }

    struct FindWorks: Statement {
        static let name = "catalog.find_works"
        static let sql = """
            select key, work_id, revision, digest, is_alias
              from work_source
             where key = any($1)
            """
        let keys: [String]
        func bind(to parameters: inout Parameters) { parameters.append(keys) }
        static func decode(_ row: borrowing Row) throws -> (String, Found<Work>) {
            (
                try row[0],
                Found(id: try row[1], stamp: Stamp(revision: try row[2], digest: try row[3]), isAlias: try row[4])
            )
        }
    }

    /// Editions with the work that each hangs on now.
    struct FindEditions: Statement {
        static let name = "catalog.find_editions"
        static let sql = """
            select edition_source.key, edition_source.edition_id, edition_source.revision, edition_source.digest,
                   edition_source.is_alias, edition.work_id
              from edition_source
              join edition on edition.id = edition_source.edition_id
             where edition_source.key = any($1)
            """
        let keys: [String]
        func bind(to parameters: inout Parameters) { parameters.append(keys) }
        static func decode(_ row: borrowing Row) throws -> (String, Found<Edition>, ID<Work>) {
            (
                try row[0],
                Found(id: try row[1], stamp: Stamp(revision: try row[2], digest: try row[3]), isAlias: try row[4]),
                try row[5]
            )
        }
    }

    /// Columns of authors.
    struct AuthorColumns: Sendable {
        var ids: [ID<Author>] = []
        var names: [String?] = []
        var folded: [String] = []
        /// Aliases of one author, separated by U+001F.
        var aliases: [String] = []
        var births: [String?] = []
        var deaths: [String?] = []
        var abouts: [String?] = []

        mutating func append(_ id: ID<Author>, _ record: AuthorRecord) {
            ids.append(id)
            names.append(record.name)
            folded.append(
                ([record.name].compactMap { $0 } + record.aliases).map { Folding.fold($0) }.joined(separator: " "))
            aliases.append(record.aliases.joined(separator: "\u{1F}"))
            births.append(record.birth)
            deaths.append(record.death)
            abouts.append(record.about)
        }

        func bind(to parameters: inout Parameters) {
            parameters.append(ids)
            parameters.append(names)
            parameters.append(folded)
            parameters.append(aliases)
            parameters.append(births)
            parameters.append(deaths)
            parameters.append(abouts)
        }
    }

    struct InsertAuthors: Statement {
        static let name = "catalog.insert_authors"
        static let sql = """
            insert into author (id, name, folded, aliases, birth, death, about)
            select id, name, folded, string_to_array(aliases, e'\\x1f'), birth, death, about
              from unnest($1, $2, $3, $4, $5, $6, $7) as line (id, name, folded, aliases, birth, death, about)
            """
        let columns: AuthorColumns
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    struct UpdateAuthors: Statement {
        static let name = "catalog.update_authors"
        static let sql = """
            update author
               set name = line.name, folded = line.folded, aliases = string_to_array(line.aliases, e'\\x1f'),
                   birth = line.birth, death = line.death, about = line.about, withdrawn_at = null
              from unnest($1, $2, $3, $4, $5, $6, $7) as line (id, name, folded, aliases, birth, death, about)
             where author.id = line.id
            """
        let columns: AuthorColumns
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    /// Columns of any of the three source tables.
    struct SourceColumns<Entity>: Sendable {
        var keys: [String] = []
        var ids: [ID<Entity>] = []
        var revisions: [Int32?] = []
        var digests: [Int64] = []
        var aliases: [Bool] = []

        mutating func append(_ key: String, _ id: ID<Entity>, _ stamp: Stamp, isAlias: Bool = false) {
            keys.append(key)
            ids.append(id)
            revisions.append(stamp.revision)
            digests.append(stamp.digest)
            aliases.append(isAlias)
        }

        func bind(to parameters: inout Parameters) {
            parameters.append(keys)
            parameters.append(ids)
            parameters.append(revisions)
            parameters.append(digests)
            parameters.append(aliases)
        }
    }

    /// Keys that are not there yet: cheaper than putting them.
    struct AddAuthorSources: Statement {
        static let name = "catalog.add_author_sources"
        static let sql = """
            insert into author_source (key, author_id, revision, digest, is_alias)
            select key, id, revision, digest, is_alias
              from unnest($1, $2, $3, $4, $5) as line (key, id, revision, digest, is_alias)
            """
        let columns: SourceColumns<Author>
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    struct PutAuthorSources: Statement {
        static let name = "catalog.put_author_sources"
        static let sql = """
            insert into author_source (key, author_id, revision, digest, is_alias)
            select key, id, revision, digest, is_alias
              from unnest($1, $2, $3, $4, $5) as line (key, id, revision, digest, is_alias)
                on conflict (key) do update
               set author_id = excluded.author_id, revision = excluded.revision, digest = excluded.digest,
                   is_alias = excluded.is_alias
            """
        let columns: SourceColumns<Author>
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    /// Keys that are not there yet: cheaper than putting them.
    struct AddWorkSources: Statement {
        static let name = "catalog.add_work_sources"
        static let sql = """
            insert into work_source (key, work_id, revision, digest, is_alias)
            select key, id, revision, digest, is_alias
              from unnest($1, $2, $3, $4, $5) as line (key, id, revision, digest, is_alias)
            """
        let columns: SourceColumns<Work>
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    struct PutWorkSources: Statement {
        static let name = "catalog.put_work_sources"
        static let sql = """
            insert into work_source (key, work_id, revision, digest, is_alias)
            select key, id, revision, digest, is_alias
              from unnest($1, $2, $3, $4, $5) as line (key, id, revision, digest, is_alias)
                on conflict (key) do update
               set work_id = excluded.work_id, revision = excluded.revision, digest = excluded.digest,
                   is_alias = excluded.is_alias
            """
        let columns: SourceColumns<Work>
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    /// Keys that are not there yet: cheaper than putting them.
    struct AddEditionSources: Statement {
        static let name = "catalog.add_edition_sources"
        static let sql = """
            insert into edition_source (key, edition_id, revision, digest, is_alias)
            select key, id, revision, digest, is_alias
              from unnest($1, $2, $3, $4, $5) as line (key, id, revision, digest, is_alias)
            """
        let columns: SourceColumns<Edition>
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    struct PutEditionSources: Statement {
        static let name = "catalog.put_edition_sources"
        static let sql = """
            insert into edition_source (key, edition_id, revision, digest, is_alias)
            select key, id, revision, digest, is_alias
              from unnest($1, $2, $3, $4, $5) as line (key, id, revision, digest, is_alias)
                on conflict (key) do update
               set edition_id = excluded.edition_id, revision = excluded.revision, digest = excluded.digest,
                   is_alias = excluded.is_alias
            """
        let columns: SourceColumns<Edition>
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

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

        func bind(to parameters: inout Parameters) {
            parameters.append(ids)
            parameters.append(titles)
            parameters.append(subtitles)
            parameters.append(descriptions)
            parameters.append(years)
            parameters.append(languages)
        }
    }

    struct InsertWorks: Statement {
        static let name = "catalog.insert_works"
        static let sql = """
            insert into work (id, title, subtitle, description, year, language)
            select id, title, subtitle, description, year, language
              from unnest($1, $2, $3, $4, $5, $6) as line (id, title, subtitle, description, year, language)
            """
        let columns: WorkColumns
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    struct UpdateWorks: Statement {
        static let name = "catalog.update_works"
        static let sql = """
            update work
               set title = line.title, subtitle = line.subtitle, description = line.description, year = line.year,
                   language = line.language, withdrawn_at = null, page = null, version = version + 1
              from unnest($1, $2, $3, $4, $5, $6) as line (id, title, subtitle, description, year, language)
             where work.id = line.id
            """
        let columns: WorkColumns
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    /// Gives new works their place in lists.
    struct AddPopularity: Statement {
        static let name = "catalog.add_popularity"
        static let sql = """
            insert into work_popularity (work_id, listed)
            select id, listed
              from unnest($1, $2) as line (id, listed)
            """
        let works: [ID<Work>]
        let listed: [Bool]
        func bind(to parameters: inout Parameters) {
            parameters.append(works)
            parameters.append(listed)
        }
    }

    /// Gives known works their place in lists, or takes it away. What our readers did stays as it is.
    struct PutPopularity: Statement {
        static let name = "catalog.put_popularity"
        static let sql = """
            insert into work_popularity (work_id, listed)
            select id, listed
              from unnest($1, $2) as line (id, listed)
                on conflict (work_id) do update
               set listed = excluded.listed
            """
        let works: [ID<Work>]
        let listed: [Bool]
        func bind(to parameters: inout Parameters) {
            parameters.append(works)
            parameters.append(listed)
        }
    }

    /// The rows of `work_search` for columns `$1` (works) and `$2` (folded titles), with the authors' names that the database holds now.
    private static let searchRows = """
        select line.id, line.title, coalesce(names.folded, ''),
                   setweight(to_tsvector('simple', line.title), 'A')
                   || setweight(to_tsvector('simple', coalesce(names.folded, '')), 'B')
              from unnest($1, $2) as line (id, title)
              left join lateral (select string_agg(author.folded, ' ' order by work_author.position) as folded
                                   from work_author
                                   join author on author.id = work_author.author_id
                                  where work_author.work_id = line.id) names on true
        """

    /// Writes what searches look at, for new works.
    struct AddToIndex: Statement {
        static let name = "catalog.add_to_index"
        static let sql = """
            insert into work_search (work_id, title, author, words)
            \(searchRows)
            """
        let works: [ID<Work>]
        let titles: [String]
        func bind(to parameters: inout Parameters) {
            parameters.append(works)
            parameters.append(titles)
        }
    }

    /// Writes what searches look at, for works that may be there already.
    struct IndexWorks: Statement {
        static let name = "catalog.index_works"
        static let sql = """
            insert into work_search (work_id, title, author, words)
            \(searchRows)
                on conflict (work_id) do update
               set title = excluded.title, author = excluded.author, words = excluded.words
            """
        let works: [ID<Work>]
        let titles: [String]
        func bind(to parameters: inout Parameters) {
            parameters.append(works)
            parameters.append(titles)
        }
    }

    /// Brings the search rows of these authors' works up to the authors' names.
    struct RefreshAuthors: Statement {
        static let name = "catalog.refresh_authors"
        static let sql = """
            update work_search
               set author = coalesce(names.folded, ''),
                   words = setweight(to_tsvector('simple', work_search.title), 'A')
                           || setweight(to_tsvector('simple', coalesce(names.folded, '')), 'B')
              from (select touched.work_id,
                           (select string_agg(author.folded, ' ' order by work_author.position)
                              from work_author
                              join author on author.id = work_author.author_id
                             where work_author.work_id = touched.work_id) as folded
                      from (select distinct work_id from work_author where author_id = any($1)) touched) names
             where work_search.work_id = names.work_id
            """
        let authors: [ID<Author>]
        func bind(to parameters: inout Parameters) { parameters.append(authors) }
    }

    /// Tells the pages of these authors' works that they are out of date.
    ///
    /// Without a condition on `page`: the row's lock is what keeps a page that is being built from being stored after this.
    struct TouchWorksOf: Statement {
        static let name = "catalog.touch_works_of"
        static let sql = """
            update work
               set page = null, version = version + 1
             where id in (select work_id from work_author where author_id = any($1))
            """
        let authors: [ID<Author>]
        func bind(to parameters: inout Parameters) { parameters.append(authors) }
    }

    /// Tells the pages of works that got something hung on them that they are out of date.
    ///
    /// Works without a page are left alone, which spares an import most of its updates. That is safe only after inserting a row that refers to
    /// the work: its foreign key holds a lock that the building of a page waits for.
    struct TouchWorks: Statement {
        static let name = "catalog.touch_works"
        static let sql = "update work set page = null, version = version + 1 where id = any($1) and page is not null"
        let works: [ID<Work>]
        func bind(to parameters: inout Parameters) { parameters.append(works) }
    }

    /// Tells pages that they are out of date, whatever changed.
    struct BumpWorks: Statement {
        static let name = "catalog.bump_works"
        static let sql = "update work set page = null, version = version + 1 where id = any($1)"
        let works: [ID<Work>]
        func bind(to parameters: inout Parameters) { parameters.append(works) }
    }

    struct LinkAuthors: Statement {
        static let name = "catalog.link_authors"
        static let sql = """
            insert into work_author (work_id, position, author_id)
            select work_id, position, author_id
              from unnest($1, $2, $3) as line (work_id, position, author_id)
            """
        let works: [ID<Work>]
        let positions: [Int16]
        let authors: [ID<Author>]
        func bind(to parameters: inout Parameters) {
            parameters.append(works)
            parameters.append(positions)
            parameters.append(authors)
        }
    }

    struct UnlinkAuthors: Statement {
        static let name = "catalog.unlink_authors"
        static let sql = "delete from work_author where work_id = any($1)"
        let works: [ID<Work>]
        func bind(to parameters: inout Parameters) { parameters.append(works) }
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

    struct InsertEditions: Statement {
        static let name = "catalog.insert_editions"
        static let sql = """
            insert into edition (id, work_id, title, subtitle, publisher, published, year, pages, language, format)
            select id, work_id, title, subtitle, publisher, published, year, pages, language, format
              from unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                   as line (id, work_id, title, subtitle, publisher, published, year, pages, language, format)
            """
        let columns: EditionColumns
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    struct UpdateEditions: Statement {
        static let name = "catalog.update_editions"
        static let sql = """
            update edition
               set work_id = line.work_id, title = line.title, subtitle = line.subtitle, publisher = line.publisher,
                   published = line.published, year = line.year, pages = line.pages, language = line.language,
                   format = line.format, withdrawn_at = null
              from unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                   as line (id, work_id, title, subtitle, publisher, published, year, pages, language, format)
             where edition.id = line.id
            """
        let columns: EditionColumns
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    struct AddISBNs: Statement {
        static let name = "catalog.add_isbns"
        static let sql = """
            insert into edition_isbn (isbn, edition_id)
            select isbn, edition_id
              from unnest($1, $2) as line (isbn, edition_id)
            """
        let isbns: [ISBN]
        let editions: [ID<Edition>]
        func bind(to parameters: inout Parameters) {
            parameters.append(isbns)
            parameters.append(editions)
        }
    }

    struct RemoveISBNs: Statement {
        static let name = "catalog.remove_isbns"
        static let sql = "delete from edition_isbn where edition_id = any($1)"
        let editions: [ID<Edition>]
        func bind(to parameters: inout Parameters) { parameters.append(editions) }
    }
}

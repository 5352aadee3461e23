import Postgres

extension Catalog {
    /// Works that came from one source alone and that nothing else needs, locked.
    struct LockWorksOfSource: Statement {
        static let sql: SQL<Self> = """
            select work.id
              from work
             where work.id in (select work_id from work_source where key like \(\.source) || ':%')
               and not exists (select 1 from work_source other where other.work_id = work.id and other.key not like \(\.source) || ':%')
               and not \(hasReaders("work.id"))
               and not exists (select 1 from activity where activity.work_id = work.id)
               and not exists (select 1 from work other where other.merged_into = work.id)
             order by work.id
               for update
            """
        let source: String
        typealias Output = ID<Work>
    }

    /// Works that came from one source alone.
    struct CountWorksOfSource: Statement {
        static let sql: SQL<Self> = """
            select count(distinct work_id)
              from work_source
             where key like \(\.source) || ':%'
               and not exists (select 1 from work_source other
                                where other.work_id = work_source.work_id and other.key not like \(\.source) || ':%')
            """
        let source: String
        typealias Output = Int
    }

    struct RemoveWorkISBNs: Statement {
        static let sql: SQL<Self> =
            "delete from edition_isbn using edition where edition.id = edition_id and edition.work_id = any(\(\.works))"
        let works: [ID<Work>]
    }

    struct RemoveEditionSources: Statement {
        static let sql: SQL<Self> =
            "delete from edition_source using edition where edition.id = edition_id and edition.work_id = any(\(\.works))"
        let works: [ID<Work>]
    }

    /// What other catalogues said about editions that go.
    struct RemoveSourceRecords: Statement {
        static let sql: SQL<Self> =
            "delete from source_record using edition where edition.id = edition_id and edition.work_id = any(\(\.works))"
        let works: [ID<Work>]
    }

    struct RemoveEditions: Statement {
        static let sql: SQL<Self> = """
            with people as (
                delete from edition_contributor using edition
                 where edition.id = edition_id and edition.work_id = any(\(\.works)))
            delete from edition where work_id = any(\(\.works))
            """
        let works: [ID<Work>]
    }

    /// The rows beside the work's own.
    struct RemoveWorkParts: Statement {
        static let sql: SQL<Self> = """
            with credits as (delete from work_author where work_id = any(\(\.works))),
                 ratings as (delete from imported_rating where work_id = any(\(\.works))),
                 places as (delete from work_popularity where work_id = any(\(\.works)))
            delete from work_source where work_id = any(\(\.works))
            """
        let works: [ID<Work>]
    }

    struct RemoveWorks: Statement {
        static let sql: SQL<Self> = "delete from work where id = any(\(\.works))"
        let works: [ID<Work>]
    }

    /// Authors that came from one source alone, have no work any more and nobody who follows them. Rows that a
    /// statement deletes are still there for its other parts, but the source's rows go only with their authors.
    struct RemoveAuthorsOfSource: Statement {
        static let sql: SQL<Self> = """
            with loose as (
                select author.id
                  from author
                 where author.id in (select author_id from author_source where key like \(\.source) || ':%')
                   and not exists (select 1 from author_source other
                                    where other.author_id = author.id and other.key not like \(\.source) || ':%')
                   and not exists (select 1 from work_author where work_author.author_id = author.id)
                   and not exists (select 1 from edition_contributor where edition_contributor.author_id = author.id)
                   and not exists (select 1 from follow where follow.author_id = author.id)
                   and not exists (select 1 from author other where other.merged_into = author.id)
            ), sources as (
                delete from author_source where author_id in (select id from loose)
            )
            delete from author where id in (select id from loose)
            """
        let source: String
    }

    struct RemoveEmptyGenres: Statement {
        static let sql: SQL<Self> = """
            delete from genre
             where work_count = 0
               and not exists (select 1 from work_genre where work_genre.genre_id = genre.id)
            """
    }
}

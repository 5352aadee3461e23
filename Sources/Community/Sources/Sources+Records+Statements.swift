import Postgres

extension Sources {
    /// A record that was read now, and what it is here. Gives whether its cover is still to be fetched.
    struct PutRecord: Statement {
        static let sql: SQL<Self> = """
            insert into source_record (key, source, edition_id, page, cover, fetched_at, refresh_at)
            values (\(\.record.key, "record.key"), \(\.record.source.rawValue, "record.source.rawValue"), \(\.edition), \(\.record.page), \(\.record.cover), \(\.at), \(\.refreshAt))
                on conflict (key) do update
               set edition_id = excluded.edition_id, page = excluded.page, cover = excluded.cover,
                   fetched_at = excluded.fetched_at, refresh_at = excluded.refresh_at, misses = 0,
                   cover_done_at = case when source_record.cover = excluded.cover then source_record.cover_done_at end
            returning cover is not null and cover_done_at is null
            """
        let record: Record, edition: ID<Catalog.Edition>, at: Timestamp, refreshAt: Timestamp
        typealias Output = Bool
    }

    /// The cover of a record that was not fetched yet, the edition that the record is now, and whether that has a
    /// cover.
    struct WantedCover: Statement {
        static let sql: SQL<Self> = """
            select record.source, record.cover, coalesce(edition.merged_into, edition.id) as edition,
                   exists (select 1
                             from edition_cover
                            where edition_cover.edition_id = coalesce(edition.merged_into, edition.id)) as is_covered
              from source_record record
              join edition on edition.id = record.edition_id
             where record.key = \(\.key)
               and record.cover is not null
               and record.cover_done_at is null
            """
        let key: String

        struct Output: Sendable {
            let source: Name
            let cover: String
            let edition: ID<Catalog.Edition>
            let isCovered: Bool
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(
                source: try Sources.name(try columns("source")), cover: try columns("cover"),
                edition: try columns("edition"), isCovered: try columns("is_covered"))
        }
    }

    /// A record's cover is not to be fetched again, as long as it names this one.
    struct CoverDone: Statement {
        static let sql: SQL<Self> =
            "update source_record set cover_done_at = \(\.at) where key = \(\.key) and cover = \(\.cover)"
        let key: String, cover: String, at: Timestamp
    }

    private static func name(_ text: String) throws -> Name {
        guard let name = Name(rawValue: text) else {
            throw PostgresError(.decoding, message: "source_record.source is none of ours")
        }
        return name
    }

    struct RemoveRecords: Statement {
        static let sql: SQL<Self> = """
            delete from source_record
             using edition
             where edition.id = source_record.edition_id
               and edition.work_id = any(\(\.works))
            """
        let works: [ID<Catalog.Work>]
    }

    /// Served by the indexes `edition_work` and `source_record_edition`.
    struct OriginsOfWork: Statement {
        static let sql: SQL<Self> = """
            select source_record.source, source_record.key, source_record.edition_id, source_record.page,
                   source_record.fetched_at
              from edition
              join source_record on source_record.edition_id = edition.id
             where edition.work_id = \(\.work)
             order by source_record.fetched_at desc, source_record.key
             limit 50
            """
        let work: ID<Catalog.Work>
        static func decode(_ columns: inout Columns) throws -> Origin {
            Origin(
                source: try Sources.name(try columns("source")), key: try columns("key"),
                edition: try columns("edition_id"), page: try columns("page"), fetchedAt: try columns("fetched_at"))
        }
    }

    /// Keys of records that are to be read again, the longest overdue first. Served by index `source_record_due`.
    struct DueRecords: Statement {
        static let sql: SQL<Self> = """
            select key
              from source_record
             where source = \(\.source.rawValue, "source.rawValue")
               and refresh_at <= \(\.now)
               and misses < 3
             order by refresh_at, key
             limit \(\.limit)
            """
        let source: Name, now: Timestamp, limit: Int
        typealias Output = String
    }

    struct PostponeRecord: Statement {
        static let sql: SQL<Self> =
            "update source_record set refresh_at = \(\.until), misses = misses + \(\.misses)::smallint where key = \(\.key)"
        let key: String, until: Timestamp, misses: Int
    }

    /// Those of these questions that are not to be asked now.
    struct SilentQuestions: Statement {
        static let sql: SQL<Self> =
            "select question from source_silence where question = any(\(\.questions)) and until > \(\.now)"
        let questions: [String], now: Timestamp
        typealias Output = String
    }

    struct PutSilence: Statement {
        static let sql: SQL<Self> = """
            insert into source_silence (question, until)
            values (\(\.question), \(\.until))
                on conflict (question) do update
               set until = excluded.until
            """
        let question: String, until: Timestamp
    }

    struct SweepSilences: Statement {
        static let sql: SQL<Self> = """
            delete from source_silence
             where question = any(array(select question from source_silence where until <= \(\.now) order by until limit \(\.limit)))
            """
        let now: Timestamp, limit: Int
    }
}

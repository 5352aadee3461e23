import Postgres

extension Sources {
    /// Every statement of the domain; a test prepares each one.
    package static let statements: [any Statement.Type] = [
        PutRecord.self, OriginsOfWork.self, DueRecords.self, PostponeRecord.self, SilentQuestions.self, PutSilence.self,
        SweepSilences.self,
    ]

    /// A record that was read now, and what it is here.
    struct PutRecord: Statement {
        static let name = "sources.put_record"
        static let sql = """
            insert into source_record (key, source, edition_id, page, cover, fetched_at, refresh_at)
            values ($1, $2, $3, $4, $5, $6, $7)
                on conflict (key) do update
               set edition_id = excluded.edition_id, page = excluded.page, cover = excluded.cover,
                   fetched_at = excluded.fetched_at, refresh_at = excluded.refresh_at, misses = 0
            """
        let record: Record
        let edition: ID<Catalog.Edition>
        let at: Timestamp
        let refreshAt: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(record.key)
            parameters.append(record.source.rawValue)
            parameters.append(edition)
            parameters.append(record.page)
            parameters.append(record.cover)
            parameters.append(at)
            parameters.append(refreshAt)
        }
    }

    /// Served by the indexes `edition_work` and `source_record_edition`.
    struct OriginsOfWork: Statement {
        static let name = "sources.origins_of_work"
        static let sql = """
            select source_record.source, source_record.key, source_record.edition_id, source_record.page,
                   source_record.fetched_at
              from edition
              join source_record on source_record.edition_id = edition.id
             where edition.work_id = $1
             order by source_record.fetched_at desc, source_record.key
             limit 50
            """
        let work: ID<Catalog.Work>
        func bind(to parameters: inout Parameters) { parameters.append(work) }
        static func decode(_ row: borrowing Row) throws -> Origin {
            let source: String = try row[0]
            guard let name = Name(rawValue: source) else {
                throw PostgresError(.decoding, message: "source_record.source is none of ours")
            }
            return Origin(
                source: name, key: try row[1], edition: try row[2], page: try row[3], fetchedAt: try row[4])
        }
    }

    /// Keys of records that are to be read again, the longest overdue first. Served by index `source_record_due`.
    struct DueRecords: Statement {
        static let name = "sources.due_records"
        static let sql = """
            select key
              from source_record
             where source = $1
               and refresh_at <= $2
               and misses < 3
             order by refresh_at, key
             limit $3
            """
        let source: Name
        let now: Timestamp
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(source.rawValue)
            parameters.append(now)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> String { try row[0] }
    }

    struct PostponeRecord: Statement {
        static let name = "sources.postpone_record"
        static let sql =
            "update source_record set refresh_at = $2, misses = misses + $3::smallint where key = $1"
        let key: String
        let until: Timestamp
        let misses: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(key)
            parameters.append(until)
            parameters.append(misses)
        }
    }

    /// Those of these questions that are not to be asked now.
    struct SilentQuestions: Statement {
        static let name = "sources.silent_questions"
        static let sql = "select question from source_silence where question = any($1) and until > $2"
        let questions: [String]
        let now: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(questions)
            parameters.append(now)
        }
        static func decode(_ row: borrowing Row) throws -> String { try row[0] }
    }

    struct PutSilence: Statement {
        static let name = "sources.put_silence"
        static let sql = """
            insert into source_silence (question, until)
            values ($1, $2)
                on conflict (question) do update
               set until = excluded.until
            """
        let question: String
        let until: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(question)
            parameters.append(until)
        }
    }

    struct SweepSilences: Statement {
        static let name = "sources.sweep_silences"
        static let sql = """
            delete from source_silence
             where question in (select question from source_silence where until <= $1 order by until limit $2)
            """
        let now: Timestamp
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(now)
            parameters.append(limit)
        }
    }
}

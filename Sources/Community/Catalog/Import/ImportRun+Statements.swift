import Postgres

extension Catalog {
    static let importStatements: [any Statement.Type] = [
        FindRun.self, StartRun.self, FindStanding.self, AdvanceRun.self, FinishRun.self,
    ]

    /// How far an earlier pass over a file came.
    struct Run: Sendable {
        let id: ID<ImportRun>
        var position: Int64
        var line: Int64
        var accepted: Int64
        var rejected: Int64
        var rejectsBytes: Int64
    }

    /// The unfinished pass over this file, if there is one.
    struct FindRun: Statement {
        static let name = "catalog.find_run"
        static let sql = """
            select id, position, line, accepted, rejected, rejects_bytes
              from import_run
             where format = $1 and size = $2 and head = $3 and finished_at is null
            """
        let format: String
        let file: FileIdentity
        func bind(to parameters: inout Parameters) {
            parameters.append(format)
            parameters.append(file.size)
            parameters.append(Bytes(file.head))
        }
        static func decode(_ row: borrowing Row) throws -> Run {
            Run(
                id: try row[0], position: try row[1], line: try row[2], accepted: try row[3], rejected: try row[4],
                rejectsBytes: try row[5])
        }
    }

    /// Begins at the start of a file, whether it was read before or not.
    struct StartRun: Statement {
        static let name = "catalog.start_run"
        static let sql = """
            insert into import_run (id, format, file_name, size, head, started_at, updated_at)
            values ($1, $2, $3, $4, $5, $6, $6)
                on conflict (format, size, head) do update
               set file_name = excluded.file_name, position = 0, line = 0, accepted = 0, rejected = 0, rejects_bytes = 0,
                   started_at = excluded.started_at, updated_at = excluded.updated_at, finished_at = null
            returning id
            """
        let id: ID<ImportRun>
        let format: String
        let fileName: String
        let file: FileIdentity
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(format)
            parameters.append(fileName)
            parameters.append(file.size)
            parameters.append(Bytes(file.head))
            parameters.append(at)
        }
        static func decode(_ row: borrowing Row) throws -> ID<ImportRun> { try row[0] }
    }

    /// A row where the run still stands at this position.
    struct FindStanding: Statement {
        static let name = "catalog.find_standing"
        static let sql = "select 1 from import_run where id = $1 and position = $2 and finished_at is null"
        let run: ID<ImportRun>
        let position: Int64
        func bind(to parameters: inout Parameters) {
            parameters.append(run)
            parameters.append(position)
        }
        static func decode(_ row: borrowing Row) throws -> Int32 { try row[0] }
    }

    /// Moves a run on from where it is known to stand; no row where somebody else moved it meanwhile.
    struct AdvanceRun: Statement {
        static let name = "catalog.advance_run"
        static let sql = """
            update import_run
               set position = $3, line = $4, accepted = $5, rejected = $6, rejects_bytes = $7, updated_at = $8
             where id = $1 and position = $2 and finished_at is null
            """
        let from: Int64
        let run: Run
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(run.id)
            parameters.append(from)
            parameters.append(run.position)
            parameters.append(run.line)
            parameters.append(run.accepted)
            parameters.append(run.rejected)
            parameters.append(run.rejectsBytes)
            parameters.append(at)
        }
    }

    struct FinishRun: Statement {
        static let name = "catalog.finish_run"
        static let sql = "update import_run set finished_at = $2, updated_at = $2 where id = $1 and finished_at is null"
        let id: ID<ImportRun>
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(at)
        }
    }
}

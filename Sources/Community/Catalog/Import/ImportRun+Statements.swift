import Postgres

extension Catalog {
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
        static let sql: SQL<Self> = """
            select id, position, line, accepted, rejected, rejects_bytes
              from import_run
             where format = \(\.format) and size = \(\.file.size) and head = \(\.file.head, as: Bytes.self) and finished_at is null
            """
        let format: String, file: FileIdentity
        static func decode(_ columns: inout Columns) throws -> Run {
            Run(
                id: try columns("id"), position: try columns("position"), line: try columns("line"),
                accepted: try columns("accepted"), rejected: try columns("rejected"),
                rejectsBytes: try columns("rejects_bytes"))
        }
    }

    /// Begins at the start of a file, whether it was read before or not.
    struct StartRun: Statement {
        static let sql: SQL<Self> = """
            insert into import_run (id, format, file_name, size, head, started_at, updated_at)
            values (\(\.id), \(\.format), \(\.fileName), \(\.file.size), \(\.file.head, as: Bytes.self), \(\.at), \(\.at))
                on conflict (format, size, head) do update
               set file_name = excluded.file_name, position = 0, line = 0, accepted = 0, rejected = 0, rejects_bytes = 0,
                   started_at = excluded.started_at, updated_at = excluded.updated_at, finished_at = null
            returning id
            """
        let id: ID<ImportRun>, format: String, fileName: String, file: FileIdentity, at: Timestamp
        typealias Output = ID<ImportRun>
    }

    /// A row where the run still stands at this position.
    struct FindStanding: Statement {
        static let sql: SQL<Self> =
            "select 1 from import_run where id = \(\.run) and position = \(\.position) and finished_at is null"
        let run: ID<ImportRun>, position: Int64
        typealias Output = Int32
    }

    /// Moves a run on from where it is known to stand; no row where somebody else moved it meanwhile.
    struct AdvanceRun: Statement {
        static let sql: SQL<Self> = """
            update import_run
               set position = \(\.run.position), line = \(\.run.line), accepted = \(\.run.accepted), rejected = \(\.run.rejected), rejects_bytes = \(\.run.rejectsBytes), updated_at = \(\.at)
             where id = \(\.run.id) and position = \(\.from) and finished_at is null
            """
        let from: Int64, run: Run, at: Timestamp
    }

    struct FinishRun: Statement {
        static let sql: SQL<Self> =
            "update import_run set finished_at = \(\.at), updated_at = \(\.at) where id = \(\.id) and finished_at is null"
        let id: ID<ImportRun>, at: Timestamp
    }
}

import Postgres

extension Leaving {
    enum Statements {}
}

extension Leaving.Statements {
    struct PutExport: Statement {
        static let sql: SQL<Self> = """
            insert into reader_export (id, account_id, created_at, expires_at, operation_id) values (\(\.id), \(\.account), \(\.now), \(\.expiresAt), \(\.operation))
            """
        let id: ID<Leaving.Export>, account: ID<Accounts.Account>, now: Timestamp, expiresAt: Timestamp
        let operation: ID<Operations.Operation>
    }

    /// A reader's archive, if it is not over.
    struct ExportOf: Statement {
        static let sql: SQL<Self> = """
            select id, state, done, total, size, created_at, finished_at, expires_at, operation_id, attempt
              from reader_export
             where account_id = \(\.account)
               and expires_at > \(\.now)
            """
        let account: ID<Accounts.Account>, now: Timestamp
        static func decode(_ columns: inout Columns) throws -> Leaving.Export {
            Leaving.Export(
                id: try columns("id"), state: try columns("state"), done: try columns("done"),
                total: try columns("total"), size: try columns("size"), createdAt: try columns("created_at"),
                finishedAt: try columns("finished_at"), expiresAt: try columns("expires_at"),
                operation: try columns("operation_id"), attempt: try columns("attempt"))
        }
    }

    /// Deletes a reader's archive, with its parts.
    struct DropExport: Statement {
        static let sql: SQL<Self> = "delete from reader_export where account_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// Counts another run of the job: its number, and the operation that tells how far it is. No row where nobody waits
    /// for it any more.
    struct Begin: Statement {
        static let name = "leaving.begin_export"
        static let sql: SQL<Self> = """
            update reader_export
               set attempt = attempt + 1, done = 0, total = \(\.total)
             where id = \(\.export)
               and state = 'waiting'
            returning attempt, operation_id
            """
        let export: ID<Leaving.Export>, total: Int
        static func decode(_ columns: inout Columns) throws -> (attempt: Int, operation: ID<Operations.Operation>?) {
            (try columns("attempt"), try columns("operation_id"))
        }
    }

    /// Tells how far a run is, unless another has begun.
    struct Progress: Statement {
        static let name = "leaving.note_progress"
        static let sql: SQL<Self> =
            "update reader_export set done = \(\.done) where id = \(\.export) and attempt = \(\.attempt) and state = 'waiting'"
        let export: ID<Leaving.Export>, attempt: Int, done: Int
    }

    struct InsertPart: Statement {
        static let sql: SQL<Self> =
            "insert into reader_export_part (export_id, attempt, place, bytes) values (\(\.export), \(\.attempt), \(\.place), \(\.bytes))"
        let export: ID<Leaving.Export>, attempt: Int, place: Int, bytes: Bytes
    }

    /// The archive is whole, as long as no other run has begun.
    struct Finish: Statement {
        static let name = "leaving.finish_export"
        static let sql: SQL<Self> = """
            update reader_export
               set state = 'ready', size = \(\.size), done = total, finished_at = \(\.now), expires_at = \(\.expiresAt)
             where id = \(\.export)
               and attempt = \(\.attempt)
               and state = 'waiting'
            """
        let export: ID<Leaving.Export>, attempt: Int, size: Int, now: Timestamp, expiresAt: Timestamp
    }

    /// Gives the operation that tells of it.
    struct GiveUp: Statement {
        static let name = "leaving.give_up_export"
        static let sql: SQL<Self> = """
            update reader_export set state = 'failed', finished_at = \(\.now) where id = \(\.export) and state = 'waiting'
            returning operation_id
            """
        let export: ID<Leaving.Export>, now: Timestamp
        typealias Output = ID<Operations.Operation>?
    }

    /// Deletes what other runs than `attempt` wrote.
    struct DropParts: Statement {
        static let sql: SQL<Self> =
            "delete from reader_export_part where export_id = \(\.export) and attempt <> \(\.attempt)"
        let export: ID<Leaving.Export>, attempt: Int
    }

    /// One piece of an archive; no row behind the last.
    struct Part: Statement {
        static let sql: SQL<Self> =
            "select bytes from reader_export_part where export_id = \(\.export) and attempt = \(\.attempt) and place = \(\.place)"
        let export: ID<Leaving.Export>, attempt: Int, place: Int
        typealias Output = Bytes
    }

    /// The files of the pictures that a reader gave: their own, and covers.
    struct Pictures: Statement {
        static let sql: SQL<Self> = """
            select picture.id, variant.width, variant.hash, media_file.type
              from picture
              join picture_variant variant on variant.picture_id = picture.id
              join media_file on media_file.hash = variant.hash
             where picture.owner_id = \(\.account)
                or picture.added_by = \(\.account)
             order by picture.id, variant.width
            """
        let account: ID<Accounts.Account>
        static func decode(_ columns: inout Columns) throws -> Leaving.PictureFile {
            Leaving.PictureFile(
                picture: try columns("id"),
                variant: Media.Variant(width: try columns("width"), hash: try columns("hash")),
                type: try columns("type"))
        }
    }

    /// Deletes archives that are over, at most `limit`; index `reader_export_expiry`.
    struct Sweep: Statement {
        static let name = "leaving.sweep_exports"
        static let sql: SQL<Self> = """
            delete from reader_export
             where id in (select old.id from reader_export old where old.expires_at <= \(\.now) limit \(\.limit))
            """
        let now: Timestamp, limit: Int
    }
}

import Postgres

// Whole batches at once: each statement takes columns, one array each, and makes rows of them.

extension Catalog {
    /// One at a time in the whole cluster takes records in, merges what keys lead to, or deletes it: so no two make the
    /// same author, and what an import has looked up holds until its batch is in. The first lock of a transaction, held
    /// until that ends.
    struct LockImports: Statement {
        static let sql: SQL<Self> = "select pg_advisory_xact_lock(hashtextextended('catalog.import', 0))"
    }

    /// For the rest of a transaction that takes its turn among imports: theirs last as long as a batch, on a slow disk
    /// longer than a request's statement may. Whose statements may take longer keeps that.
    struct WaitForImports: Statement {
        static let sql: SQL<Self> = """
            select set_config('lock_timeout', '30s', true),
                   set_config('statement_timeout',
                              case when setting = '0' then setting else greatest(setting::bigint, 30000)::text end,
                              true)
              from pg_settings
             where name = 'statement_timeout'
            """
    }

    /// A batch of thousands of rows may take longer than a request's statement, and so may the wait for what another
    /// part of it holds.
    struct ImportTimeout: Statement {
        static let sql: SQL<Self> =
            "select set_config('statement_timeout', '120s', true), set_config('lock_timeout', '120s', true)"
    }

    /// What is committed need not be on disk at once: the run that says how far the file is done is written later and
    /// waits for both.
    struct CommitLater: Statement {
        static let sql: SQL<Self> = "select set_config('synchronous_commit', 'off', true)"
    }

    /// For a connection that takes turns: others may hold theirs for as long as their statements may take.
    struct WaitForTurns: Statement {
        static let sql: SQL<Self> = """
            select set_config('lock_timeout', '120s', false), set_config('statement_timeout', '120s', false)
            """
    }

    /// What `LockImports` holds for one transaction, held by a connection for several.
    struct TakeImportTurn: Statement {
        static let sql: SQL<Self> = "select from pg_advisory_lock(hashtextextended('catalog.import', 0))"
    }

    struct EndImportTurn: Statement {
        static let sql: SQL<Self> = "select from pg_advisory_unlock(hashtextextended('catalog.import', 0))"
    }
}

import Postgres

// Whole batches at once: each statement takes columns, one array each, and makes rows of them.

extension Catalog {
    static let intakeStatements: [any Statement.Type] =
        [LockImports.self, ImportTimeout.self] + sourceStatements + authorStatements + workStatements
        + editionStatements

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
}

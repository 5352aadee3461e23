import Cryptography

/// One numbered change of the schema: a file of plain SQL that never changes once it is merged.
package struct Migration: Hashable, Sendable {
    /// 1…9999, from the file's name.
    package let number: Int
    /// The file's name without `.sql`: `0001_house`.
    package let name: String
    package let sql: String
    /// SHA-256 of the file's bytes, in hexadecimal.
    package let checksum: String

    /// Traps when `name` is not `NNNN_what` or the bytes are not UTF-8: both are mistakes in the program, which a test finds.
    package init(name: String, bytes: [UInt8]) {
        guard let number = Int(name.prefix(4)), number > 0, name.dropFirst(4).first == "_" else {
            preconditionFailure("\(name) is no name of a migration: it must be like 0001_what")
        }
        guard let sql = String(validating: bytes, as: UTF8.self) else { preconditionFailure("\(name) is not UTF-8") }
        self.number = number
        self.name = name
        self.sql = sql
        self.checksum = SHA256.hash(bytes).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// False where the file's first line is `-- no transaction`: for `create index concurrently`. Such a file must be able to run again
    /// from its beginning after an interruption at any point.
    package var runsInTransaction: Bool {
        !sql.hasPrefix("-- no transaction\n")
    }

    package var statementCount: Int { Script(sql).parts.count }
}

/// What a database says about one migration.
package struct MigrationStatus: Hashable, Sendable {
    package enum State: String, Sendable {
        case applied
        case pending
        /// A file without transaction began and did not end; `up` runs it again.
        case interrupted
    }

    package let name: String
    package let state: State
    /// When it was applied, as the server writes it in UTC; `nil` where it is not.
    package let appliedAt: String?
}

/// Why the schema is not, or cannot be, as this program needs it. Each says what to do.
package struct MigrationError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        /// Tables stand there, but none that a migrator of ours has left.
        case unknownDatabase
        /// Migrations are applied that this program does not have.
        case newerDatabase
        /// The first migration was applied with another text: the database is older than the first release.
        case beforeFirstRelease
        /// A later one was applied with another text.
        case changedMigration
        /// A later migration is applied and this one is not.
        case missingMigration
        /// A file without transaction did not end.
        case interrupted
        /// The schema is older than this program.
        case outdated
        /// Another process has been migrating for too long, or tables were busy for too long.
        case busy
        /// The server refused a statement of a file.
        case failed
    }

    package let kind: Kind
    /// What is wrong and what to do, in sentences for the operator.
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

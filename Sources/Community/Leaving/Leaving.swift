import Postgres

/// How readers take with them what they gave, and how it goes from here.
///
/// **The registry.** Every table says whose its rows are: a `PersonalTable` (whose, what is exported of a row, which
/// other columns name readers) or an `ImpersonalTable` (why its rows are nobody's, which columns it has of text and
/// of readers). A test walks the database's own catalogue and fails for a table or column that is in neither, so no
/// domain can forget its readers' words. From each personal table come the statement that exports it and the rule by
/// which `commonplace check` finds what a deleted account left.
///
/// **Export.** `POST /me/export` has a job write one archive (ZIP): `export.json` says what is in it, each
/// table is `data/NAME.json` (an array of rows, in further files `NAME-2.json`, … beyond 4 MiB), each picture
/// `files/…`. Columns that are secrets are left out; identifiers are strings. The archive lies in the database in
/// pieces, is its reader's alone, to sessions and not to access tokens, and goes after 7 days, with another export, or
/// with the account. One at a time for each reader, 5 in a day, each an operation
/// (`Operations`). All tables are as they were at one moment, when the run
/// began: it reads each once, in a transaction that only reads and lasts 15 minutes at most, and writes the pieces on
/// other connections. A run that is repeated writes anew; what an earlier run wrote is never mixed in. A download that
/// has begun goes on to its end when the session ends that began it, but not when the archive goes.
///
/// **Leaving.** `DELETE /me` makes the account `leaving`: unseen, every session and access token ended. Signing in
/// within 30 days undoes that. After them `Accounts.Depart` deletes (`Accounts.Store.close`): the domains remove what
/// was theirs with every count exact, events are emptied in place, stored replies, waiting jobs and spooled mails go.
///
/// - Tables: `reader_export`, `reader_export_part`; `departure` is the accounts' own.
/// - Jobs: `leaving.export`, `leaving.sweep` hourly, `leaving.clear_mail`. Events: none. Limits: `Limits.Leaving`.
package enum Leaving {
    /// An archive of everything of a reader, as its owner sees it.
    package struct Export: Sendable, Hashable {
        /// `waiting` for its job or made by it, `ready` to be fetched, or `failed` for good.
        package enum State: String, Sendable, CaseIterable, PostgresText {
            case waiting, ready, failed
        }

        package let id: ID<Export>
        package let state: State
        /// Parts that are written, of `total`; that is 0 before the job began.
        package let done: Int
        package let total: Int
        /// Bytes; `nil` until it is ready.
        package let size: Int?
        package let createdAt: Timestamp
        package let finishedAt: Timestamp?
        package let expiresAt: Timestamp
        /// Tells how far it is; `nil` for one that was asked for before there were operations.
        package let operation: ID<Operations.Operation>?
        /// The run of the job that wrote what counts.
        let attempt: Int
    }

    /// A file of a picture that goes into the archive.
    struct PictureFile: Sendable {
        let picture: ID<Media.Picture>
        let variant: Media.Variant
        let type: String

        var name: String { "files/picture-\(picture)-\(variant.width)." + (type == "image/png" ? "png" : "jpg") }
    }
}

import JSONWriting
import Postgres

/// Long work for one reader: how far it is, while its job runs and for a week after.
///
/// A job that was done has no row any more, so a reader who asked for long work is given an operation to look at. The
/// domain whose work it is begins it in the transaction that enqueues the job (`begin`), says how far it is (`advance`)
/// and ends it in the transaction of the last effect (`end`). An operation says nothing of what was made: that stands
/// where the domain shows it.
///
/// - **States**: `waiting`, then `running` from the first `advance` on, then `done` or `failed`. A run that begins
///   again counts from 0 again.
/// - **Told**: a change is `operation.changed` in the reader's inbox, at most once in `Limits.Operations.tellsEvery`
///   for one operation, and not in the first second. What falls between is not told. The end always is: so `settle`
///   waits, before the transaction of `end`.
/// - **Seen** by its reader alone; for others it is not there. Kept 7 days after it was told of last.
///
/// Tables: `operation`. Events (v1): `operation.changed` `{operation: {id, kind, state, done_count, total_count}}` to
/// `inbox:R`. Jobs: `operations.sweep` daily. Limits: `Limits.Operations`.
package enum Operations {
    /// How far one is, as its reader sees it.
    package struct Operation: Sendable, Hashable {
        package let id: ID<Operation>
        /// What is done: `leaving.export`, ….
        package let kind: String
        package let state: State
        package let done: Int
        /// `nil` until it is known.
        package let total: Int?
        package let createdAt: Timestamp
    }

    package enum State: String, Sendable, CaseIterable, PostgresText {
        case waiting, running, done, failed
    }

    package static let personalTables: [PersonalTable] = [.init("operation")]
}

extension Limits {
    package enum Operations {
        /// An operation is told of once in this time at most. Whole seconds.
        package static let tellsEvery: Duration = .seconds(1)
        /// Days that one is kept after it was told of last.
        package static let days = 7
    }
}

extension Operations.Operation: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("kind", kind)
        object.put("state", state.rawValue)
        object.put("done_count", done)
        object.put("total_count", total)
        object.put("created_at", createdAt)
    }
}

import JSONWriting
import Postgres

extension Gate {
    /// How far somebody may be told of a book, and what lies beyond.
    package struct Look: Hashable, Sendable, JSONForm {
        /// Why the gate stands where it does.
        package enum Reason: String, Sendable, CaseIterable, Encodable {
            /// The gate is off everywhere.
            case off
            /// All of the book was revealed.
            case revealed
            /// It was read to its end.
            case finished
            /// So far the reader is.
            case position
            /// Nothing is known of the reader in this book.
            case nothing
        }

        /// Ten-thousandths of the work.
        package let gate: Int
        package let why: Reason
        /// Posts on the book's board beyond it: the board's number, the viewer's own, what they revealed and what they
        /// do not see among them.
        package let ahead: Int
        /// Where the nearest of these opens; `nil` where none is ahead.
        package let next: Int?

        package func put(into object: JSONObject) {
            object.put("gate", gate)
            object.put("why", why)
            object.put("ahead_count", ahead)
            object.put("next", next)
        }
    }
}

extension Gate.Store {
    /// The gate of the viewer for a book, or for what it was merged into. Throws `.notFound`.
    package func look(at work: ID<Catalog.Work>, for viewer: Viewer) async throws -> Gate.Look {
        guard let look = try await services.database.first(Gate.Statements.LookAt(viewer: viewer, work: work)) else {
            throw Failure.notFound("book \(work)")
        }
        return look
    }
}

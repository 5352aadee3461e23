import Postgres

extension EventLog {
    /// Where the log begins and ends.
    package struct Head: Hashable, Sendable {
        package let epoch: Int64
        /// The newest event; 0 while there is none.
        package let seq: Int64
        /// The oldest event that is still there.
        package let oldest: Int64
        package var position: StreamCursor { StreamCursor(epoch: epoch, seq: seq) }

        package init(epoch: Int64, seq: Int64, oldest: Int64) {
            self.epoch = epoch
            self.seq = seq
            self.oldest = oldest
        }

        /// Whether everything after `seq` is still there.
        package func holdsAll(after seq: Int64) -> Bool { seq >= oldest - 1 }
    }

    /// Reads the log. All calls throw `PostgresError`.
    package struct Reader: Sendable {
        let database: Database

        package init(_ database: Database) { self.database = database }

        package func head() async throws -> Head {
            try await database.one(Statements.ReadHead())
        }

        /// The events in the next `limit` places after `seq`, in order. Fewer where the log ends, or where some of these places have expired.
        package func events(after seq: Int64, limit: Int) async throws -> [LoggedEvent] {
            try await database.all(Statements.After(seq: seq, limit: limit))
        }

        /// The events on any of `topics` in `(after, through]`, each once, oldest first, at most `limit`; `nil` where some of them may have
        /// expired. There are no more when fewer than `limit` come.
        package func page(of topics: [Topic], after: Int64, through: Int64, limit: Int) async throws -> [LoggedEvent]? {
            let page = Statements.Page(topics: topics.map(\.name), after: after, through: through, limit: limit)
            let events = try await database.all(page)
            // Looked at after the page: what expired before the page was read shows here.
            return try await head().holdsAll(after: after) ? events : nil
        }

        /// How many events `page` gives in all in that range, counted up to `limit`; `nil` where some may have expired.
        package func count(of topics: [Topic], after: Int64, through: Int64, limit: Int) async throws -> Int? {
            let count = Statements.CountPage(topics: topics.map(\.name), after: after, through: through, limit: limit)
            let events = Int(try await database.one(count))
            return try await head().holdsAll(after: after) ? events : nil
        }
    }
}

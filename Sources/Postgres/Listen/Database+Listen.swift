import Logging

/// What a listener hears, in order, until the closure of `listen` ends or its task is cancelled. For one reader.
package struct ListenEvents: AsyncSequence, Sendable {
    let sink: NotificationSink

    package struct Iterator: AsyncIteratorProtocol {
        let sink: NotificationSink
        package mutating func next() async -> ListenEvent? { await sink.next() }
        package mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> ListenEvent? {
            await sink.next()
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(sink: sink) }
}

extension Database {
    /// Listens on a connection of its own while `body` runs.
    ///
    /// Notifications are hints: they can be lost with a connection and are not replayed. So the first event is `.reconnected`, and it
    /// comes again whenever something may have been missed; the reader then looks for itself. Every `probeEvery` the connection sends
    /// itself a notification; where that does not come back within as long again, at most 5 s, the connection counts as lost, is closed
    /// and made anew, with pauses that grow to 1 s. Never throws on its own account; rethrows what `body` throws.
    package func listen<Result: Sendable>(
        to channels: [String], probeEvery interval: Duration = .seconds(10),
        _ body: (ListenEvents) async throws -> Result
    ) async rethrows -> Result {
        let sink = NotificationSink(probeChannel: "probe_" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.keepListening(to: channels, sink, probeEvery: interval) }
            defer {
                group.cancelAll()
                sink.close()
            }
            return try await body(ListenEvents(sink: sink))
        }
    }

    /// Tells those who listen to `channel`. `payload` at most 7,999 bytes.
    package func notify(_ channel: String, _ payload: String = "") async throws {
        try await run(Notify(channel: channel, payload: payload))
    }

    /// Makes the connection again and again until the task is cancelled.
    private func keepListening(to channels: [String], _ sink: NotificationSink, probeEvery interval: Duration) async {
        var failures = 0
        while !Task.isCancelled {
            do {
                let lease = try await acquire(sink: sink)
                defer { release(lease, isClean: false) }
                let connection = HeldConnection(database: self, lease: lease)
                sink.begin()
                let sql = (channels + [sink.probeChannel]).map { "listen \(Database.quoted($0));" }.joined()
                try await Deadline.within(.seconds(5)) { try await connection.script(sql) }
                sink.deliver(.reconnected)
                failures = 0
                try await probe(connection, sink, every: interval)
            } catch {
                if Task.isCancelled { return }
                if failures == 0 { logger.notice("listening to the database was interrupted") }
                failures += 1
                let pause = Duration.milliseconds(Double(min(1000, 20 << min(failures, 6))) * .random(in: 0.5...1))
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Returns by throwing: when the connection is lost or a probe does not come back.
    private func probe(_ connection: HeldConnection, _ sink: NotificationSink, every interval: Duration) async throws {
        let patience = min(interval, .seconds(5))
        while true {
            try await waitForSignal(sink, atMost: interval) { false }
            let probe = String(UInt64.random(in: 0...UInt64.max), radix: 36)
            sink.expectEcho(of: probe)
            try await Deadline.within(patience) {
                _ = try await connection.run(Notify(channel: sink.probeChannel, payload: probe))
            }
            try await waitForSignal(sink, atMost: patience) { !sink.isMissingEcho }
            if sink.isMissingEcho { throw PostgresError(.connectionLost, message: "a probe did not come back") }
        }
    }

    /// Waits until `isDone`, or for as long as is allowed. Throws as soon as the connection is lost.
    private func waitForSignal(_ sink: NotificationSink, atMost limit: Duration, _ isDone: () -> Bool) async throws {
        let end = ContinuousClock.now.advanced(by: limit)
        while !isDone(), ContinuousClock.now < end {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await Task.sleep(until: end) }
                group.addTask { await sink.waitForSignal() }
                await group.next()
                group.cancelAll()
            }
            try Task.checkCancellation()
            if sink.isLost { throw PostgresError(.connectionLost) }
        }
    }

    /// `name` as an SQL identifier.
    private static func quoted(_ name: String) -> String {
        "\"" + String(name.flatMap { $0 == "\"" ? "\"\"" : String($0) }) + "\""
    }
}

private struct Notify: Statement {
    static let name = "postgres.notify"
    static let sql: SQL<Self> = "select pg_notify(\(\.channel), \(\.payload))"
    let channel: String
    let payload: String
}

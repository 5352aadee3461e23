/// How the data of a COPY is written.
package enum CopyFormat: String, Sendable {
    /// Postgres's binary rows: exact and fast; every value must have the column's own type (`Int32` for `integer`).
    case binary
    /// Tab-separated text with backslash escapes.
    case text
    case csv
}

/// Takes the rows of one `copy … from stdin` and hands them on in blocks of 64 KiB; `row` and `write` wait while the server is behind.
package struct CopyWriter: ~Copyable {
    private let steps: CopySteps
    private let format: CopyFormat
    private var buffer: [UInt8] = []
    private static let blockSize = 64 * 1024

    init(_ steps: CopySteps, _ format: CopyFormat) {
        self.steps = steps
        self.format = format
        buffer.reserveCapacity(CopyWriter.blockSize + 4096)
        // Signature, flags, length of the header's extension.
        if format == .binary {
            buffer += [80, 71, 67, 79, 80, 89, 10, 255, 13, 10, 0]
            buffer += Array(repeating: 0, count: 8)
        }
    }

    /// Writes one row in binary format: one value for each column, in order.
    package mutating func row(_ bind: (inout Parameters) -> Void) async throws {
        guard format == .binary else { throw PostgresError(.misuse, message: "rows go with the binary format") }
        var parameters = Parameters()
        bind(&parameters)
        Int16(truncatingIfNeeded: parameters.ranges.count).appendBigEndian(to: &buffer)
        for range in parameters.ranges {
            guard let range else {
                Int32(-1).appendBigEndian(to: &buffer)
                continue
            }
            Int32(truncatingIfNeeded: range.count).appendBigEndian(to: &buffer)
            buffer.append(contentsOf: parameters.bytes[range])
        }
        if buffer.count >= CopyWriter.blockSize { try await flush() }
    }

    /// Writes raw data of the chosen format; rows may be split between calls.
    package mutating func write(_ bytes: some Sequence<UInt8>) async throws {
        buffer.append(contentsOf: bytes)
        if buffer.count >= CopyWriter.blockSize { try await flush() }
    }

    private mutating func flush() async throws {
        let block = buffer
        buffer.removeAll(keepingCapacity: true)
        try await steps.take(.put(block))
    }

    mutating func finish() async throws {
        if format == .binary { Int16(-1).appendBigEndian(to: &buffer) }
        if !buffer.isEmpty { try await flush() }
        try await steps.take(.end)
    }
}

extension Transaction {
    /// Loads rows with `copy TARGET from stdin`; gives their number. `target` is a table with its columns, `"word (id, text)"`, written by
    /// us and never input. Switches `statement_timeout` off for the rest of this transaction: loading takes as long as it takes;
    /// `Deadline` and cancellation end it.
    ///
    /// Memory stays constant however many rows come. A row that the server refuses shows when `body` has ended.
    @discardableResult
    package func copyIn(
        into target: String, format: CopyFormat = .binary, _ body: (inout CopyWriter) async throws -> Void
    ) async throws -> Int {
        let steps = try await beginCopy("copy \(target) from stdin (format \(format.rawValue))")
        do {
            var writer = CopyWriter(steps, format)
            try await body(&writer)
            try await writer.finish()
        } catch {
            await steps.abort()
            throw error
        }
        return Database.affectedRows(steps.request).last ?? 0
    }
}

extension Database {
    /// Loads rows as `Transaction.copyIn` does, in a transaction of its own or in the task's. Never run twice.
    @discardableResult
    package func copyIn(
        into target: String, format: CopyFormat = .binary,
        _ body: @Sendable (inout CopyWriter) async throws -> Void
    ) async throws -> Int {
        try await transaction(attempts: 1) { try await $0.copyIn(into: target, format: format, body) }
    }

    /// Loads one row for each element of `elements`, in binary format.
    @discardableResult
    package func copyIn<Elements: AsyncSequence & Sendable>(
        into target: String, rows elements: Elements,
        _ bind: @escaping @Sendable (Elements.Element, inout Parameters) -> Void
    ) async throws -> Int {
        try await copyIn(into: target) { writer in
            for try await element in elements { try await writer.row { bind(element, &$0) } }
        }
    }
}

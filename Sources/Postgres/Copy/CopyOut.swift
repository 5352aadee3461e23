/// The data of one `copy … to stdout`, in blocks of whole rows, 64 KiB or somewhat more each. For one reader; nothing is read from the
/// server while nobody asks.
package struct CopiedRows: AsyncSequence {
    let steps: CopySteps

    package struct Iterator: AsyncIteratorProtocol {
        let steps: CopySteps

        package mutating func next() async throws -> [UInt8]? {
            try await steps.take(.pull)
            let bytes = steps.request.copied
            steps.request.copied = []
            return bytes.isEmpty ? nil : bytes
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(steps: steps) }
}

extension Transaction {
    /// Reads rows with `copy SOURCE to stdout`. `source` is a table with its columns or a query in parentheses, written by us and never
    /// input. Switches `statement_timeout` off for the rest of this transaction. Leaving `body` before the end cancels the rest, and
    /// with it the transaction.
    package func copyOut<Result>(
        _ source: String, format: CopyFormat = .text, _ body: (CopiedRows) async throws -> Result
    ) async throws -> Result {
        let steps = try await beginCopy("copy \(source) to stdout (format \(format.rawValue))")
        do {
            let result = try await body(CopiedRows(steps: steps))
            if !steps.request.isFinished { await steps.abort() }
            return result
        } catch {
            await steps.abort()
            throw error
        }
    }
}

extension Database {
    /// Reads rows as `Transaction.copyOut` does, in a transaction of its own or in the task's. Never run twice.
    package func copyOut<Result: Sendable>(
        _ source: String, format: CopyFormat = .text, _ body: @Sendable (CopiedRows) async throws -> Result
    ) async throws -> Result {
        try await transaction(attempts: 1) { try await $0.copyOut(source, format: format, body) }
    }
}

import CLibpq

/// Where the COPY on a connection stands.
enum CopyPhase {
    case none
    /// The server waits for our data.
    case into
    /// Data was handed to libpq, which could not pass it on yet.
    case intoBlocked([UInt8])
    /// The server sends; read only while someone wants it.
    case out(isWanted: Bool)
    /// The reader has gone: what comes is thrown away.
    case draining

    /// libpq gives data instead of results.
    var isFlowing: Bool { if case .none = self { false } else { true } }

    var isPaused: Bool { if case .out(isWanted: false) = self { true } else { false } }
}

/// What the caller of a COPY asks for next.
enum CopyStep: Sendable {
    case put([UInt8])
    case end
    case abort
    case pull
}

extension Connection {
    /// Bytes that one pull gives at least, unless the end comes before.
    static let copyChunk = 64 * 1024

    /// Takes one step of the COPY at the head. Gives true where the step is complete and its caller may go on.
    func step(_ step: CopyStep, _ request: Request, _ act: (ConnectionMachine.Action) -> Void) -> Bool {
        switch (step, copy) {
        case (.put(let bytes), .into): return put(bytes)
        case (.end, .into): endCopy(nil, act)
        case (.abort, .into), (.abort, .intoBlocked): endCopy("given up by the client", act)
        case (.abort, .out):
            copy = .draining
            pull(request, act)
        case (.pull, .out):
            copy = .out(isWanted: true)
            return pull(request, act)
        default: break
        }
        return false
    }

    /// The socket can take more: goes on with what was held back. True where the caller of a step may go on.
    func continuePut() -> Bool {
        flush()
        guard case .intoBlocked(let bytes) = copy, !wantsWrite else { return false }
        copy = .into
        return bytes.isEmpty || put(bytes)
    }

    /// Hands `bytes` to libpq; complete when the socket has taken all, which is what keeps memory constant.
    private func put(_ bytes: [UInt8]) -> Bool {
        let status = bytes.withUnsafeBytes { buffer in
            PQputCopyData(pointer, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count))
        }
        switch status {
        case 1:
            flush()
            if wantsWrite { copy = .intoBlocked([]) }
        case 0:
            flush()
            copy = .intoBlocked(bytes)
        default: isBroken = true
        }
        if case .into = copy { return true }
        return false
    }

    private func endCopy(_ reason: String?, _ act: (ConnectionMachine.Action) -> Void) {
        copy = .none
        if PQputCopyEnd(pointer, reason) != 1 { isBroken = true }
        flush()
        takeResults(act)
    }

    /// Collects rows that have come; true where there is enough of them or the end. Throws rows away while draining.
    @discardableResult
    func pull(_ request: Request, _ act: (ConnectionMachine.Action) -> Void) -> Bool {
        var isDraining = false
        if case .draining = copy { isDraining = true }
        while request.copied.count < Connection.copyChunk {
            var row: UnsafeMutablePointer<CChar>?
            let length = PQgetCopyData(pointer, &row, 1)
            if length == 0 { break }
            guard length > 0, let row else {
                // The end, or a failure: what it was comes as a result.
                copy = .none
                takeResults(act)
                return false
            }
            if !isDraining {
                request.copied.append(contentsOf: UnsafeRawBufferPointer(start: row, count: Int(length)))
            }
            PQfreemem(row)
        }
        guard !isDraining, !request.copied.isEmpty else { return false }
        copy = .out(isWanted: false)
        return true
    }
}

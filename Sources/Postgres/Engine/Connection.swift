import CLibpq

/// One connection of libpq, used by the I/O thread alone: sends what its machine says and tells it what came.
final class Connection {
    let pointer: OpaquePointer
    let socket: Int32
    let slot: Int
    let generation: Int
    var machine = ConnectionMachine()
    /// libpq holds bytes that the socket did not take.
    private(set) var wantsWrite = false
    private(set) var isBroken = false
    /// A script runs in the simple protocol, outside pipeline mode.
    private var script: Request?
    private var scriptError: PostgresError?

    private var values: [UnsafePointer<CChar>?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    init(_ handle: ConnectionHandle, slot: Int, generation: Int) {
        pointer = handle.pointer
        socket = PQsocket(handle.pointer)
        self.slot = slot
        self.generation = generation
    }

    deinit { PQfinish(pointer) }

    var isIdle: Bool { machine.isIdle && script == nil }

    /// Puts `request` on its way. A failure of libpq to take it means that the connection is broken.
    func send(_ request: Request) {
        guard case .statements(let first, let rest) = request.body else { return sendScript(request) }
        let toPrepare = machine.send(request)
        if toPrepare.isEmpty {
            execute(first)
            for statement in rest { execute(statement) }
        } else {
            if toPrepare.contains(0) { prepare(first.plan) }
            execute(first)
            for (index, statement) in rest.enumerated() {
                if toPrepare.contains(index + 1) { prepare(statement.plan) }
                execute(statement)
            }
        }
        if PQpipelineSync(pointer) != 1 { isBroken = true }
        flush()
    }

    private func prepare(_ plan: Plan) {
        plan.types.withUnsafeBytes { types in
            let sent = PQsendPrepare(
                pointer, plan.preparedName, plan.sql, Int32(plan.types.count),
                types.bindMemory(to: Oid.self).baseAddress)
            if sent != 1 { isBroken = true }
        }
    }

    private func execute(_ statement: BoundStatement) {
        let ranges = statement.parameters.ranges
        let sent = statement.parameters.bytes.withUnsafeBytes { bytes in
            values.removeAll(keepingCapacity: true)
            lengths.removeAll(keepingCapacity: true)
            for range in ranges {
                // An empty value needs an address too: a null pointer means null.
                values.append(range.map { range in
                    bytes.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) + range.lowerBound }
                        ?? UnsafePointer(Connection.empty)
                } ?? nil)
                lengths.append(Int32(range?.count ?? 0))
            }
            while formats.count < ranges.count { formats.append(1) }
            return PQsendQueryPrepared(pointer, statement.plan.preparedName, Int32(ranges.count), values, lengths, formats, 1)
        }
        if sent != 1 { isBroken = true }
    }

    /// One byte that lives for ever.  Guard: never written.
    nonisolated(unsafe) private static let empty: UnsafeMutablePointer<CChar> = {
        let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        byte.pointee = 0
        return byte
    }()

    private func sendScript(_ request: Request) {
        guard case .script(let sql) = request.body else { return }
        script = request
        scriptError = nil
        if PQexitPipelineMode(pointer) != 1 || PQsendQuery(pointer, sql) != 1 { isBroken = true }
        flush()
    }

    func flush() {
        switch PQflush(pointer) {
        case 0: wantsWrite = false
        case 1: wantsWrite = true
        default: isBroken = true
        }
    }

    /// Reads what the socket has and passes each decision of the machine to `act`.
    func receive(_ act: (ConnectionMachine.Action) -> Void) {
        if PQconsumeInput(pointer) != 1 { isBroken = true }
        if script != nil { return receiveScript(act) }
        var separators = 0
        while machine.load > 0, PQisBusy(pointer) == 0 {
            guard let result = PQgetResult(pointer) else {
                separators += 1
                // Between commands libpq gives one; more in a row mean that it has nothing.
                if separators > 2 { break }
                _ = machine.received(.separator)
                continue
            }
            separators = 0
            handle(result, act)
            if isBroken, PQstatus(pointer) == CONNECTION_BAD, machine.load == 0 { break }
        }
        if PQstatus(pointer) == CONNECTION_BAD { isBroken = true }
    }

    private func handle(_ result: OpaquePointer, _ act: (ConnectionMachine.Action) -> Void) {
        let event: ConnectionMachine.Event
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY, PGRES_SINGLE_TUPLE: event = .success
        case PGRES_PIPELINE_SYNC: event = .sync
        case PGRES_PIPELINE_ABORTED: event = .skipped
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            // COPY cannot be left inside a pipeline: the connection is lost to everybody.
            isBroken = true
            event = .failure(PostgresError(.misuse, statement: machine.head?.plan?.label, message: "copy as a statement"))
        default: event = .failure(Results.error(result, statement: machine.head?.plan?.label))
        }
        let action = machine.received(event)
        if case .keep(let request) = action {
            request.keep(result)
        } else {
            PQclear(result)
            act(action)
        }
    }

    private func receiveScript(_ act: (ConnectionMachine.Action) -> Void) {
        while PQisBusy(pointer) == 0 {
            guard let request = script else { return }
            guard let result = PQgetResult(pointer) else {
                script = nil
                if PQstatus(pointer) == CONNECTION_BAD || PQenterPipelineMode(pointer) != 1 { isBroken = true }
                return act(scriptError.map { .fail(request, $0) } ?? .succeed(request))
            }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                isBroken = true
                scriptError = scriptError ?? PostgresError(.misuse, message: "copy in a script")
            default: scriptError = scriptError ?? Results.error(result, statement: nil)
            }
            PQclear(result)
            if isBroken, PQstatus(pointer) != CONNECTION_BAD { return }
        }
    }

    /// Everything that still waited here.
    func lose() -> [Request] {
        defer { script = nil }
        return machine.lose() + (script.map { [$0] } ?? [])
    }

    /// Asks the server to cancel what it is doing, on another thread: libpq's call blocks until the server has taken the request.
    func cancel(_ done: @escaping @Sendable () -> Void) {
        guard let cancel = PQgetCancel(pointer) else { return done() }
        let handle = ConnectionHandle(pointer: cancel)
        let started = SystemThread.start {
            var message = [CChar](repeating: 0, count: 256)
            PQcancel(handle.pointer, &message, 256)
            PQfreeCancel(handle.pointer)
            done()
        }
        if !started {
            PQfreeCancel(cancel)
            done()
        }
    }
}

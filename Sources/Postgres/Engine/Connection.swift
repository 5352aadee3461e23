import CLibpq

/// One connection of libpq, used by the I/O thread alone: sends what its machine says and tells it what came.
///
/// `@exclusivity(unchecked)` as in `Engine`.
final class Connection {
    let pointer: OpaquePointer
    let socket: Int32
    let slot: Int
    /// Which connection of its slot this is.
    let generation: Int
    @exclusivity(unchecked)
    var machine = ConnectionMachine()
    /// libpq holds bytes that the socket did not take.
    @exclusivity(unchecked)
    private(set) var wantsWrite = false
    /// To be closed; everything in flight is lost.
    @exclusivity(unchecked)
    var isBroken = false
    /// libpq is in the middle of a COPY that nobody asked for and would tell so for ever.
    private var isStuck = false
    /// What epoll was last told to watch.
    var watched = Poller.readable
    /// Where notifications go, for a listener's connection.
    var sink: NotificationSink?
    /// When the last cancel request set out, while its target has not ended.
    var cancelledSince: ContinuousClock.Instant?
    @exclusivity(unchecked)
    var copy: CopyPhase = .none

    @exclusivity(unchecked)
    private var values: [UnsafePointer<CChar>?] = []
    @exclusivity(unchecked)
    private var lengths: [Int32] = []
    @exclusivity(unchecked)
    private var formats: [Int32] = []

    init(_ handle: ConnectionHandle, slot: Int, generation: Int) {
        pointer = handle.pointer
        socket = PQsocket(handle.pointer)
        self.slot = slot
        self.generation = generation
    }

    deinit { PQfinish(pointer) }

    /// What epoll should watch now: nothing is read while a COPY's reader is not ready for more.
    var wanted: UInt32 {
        (copy.isPaused ? 0 : Poller.readable) | (wantsWrite ? Poller.writable : 0)
    }

    // MARK: Sending

    /// Puts `request` on its way, or keeps it until it may go.
    func submit(_ request: Request) { put(request, machine.submit(request)) }

    /// Sends what was held back and may go now.
    func sendHeld() {
        while let (request, sending) = machine.next() { put(request, sending) }
    }

    private func put(_ request: Request, _ sending: ConnectionMachine.Sending) {
        switch (sending, request.body) {
        case (.hold, _): return
        case (.pipeline(let toPrepare, let stale), .statements(let first, let rest)):
            put(first, prepares: toPrepare.contains(0), isStale: stale.contains(0), isUnnamed: request.isUnnamed)
            for (index, statement) in rest.enumerated() {
                put(
                    statement, prepares: toPrepare.contains(index + 1), isStale: stale.contains(index + 1),
                    isUnnamed: request.isUnnamed)
            }
            check(PQpipelineSync(pointer))
        case (.pipeline, .describe(let plan)):
            prepare(name: "", plan)
            check(PQsendDescribePrepared(pointer, ""))
            check(PQpipelineSync(pointer))
        case (_, .script(let sql)), (_, .copy(let sql)):
            check(PQexitPipelineMode(pointer))
            check(PQsendQuery(pointer, sql))
        default: isBroken = true
        }
        flush()
    }

    /// libpq refuses only when the connection is broken or was misused, and then nothing on it can be trusted.
    private func check(_ status: Int32) {
        if status != 1 { isBroken = true }
    }

    private func put(_ statement: BoundStatement, prepares: Bool, isStale: Bool, isUnnamed: Bool) {
        if isStale {
            let sql = "deallocate \"\(statement.plan.preparedLabel)\""
            check(PQsendQueryParams(pointer, sql, 0, nil, nil, nil, nil, 1))
        }
        let name = isUnnamed ? Connection.unnamed : statement.plan.preparedName
        name.withUnsafeBufferPointer { name in
            guard let name = name.baseAddress else { return }
            if prepares { prepare(name: name, statement.plan) }
            execute(statement.parameters, name: name)
        }
    }

    private static let unnamed: [CChar] = [0]

    private func prepare(name: UnsafePointer<CChar>, _ plan: Plan) {
        plan.types.withUnsafeBytes { types in
            check(
                PQsendPrepare(
                    pointer, name, plan.sql, Int32(plan.types.count), types.bindMemory(to: Oid.self).baseAddress))
        }
    }

    private func execute(_ parameters: Parameters, name: UnsafePointer<CChar>) {
        let ranges = parameters.ranges
        while formats.count < ranges.count { formats.append(1) }
        parameters.bytes.withUnsafeBytes { bytes in
            values.removeAll(keepingCapacity: true)
            lengths.removeAll(keepingCapacity: true)
            for range in ranges {
                values.append(
                    range.map { range in
                        (bytes.baseAddress ?? Connection.somewhere) + range.lowerBound
                    }?.assumingMemoryBound(to: CChar.self))
                lengths.append(Int32(range?.count ?? 0))
            }
            check(PQsendQueryPrepared(pointer, name, Int32(ranges.count), values, lengths, formats, 1))
        }
    }

    /// An address for a value of no bytes, where a null pointer would mean null. Guard: never read or written.
    nonisolated(unsafe) private static let somewhere = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

    func flush() {
        switch PQflush(pointer) {
        case 0: wantsWrite = false
        case 1: wantsWrite = true
        default: isBroken = true
        }
    }

    // MARK: Receiving

    /// Reads what the socket has and passes each decision of the machine to `act`.
    func receive(_ act: (ConnectionMachine.Action) -> Void) {
        if PQconsumeInput(pointer) != 1 { isBroken = true }
        takeResults(act)
        // Also lets libpq digest what comes unasked.
        while let notification = PQnotifies(pointer) {
            sink?.deliver(Notification(notification.pointee))
            PQfreemem(notification)
        }
        if PQstatus(pointer) == CONNECTION_BAD { isBroken = true }
    }

    /// Takes every complete result that libpq has. While a COPY's data flows there are none.
    func takeResults(_ act: (ConnectionMachine.Action) -> Void) {
        var separators = 0
        while machine.load > 0, !copy.isFlowing, !isStuck, PQisBusy(pointer) == 0 {
            let isPlain = machine.head?.isPlain ?? false
            guard let result = PQgetResult(pointer) else {
                // libpq gives one between commands; more in a row mean that it has nothing.
                separators += 1
                if separators > 2 { break }
                if isPlain, PQstatus(pointer) == CONNECTION_BAD || PQenterPipelineMode(pointer) != 1 {
                    isBroken = true
                }
                let action = machine.received(.separator)
                if isPlain { copy = .none }
                act(action)
                continue
            }
            separators = 0
            take(result, act)
        }
    }

    private func take(_ result: OpaquePointer, _ act: (ConnectionMachine.Action) -> Void) {
        let action = machine.received(event(result))
        if case .keep(let request) = action {
            request.keep(result)
        } else {
            PQclear(result)
            act(action)
        }
    }

    private func event(_ result: OpaquePointer) -> ConnectionMachine.Event {
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return .success
        case PGRES_PIPELINE_SYNC: return .sync
        case PGRES_PIPELINE_ABORTED: return .skipped
        case PGRES_COPY_IN where machine.head?.isCopy == true:
            copy = .into
            return .copyReady
        case PGRES_COPY_OUT where machine.head?.isCopy == true:
            copy = .out(isWanted: false)
            return .copyReady
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            // COPY cannot be left inside a pipeline or a script: the connection is lost to everybody.
            isStuck = true
            isBroken = true
            return .failure(PostgresError(.misuse, message: "copy runs through copyIn and copyOut only"))
        default: return .failure(Results.error(result))
        }
    }

    /// Asks the server to cancel what it is doing, on another thread: libpq's call blocks until the server has taken the request.
    func cancel(_ done: @escaping @Sendable () -> Void) {
        guard let cancel = PQgetCancel(pointer) else { return done() }
        let handle = ConnectionHandle(pointer: cancel)
        let started = SystemThread.start {
            var message = [CChar](repeating: 0, count: 256)
            PQcancel(handle.pointer, &message, Int32(message.count))
            PQfreeCancel(handle.pointer)
            done()
        }
        if !started {
            PQfreeCancel(cancel)
            done()
        }
    }
}

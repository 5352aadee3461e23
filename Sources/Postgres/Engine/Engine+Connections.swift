import CLibpq
import Logging

extension Engine {
    // MARK: Opening and closing

    func connect(_ slot: Int) {
        let connector = Connector(settings: settings)
        let inbox = inbox
        let started = SystemThread.start {
            do throws(PostgresError) {
                inbox.post(.connected(slot: slot, try connector.connect()))
            } catch {
                inbox.post(.connectFailed(slot: slot, error))
            }
        }
        if !started {
            inbox.post(.connectFailed(slot: slot, PostgresError(.connectionFailed, message: "no thread left")))
        }
    }

    func connected(_ slot: Int, _ handle: ConnectionHandle) {
        if pool.outage != nil { logger.notice("the database answers again") }
        silence.heard(now)
        generation += 1
        let connection = Connection(handle, slot: slot, generation: generation)
        while connections.count <= slot { connections.append(nil) }
        connections[slot] = connection
        poller.add(connection.socket, events: connection.watched, tag: slot)
        pool.connected(slot, now: now, actions: &actions)
    }

    func connectFailed(_ slot: Int, _ error: PostgresError) {
        if pool.outage == nil {
            logger.warning("no connection to the database", metadata: ["error.code": "\(error.code.rawValue)"])
        }
        figures.failedConnections += 1
        // A refusal is an answer; what libpq calls its own impatience is none.
        if error.message?.contains("timeout expired") != true { silence.heard(now) }
        pool.failed(slot, error, now: now, jitter: .random(in: 0...1), actions: &actions)
    }

    func close(_ slot: Int) {
        guard slot < connections.count, let connection = connections[slot] else { return }
        forget(connection)
    }

    /// Closes the connection; callers that still wait on it learn that it is lost.
    private func forget(_ connection: Connection) {
        connections[connection.slot] = nil
        poller.remove(connection.socket)
        connection.sink?.lose()
        for request in connection.machine.lose() {
            fail(request, PostgresError(.connectionLost))
            request.isFinished = true
        }
    }

    func held(_ lease: Lease) -> Connection? {
        guard connections.indices.contains(lease.slot), let connection = connections[lease.slot],
            connection.generation == lease.generation
        else { return nil }
        return connection
    }

    /// After any use of a connection: closes it when it broke, and watches for what it now waits for.
    func settle(_ connection: Connection) {
        let slot = connection.slot
        guard connections[slot] === connection else { return }
        if connection.isBroken || connection.machine.isSpent && connection.machine.isIdle {
            if connection.isBroken {
                logger.debug("connection to the database lost")
                figures.lostConnections += 1
            }
            forget(connection)
            pool.lost(slot, now: now, actions: &actions)
        } else if connection.wanted != connection.watched {
            connection.watched = connection.wanted
            poller.change(connection.socket, events: connection.watched, tag: slot)
        }
    }

    // MARK: Requests

    func send(_ request: Request, on connection: Connection) {
        request.sentAt = now
        if nextLook == nil { look(at: now.advanced(by: Silence.patience)) }
        connection.submit(request)
        settle(connection)
    }

    func ready(_ slot: Int, _ events: UInt32) {
        guard let connection = connections[slot] else { return }
        let act = { (action: ConnectionMachine.Action) in self.answered(action, on: connection) }
        if events & Poller.writable != 0, connection.continuePut(), let head = connection.machine.head { resume(head) }
        if events & ~Poller.writable != 0 {
            silence.heard(now)
            connection.receive(act)
            switch connection.copy {
            case .out(isWanted: true), .draining:
                if let head = connection.machine.head, connection.pull(head, act) { resume(head) }
            default: break
            }
        }
        settle(connection)
        perform()
    }

    private func answered(_ action: ConnectionMachine.Action, on connection: Connection) {
        switch action {
        case .nothing, .keep: return
        case .startCopy(let request): return started(request, on: connection)
        case .succeed(let request):
            request.isFinished = true
            resume(request)
        case .fail(let request, let error):
            fail(request, error)
            request.isFinished = true
        case .resubmit(let request):
            request.resubmissions += 1
            request.dropResults()
            pool.submit(request, now: now, actions: &actions)
        }
        figures.statements += 1
        connection.cancelledSince = nil
        pool.finished(connection.slot, now: now, actions: &actions)
        cancelAbandoned(connection)
        connection.sendHeld()
    }

    /// Tells the server to stop where the caller of what it works on has gone.
    func cancelAbandoned(_ connection: Connection) {
        guard connection.machine.beginCancelling() else { return }
        pool.gate(connection.slot)
        connection.cancelledSince = now
        note(now.advanced(by: Engine.patience))
        figures.cancellations += 1
        let (inbox, slot, generation) = (inbox, connection.slot, connection.generation)
        connection.cancel { inbox.post(.cancelReturned(slot: slot, generation: generation)) }
    }

    func cancelReturned(_ slot: Int, _ generation: Int) {
        guard let connection = connections[slot], connection.generation == generation else { return }
        connection.machine.cancelReturned()
        pool.ungate(slot, now: now, actions: &actions)
        connection.sendHeld()
        // The cancelled one may have ended before the request arrived, and the next at the head be abandoned too.
        if connection.cancelledSince == nil { cancelAbandoned(connection) }
        settle(connection)
    }

    // MARK: Silence

    private func look(at moment: ContinuousClock.Instant) {
        nextLook = moment
        note(moment)
    }

    /// Where the server has stopped answering, everybody who waits for it is told so at once.
    func lookForSilence() {
        nextLook = nil
        let sentAt = connections.flatMap { $0?.machine.requests.compactMap(\.sentAt) ?? [] }
        let verdict = silence.look(sentAt, now: now)
        guard !sentAt.isEmpty, !isStopping else { return }
        switch verdict {
        case .wait: break
        case .ask: pool.ask(actions: &actions)
        case .silent:
            logger.warning("the database does not answer")
            pool.fellSilent(now: now, actions: &actions)
            for case let connection? in connections {
                connection.isBroken = true
                settle(connection)
            }
            // A new beginning for the connections that are made from now on.
            silence.heard(now)
        }
        look(at: now.advanced(by: Silence.interval))
    }

    // MARK: COPY

    /// The server is ready for data, or sends it: the caller goes on, unless it has gone.
    private func started(_ request: Request, on connection: Connection) {
        if request.abandoned == nil { return resume(request) }
        abort(request, on: connection)
    }

    private func abort(_ request: Request, on connection: Connection) {
        connection.cancelledSince = now
        note(now.advanced(by: Engine.patience))
        _ = connection.step(.abort, request) { answered($0, on: connection) }
    }

    func copy(_ step: CopyStep, _ request: Request, _ lease: Lease) {
        if request.isFinished {
            if let failure = request.failure { return fail(request, failure) }
            return resume(request)
        }
        guard let connection = held(lease), connection.machine.head === request else {
            return fail(request, PostgresError(.connectionLost))
        }
        if case .abort = step {
            abort(request, on: connection)
        } else if let code = request.abandoned {
            return fail(request, PostgresError(code))
        } else if connection.step(step, request, { answered($0, on: connection) }) {
            resume(request)
        }
        settle(connection)
    }
}

extension Connection {
    /// Nothing is under way and no transaction is open: another may have it.
    var isReusable: Bool { machine.isIdle && !machine.isSpent && PQtransactionStatus(pointer) == PQTRANS_IDLE }
}

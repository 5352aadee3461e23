import Community
import DequeModule
import EventLog
import Logging
import Metrics
import NIOCore
import Postgres
import ServiceLifecycle

extension EventStream {
    /// Hands the log's events to this process's sockets, and reads for each what it needs to catch up.
    ///
    /// What makes the seam right: an event's recipients are decided, and `planned` moves past it, in one step; a subscription is turned on,
    /// and the seq that its replay must reach is taken from `planned`, in one step. So every event is either in a subscription's
    /// replay or offered to it. What is offered to one socket leaves here in order, because batches are worked on one after the other.
    package actor Hub: EventReceiver, Service {
        /// What a socket asks for.
        enum Command: Sendable {
            case attach(Port, reader: Int64, session: Int64)
            case detach(Switchboard.SocketID)
            case effect(Session.Effect, of: Switchboard.SocketID)
        }

        /// Reads of the log that run at the same time: enough to fill the database's pipeline, few enough for a storm of reconnects.
        private static let readers = 16
        /// Pairs of event and viewer in one question to the audience.
        private static let pairs = 20_000

        package nonisolated let limits: Limits
        nonisolated let secret: SecretKey
        private let log: EventLog.Reader
        private let audience: any EventAudience
        private let homes: any HomeTopics
        private let gate: any SessionGate
        private let logger: Logger
        private let commands: AsyncStream<Command>
        private let send: AsyncStream<Command>.Continuation

        private var board = Switchboard()
        private var ports: [Switchboard.SocketID: Port] = [:]
        /// The place up to which recipients have been decided.
        private var planned = StreamCursor(epoch: 0, seq: 0)
        /// Counts beginnings: an answer that was prepared under an earlier one is void.
        private var history = 0
        private var isDraining = false
        private var jobs: Deque<Job> = []
        private var busyReaders = 0

        private struct Job {
            let socket: Switchboard.SocketID
            let effect: Session.Effect
        }

        package init(
            log: EventLog.Reader, audience: any EventAudience, homes: any HomeTopics, gate: any SessionGate,
            secret: SecretKey,
            limits: Limits = Limits(), logger: Logger
        ) {
            self.log = log
            self.audience = audience
            self.homes = homes
            self.gate = gate
            self.secret = secret
            self.limits = limits
            self.logger = logger
            (commands, send) = AsyncStream.makeStream(of: Command.self)
        }

        /// From any thread, in order. Bounded by what sockets may say.
        nonisolated func submit(_ command: Command) { send.yield(command) }

        /// Sockets that are open now.
        package var socketCount: Int { board.socketCount }
        /// Whether the tail has said where the log is: before that, a subscription would begin nowhere.
        package var hasBegun: Bool { history > 0 }
        /// Whether nothing is left of any socket: what tests check at the end.
        package var isEmpty: Bool { board.isEmpty && ports.isEmpty && jobs.isEmpty }

        package func run() async throws {
            await withGracefulShutdownHandler {
                await withDiscardingTaskGroup { group in
                    group.addTask { await self.recheck() }
                    for await command in commands {
                        obey(command)
                        while busyReaders < Self.readers, let job = jobs.popFirst() {
                            busyReaders += 1
                            group.addTask { await self.work(job) }
                        }
                    }
                    group.cancelAll()
                }
            } onGracefulShutdown: {
                self.send.finish()
            }
            drain()
        }

        // MARK: Sockets

        private func obey(_ command: Command) {
            switch command {
            case .attach(let port, let reader, let session):
                guard !isDraining else { return port.leave(.drain) }
                guard board.attach(port.id, reader: reader, session: session, limit: limits.sockets) else {
                    return port.leave(.limit)
                }
                ports[port.id] = port
            case .detach(let socket):
                board.detach(socket)
                ports[socket] = nil
            case .effect(.subscribe(let token, let name, let from), let socket):
                board.subscribe(socket, name, token: token)
                jobs.append(Job(socket: socket, effect: .subscribe(token: token, name, from: from)))
            case .effect(.unsubscribe(let name), let socket):
                board.unsubscribe(socket, name)
            case .effect(let effect, let socket):
                jobs.append(Job(socket: socket, effect: effect))
            }
        }

        private func drain() {
            isDraining = true
            for port in ports.values { port.leave(.drain) }
        }

        private func leave(_ sockets: some Sequence<Switchboard.SocketID>, _ why: Farewell) {
            for socket in sockets { ports[socket]?.leave(why) }
        }

        /// Each minute: whatever ended a session without telling, its sockets end too.
        private func recheck() async {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(limits.recheckSeconds))
                let sessions = board.sessions
                guard !sessions.isEmpty, !Task.isCancelled else { continue }
                do {
                    let living = try await gate.living(sessions: Array(sessions))
                    for session in sessions.subtracting(living) { leave(board.sockets(ofSession: session), .auth) }
                } catch {
                    logger.warning("Sessions of sockets could not be checked", metadata: ["error": "\(error)"])
                }
            }
        }

        // MARK: Events

        package func begin(at head: EventLog.Head) {
            let isFirst = history == 0
            history += 1
            planned = StreamCursor(epoch: head.epoch, seq: head.seq)
            if !isFirst { logger.warning("The log began anew", metadata: ["seq": "\(head.seq)"]) }
            for port in ports.values { port.reset(.epoch, to: planned) }
        }

        package func receive(_ events: [LoggedEvent]) async throws {
            var rest = events[...]
            while let first = rest.first {
                // What was planned before a failure is planned again: sockets know by the seq what they have.
                if let control = ControlEvent(first) {
                    rest.removeFirst()
                    plan(through: first)
                    try await obey(control)
                    continue
                }
                let next = rest.firstIndex { ControlEvent($0) != nil } ?? rest.endIndex
                try await handOn(rest[..<next])
                rest = rest[next...]
            }
        }

        private func plan(through event: LoggedEvent) {
            planned = StreamCursor(epoch: planned.epoch, seq: max(planned.seq, event.seq))
        }

        private func obey(_ control: ControlEvent) async throws {
            switch control {
            case .sessionEnded(let session): leave(board.sockets(ofSession: session), .auth)
            case .accountEnded(let account): leave(board.sockets(ofReader: account), .auth)
            case .homesChanged(let readers):
                for reader in readers {
                    guard board.staleHome(reader) else { continue }
                    try await loadHome(reader)
                }
            case .other: break
            }
        }

        /// Loads the reader's home until a load was not overtaken by a change; at once where it is loaded.
        private func loadHome(_ reader: Int64) async throws {
            guard !board.sockets(ofReader: reader).isEmpty else { return }
            while let version = board.beginHome(reader) {
                let topics = try await homes.homeTopics(of: reader)
                if board.loaded(reader, version: version, topics: topics) { break }
            }
            board.forgetHomeIfUnused(reader)
        }

        private func handOn(_ events: ArraySlice<LoggedEvent>) async throws {
            guard let last = events.last else { return }
            // One step, without a pause: who is offered what, and that it is planned.
            let offers = events.map { ($0, board.recipients(of: $0)) }.filter { !$0.1.isEmpty }
            plan(through: last)
            guard !offers.isEmpty else { return }
            let began = history

            var parcels: [Switchboard.SocketID: [Parcel]] = [:]
            for (event, recipients, visible) in try await verdicts(offers) {
                let shared = SharedEvent(event, cursor: cursor(event.seq))
                var wholes: [Wrapping: ByteBuffer] = [:]
                for recipient in recipients {
                    let isVisible = visible.contains(recipient.reader)
                    let wrapping = Wrapping(name: recipient.name, isVisible: isVisible)
                    var whole = wholes[wrapping]
                    if whole == nil, !recipient.name.isOwnChain {
                        whole = shared.whole(
                            topic: recipient.name, prev: event.prev(on: recipient.name), isVisible: isVisible)
                        wholes[wrapping] = whole
                    }
                    parcels[recipient.socket, default: []].append(
                        Parcel(topic: recipient.name, event: shared, isVisible: isVisible, whole: whole))
                }
            }
            guard began == history else { return }
            await Port.offer(parcels.compactMap { socket, parcels in ports[socket].map { ($0, parcels) } })
        }

        private struct Wrapping: Hashable {
            let name: Name
            let isVisible: Bool
        }

        /// Asks the audience about all events, in as few questions as their sizes allow.
        private func verdicts(
            _ offers: [(LoggedEvent, [Switchboard.Recipient])]
        ) async throws -> [(LoggedEvent, [Switchboard.Recipient], Set<Int64>)] {
            var answers: [(LoggedEvent, [Switchboard.Recipient], Set<Int64>)] = []
            var start = 0
            while start < offers.count {
                var viewers = Set(offers[start].1.map(\.reader))
                var end = start + 1
                while end < offers.count {
                    let more = viewers.union(offers[end].1.map(\.reader))
                    guard more.count * (end - start + 1) <= Self.pairs else { break }
                    viewers = more
                    end += 1
                }
                let visible = try await audience.visible(offers[start..<end].map(\.0), to: Array(viewers))
                for (offer, seen) in zip(offers[start..<end], visible) { answers.append((offer.0, offer.1, seen)) }
                start = end
            }
            return answers
        }

        private func cursor(_ seq: Int64) -> String {
            StreamCursor(epoch: planned.epoch, seq: seq).text(signedBy: secret)
        }

        // MARK: Catching up

        /// Works on `first` and then on whatever waits.
        private func work(_ first: Job) async {
            var next: Job? = first
            while let job = next {
                switch job.effect {
                case .subscribe(let token, let name, let from): await open(job.socket, token, name, from)
                case .page(let token, let name, let after): await page(job.socket, token, name, after)
                case .unsubscribe, .close, .abandon: break
                }
                next = jobs.popFirst()
            }
            busyReaders -= 1
        }

        private func open(_ socket: Switchboard.SocketID, _ token: UInt64, _ name: Name, _ from: Session.Start) async {
            var wait: Duration = .milliseconds(100)
            while board.isCurrent(socket, name, token: token), !Task.isCancelled {
                do {
                    guard try await begin(socket, token, name, from) else { continue }
                    return
                } catch {
                    // The client waits for its answer; the database comes back or the socket goes.
                    logger.debug("A subscription waits for the database", metadata: ["error": "\(error)"])
                    try? await Task.sleep(for: wait)
                    wait = min(wait * 2, .seconds(5))
                }
            }
        }

        /// Turns a subscription on and tells the socket where it begins. False where the log began anew meanwhile.
        private func begin(
            _ socket: Switchboard.SocketID, _ token: UInt64, _ name: Name, _ from: Session.Start
        ) async throws -> Bool {
            guard let reader = board.reader(of: socket) else { return true }
            guard hasBegun else {
                // The tail has not said yet where the log is: any answer now would be a wrong one.
                try await Task.sleep(for: .milliseconds(5))
                return false
            }
            if name == .home { try await loadHome(reader) }
            guard board.isCurrent(socket, name, token: token) else { return true }
            // One step: offers begin, and this is where they begin.
            board.turnOn(socket, name)
            let (began, now) = (history, planned)
            // Answers are given in the step in which they were found to be still good.
            func answer(_ position: StreamCursor, replay: Int = 0, reset: ResetReason? = nil) -> Bool {
                ports[socket]?.opened(
                    Session.Opening(token: token, name: name, position: position, replay: replay, reset: reset))
                return true
            }

            let wanted: StreamCursor
            switch from {
            case .now: return answer(now)
            case .foreign: return answer(now, reset: .epoch)
            case .cursor(let cursor): wanted = cursor
            }
            guard wanted.epoch == now.epoch else { return answer(now, reset: .epoch) }
            guard wanted.seq <= now.seq else {
                // Another process was ahead of this one; or the log lost its end.
                let head = try await log.head()
                guard began == history else { return false }
                let isReached = head.epoch == wanted.epoch && head.seq >= wanted.seq
                return isReached ? answer(wanted) : answer(now, reset: .ahead)
            }
            let topics = board.topics(of: name, for: socket)
            let count = try await log.count(of: topics, after: wanted.seq, through: now.seq, limit: limits.replay + 1)
            guard began == history else { return false }
            guard let count else { return answer(now, reset: .expired) }
            guard count <= limits.replay else { return answer(now, reset: .tooFar) }
            return count == 0 ? answer(now) : answer(wanted, replay: count)
        }

        private func page(_ socket: Switchboard.SocketID, _ token: UInt64, _ name: Name, _ after: Int64) async {
            func answer(_ content: Session.Page.Content) {
                ports[socket]?.received(Session.Page(token: token, name: name, content: content))
            }
            guard let reader = board.reader(of: socket), board.isCurrent(socket, name, token: token) else {
                return answer(.failed)
            }
            let (began, now) = (history, planned)
            do {
                let topics = board.topics(of: name, for: socket)
                let events = try await log.page(of: topics, after: after, through: now.seq, limit: limits.pageEvents)
                let visible = try await audience.visible(events ?? [], to: [reader])
                guard began == history else { return answer(.reset(.epoch, planned)) }
                guard let events else { return answer(.reset(.expired, now)) }
                answer(content(events, visible.map { $0.contains(reader) }, name, through: now.seq))
            } catch {
                logger.debug("A page of the log could not be read", metadata: ["error": "\(error)"])
                answer(.failed)
            }
        }

        /// As much of `events` as one page may weigh, at least one.
        private func content(_ events: [LoggedEvent], _ visible: [Bool], _ name: Name, through: Int64)
            -> Session.Page.Content
        {
            var parcels: [Parcel] = []
            var bytes = 0
            for (event, isVisible) in zip(events, visible) {
                let shared = SharedEvent(event, cursor: cursor(event.seq))
                let prev = event.prev(on: name)
                let whole = name.isOwnChain ? nil : shared.whole(topic: name, prev: prev, isVisible: isVisible)
                let parcel = Parcel(topic: name, event: shared, isVisible: isVisible, whole: whole)
                bytes += parcel.bytes
                if bytes > limits.pageBytes, !parcels.isEmpty {
                    return .parcels(parcels, through: parcels[parcels.count - 1].seq, isLast: false)
                }
                parcels.append(parcel)
            }
            return .parcels(parcels, through: through, isLast: events.count < limits.pageEvents)
        }
    }

    /// Says which sessions are still open.
    package protocol SessionGate: Sendable {
        /// Those of `sessions` that are neither ended nor expired, and whose account may be signed in.
        func living(sessions: [Int64]) async throws -> Set<Int64>
    }
}

extension LoggedEvent {
    /// The seq before this one on the chain of a topic that is followed under its own name.
    fileprivate func prev(on name: EventStream.Name) -> Int64 {
        places.first { $0.topic.name == name.text }?.prev ?? 0
    }
}

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
            case source(SourceSession.Effect, of: Switchboard.SocketID)
            /// The server stops.
            case drain
        }

        /// Reads of the log that run at the same time: enough to fill the database's pipeline, few enough for a storm of reconnects.
        private static let readers = 16

        package nonisolated let limits: Limits
        nonisolated let secret: SecretKey
        nonisolated let fault: Fault?
        nonisolated let tickers: Tickers
        nonisolated let figures = Figures()
        nonisolated let numbers = SocketNumbers()
        let log: EventLog.Reader
        let audience: any EventAudience
        let homes: any HomeTopics
        let topics: any TopicGate
        private let gate: any SessionGate
        private let drainTime: Duration
        let logger: Logger
        private let commands: AsyncStream<Command>
        private let send: AsyncStream<Command>.Continuation

        var board = Switchboard()
        var ports: [Switchboard.SocketID: Port] = [:]
        /// The place up to which recipients have been decided.
        var planned = StreamCursor(epoch: 0, seq: 0)
        /// Counts beginnings: an answer that was prepared under an earlier one is void.
        var history = 0
        private var isDraining = false
        var jobs: Deque<Job> = []
        /// Sessions of new sockets. One may have ended between the handshake and the attachment, when nobody knew of the socket.
        var unproved: Set<Int64> = []
        var busyReaders = 0

        enum Job {
            case effect(Session.Effect, of: Switchboard.SocketID)
            case source(SourceSession.Effect, of: Switchboard.SocketID)
            /// Of all `unproved`: sockets that come together are asked about together.
            case proof
        }

        /// `drainTime`: how long telling all sockets to go may take when the server stops; up to 3 s more for them to go. `fault`: what its
        /// sockets do wrong.
        package init(
            log: EventLog.Reader, audience: any EventAudience, homes: any HomeTopics, topics: any TopicGate,
            gate: any SessionGate, secret: SecretKey, limits: Limits = Limits(),
            drainTime: Duration = .seconds(10), fault: Fault? = nil, logger: Logger
        ) {
            self.log = log
            self.audience = audience
            self.homes = homes
            self.topics = topics
            self.gate = gate
            self.secret = secret
            self.limits = limits
            self.drainTime = drainTime
            self.fault = fault
            tickers = Tickers(seconds: limits.tickSeconds)
            self.logger = logger
            (commands, send) = AsyncStream.makeStream(of: Command.self)
        }

        /// From any thread, in order. The queue has no bound of its own: each socket's allowance of messages bounds it.
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
                    group.addTask { await self.count() }
                    for await command in commands {
                        if case .drain = command { group.addTask { await self.drain() } }
                        obey(command)
                        while busyReaders < Self.readers, let job = jobs.popFirst() {
                            busyReaders += 1
                            group.addTask { await self.work(job) }
                        }
                    }
                    group.cancelAll()
                }
            } onGracefulShutdown: {
                self.submit(.drain)
            }
            leave(ports.keys, .drain)
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
                if unproved.isEmpty { jobs.append(.proof) }
                unproved.insert(session)
            case .detach(let socket):
                board.detach(socket)
                ports[socket] = nil
            case .effect(.subscribe(let token, let name, let from), let socket):
                board.subscribe(socket, name, token: token)
                jobs.append(.effect(.subscribe(token: token, name, from: from), of: socket))
            case .effect(.unsubscribe(let name), let socket):
                board.unsubscribe(socket, name)
            case .effect(let effect, let socket):
                jobs.append(.effect(effect, of: socket))
            case .source(let effect, let socket):
                if case .open(let names, _) = effect {
                    for name in names { board.subscribe(socket, name, token: SourceSession.token) }
                }
                jobs.append(.source(effect, of: socket))
            case .drain: isDraining = true
            }
        }

        /// Tells the sockets to go, so many at a time that those who take them over are not run down, and waits until they are gone.
        private func drain() async {
            let waves = Waves(of: ports.count, within: drainTime)
            var rest = Array(ports.keys)[...]
            while !rest.isEmpty {
                leave(rest.prefix(waves.size), .drain)
                rest = rest.dropFirst(waves.size)
                if !rest.isEmpty { try? await Task.sleep(for: Waves.pause) }
            }
            // A closing handshake takes 2 seconds at most.
            let end = ContinuousClock.now + .seconds(3)
            while !ports.isEmpty, ContinuousClock.now < end, !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(5))
            }
            send.finish()
        }

        func leave(_ sockets: some Sequence<Switchboard.SocketID>, _ why: CloseReason) {
            for socket in sockets { ports[socket]?.leave(why) }
        }

        /// Each minute: whatever ended a session without telling, its sockets end too.
        private func recheck() async {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(limits.recheckSeconds))
                if !Task.isCancelled { await prove(board.sessions) }
            }
        }

        /// Every few seconds: what the sockets follow.
        private func count() async {
            while !Task.isCancelled {
                figures.follow(board.following)
                try? await Task.sleep(for: .seconds(limits.tickSeconds))
            }
        }

        /// Ends the sockets of those sessions that are over. False where that could not be found out.
        @discardableResult
        func prove(_ sessions: Set<Int64>) async -> Bool {
            guard !sessions.isEmpty else { return true }
            do {
                let living = try await gate.living(sessions: Array(sessions))
                for session in sessions.subtracting(living) { leave(board.sockets(ofSession: session), .auth) }
                return true
            } catch {
                logger.warning("Sessions of sockets could not be checked", metadata: ["error": "\(error)"])
                return false
            }
        }

        // MARK: Events

        package func begin(at head: EventLog.Head) {
            let isFirst = history == 0
            history += 1
            planned = StreamCursor(epoch: head.epoch, seq: head.seq)
            // A subscriber who came before waits for this and has been told nothing that could be void.
            guard !isFirst else { return }
            logger.warning("The log began anew", metadata: ["seq": "\(head.seq)"])
            for port in ports.values { port.reset(.epoch, to: planned) }
            // What ended or changed in the part that nobody has read is unknown: those come back and are asked again.
            board.staleHomes()
            leave(board.socketsOnReadersTopics, .drain)
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

        private func handOn(_ events: ArraySlice<LoggedEvent>) async throws {
            guard let last = events.last else { return }
            // One step, without a pause: who is offered what, and that it is planned.
            let offers = events.map { (event: $0, recipients: board.recipients(of: $0)) }.filter {
                !$0.recipients.isEmpty
            }
            plan(through: last)
            guard !offers.isEmpty else { return }
            let began = history

            let asked = ContinuousClock.now
            let judgements = try await judged(offers)
            figures.asked(since: asked)
            var deliveries = Deliveries()
            var forms: [Form: Int] = [:]
            for (offer, judgement) in zip(offers, judgements) {
                var wrapper = Wrapper(offer.event, judgement.verdict, cursor: cursor(offer.event.seq))
                deliveries.beginEvent()
                for recipient in offer.recipients where judgement.isShown(to: recipient) {
                    guard let port = ports[recipient.socket],
                        let slot = wrapper.slot(for: recipient.reader, on: recipient.name)
                    else { continue }
                    deliveries.add(slot, wrapper[slot], to: port)
                    forms[wrapper.form(at: slot), default: 0] += 1
                }
            }
            guard began == history else { return }
            figures.delivered(forms)
            await deliveries.handOn()
        }

        /// What is left of an offer when the database has been asked.
        private struct Judgement {
            let verdict: Verdict
            /// Whose home does not show it.
            let notAtHome: Set<Int64>

            func isShown(to recipient: Switchboard.Recipient) -> Bool {
                recipient.name != .home || !notAtHome.contains(recipient.reader)
            }
        }

        /// Asks about all events at once.
        private func judged(_ offers: [(event: LoggedEvent, recipients: [Switchboard.Recipient])]) async throws
            -> [Judgement]
        {
            func offered(_ offer: (event: LoggedEvent, recipients: [Switchboard.Recipient]), atHome: Bool) -> Offered {
                let recipients = atHome ? offer.recipients.filter { $0.name == .home } : offer.recipients
                return Offered(offer.event, to: Array(Set(recipients.map(\.reader))))
            }
            let verdicts = try await audience.verdicts(on: offers.map { offered($0, atHome: false) })
            let atHome = offers.map { offered($0, atHome: true) }
            guard atHome.contains(where: { !$0.viewers.isEmpty }) else {
                return verdicts.map { Judgement(verdict: $0, notAtHome: []) }
            }
            return zip(verdicts, try await homes.notAtHome(atHome)).map { Judgement(verdict: $0, notAtHome: $1) }
        }

        func cursor(_ seq: Int64) -> String {
            StreamCursor(epoch: planned.epoch, seq: seq).text(signedBy: secret)
        }
    }
}

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
        let log: EventLog.Reader
        let audience: any EventAudience
        let homes: any HomeTopics
        let topics: any TopicGate
        private let gate: any SessionGate
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
        var busyReaders = 0

        enum Job {
            case effect(Session.Effect, of: Switchboard.SocketID)
            /// Its session may have ended between the handshake and the attachment, when nobody knew of the socket.
            case proof(session: Int64)
        }

        package init(
            log: EventLog.Reader, audience: any EventAudience, homes: any HomeTopics, topics: any TopicGate,
            gate: any SessionGate, secret: SecretKey, limits: Limits = Limits(), logger: Logger
        ) {
            self.log = log
            self.audience = audience
            self.homes = homes
            self.topics = topics
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
                jobs.append(.proof(session: session))
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
            }
        }

        private func drain() {
            isDraining = true
            for port in ports.values { port.leave(.drain) }
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

        /// Ends the sockets of those sessions that are over.
        func prove(_ sessions: Set<Int64>) async {
            guard !sessions.isEmpty else { return }
            do {
                let living = try await gate.living(sessions: Array(sessions))
                for session in sessions.subtracting(living) { leave(board.sockets(ofSession: session), .auth) }
            } catch {
                logger.warning("Sessions of sockets could not be checked", metadata: ["error": "\(error)"])
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
            // What ended in the part that nobody has read is unknown: those come back and are asked again.
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
            let offers = events.map { ($0, board.recipients(of: $0)) }.filter { !$0.1.isEmpty }
            plan(through: last)
            guard !offers.isEmpty else { return }
            let began = history

            var parcels: [Switchboard.SocketID: [Parcel]] = [:]
            for offer in try await judged(offers) {
                var wrapper = Wrapper(offer.event, offer.verdict, cursor: cursor(offer.event.seq))
                for recipient in offer.recipients where offer.isShown(to: recipient) {
                    guard let parcel = wrapper.parcel(for: recipient.reader, on: recipient.name) else { continue }
                    parcels[recipient.socket, default: []].append(parcel)
                }
            }
            guard began == history else { return }
            await Port.offer(parcels.compactMap { socket, parcels in ports[socket].map { ($0, parcels) } })
        }

        /// An event, who is offered it, and what each of them may have of it.
        private struct Offer {
            let event: LoggedEvent
            let recipients: [Switchboard.Recipient]
            let verdict: Verdict
            /// Whose home shows it.
            let atHome: Set<Int64>

            func isShown(to recipient: Switchboard.Recipient) -> Bool {
                recipient.name != .home || atHome.contains(recipient.reader)
            }
        }

        /// Asks the audience about all events, in as few questions as their sizes allow.
        private func judged(_ offers: [(LoggedEvent, [Switchboard.Recipient])]) async throws -> [Offer] {
            var answers: [Offer] = []
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
                let events = offers[start..<end].map(\.0)
                let homely = Set(offers[start..<end].flatMap(\.1).filter { $0.name == .home }.map(\.reader))
                let verdicts = try await audience.verdicts(on: events, for: Array(viewers))
                let atHome = homely.isEmpty ? [] : try await homes.shown(events, atHomesOf: Array(homely))
                for (place, offer) in offers[start..<end].enumerated() {
                    answers.append(
                        Offer(
                            event: offer.0, recipients: offer.1, verdict: verdicts[place],
                            atHome: atHome.isEmpty ? [] : atHome[place]))
                }
                start = end
            }
            return answers
        }

        func cursor(_ seq: Int64) -> String {
            StreamCursor(epoch: planned.epoch, seq: seq).text(signedBy: secret)
        }
    }
}

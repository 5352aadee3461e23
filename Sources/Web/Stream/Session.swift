import Community
import DequeModule
import EventLog
import NIOCore

extension EventStream {
    /// One connection's protocol: what the client may say, what it is sent, and in which order.
    ///
    /// A value that decides and does nothing. Frames to write collect in a queue that the shell empties with `next()` while the socket takes
    /// them; what must be asked of the hub, and the end of the connection, collect in `takeEffects()`. Time is given in milliseconds of any
    /// monotonic clock. Events that wait, queued here or held in a subscription, never exceed the limits: a topic for which there is no
    /// room falls behind and is read from the log once the queue has drained.
    struct Session: Machine, Sendable {
        let limits: Limits
        private let secret: SecretKey
        /// Those of the access token that opened it; `nil` for a session's, which may everything.
        private let scopes: Set<Accounts.Scope>?
        private var chains: [Name: Chain] = [:]
        private var states: [Name: StateTopic] = [:]
        private var queue: Deque<Frame> = []
        private var effects: [Effect] = []
        private var lastToken: UInt64 = 0
        /// Topics that are behind and wait for their turn to be read.
        private var behind: Deque<Name> = []
        private var isPaging = false
        private var retryPageAt: Int64 = 0

        private(set) var queuedBytes = 0
        private(set) var queuedEvents = 0
        /// Bytes of queued frames that are no events.
        private(set) var controlBytes = 0
        private(set) var heldBytes = 0
        private(set) var heldEvents = 0
        private(set) var isClosing = false
        /// Whether a topic waits to be read from the log.
        var isBehind: Bool { isPaging || !behind.isEmpty }

        private var allowance: Allowance
        private var liveness: Liveness
        private var spoiler: Spoiler<Frame>?

        init(limits: Limits, secret: SecretKey, scopes: Set<Accounts.Scope>? = nil, fault: Fault? = nil, now: Int64) {
            self.limits = limits
            self.secret = secret
            self.scopes = scopes
            allowance = Allowance(perSecond: limits.messagesPerSecond, burst: limits.messageBurst, now: now)
            liveness = Liveness(limits: limits, now: now)
            spoiler = fault.map { Spoiler($0) }
            enqueue(WebSocketFrames.json(Hello(limits)))
        }

        mutating func takeEffects() -> [Effect] {
            defer { effects.removeAll() }
            return effects
        }

        /// The next frame to write, oldest first.
        mutating func next() -> Frame? {
            guard let frame = queue.popFirst() else { return nil }
            if frame.topic != nil {
                queuedBytes -= frame.bytes
                queuedEvents -= 1
            } else {
                controlBytes -= frame.bytes
            }
            return frame
        }

        // MARK: From the client

        /// Any byte came: the client is there.
        mutating func heard() { liveness.heard() }

        /// A ping of the client's: it counts as a message, because the answer takes room.
        mutating func pinged(_ payload: ByteBuffer, now: Int64) {
            guard !isClosing else { return }
            guard allowance.take(now: now) else { return leave(.limit) }
            enqueue(WebSocketFrames.pong(payload))
        }

        /// A frame that asks for no answer by itself, a pong or part of a message: it counts all the same.
        mutating func receivedPart(now: Int64) {
            guard !isClosing else { return }
            if !allowance.take(now: now) { leave(.limit) }
        }

        mutating func received(_ text: ByteBuffer, now: Int64) {
            guard !isClosing else { return }
            let frame = ClientFrame(text)
            guard allowance.take(frame.weight, now: now) else { return leave(.limit) }
            switch frame {
            case .subscribe(let id, let topics, let from):
                for topic in topics { subscribe(id, topic, from, now) }
            case .unsubscribe(let id, let topic): unsubscribe(id, topic)
            case .ping: heartbeat()
            case .faulty(let id, let code, let detail): refuse(id, code, detail)
            }
        }

        /// Says the same of what does not exist and of what is not the reader's.
        static let noSuchTopic =
            "Topics are home, inbox, server, moderation, trending, book:ID, thread:ID, conversation:ID and group:ID, of what there is for you."

        private mutating func subscribe(_ id: Int64?, _ topic: String, _ from: String, _ now: Int64) {
            guard let name = Name(text: topic) else {
                return refuse(id, "unknown_topic", Self.noSuchTopic, topic)
            }
            if let scopes, let needed = name.scope, !scopes.contains(needed) {
                return refuse(id, "insufficient_scope", "This access token may not: the topic needs \(needed).", topic)
            }
            guard let start = Start(text: from, signedBy: secret) else {
                return refuse(id, "bad_cursor", "`from` is \"now\" or a cursor from a frame or a REST answer.", topic)
            }
            // Asking again for a topic begins it anew: so a client mends a gap that it sees.
            drop(name)
            guard chains.count + states.count < limits.topics else {
                return refuse(id, "too_many_topics", "One socket follows at most \(limits.topics) topics.", topic)
            }
            lastToken += 1
            if name.isState {
                states[name] = StateTopic(token: lastToken, id: id)
            } else {
                chains[name] = Chain(token: lastToken, id: id, behindSince: now)
            }
            effects.append(.subscribe(token: lastToken, name, from: start))
        }

        private mutating func unsubscribe(_ id: Int64?, _ topic: String) {
            guard let name = Name(text: topic), chains[name] != nil || states[name] != nil else {
                return refuse(id, "not_subscribed", "This socket does not follow that topic.", topic)
            }
            drop(name)
            enqueue(WebSocketFrames.json(Unsubscribed(id: id, topic: topic)))
        }

        private mutating func drop(_ name: Name) {
            if states.removeValue(forKey: name) != nil {
                takeBack(name)
                effects.append(.unsubscribe(name))
            }
            guard let chain = chains.removeValue(forKey: name) else { return }
            heldBytes -= chain.subscription.heldBytes
            heldEvents -= chain.subscription.heldCount
            effects.append(.unsubscribe(name))
        }

        private mutating func refuse(_ id: Int64?, _ code: String, _ detail: String, _ topic: String? = nil) {
            enqueue(WebSocketFrames.json(ErrorFrame(id: id, topic: topic, code: code, detail: detail)))
        }

        // MARK: From the hub

        /// An event as it happens. What is for a topic that is no longer followed, or was seen already, is passed over.
        ///
        /// The chain changes in its place: this is done for each event and each socket.
        mutating func offer(_ parcel: Parcel, now: Int64) {
            guard !isClosing, let place = chains.index(forKey: parcel.topic) else { return }
            let offered = chains.values[place].offer(parcel, hasRoom: hasRoom(for: parcel.bytes), now: now)
            heldBytes += offered.bytes
            heldEvents += offered.events
            if let link = offered.passesAfter { send(parcel, after: link) }
            if offered.fellBehind { behind.append(parcel.topic) }
        }

        mutating func opened(_ opening: Opening, now: Int64) {
            if opening.name.isState { return begin(opening) }
            guard !isClosing, chains[opening.name]?.token == opening.token else { return }
            let cursor = opening.position.text(signedBy: secret)
            let seq = opening.position.seq
            with(opening.name) { session, chain in
                session.enqueue(
                    WebSocketFrames.json(
                        Subscribed(
                            id: chain.id, topic: opening.name.text, cursor: cursor, seq: seq,
                            isRecovered: opening.reset == nil,
                            replayCount: opening.replay)))
                if let why = opening.reset {
                    session.enqueue(
                        WebSocketFrames.json(Reset(topic: opening.name.text, why: why, cursor: cursor, seq: seq)))
                }
                chain.link = seq
                let held = chain.subscription.opened(at: seq, isWhole: opening.replay == 0)
                for parcel in held { session.send(parcel, after: chain.pass(parcel.seq)) }
                if chain.subscription.phase == .behind { session.fellBehind(opening.name, &chain, now) }
            }
            askForPage(now: now)
        }

        mutating func received(_ page: Page, now: Int64) {
            isPaging = false
            guard !isClosing else { return }
            if chains[page.name]?.token == page.token {
                with(page.name) { session, chain in session.apply(page, to: &chain, now) }
            }
            askForPage(now: now)
        }

        private mutating func apply(_ page: Page, to chain: inout Chain, _ now: Int64) {
            // A restart of the history came first.
            guard chain.subscription.phase == .paging else { return }
            let held: [Parcel]
            switch page.content {
            case .failed:
                chain.subscription.abandonPage()
                retryPageAt = now + 500
                held = []
            case .reset(let why, let position):
                held = chain.subscription.rebase(to: position.seq)
                tell(why, position, page.name, &chain)
            case .parcels(let parcels, let through, let isLast):
                for parcel in parcels {
                    let offer = chain.subscription.page(seq: parcel.seq, hasRoom: hasRoom(for: parcel.bytes))
                    if offer == .pass { send(parcel, after: chain.pass(parcel.seq)) }
                    if offer == .full { break }
                }
                // What the page did not hold of its stretch is behind us too.
                if !isLast { _ = chain.subscription.page(seq: through, hasRoom: true) }
                held = chain.subscription.endPage(through: through, isLast: isLast)
            }
            for parcel in held { send(parcel, after: chain.pass(parcel.seq)) }
            if chain.subscription.phase == .behind { behind.append(page.name) }
        }

        /// The client begins anew at `position`.
        private mutating func tell(_ why: ResetReason, _ position: StreamCursor, _ name: Name, _ chain: inout Chain) {
            chain.link = position.seq
            let cursor = position.text(signedBy: secret)
            enqueue(WebSocketFrames.json(Reset(topic: name.text, why: why, cursor: cursor, seq: position.seq)))
        }

        /// The reader may not follow the topic (any more). Nothing is sent on it from here on, not even what waited.
        mutating func closed(_ name: Name, token: UInt64) {
            guard !isClosing, let chain = chains[name], chain.token == token else { return }
            drop(name)
            takeBack(name)
            if chain.subscription.phase == .opening {
                refuse(chain.id, "unknown_topic", Self.noSuchTopic, name.text)
            } else {
                enqueue(WebSocketFrames.json(Closed(topic: name.text)))
            }
        }

        /// Nothing that waits on `name` is sent any more.
        private mutating func takeBack(_ name: Name) {
            let waiting = queue.filter { $0.topic == name }
            queue.removeAll { $0.topic == name }
            queuedBytes -= waiting.reduce(0) { $0 + $1.bytes }
            queuedEvents -= waiting.count
        }

        private mutating func begin(_ opening: Opening) {
            guard !isClosing, let state = states[opening.name], state.token == opening.token, !state.isOpen else {
                return
            }
            states[opening.name]?.isOpen = true
            let position = opening.position
            enqueue(
                WebSocketFrames.json(
                    Subscribed(
                        id: state.id, topic: opening.name.text, cursor: position.text(signedBy: secret),
                        seq: position.seq, isRecovered: true, replayCount: 0)))
        }

        /// What holds now of a topic, in `frame`. It takes the place of an older one that waits; what is older than what was sent is passed over.
        mutating func told(_ frame: ByteBuffer, of name: Name, version: Int64) {
            guard !isClosing, states[name]?.take(version) == true else { return }
            takeBack(name)
            append(Frame(head: frame, tail: nil, topic: name))
        }

        /// The log's history is another: every topic begins anew at `position`.
        mutating func reset(_ why: ResetReason, to position: StreamCursor) {
            guard !isClosing else { return }
            for (name, state) in states {
                // Versions may begin anew, too.
                states[name]?.version = 0
                effects.append(.subscribe(token: state.token, name, from: .now))
            }
            for name in Array(chains.keys) {
                with(name) { session, chain in
                    // What has not been opened yet hears of it in its answer.
                    if chain.subscription.phase != .opening { session.tell(why, position, name, &chain) }
                    chain.subscription.restart(at: position.seq)
                }
            }
        }

        /// Says why and ends the connection. `retryAfter` is in milliseconds.
        mutating func leave(_ why: CloseReason, retryAfter: Int = EventStream.retryAfter()) {
            guard !isClosing else { return }
            isClosing = true
            chains.removeAll()
            states.removeAll()
            (heldBytes, heldEvents) = (0, 0)
            // A client that is told to go for being slow must not have to read its backlog first.
            if why == .slow || why == .auth { dropQueue() }
            append(WebSocketFrames.json(Bye(why: why.rawValue, retryMs: retryAfter)))
            effects.append(.close(why))
        }

        private mutating func dropQueue() {
            queue.removeAll()
            (queuedBytes, queuedEvents, controlBytes) = (0, 0, 0)
        }

        // MARK: Time and room

        /// Asks for the next page, once there is room for a whole one. Call it whenever frames were taken.
        mutating func askForPage(now: Int64) {
            guard !behind.isEmpty, !isPaging, !isClosing, now >= retryPageAt,
                queuedBytes + heldBytes <= limits.queueBytes - limits.pageBytes,
                queuedEvents + heldEvents <= limits.queueEvents - limits.pageEvents
            else { return }
            while let name = behind.popFirst() {
                guard var chain = chains[name], let after = chain.subscription.beginPage() else { continue }
                chains[name] = chain
                isPaging = true
                effects.append(.page(token: chain.token, name, after: after))
                return
            }
        }

        /// Call it each few seconds. `accepted` counts the bytes that the socket has taken since the connection began, `waiting` those
        /// that were given to the channel and not taken yet.
        mutating func tick(now: Int64, accepted: Int64, waiting: Int) {
            guard !isClosing else { return }
            switch liveness.tick(now: now, accepted: accepted, isBlocked: waiting > 0 || !queue.isEmpty) {
            case .nothing: break
            case .beat:
                enqueue(WebSocketFrames.ping())
                heartbeat()
            case .stalled: return leave(.slow)
            case .gone:
                isClosing = true
                effects.append(.abandon)
                return
            }
            let limit = Int64(limits.behindSeconds) * 1000
            if chains.values.contains(where: { $0.subscription.phase != .live && now - $0.behindSince > limit }) {
                leave(.slow)
            }
            askForPage(now: now)
        }

        private mutating func heartbeat() {
            let live = chains.filter { $0.value.subscription.phase != .opening }
            let heads = Dictionary(uniqueKeysWithValues: live.map { ($0.key.text, $0.value.link) })
            enqueue(WebSocketFrames.json(Heartbeat(heads: heads)))
        }

        private func hasRoom(for bytes: Int) -> Bool {
            queuedBytes + heldBytes + bytes <= limits.queueBytes && queuedEvents + heldEvents < limits.queueEvents
        }

        private mutating func fellBehind(_ name: Name, _ chain: inout Chain, _ now: Int64) {
            chain.behindSince = now
            behind.append(name)
        }

        /// `link`: what the client was sent before it on its chain.
        private mutating func send(_ parcel: Parcel, after link: Int64) {
            guard !isClosing else { return }
            let frame = Frame(parcel, after: link)
            let spoiled = spoiler?.spoil(frame) { $0.topic == frame.topic }
            guard let spoiled else { return append(frame) }
            for frame in spoiled { append(frame) }
        }

        /// Queues an event or a state.
        private mutating func append(_ frame: Frame) {
            queue.append(frame)
            queuedBytes += frame.bytes
            queuedEvents += 1
        }

        /// Queues what is no event. A client that asks for more than it takes is slow.
        private mutating func enqueue(_ frame: ByteBuffer) {
            guard !isClosing else { return }
            append(frame)
            if controlBytes > limits.controlBytes { leave(.slow) }
        }

        private mutating func append(_ frame: ByteBuffer) {
            queue.append(Frame(head: frame, tail: nil, topic: nil))
            controlBytes += frame.readableBytes
        }

        /// Works on one chain and keeps the count of what it holds.
        private mutating func with(_ name: Name, _ body: (inout Session, inout Chain) -> Void) {
            guard var chain = chains.removeValue(forKey: name) else { return }
            let (bytes, events) = (chain.subscription.heldBytes, chain.subscription.heldCount)
            body(&self, &chain)
            // The body may have ended the connection.
            guard !isClosing else { return }
            heldBytes += chain.subscription.heldBytes - bytes
            heldEvents += chain.subscription.heldCount - events
            chains[name] = chain
        }
    }
}

import Community
import DequeModule
import EventLog
import NIOCore

extension EventStream {
    /// The protocol of one event stream (`text/event-stream`): what it is sent, in which order, and from where it may be resumed.
    ///
    /// A value that decides and does nothing, like `Session`, whose queue and limits it has. **All its topics are one chain.** They begin at
    /// one place, what follows comes in the order of the log, and a replay is read from the log for all of them together. So one
    /// `id` says what the client has of every topic. Wherever several frames belong together, the `id` stands behind the last: those of an
    /// event that stands on two topics, the answers at the beginning, and what is said when all topics begin anew.
    struct SourceSession: Machine, Sendable {
        let limits: Limits
        private let secret: SecretKey
        /// What was asked for and may be followed as far as the session knows, in that order.
        private let names: [Name]
        /// The last seq that the client was sent on each topic with a log, or where it began.
        private var links: [Name: Int64] = [:]
        private var states: [Name: Session.StateTopic] = [:]
        private var subscription = Subscription<Bundle>()
        /// The event that is being offered: its parcels come one after the other.
        private var open: Bundle?
        private var queue: Deque<Entry> = []
        private var effects: [Effect] = []
        private var isPaging = false
        private var retryPageAt: Int64 = 0
        /// Since when the chain has not been live.
        private var behindSince: Int64

        private(set) var queuedBytes = 0
        private(set) var queuedEvents = 0
        /// Bytes of queued entries that are no events.
        private(set) var controlBytes = 0
        private(set) var isClosing = false
        var heldBytes: Int { subscription.heldBytes }
        /// Whether it waits to be read from the log.
        var isBehind: Bool { subscription.phase == .behind || subscription.phase == .paging }
        var heldEvents: Int { subscription.heldCount }

        private var liveness: Liveness
        private var commentAt: Int64
        private var spoiler: Spoiler<Entry>?

        /// `topics`: as the client names them, each once; what may not be followed is answered and the others go on. `scopes`: of the access
        /// token, `nil` for a session. `retryAfter`: milliseconds after which a client whose stream breaks comes back.
        init(
            limits: Limits, secret: SecretKey, topics: [String], scopes: Set<Accounts.Scope>?, from: Session.Start,
            retryAfter: Int, fault: Fault? = nil, now: Int64
        ) {
            self.limits = limits
            spoiler = fault.map { Spoiler($0) }
            self.secret = secret
            behindSince = now
            commentAt = now + Int64(limits.commentSeconds) * 1000
            // Nobody answers here: who is gone is found out by what is not taken.
            var silent = limits
            silent.missedPings = .max
            liveness = Liveness(limits: silent, now: now)
            var (names, errors): ([Name], [ByteBuffer]) = ([], [])
            for topic in topics {
                guard let name = Name(text: topic) else {
                    errors.append(Self.error(topic, "unknown_topic", Session.noSuchTopic))
                    continue
                }
                if let scopes, let needed = name.scope, !scopes.contains(needed) {
                    let detail = "This access token may not: the topic needs \(needed)."
                    errors.append(Self.error(topic, "insufficient_scope", detail))
                    continue
                }
                names.append(name)
            }
            self.names = names
            for name in names {
                if name.isState {
                    states[name] = Session.StateTopic(token: Self.token, id: nil)
                    effects.append(.state(name))
                } else {
                    links[name] = 0
                }
            }
            let chains = names.filter { !$0.isState }
            if !chains.isEmpty { effects.append(.open(chains, from: from)) }
            enqueue([WebSocketFrames.json(Hello(limits))] + errors, retry: retryAfter)
        }

        private static func error(_ topic: String, _ code: String, _ detail: String) -> ByteBuffer {
            WebSocketFrames.json(ErrorFrame(id: nil, topic: topic, code: code, detail: detail))
        }

        mutating func takeEffects() -> [Effect] {
            defer { effects.removeAll() }
            return effects
        }

        /// Writes what waits longest. False where nothing waits.
        mutating func write(into buffer: inout ByteBuffer) -> Bool {
            guard let entry = queue.popFirst() else { return false }
            count(entry, -1)
            entry.write(into: &buffer)
            return true
        }

        // MARK: From the hub

        /// An event as it happens, on one topic. Those of one event come one after the other; `endBatch` follows the last.
        mutating func offer(_ parcel: Parcel, now: Int64) {
            guard !isClosing, links[parcel.topic] != nil else { return }
            if open?.seq != parcel.seq { endBatch(now: now) }
            open = Bundle((open?.parcels ?? []) + [parcel])
        }

        /// The event that was offered last is whole.
        mutating func endBatch(now: Int64) {
            guard let bundle = open else { return }
            open = nil
            let wasLive = subscription.phase == .live
            let offer = subscription.offer(
                bundle, seq: bundle.seq, bytes: bundle.bytes, hasRoom: hasRoom(for: bundle.bytes))
            if offer == .pass { send(bundle) }
            if wasLive, subscription.phase == .behind { behindSince = now }
        }

        /// All topics begin.
        mutating func opened(_ opening: Opening, now: Int64) {
            guard !isClosing, subscription.phase == .opening else { return }
            let (seq, cursor) = (opening.position.seq, opening.position.text(signedBy: secret))
            var frames: [ByteBuffer] = []
            for name in names where links[name] != nil {
                links[name] = seq
                frames.append(
                    WebSocketFrames.json(
                        Subscribed(
                            id: nil, topic: name.text, cursor: cursor, seq: seq, isRecovered: opening.reset == nil,
                            replayCount: opening.replay)))
                guard let why = opening.reset else { continue }
                frames.append(WebSocketFrames.json(Reset(topic: name.text, why: why, cursor: cursor, seq: seq)))
            }
            enqueue(frames, id: cursor)
            for bundle in subscription.opened(at: seq, isWhole: opening.replay == 0) { send(bundle) }
            if subscription.phase == .behind { behindSince = now }
            askForPage(now: now)
        }

        /// The answer to `Effect.state`.
        mutating func opened(_ opening: Session.Opening) {
            let name = opening.name
            guard !isClosing, let state = states[name], !state.isOpen else { return }
            states[name]?.isOpen = true
            let (seq, cursor) = (opening.position.seq, opening.position.text(signedBy: secret))
            enqueue([
                WebSocketFrames.json(
                    Subscribed(
                        id: nil, topic: name.text, cursor: cursor, seq: seq, isRecovered: true, replayCount: 0))
            ])
        }

        mutating func received(_ page: Page, now: Int64) {
            isPaging = false
            // A restart of the history came first, or the end.
            if !isClosing, subscription.phase == .paging { apply(page, now: now) }
            askForPage(now: now)
        }

        private mutating func apply(_ page: Page, now: Int64) {
            let held: [Bundle]
            switch page {
            case .failed:
                subscription.abandonPage()
                retryPageAt = now + 500
                held = []
            case .reset(let why, let position):
                held = subscription.rebase(to: position.seq)
                tell(why, position)
            case .bundles(let bundles, let through, let isLast):
                for bundle in bundles {
                    let offer = subscription.page(seq: bundle.seq, hasRoom: hasRoom(for: bundle.bytes))
                    if offer == .pass { send(bundle) }
                    if offer == .full { break }
                }
                // What the page did not hold of its stretch is behind us too.
                if !isLast { _ = subscription.page(seq: through, hasRoom: true) }
                held = subscription.endPage(through: through, isLast: isLast)
            }
            for bundle in held { send(bundle) }
        }

        /// The client begins anew at `position`, on all topics at once.
        private mutating func tell(_ why: ResetReason, _ position: StreamCursor) {
            let cursor = position.text(signedBy: secret)
            var frames: [ByteBuffer] = []
            for name in names where links[name] != nil {
                links[name] = position.seq
                frames.append(
                    WebSocketFrames.json(Reset(topic: name.text, why: why, cursor: cursor, seq: position.seq)))
            }
            enqueue(frames, id: cursor)
        }

        /// The reader may not follow the topic (any more). Nothing is sent on it from here on, not even what waited.
        mutating func closed(_ name: Name, token: UInt64 = Self.token) {
            guard !isClosing, links.removeValue(forKey: name) != nil else { return }
            let frame =
                subscription.phase == .opening
                ? Self.error(name.text, "unknown_topic", Session.noSuchTopic)
                : WebSocketFrames.json(Closed(topic: name.text))
            // In the place of what is taken back: else an `id` behind that would come while the topic seems to go on.
            enqueue([frame], at: takeBack(name))
        }

        /// Nothing that waits on `name` is sent any more. What an event says on other topics stays, and so does its `id`. Gives the place
        /// in the queue where the first of it was; `nil` where nothing waited.
        @discardableResult
        private mutating func takeBack(_ name: Name) -> Int? {
            let first = queue.firstIndex { $0.frames.contains { $0.topic == name } }
            for place in queue.indices where queue[place].frames.contains(where: { $0.topic == name }) {
                count(queue[place], -1)
                queue[place].frames.removeAll { $0.topic == name }
                if !queue[place].frames.isEmpty { count(queue[place], 1) }
            }
            queue.removeAll { $0.isSpent }
            return first
        }

        /// What holds now of a topic, in `frame`. It takes the place of an older one that waits; what is older than what was sent is passed over.
        mutating func told(_ frame: ByteBuffer, of name: Name, version: Int64) {
            guard !isClosing, states[name]?.take(version) == true else { return }
            takeBack(name)
            append(Entry([Session.Frame(head: frame, tail: nil, topic: name)]))
        }

        /// The log's history is another: every topic begins anew at `position`.
        mutating func reset(_ why: ResetReason, to position: StreamCursor) {
            guard !isClosing else { return }
            open = nil
            for name in names where states[name] != nil {
                // Versions may begin anew, too.
                states[name]?.version = 0
                effects.append(.state(name))
            }
            // What has not been opened yet hears of it in its answer.
            if subscription.phase != .opening { tell(why, position) }
            subscription.restart(at: position.seq)
        }

        /// Says why and ends the stream. `retryAfter` is in milliseconds.
        mutating func leave(_ why: CloseReason, retryAfter: Int = EventStream.retryAfter()) {
            guard !isClosing else { return }
            isClosing = true
            links.removeAll()
            states.removeAll()
            subscription = Subscription()
            open = nil
            // A client that is told to go for being slow must not have to read its backlog first.
            if why == .slow || why == .auth {
                queue.removeAll()
                (queuedBytes, queuedEvents, controlBytes) = (0, 0, 0)
            }
            let bye = WebSocketFrames.json(Bye(why: why.rawValue, retryMs: retryAfter))
            append(Entry([Session.Frame(head: bye, tail: nil, topic: nil)], retry: retryAfter))
            effects.append(.close(why))
        }

        // MARK: Time and room

        /// Asks for the next page, once there is room for a whole one. Call it whenever something was written.
        mutating func askForPage(now: Int64) {
            guard !isPaging, !isClosing, now >= retryPageAt,
                queuedBytes + heldBytes <= limits.queueBytes - limits.pageBytes,
                queuedEvents + heldEvents <= limits.queueEvents - limits.pageEvents,
                let after = subscription.beginPage()
            else { return }
            isPaging = true
            effects.append(.page(after: after))
        }

        /// Call it each few seconds. `accepted` counts the bytes that the connection has taken since it began, `waiting` those that were given to
        /// it and not taken yet.
        mutating func tick(now: Int64, accepted: Int64, waiting: Int) {
            guard !isClosing else { return }
            let isBlocked = waiting > 0 || !queue.isEmpty
            switch liveness.tick(now: now, accepted: accepted, isBlocked: isBlocked) {
            case .nothing, .gone: break
            case .beat:
                let heads = subscription.phase == .opening ? [:] : links
                enqueue([
                    WebSocketFrames.json(
                        Heartbeat(heads: Dictionary(uniqueKeysWithValues: heads.map { ($0.key.text, $0.value) })))
                ])
            case .stalled: return leave(.slow)
            }
            if now >= commentAt, !isBlocked {
                commentAt = now + Int64(limits.commentSeconds) * 1000
                append(Entry([]))
            }
            let limit = Int64(limits.behindSeconds) * 1000
            if !links.isEmpty, subscription.phase != .live, now - behindSince > limit { leave(.slow) }
            askForPage(now: now)
        }

        private func hasRoom(for bytes: Int) -> Bool {
            queuedBytes + heldBytes + bytes <= limits.queueBytes && queuedEvents + heldEvents < limits.queueEvents
        }

        /// Queues what an event says on the topics that are still followed.
        private mutating func send(_ bundle: Bundle) {
            guard !isClosing else { return }
            var frames: [Session.Frame] = []
            for parcel in bundle.parcels {
                guard let link = links.updateValue(parcel.seq, forKey: parcel.topic) else {
                    links[parcel.topic] = nil
                    continue
                }
                frames.append(Session.Frame(parcel, after: link))
            }
            guard !frames.isEmpty else { return }
            let entry = Entry(frames, id: bundle.cursor)
            let topics = frames.map(\.topic)
            let spoiled = spoiler?.spoil(entry) { $0.frames.contains { topics.contains($0.topic) } }
            guard let spoiled else { return append(entry) }
            for entry in spoiled { append(entry) }
        }

        /// Queues what is no event.
        private mutating func enqueue(
            _ frames: [ByteBuffer], id: String? = nil, retry: Int? = nil, at place: Int? = nil
        ) {
            guard !isClosing, !frames.isEmpty else { return }
            let entry = Entry(frames.map { Session.Frame(head: $0, tail: nil, topic: nil) }, id: id, retry: retry)
            append(entry, at: place)
            if controlBytes > limits.controlBytes { leave(.slow) }
        }

        /// `place`: in the queue; `nil` for its end.
        private mutating func append(_ entry: Entry, at place: Int? = nil) {
            queue.insert(entry, at: place ?? queue.count)
            count(entry, 1)
        }

        /// `sign`: 1 for what begins to wait, -1 for what waits no longer.
        private mutating func count(_ entry: Entry, _ sign: Int) {
            if entry.isEvent {
                queuedBytes += sign * entry.bytes
                queuedEvents += sign
            } else {
                controlBytes += sign * entry.bytes
            }
        }
    }
}

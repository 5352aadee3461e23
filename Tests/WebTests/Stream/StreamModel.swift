import Community
import EventLog
import NIOCore
import Postgres
import TestSupport

@testable import Web

/// The stream in one thread: log, hub, event loop, sockets and clients, where chance decides what happens next.
///
/// Session, Subscription and Switchboard are the real ones. What `Hub` does around them is repeated here step by step, with every pause in
/// which something else can happen made explicit: a batch on its way, a page that is being read, commands that wait. Clients check
/// every frame as a careful client does (`FollowedTopic`).
struct StreamModel {
    private struct Connection {
        let client: Int
        var session: EventStream.Session
        var isStalled = false
    }

    private struct Client {
        let reader: Int64
        var socket: UInt64?
        var topics: [EventStream.Name: FollowedTopic] = [:]
        var isSubscribed: Set<EventStream.Name> = []
    }

    private struct Event {
        let logged: LoggedEvent
        let hiddenFrom: Set<Int64>
    }

    /// What is on its way to the event loop, in order.
    private enum Hop {
        case offer([(UInt64, [EventStream.Parcel])])
        case opened(UInt64, EventStream.Session.Opening)
        case page(UInt64, EventStream.Session.Page)
        case reset([UInt64], StreamCursor)
    }

    /// A job of the hub between two of its steps.
    private struct Job {
        let socket: UInt64
        let effect: EventStream.Session.Effect
        var sample: (history: Int, planned: StreamCursor)?
    }

    private var chance: SeededGenerator
    private let secret: SecretKey
    private let limits: EventStream.Limits
    private var now: Int64 = 0

    private var log: [Event] = []
    private var oldest: Int64 = 1
    private var epoch: Int64 = 1
    private var lastOfTopic: [Topic: Int64] = [:]

    private var board = EventStream.Switchboard()
    private var planned = StreamCursor(epoch: 1, seq: 0)
    private var history = 1
    private var commands: [(UInt64, EventStream.Session.Effect?)] = []
    private var jobs: [Job] = []
    private var hops: [Hop] = []

    private var connections: [UInt64: Connection] = [:]
    private var clients: [Client]
    private var lastSocket: UInt64 = 0
    private(set) var wrongs: [String] = []
    private(set) var delivered = 0
    private(set) var resumed = 0
    private(set) var lagged = 0

    private static let names: [EventStream.Name] = [.home, .inbox, .book(1), .book(2)]
    /// Friends that a reader always has; 13 comes and goes.
    private static let friends: [Int64] = [11, 12]
    private var hasVolatileFriend = false
    /// Turns one rule off, so that a test can show that it would be missed.
    enum Sabotage: CaseIterable { case none, registerAfterReading, repeatBatch, swapBatches }
    private let sabotage: Sabotage

    init(seed: UInt64, sabotage: Sabotage = .none) {
        chance = SeededGenerator(seed: seed)
        self.sabotage = sabotage
        secret = SecretKey(from: TestRandom(seed: seed, name: "model"))
        var limits = EventStream.Limits()
        limits.queueBytes = 4_000
        limits.queueEvents = 12
        limits.pageEvents = 4
        limits.pageBytes = 1_500
        limits.replay = 40
        limits.messageBurst = 1_000_000
        limits.behindSeconds = 1_000_000
        limits.stallSeconds = 1_000_000
        self.limits = limits
        clients = (1...3).map { Client(reader: $0) }
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps where wrongs.isEmpty { step() }
        settle()
        check()
    }

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &chance) }

    private mutating func step() {
        now += Int64(number(0..<50))
        switch number(0..<100) {
        case 0..<22: publish()
        case 22..<36: tail()
        case 36..<52: hop()
        case 52..<64: command()
        case 64..<78: job()
        case 78..<82: connect(number(0..<3))
        case 82..<85: if let socket = clients[number(0..<3)].socket { cut(socket) }
        case 85..<90: subscribe(number(0..<3))
        case 90..<91: unsubscribe(number(0..<3))
        case 91..<93: toggleStall()
        case 93..<94: evict()
        case 94..<95: if number(0..<6) == 0 { restore() }
        case 95..<97: changeFriends()
        default: drain(bytes: number(0..<3_000))
        }
        for connection in connections.values {
            let session = connection.session
            if session.queuedBytes + session.heldBytes > limits.queueBytes {
                wrongs.append("more bytes wait than allowed")
            }
            if session.queuedEvents + session.heldEvents > limits.queueEvents {
                wrongs.append("more events wait than allowed")
            }
        }
    }

    // MARK: The log

    private mutating func publish() {
        var topics: Set<Topic> = []
        for _ in 0...number(0..<2) {
            let all: [Topic] = [
                .reader(11), .reader(12), .reader(13), .reader(99), .inbox(1), .inbox(2), .inbox(3), .book(1), .book(1),
                .book(2),
            ]
            topics.insert(all[number(0..<all.count)])
        }
        append(topics.sorted { $0.name < $1.name }, hiddenFrom: Set((1...3).filter { _ in number(0..<6) == 0 }))
    }

    private mutating func append(_ topics: [Topic], hiddenFrom: Set<Int64>) {
        let seq = Int64(log.count) + 1
        let places = topics.map { LoggedEvent.Place(topic: $0, prev: lastOfTopic[$0, default: 0]) }
        for topic in topics { lastOfTopic[topic] = seq }
        let data = JSON(
            bytes: Array(#"{"n": \#(seq), "pad": "\#(String(repeating: "x", count: number(0..<300)))"}"#.utf8))
        let event = LoggedEvent(
            seq: seq, id: seq, kind: "test.happened", version: 1, places: places, owner: nil, subjectKind: nil,
            subject: nil,
            at: Timestamp(seconds: 0), data: data)
        log.append(Event(logged: event, hiddenFrom: hiddenFrom))
    }

    private mutating func evict() {
        let head = Int64(log.count)
        oldest = min(head + 1, max(oldest, planned.seq - Int64(number(0..<30))))
    }

    /// Another history: the log is the same in content and void in meaning.
    private mutating func restore() {
        epoch += 1
        history += 1
        planned = StreamCursor(epoch: epoch, seq: Int64(log.count))
        hops.append(.reset(Array(connections.keys), planned))
    }

    /// A friendship that began or ended, told in its place in the log.
    private mutating func changeFriends() {
        hasVolatileFriend.toggle()
        append([.control], hiddenFrom: [])
    }

    private var homeTopics: [Topic] {
        (Self.friends + (hasVolatileFriend ? [13] : [])).map { Topic.reader($0) }
    }

    // MARK: The hub, step by step

    private mutating func tail() {
        let end = min(log.count, Int(planned.seq) + 1 + number(0..<5))
        guard Int(planned.seq) < end else { return }
        var parcels: [UInt64: [EventStream.Parcel]] = [:]
        for event in log[Int(planned.seq)..<end] {
            planned = StreamCursor(epoch: epoch, seq: event.logged.seq)
            if event.logged.places.contains(where: { $0.topic == .control }) {
                for client in clients where board.staleHome(client.reader) {
                    if let version = board.beginHome(client.reader) {
                        _ = board.loaded(client.reader, version: version, topics: homeTopics)
                    }
                }
                continue
            }
            for recipient in board.recipients(of: event.logged) where isTold(event, recipient.name, recipient.reader) {
                parcels[recipient.socket, default: []].append(parcel(event, recipient.name, recipient.reader))
            }
        }
        guard !parcels.isEmpty else { return }
        hops.append(.offer(parcels.map { ($0.key, $0.value) }))
        if sabotage == .repeatBatch, number(0..<40) == 0 {
            planned = StreamCursor(epoch: epoch, seq: max(0, planned.seq - 1))
        }
        if sabotage == .swapBatches, hops.count > 1, number(0..<10) == 0 { hops.swapAt(hops.count - 1, hops.count - 2) }
    }

    /// A chain of one's own says nothing of what its reader may not see.
    private func isTold(_ event: Event, _ name: EventStream.Name, _ reader: Int64) -> Bool {
        !name.isOwnChain || !event.hiddenFrom.contains(reader)
    }

    private func parcel(_ event: Event, _ name: EventStream.Name, _ reader: Int64) -> EventStream.Parcel {
        let cursor = StreamCursor(epoch: epoch, seq: event.logged.seq).text(signedBy: secret)
        let shared = EventStream.SharedEvent(event.logged, cursor: cursor)
        let isVisible = !event.hiddenFrom.contains(reader)
        let prev = event.logged.places.first { $0.topic.name == name.text }?.prev ?? 0
        return EventStream.Parcel(
            topic: name, event: shared, isVisible: isVisible,
            whole: name.isOwnChain ? nil : shared.whole(topic: name, prev: prev, isVisible: isVisible))
    }

    private mutating func command() {
        guard !commands.isEmpty else { return }
        let (socket, effect) = commands.removeFirst()
        switch effect {
        case nil: board.detach(socket)
        case .subscribe(let token, let name, _):
            board.subscribe(socket, name, token: token)
            jobs.append(Job(socket: socket, effect: effect ?? .abandon))
        case .unsubscribe(let name): board.unsubscribe(socket, name)
        case .page: jobs.append(Job(socket: socket, effect: effect ?? .abandon))
        case .close, .abandon: wrongs.append("the server closed a connection for nothing")
        }
    }

    /// One step of a job that chance picks: first it samples, later it reads and answers.
    private mutating func job() {
        guard !jobs.isEmpty else { return }
        let index = number(0..<jobs.count)
        var job = jobs[index]
        if job.sample == nil {
            guard sample(&job) else {
                jobs.remove(at: index)
                return
            }
            jobs[index] = job
        } else {
            jobs.remove(at: index)
            if !answer(job) { jobs.append(Job(socket: job.socket, effect: job.effect)) }
        }
    }

    private mutating func sample(_ job: inout Job) -> Bool {
        switch job.effect {
        case .subscribe(let token, let name, _):
            guard let reader = board.reader(of: job.socket), board.isCurrent(job.socket, name, token: token) else {
                return false
            }
            if name == .home, let version = board.beginHome(reader) {
                _ = board.loaded(reader, version: version, topics: homeTopics)
            }
            if sabotage != .registerAfterReading { board.turnOn(job.socket, name) }
            job.sample = (history, planned)
        case .page(let token, let name, _):
            guard board.isCurrent(job.socket, name, token: token) else {
                hops.append(.page(job.socket, .init(token: token, name: name, content: .failed)))
                return false
            }
            job.sample = (history, planned)
        default: return false
        }
        return true
    }

    /// False where the job must be done again.
    private mutating func answer(_ job: Job) -> Bool {
        guard let (began, now) = job.sample else { return true }
        switch job.effect {
        case .subscribe(let token, let name, let from):
            guard board.isCurrent(job.socket, name, token: token) else { return true }
            guard began == history else { return false }
            if sabotage == .registerAfterReading { board.turnOn(job.socket, name) }
            let opening = opening(job.socket, token, name, from, now)
            hops.append(.opened(job.socket, opening))
        case .page(let token, let name, let after):
            let content: EventStream.Session.Page.Content
            if began != history {
                content = .reset(.epoch, planned)
            } else if after < oldest - 1 {
                content = .reset(.expired, now)
            } else {
                let all = events(name, job.socket, after: after, through: now.seq)
                let reader = board.reader(of: job.socket) ?? 0
                let looked = all.prefix(limits.pageEvents)
                let page = looked.filter { isTold($0, name, reader) }.map { parcel($0, name, reader) }
                let isLast = looked.count < limits.pageEvents
                let through = isLast ? now.seq : looked.last?.logged.seq ?? now.seq
                content = .parcels(page, through: through, isLast: isLast)
            }
            hops.append(.page(job.socket, .init(token: token, name: name, content: content)))
        default: break
        }
        return true
    }

    private func opening(
        _ socket: UInt64, _ token: UInt64, _ name: EventStream.Name, _ from: EventStream.Session.Start,
        _ now: StreamCursor
    ) -> EventStream.Session.Opening {
        func opening(_ position: StreamCursor, _ replay: Int, _ reset: EventStream.ResetReason?)
            -> EventStream.Session.Opening
        {
            .init(token: token, name: name, position: position, replay: replay, reset: reset)
        }
        guard case .cursor(let wanted) = from else { return opening(now, 0, nil) }
        guard wanted.epoch == now.epoch else { return opening(now, 0, .epoch) }
        guard wanted.seq <= now.seq else { return opening(now, 0, .ahead) }
        guard wanted.seq >= oldest - 1 else { return opening(now, 0, .expired) }
        let count = events(name, socket, after: wanted.seq, through: now.seq).count
        guard count <= limits.replay else { return opening(now, 0, .tooFar) }
        let reader = board.reader(of: socket) ?? 0
        let told = events(name, socket, after: wanted.seq, through: now.seq).count { isTold($0, name, reader) }
        return told == 0 ? opening(now, 0, nil) : opening(wanted, told, nil)
    }

    private func events(_ name: EventStream.Name, _ socket: UInt64, after: Int64, through: Int64) -> [Event] {
        let topics = Set(board.topics(of: name, for: socket))
        guard after < through else { return [] }
        return log[Int(after)..<Int(through)].filter { !topics.isDisjoint(with: $0.logged.places.map(\.topic)) }
    }

    // MARK: The event loop

    private mutating func hop() {
        guard !hops.isEmpty else { return }
        switch hops.removeFirst() {
        case .offer(let deliveries):
            for (socket, parcels) in deliveries { with(socket) { $0.offer(parcels, now: $1) } }
        case .opened(let socket, let opening): with(socket) { $0.opened(opening, now: $1) }
        case .page(let socket, let page):
            lagged += 1
            with(socket) { $0.received(page, now: $1) }
        case .reset(let sockets, let position):
            for socket in sockets { with(socket) { session, _ in session.reset(.epoch, to: position) } }
        }
    }

    private mutating func with(_ socket: UInt64, _ body: (inout EventStream.Session, Int64) -> Void) {
        guard var connection = connections[socket] else { return }
        body(&connection.session, now)
        connections[socket] = connection
        collect(socket)
    }

    private mutating func collect(_ socket: UInt64) {
        guard let effects = connections[socket]?.session.takeEffects() else { return }
        commands += effects.map { (socket, $0) }
    }

    /// Sockets take bytes, and clients read what their sockets took.
    private mutating func drain(bytes: Int, evenStalled: Bool = false) {
        for socket in connections.keys.sorted() {
            guard evenStalled || connections[socket]?.isStalled == false else { continue }
            var left = bytes
            while left > 0, let frame = connections[socket]?.session.next() {
                left -= frame.bytes
                var wire = frame.head
                if let tail = frame.tail { wire.writeImmutableBuffer(tail) }
                read(wire, on: socket)
            }
            with(socket) { $0.askForPage(now: $1) }
        }
    }

    // MARK: Clients

    private mutating func read(_ wire: ByteBuffer, on socket: UInt64) {
        guard wire.getInteger(at: wire.readerIndex, as: UInt8.self) == 0x81 else { return }
        guard let client = connections[socket]?.client, let frame = ServerFrame(wire: wire) else {
            return wrongs.append("a frame that cannot be read")
        }
        if frame.type == "error" { return wrongs.append("an error: \(frame.text("code") ?? "")") }
        guard let name = frame.topic.flatMap(EventStream.Name.init(text:)), frame.type != "unsubscribed" else { return }
        guard clients[client].isSubscribed.contains(name), var topic = clients[client].topics[name] else { return }
        if let run = topic.receive(frame) { check(run.start, run.seqs, name, client, isEnd: false) }
        if frame.type == "event", let seq = frame.seq, log[Int(seq) - 1].hiddenFrom.contains(clients[client].reader) {
            wrongs.append("a hidden event")
        }
        if frame.type == "event" { delivered += 1 }
        wrongs += topic.wrongs
        clients[client].topics[name] = topic
    }

    private mutating func connect(_ client: Int) {
        guard clients[client].socket == nil else { return }
        lastSocket += 1
        let socket = lastSocket
        guard board.attach(socket, reader: clients[client].reader, session: 1, limit: 1_000) else {
            return wrongs.append("a socket was refused")
        }
        clients[client].socket = socket
        connections[socket] = Connection(
            client: client, session: EventStream.Session(limits: limits, secret: secret, now: now))
        for name in clients[client].isSubscribed.sorted(by: { $0.text < $1.text }) { say(name, client) }
    }

    private mutating func cut(_ socket: UInt64) {
        guard let connection = connections.removeValue(forKey: socket) else { return }
        clients[connection.client].socket = nil
        commands.append((socket, nil))
        resumed += 1
    }

    private mutating func subscribe(_ client: Int) {
        guard clients[client].socket != nil else { return }
        let name = Self.names[number(0..<Self.names.count)]
        if !clients[client].isSubscribed.contains(name) {
            clients[client].isSubscribed.insert(name)
            clients[client].topics[name] = FollowedTopic(isOwnChain: name.isOwnChain)
        } else if number(0..<3) > 0 {
            return
        }
        say(name, client)
    }

    private mutating func say(_ name: EventStream.Name, _ client: Int) {
        guard let socket = clients[client].socket, var topic = clients[client].topics[name] else { return }
        // A client that asks again for a topic takes no more of the old subscription: here nothing of it is on its way any more.
        drainWhole(socket)
        topic = clients[client].topics[name] ?? topic
        topic.reopen()
        let from = topic.cursor ?? "now"
        clients[client].topics[name] = topic
        let frame = ByteBuffer(string: #"{"type":"subscribe","id":1,"topic":"\#(name.text)","from":"\#(from)"}"#)
        with(socket) { $0.received(frame, now: $1) }
    }

    private mutating func drainWhole(_ socket: UInt64) {
        while let frame = connections[socket]?.session.next() {
            var wire = frame.head
            if let tail = frame.tail { wire.writeImmutableBuffer(tail) }
            read(wire, on: socket)
        }
    }

    private mutating func unsubscribe(_ client: Int) {
        guard let socket = clients[client].socket,
            let name = clients[client].isSubscribed.randomElement(using: &chance),
            clients[client].topics[name]?.isOpen == true
        else { return }
        clients[client].isSubscribed.remove(name)
        let frame = ByteBuffer(string: #"{"type":"unsubscribe","id":2,"topic":"\#(name.text)"}"#)
        with(socket) { $0.received(frame, now: $1) }
        drainWhole(socket)
        clients[client].topics[name] = nil
    }

    private mutating func toggleStall() {
        guard let socket = connections.keys.sorted().randomElement(using: &chance) else { return }
        connections[socket]?.isStalled.toggle()
    }

    // MARK: The end

    private mutating func settle() {
        for client in clients.indices { connect(client) }
        var rounds = 0
        while rounds < 10_000 {
            rounds += 1
            now += 1_000
            tail()
            command()
            job()
            hop()
            drain(bytes: .max, evenStalled: true)
            let isQuiet = Int(planned.seq) == log.count && commands.isEmpty && jobs.isEmpty && hops.isEmpty
            if isQuiet { break }
        }
        if rounds == 10_000 { wrongs.append("it never comes to rest") }
    }

    private mutating func check() {
        for client in clients.indices {
            for (name, topic) in clients[client].topics where clients[client].isSubscribed.contains(name) {
                if !topic.isOpen { wrongs.append("\(name.text) never opened") }
                check(topic.start, topic.seqs, name, client, isEnd: true)
            }
        }
        for socket in connections.keys { board.detach(socket) }
        if !board.isEmpty { wrongs.append("something is left of sockets that are gone") }
    }

    /// Whether a run has everything of its topic from its start to its last event, and to the head where it is the end.
    private mutating func check(_ start: Int64, _ seqs: [Int64], _ name: EventStream.Name, _ client: Int, isEnd: Bool) {
        let end = isEnd ? Int64(log.count) : seqs.last ?? start
        guard end > start else { return }
        let must: Set<Topic>
        var may: Set<Topic> = []
        switch name {
        case .home:
            must = Set(Self.friends.map { Topic.reader($0) })
            may = [.reader(13)]
        case .inbox: must = [.inbox(clients[client].reader)]
        case .book(let id): must = [.book(id)]
        }
        let got = Set(seqs)
        let reader = clients[client].reader
        for event in log[Int(start)..<Int(end)] where isTold(event, name, reader) || got.contains(event.logged.seq) {
            let topics = Set(event.logged.places.map(\.topic))
            if !topics.isDisjoint(with: must) {
                if !got.contains(event.logged.seq) { wrongs.append("lost: \(event.logged.seq) on \(name.text)") }
            } else if got.contains(event.logged.seq), topics.isDisjoint(with: may) {
                wrongs.append("not for here: \(event.logged.seq) on \(name.text)")
            }
        }
    }
}

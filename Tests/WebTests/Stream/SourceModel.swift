import Community
import EventLog
import NIOCore
import Postgres
import TestSupport

@testable import Web

/// One event stream in one thread: log, hub, session and client, where chance decides what happens next.
///
/// Session, subscription and switchboard are the real ones. What the hub does around them is repeated here step by step, with every pause
/// in which something else can happen made explicit. The client is cut after any frame and comes back with the `id` that it has.
struct SourceModel {
    static let topics = ["home", "inbox", "book:1", "book:2", "nowhere"]
    static let names: [EventStream.Name] = [.home, .inbox, .book(1), .book(2)]

    /// Turns one rule off, so that a test can show that it would be missed.
    enum Sabotage { case none, idOnEveryFrame, pagesOfOneTopic }

    private struct Event {
        let logged: LoggedEvent
        let form: EventStream.Form
    }

    /// What is on its way to the event loop, in order, for the socket that is meant.
    private enum Hop {
        case offer([EventStream.Parcel])
        case opened(EventStream.SourceSession.Opening)
        case page(EventStream.SourceSession.Page)
        case reset(StreamCursor)
    }

    private struct Job {
        let effect: EventStream.SourceSession.Effect
        var sample: (history: Int, planned: StreamCursor)?
    }

    private var chance: SeededGenerator
    private let sabotage: Sabotage
    private let fault: EventStream.Fault?
    private let secret: SecretKey
    private let limits: EventStream.Limits
    private var now: Int64 = 0
    private var log: [Event] = []
    private var lastOfTopic: [Topic: Int64] = [:]
    private var oldest: Int64 = 1
    private var board = EventStream.Switchboard()
    private var planned = StreamCursor(epoch: 1, seq: 0)
    private var history = 1
    private var hops: [Hop] = []
    private var jobs: [Job] = []
    private var session: EventStream.SourceSession
    private var socket: UInt64 = 0
    private var client = SourceReader()
    /// Bytes that have come and are no whole message yet.
    private var wire = ""
    private(set) var wrongs: [String] = []
    private(set) var (applied, cuts, lags, resets) = (0, 0, 0, 0)
    var repeats: Int { client.repeats }

    /// `fault`: of the session, which strikes far more often than a server's.
    init(seed: UInt64, sabotage: Sabotage = .none, fault: EventStream.Fault.Kind? = nil) {
        chance = SeededGenerator(seed: seed)
        self.fault = fault.map { EventStream.Fault($0, seed: seed, oneIn: 20) }
        self.sabotage = sabotage
        secret = SecretKey(from: TestRandom(seed: seed, name: "source model"))
        var limits = EventStream.Limits()
        limits.queueBytes = 4_000
        limits.queueEvents = 12
        limits.pageEvents = 4
        limits.pageBytes = 1_500
        limits.replay = 40
        limits.behindSeconds = 1_000_000
        limits.stallSeconds = 1_000_000
        self.limits = limits
        session = Self.session(limits, secret, self.fault, from: .now)
        connect()
    }

    private static func session(
        _ limits: EventStream.Limits, _ secret: SecretKey, _ fault: EventStream.Fault?,
        from: EventStream.Session.Start
    ) -> EventStream.SourceSession {
        EventStream.SourceSession(
            limits: limits, secret: secret, topics: topics, scopes: nil, from: from, retryAfter: 500, fault: fault,
            now: 0)
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps where wrongs.isEmpty { step() }
        var rounds = 0
        repeat {
            rounds += 1
            now += 1_000
            for _ in 0..<3 { tail() }
            job()
            hop()
            read(bytes: .max)
        } while rounds < 10_000 && !(planned.seq == head && jobs.isEmpty && hops.isEmpty)
        if rounds == 10_000 { wrongs.append("it never comes to rest") }
        check(through: head)
        wrongs += client.wrongs
    }

    private var head: Int64 { Int64(log.count) }
    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &chance) }

    private mutating func step() {
        now += Int64(number(0..<50))
        switch number(0..<100) {
        case 0..<28: publish()
        case 28..<44: tail()
        case 44..<60: hop()
        case 60..<76: job()
        case 76..<80: cut()
        case 80..<81: oldest = min(head + 1, max(oldest, planned.seq - Int64(number(0..<60))))
        case 81..<82: if number(0..<8) == 0 { restore() }
        default: read(bytes: number(0..<3_000))
        }
        if session.queuedBytes + session.heldBytes > limits.queueBytes { wrongs.append("more bytes wait than allowed") }
        if session.queuedEvents + session.heldEvents > limits.queueEvents {
            wrongs.append("more events wait than allowed")
        }
    }

    // MARK: The server

    private mutating func publish() {
        let all: [Topic] = [.reader(11), .inbox(1), .book(1), .book(1), .book(1), .book(2), .book(9)]
        let topics = Set((0...number(0..<2)).map { _ in all[number(0..<all.count)] }).sorted { $0.name < $1.name }
        let places = topics.map { LoggedEvent.Place(topic: $0, prev: lastOfTopic[$0, default: 0]) }
        for topic in topics { lastOfTopic[topic] = head + 1 }
        let data = #"{"pad": "\#(String(repeating: "x", count: number(0..<300)))"}"#
        let event = LoggedEvent(
            seq: head + 1, id: head + 1, kind: "test.happened", version: 1, places: places, owner: nil,
            subjectKind: nil, subject: nil, at: Timestamp(seconds: 0), data: JSON(bytes: Array(data.utf8)))
        let forms: [EventStream.Form] = [.event, .event, .event, .gated, .skip]
        let form = forms[number(0..<forms.count)]
        log.append(Event(logged: event, form: form))
    }

    private func wrapper(_ event: Event) -> EventStream.Wrapper {
        let verdict = Verdict(
            hidden: event.form == .skip ? [1] : [], gated: event.form == .gated ? [1] : [],
            placeholder: JSON(bytes: Array("{}".utf8)))
        return EventStream.Wrapper(event.logged, verdict, cursor: cursor(event.logged.seq))
    }

    private func cursor(_ seq: Int64) -> String {
        StreamCursor(epoch: planned.epoch, seq: seq).text(signedBy: secret)
    }

    private mutating func tail() {
        let end = min(log.count, Int(planned.seq) + 1 + number(0..<5))
        guard Int(planned.seq) < end else { return }
        var parcels: [EventStream.Parcel] = []
        for event in log[Int(planned.seq)..<end] {
            planned = StreamCursor(epoch: planned.epoch, seq: event.logged.seq)
            var wrapper = wrapper(event)
            for recipient in board.recipients(of: event.logged) {
                parcels += [wrapper.parcel(for: 1, on: recipient.name)].compactMap(\.self)
            }
        }
        if !parcels.isEmpty { hops.append(.offer(parcels)) }
    }

    /// One step of a job: first it samples, later it reads and answers.
    private mutating func job() {
        guard !jobs.isEmpty else { return }
        let place = number(0..<jobs.count)
        guard let (began, now) = jobs[place].sample else {
            if case .open(let names, _) = jobs[place].effect {
                if let version = board.beginHome(1) { _ = board.loaded(1, version: version, topics: [.reader(11)]) }
                for name in names { board.turnOn(socket, name) }
            }
            jobs[place].sample = (history, planned)
            return
        }
        let effect = jobs.remove(at: place).effect
        switch effect {
        case .open(_, let from):
            guard began == history else { return jobs.append(Job(effect: effect)) }
            hops.append(.opened(opening(from, now)))
        case .page(let after):
            guard began == history else { return hops.append(.page(.reset(.epoch, planned))) }
            guard after >= oldest - 1 else { return hops.append(.page(.reset(.expired, now))) }
            let events = events(after: after, through: now.seq)
            let looked = events.prefix(limits.pageEvents)
            let bundles = looked.compactMap { bundle($0) }
            let isLast = looked.count < limits.pageEvents
            let through = isLast ? now.seq : looked.last?.logged.seq ?? now.seq
            hops.append(.page(.bundles(bundles, through: through, isLast: isLast)))
        case .state, .close: wrongs.append("\(effect) for nothing")
        }
    }

    private func bundle(_ event: Event) -> EventStream.SourceSession.Bundle? {
        var wrapper = wrapper(event)
        return .init(board.names(of: socket, on: event.logged).compactMap { wrapper.parcel(for: 1, on: $0) })
    }

    private func opening(_ from: EventStream.Session.Start, _ now: StreamCursor) -> EventStream.SourceSession.Opening {
        typealias Opening = EventStream.SourceSession.Opening
        func opening(_ position: StreamCursor, _ replay: Int, _ reset: EventStream.ResetReason?) -> Opening {
            Opening(position: position, replay: replay, reset: reset)
        }
        guard case .cursor(let wanted) = from else { return opening(now, 0, nil) }
        guard wanted.epoch == now.epoch else { return opening(now, 0, .epoch) }
        guard wanted.seq <= now.seq else { return opening(now, 0, .ahead) }
        guard wanted.seq >= oldest - 1 else { return opening(now, 0, .expired) }
        let events = events(after: wanted.seq, through: now.seq)
        guard events.count <= limits.replay else { return opening(now, 0, .tooFar) }
        let told = events.count { bundle($0) != nil }
        return told == 0 ? opening(now, 0, nil) : opening(wanted, told, nil)
    }

    private func events(after: Int64, through: Int64) -> [Event] {
        guard after < through else { return [] }
        let topics: Set<Topic> = sabotage == .pagesOfOneTopic ? [.book(1)] : Set(board.topics(of: socket))
        return log[Int(after)..<Int(through)].filter { !topics.isDisjoint(with: $0.logged.places.map(\.topic)) }
    }

    /// Another history: the log is the same in content and void in meaning.
    private mutating func restore() {
        history += 1
        planned = StreamCursor(epoch: planned.epoch + 1, seq: head)
        hops.append(.reset(planned))
    }

    private mutating func hop() {
        guard !hops.isEmpty else { return }
        switch hops.removeFirst() {
        case .offer(let parcels):
            for parcel in parcels { session.offer(parcel, now: now) }
            session.endBatch(now: now)
        case .opened(let opening):
            if opening.reset != nil { resets += 1 }
            session.opened(opening, now: now)
        case .page(let page):
            lags += 1
            session.received(page, now: now)
        case .reset(let position): session.reset(.epoch, to: position)
        }
        obey()
    }

    private mutating func obey() {
        session.askForPage(now: now)
        for effect in session.takeEffects() {
            if case .open(let names, _) = effect {
                for name in names { board.subscribe(socket, name, token: EventStream.SourceSession.token) }
            }
            jobs.append(Job(effect: effect))
        }
    }

    // MARK: The client

    private mutating func connect() {
        socket += 1
        _ = board.attach(socket, reader: 1, session: 1, limit: 10)
        let from = client.id.flatMap { EventStream.Session.Start(text: $0, signedBy: secret) } ?? .now
        session = Self.session(limits, secret, fault, from: from)
        obey()
    }

    private mutating func cut() {
        cuts += 1
        board.detach(socket)
        (hops, jobs, wire) = ([], [], "")
        client.cut()
        connect()
    }

    /// Takes so many bytes, at least one message, and looks at each message that is whole.
    private mutating func read(bytes: Int) {
        var buffer = ByteBuffer()
        while buffer.readableBytes <= bytes, session.write(into: &buffer) {}
        wire += String(buffer: buffer)
        obey()
        while let end = wire.firstRange(of: "\n\n") {
            let lines = wire[..<end.lowerBound].split(separator: "\n")
            wire.removeSubrange(..<end.upperBound)
            take(lines)
            // Nothing of what was on its way arrives.
            if number(0..<60) == 0, bytes != .max { return cut() }
        }
        if !wire.isEmpty { wrongs.append("a message that does not end") }
    }

    private mutating func take(_ lines: [Substring]) {
        func value(_ field: String) -> String? {
            lines.first { $0.hasPrefix(field + ": ") }.map { String($0.dropFirst(field.utf8.count + 2)) }
        }
        guard let data = value("data") else { return }
        guard let frame = ServerFrame(payload: Array(data.utf8)) else { return wrongs.append("no frame: \(data)") }
        if frame.type == "error", frame.topic != "nowhere" { wrongs.append("an error: \(data)") }
        var id = value("id")
        if sabotage == .idOnEveryFrame, frame.prev != nil { id = frame.cursor }
        // What a run that ends here had must have been the log.
        if frame.type == "reset", let topic = frame.topic { check(topic, through: client.chains[topic]?.last ?? 0) }
        client.receive(frame, id: id)
        applied += frame.prev == nil ? 0 : 1
        guard let id, let cursor = try? StreamCursor(text: id, signedBy: secret) else { return }
        if client.chains.count == Self.names.count { check(through: cursor.seq) }
    }

    /// Nothing is missing up to there on any topic, and nothing is there that is not in the log.
    private mutating func check(through seq: Int64) {
        for name in Self.names { check(name.text, through: seq) }
    }

    private mutating func check(_ topic: String, through seq: Int64) {
        guard let chain = client.chains[topic], chain.start < head, let name = EventStream.Name(text: topic) else {
            return
        }
        let wanted: Topic = name == .home ? .reader(11) : name == .inbox ? .inbox(1) : Topic(topic)
        let owed = log[Int(chain.start)...].filter { event in
            event.logged.places.contains { $0.topic == wanted } && (event.form == .event || !name.isOwnChain)
        }.map(\.logged.seq)
        let had = chain.seqs.filter { $0 <= seq }
        if had != owed.filter({ $0 <= seq }) { wrongs.append("\(topic) through \(seq): \(had) is not \(owed)") }
        if !Set(chain.seqs).isSubset(of: owed) { wrongs.append("\(topic): what is not in the log") }
    }
}

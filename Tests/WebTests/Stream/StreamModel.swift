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
    struct Connection {
        let client: Int
        var session: EventStream.Session
        var isStalled = false
    }

    struct Client {
        let reader: Int64
        var socket: UInt64?
        var topics: [EventStream.Name: FollowedTopic] = [:]
        var isSubscribed: Set<EventStream.Name> = []
        /// Nothing may come on the conversation before it is asked for again.
        var isShownOut = false
    }

    struct Event {
        let logged: LoggedEvent
        /// What each reader may have of it now, and everything that this has been since it was written.
        var forms: [Int64: EventStream.Form]
        var ever: [Int64: Set<EventStream.Form>]

        init(_ logged: LoggedEvent, _ forms: [Int64: EventStream.Form]) {
            self.logged = logged
            self.forms = forms
            ever = forms.mapValues { [$0] }
        }

        mutating func change(_ reader: Int64, to form: EventStream.Form) {
            forms[reader] = form
            ever[reader, default: []].insert(form)
        }

        var verdict: Verdict {
            func readers(_ form: EventStream.Form) -> Set<Int64> { Set(forms.filter { $0.value == form }.map(\.key)) }
            return Verdict(
                hidden: readers(.skip), gated: readers(.gated),
                placeholder: JSON(bytes: Array(#"{"post":{"id":"\#(logged.seq)","state":"gated"}}"#.utf8)))
        }
    }

    /// What is on its way to the event loop, in order.
    enum Hop {
        case offer([(UInt64, [EventStream.Parcel])])
        case opened(UInt64, EventStream.Session.Opening)
        case page(UInt64, EventStream.Session.Page)
        case closed(UInt64, EventStream.Name, token: UInt64)
        case reset([UInt64], StreamCursor)
    }

    /// A job of the hub between two of its steps.
    struct Job {
        let socket: UInt64
        let effect: EventStream.Session.Effect
        /// Whether the reader may follow, once that was asked.
        var mayFollow: Bool?
        var sample: (history: Int, planned: StreamCursor)?
    }

    var chance: SeededGenerator
    let secret: SecretKey
    let limits: EventStream.Limits
    var now: Int64 = 0

    var log: [Event] = []
    var oldest: Int64 = 1
    var epoch: Int64 = 1
    var lastOfTopic: [Topic: Int64] = [:]

    var board = EventStream.Switchboard()
    var planned = StreamCursor(epoch: 1, seq: 0)
    var history = 1
    var commands: [(UInt64, EventStream.Session.Effect?)] = []
    var jobs: [Job] = []
    var hops: [Hop] = []

    var connections: [UInt64: Connection] = [:]
    var clients: [Client]
    var lastSocket: UInt64 = 0
    var wrongs: [String] = []
    var delivered = 0
    var resumed = 0
    var lagged = 0
    var shownOut = 0

    static let names: [EventStream.Name] = [.home, .inbox, .book(1), .book(2), .conversation(9)]
    /// Friends that a reader always has; 13 comes and goes.
    static let friends: [Int64] = [11, 12]
    var hasVolatileFriend = false
    /// Who may follow the conversation.
    var members: Set<Int64> = [1, 2, 3]
    /// Frames of shared chains by what they must be the same for: topic, form and cursor.
    var wires: [String: ByteBuffer] = [:]
    /// Turns one rule off, so that a test can show that it would be missed.
    enum Sabotage: CaseIterable {
        case none, registerAfterReading, repeatBatch, swapBatches, ignoreClosing, showGated
    }
    let sabotage: Sabotage
    let fault: EventStream.Fault?

    /// `fault`: of all sockets, which strikes far more often than a server's.
    init(seed: UInt64, sabotage: Sabotage = .none, fault: EventStream.Fault.Kind? = nil) {
        chance = SeededGenerator(seed: seed)
        self.fault = fault.map { EventStream.Fault($0, seed: seed, oneIn: 20) }
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

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &chance) }

    mutating func step() {
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
        case 95..<96: changeFriends()
        case 96..<97: if number(0..<3) == 0 { changeMembers() } else { changeForms() }
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

    mutating func publish() {
        var topics: Set<Topic> = []
        for _ in 0...number(0..<2) {
            let all: [Topic] = [
                .reader(11), .reader(12), .reader(13), .reader(99), .inbox(1), .inbox(2), .inbox(3), .book(1), .book(1),
                .book(2), .conversation(9),
            ]
            topics.insert(all[number(0..<all.count)])
        }
        append(topics.sorted { $0.name < $1.name }, forms: [1: form(), 2: form(), 3: form()])
    }

    /// Mostly whole.
    mutating func form() -> EventStream.Form {
        switch number(0..<8) {
        case 0: .skip
        case 1: .gated
        default: .event
        }
    }

    mutating func append(_ topics: [Topic], forms: [Int64: EventStream.Form] = [:], data: String? = nil) {
        let seq = Int64(log.count) + 1
        let places = topics.map { LoggedEvent.Place(topic: $0, prev: lastOfTopic[$0, default: 0]) }
        for topic in topics { lastOfTopic[topic] = seq }
        let padded = #"{"n": \#(seq), "pad": "\#(String(repeating: "x", count: number(0..<300)))"}"#
        let event = LoggedEvent(
            seq: seq, id: seq, kind: "test.happened", version: 1, places: places, owner: nil, subjectKind: nil,
            subject: nil,
            at: Timestamp(seconds: 0), data: JSON(bytes: Array((data ?? padded).utf8)))
        log.append(Event(event, forms))
    }

    /// Progress, blocks, edits: what readers may have of what has happened lately is another from now on, live and in a replay.
    mutating func changeForms() {
        for place in log.indices.suffix(20) where number(0..<3) == 0 {
            let (reader, form) = (Int64(number(1..<4)), form())
            log[place].change(reader, to: form)
        }
    }

    /// Somebody comes into the conversation, or is shown out of it, which is told in its place in the log.
    mutating func changeMembers() {
        let reader = Int64(number(1..<4))
        guard members.remove(reader) != nil else {
            members.insert(reader)
            return
        }
        append([.control], data: #"{"topic": "conversation:9", "readers": ["\#(reader)"]}"#)
    }

    mutating func evict() {
        let head = Int64(log.count)
        oldest = min(head + 1, max(oldest, planned.seq - Int64(number(0..<30))))
    }

    /// Another history: the log is the same in content and void in meaning.
    mutating func restore() {
        epoch += 1
        history += 1
        planned = StreamCursor(epoch: epoch, seq: Int64(log.count))
        hops.append(.reset(Array(connections.keys), planned))
        // Who was shown out in the part that is skipped is unknown: those come back and are asked again.
        for socket in board.socketsOnReadersTopics.sorted() { cut(socket) }
    }

    /// A friendship that began or ended, told in its place in the log.
    mutating func changeFriends() {
        hasVolatileFriend.toggle()
        append([.control])
    }

    var homeTopics: [Topic] {
        (Self.friends + (hasVolatileFriend ? [13] : [])).map { Topic.reader($0) }
    }

    // MARK: The end

    mutating func settle() {
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

    mutating func check() {
        for client in clients.indices {
            for (name, topic) in clients[client].topics where clients[client].isSubscribed.contains(name) {
                if name == .conversation(9), !members.contains(clients[client].reader) {
                    wrongs.append("\(clients[client].reader) still follows what is not theirs")
                }
                if !topic.isOpen { wrongs.append("\(name.text) never opened") }
                check(topic.start, topic.seqs, name, client, isEnd: true)
            }
        }
        for socket in connections.keys { board.detach(socket) }
        if !board.isEmpty { wrongs.append("something is left of sockets that are gone") }
    }

    /// Whether a run has everything of its topic from its start to its last event, and to the head where it is the end.
    mutating func check(_ start: Int64, _ seqs: [Int64], _ name: EventStream.Name, _ client: Int, isEnd: Bool) {
        let end = isEnd ? Int64(log.count) : seqs.last ?? start
        guard end > start else { return }
        let must: Set<Topic>
        var may: Set<Topic> = []
        switch name {
        case .home:
            must = Set(Self.friends.map { Topic.reader($0) })
            may = [.reader(13)]
        case .inbox: must = [.inbox(clients[client].reader)]
        case .book, .thread, .conversation, .group, .server, .moderation, .trending: must = [Topic(name.text)]
        }
        let got = Set(seqs)
        let reader = clients[client].reader
        for event in log[Int(start)..<Int(end)] {
            // A chain of one's own owes what could be seen all the while; any other says of all that it is there.
            let isOwed = !name.isOwnChain || event.ever[reader] == [.event]
            guard isOwed || got.contains(event.logged.seq) else { continue }
            let topics = Set(event.logged.places.map(\.topic))
            if !topics.isDisjoint(with: must) {
                if !got.contains(event.logged.seq) { wrongs.append("lost: \(event.logged.seq) on \(name.text)") }
            } else if got.contains(event.logged.seq), topics.isDisjoint(with: may) {
                wrongs.append("not for here: \(event.logged.seq) on \(name.text)")
            }
        }
    }
}

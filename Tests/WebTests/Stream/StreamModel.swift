import Community
import EventLog
import NIOCore
import Postgres
import TestSupport

@testable import Web

/// The stream in one thread: one log, two servers with a hub and an event loop each, and clients of both kinds, where chance decides what
/// happens next.
///
/// Session, SourceSession, Subscription and Switchboard are the real ones. What `Hub` does around them is repeated here step by step, with
/// every pause in which something else can happen made explicit: a wake-up or a batch on its way, a page that is read, commands that wait.
/// Clients check every frame as a careful client does (`FollowedTopic`, `SourceReader`), and come back to whichever server they find.
struct StreamModel {
    struct Connection {
        let client: Int
        let server: Int
        /// One of the two.
        var socket: EventStream.Session?
        var source: EventStream.SourceSession?
        var isStalled = false

        /// What waits: bytes, and events.
        var waiting: (bytes: Int, events: Int) {
            if let socket { return (socket.queuedBytes + socket.heldBytes, socket.queuedEvents + socket.heldEvents) }
            return source.map { ($0.queuedBytes + $0.heldBytes, $0.queuedEvents + $0.heldEvents) } ?? (0, 0)
        }
    }

    struct Client {
        let reader: Int64
        /// Follows an event stream, with all names at once.
        var isSource = false
        var socket: UInt64?
        /// Of `tickets`: what it comes with next.
        var ticket: Int?
        var server = 0
        /// Of a socket: what it has of each topic.
        var topics: [EventStream.Name: FollowedTopic] = [:]
        var isSubscribed: Set<EventStream.Name> = []
        /// Nothing may come on the conversation before it is asked for again.
        var isShownOut = false
        /// Of an event stream: what it has, and up to where that was looked at.
        var source = SourceReader()
        var checked: Int64 = 0
        /// The version of the state that it was told last, and how many resets there had been by then.
        var state: (resets: Int, version: Int64) = (0, 0)
        /// Posts of the thread that it knows as gated, and those of which it was told that they have opened.
        var gated: Set<Int64> = []
        var unlocked: Set<Int64> = []
    }

    struct Event {
        let logged: LoggedEvent
        /// How far a reader must be; `nil` where something else decides.
        let scope: Int?
        /// What each reader may have of it now, and everything that this has been since it was written.
        var forms: [Int64: EventStream.Form]
        var ever: [Int64: Set<EventStream.Form>]

        init(_ logged: LoggedEvent, _ forms: [Int64: EventStream.Form], scope: Int?) {
            self.logged = logged
            self.scope = scope
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

    /// What a connection wants of its hub.
    enum Effect {
        case socket(EventStream.Session.Effect)
        case source(EventStream.SourceSession.Effect)
        case detach
    }

    /// What is on its way to the event loop, in order.
    enum Hop {
        case offer([(UInt64, [EventStream.Parcel])])
        case opened(UInt64, EventStream.Session.Opening)
        case page(UInt64, EventStream.Session.Page)
        case begun(UInt64, EventStream.SourceSession.Opening)
        case bundles(UInt64, EventStream.SourceSession.Page)
        case told(UInt64, EventStream.Name, version: Int64)
        case closed(UInt64, EventStream.Name, token: UInt64)
        case reset([UInt64], StreamCursor)
        case leave([UInt64])
    }

    /// A job of the hub between two of its steps.
    struct Job {
        let socket: UInt64
        let effect: Effect
        /// Whether the reader may follow, once that was asked.
        var mayFollow: Bool?
        /// The version of the state that was read.
        var version: Int64 = 0
        var sample: (history: Int, planned: StreamCursor)?
    }

    /// One process.
    struct Server {
        var board = EventStream.Switchboard()
        var planned = StreamCursor(epoch: 1, seq: 0)
        var history = 1
        var commands: [(UInt64, Effect)] = []
        var jobs: [Job] = []
        var hops: [Hop] = []
        /// Wake-ups on their way: to which seq the log had come.
        var hints: [Int64] = []

        var isQuiet: Bool { commands.isEmpty && jobs.isEmpty && hops.isEmpty }
    }

    struct Ticket {
        let client: Int
        let until: Int64
        var openings = 0
    }

    var chance: SeededGenerator
    let secret: SecretKey
    let limits: EventStream.Limits
    var now: Int64 = 0

    var log: [Event] = []
    var oldest: Int64 = 1
    var epoch: Int64 = 1
    var lastOfTopic: [Topic: Int64] = [:]
    /// Of what is trending.
    var version: Int64 = 0
    /// How far each reader is, and at which place in the log which posts opened for them.
    var gates: [Int64: Int] = [1: 0, 2: 0, 3: 0]
    var opened: [Int64: [Int64: Int64]] = [:]

    var servers = [Server(), Server()]
    var connections: [UInt64: Connection] = [:]
    var clients: [Client]
    var lastSocket: UInt64 = 0
    var tickets: [Ticket] = []
    /// What stands in the database.
    var unspent: Set<Int> = []
    var wrongs: [String] = []
    var done = Figures()

    /// What a programme did.
    struct Figures {
        var (delivered, resumed, pages, shownOut, resets) = (0, 0, 0, 0, 0)
        var (moved, ahead, refused, unlocked, states) = (0, 0, 0, 0, 0)
        var repeats = 0

        static func += (all: inout Figures, one: Figures) {
            for figure: WritableKeyPath<Figures, Int> in [
                \.delivered, \.resumed, \.pages, \.shownOut, \.resets, \.moved, \.ahead, \.refused, \.unlocked,
                \.states, \.repeats,
            ] {
                all[keyPath: figure] += one[keyPath: figure]
            }
        }
    }

    static let names: [EventStream.Name] = [
        .home, .inbox, .book(1), .book(2), .thread(5), .conversation(9), .trending,
    ]
    /// What event streams ask for.
    static let asked = names.map(\.text) + ["nowhere"]
    /// Clients with sockets come first.
    static let sockets = 3
    static let ticketLife: Int64 = 500
    /// Friends that a reader always has; 13 comes and goes.
    static let friends: [Int64] = [11, 12]
    var hasVolatileFriend = false
    /// Who may follow the conversation.
    var members: Set<Int64> = [1, 2, 3]
    /// Frames of shared chains by what they must be the same for: topic, form and cursor.
    var frames: [String: String] = [:]
    /// Turns one rule off, so that a test can show that it would be missed.
    enum Sabotage: CaseIterable {
        case none, registerAfterReading, repeatBatch, swapBatches, ignoreClosing, showGated
        case trustHints, neverPoll, ignoreAhead, keepTies
        case idOnEveryFrame, pagesOfOneTopic, ignoreStates, tellNoUnlock
        case keepTickets, foreignTickets, lateTickets
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
        clients += (1...2).map { Client(reader: $0, isSource: true) }
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps where wrongs.isEmpty { step() }
        settle()
        check()
    }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &chance) }
    var head: Int64 { Int64(log.count) }

    mutating func step() {
        now += Int64(number(0..<50))
        switch number(0..<100) {
        case 0..<15: publish()
        case 15..<25: hint(busy { !$0.hints.isEmpty })
        case 25..<30: poll(number(0..<4) == 0 ? 1 : 0)
        case 30..<47: hop(busy { !$0.hops.isEmpty })
        case 47..<58: command(busy { !$0.commands.isEmpty })
        case 58..<72: job(busy { !$0.jobs.isEmpty })
        case 72..<79:
            let away = clients.indices.filter { clients[$0].socket == nil }
            if let client = away.randomElement(using: &chance) { connect(client) }
        case 79..<81: if let socket = clients[number(0..<clients.count)].socket { cut(socket) }
        case 81..<85: subscribe(number(0..<Self.sockets))
        case 85..<86: unsubscribe(number(0..<Self.sockets))
        case 86..<88: toggleStall()
        case 88..<89: evict()
        case 89..<90: if number(0..<4) == 0 { epoch += 1 } else { unlock() }
        case 90..<91: changeFriends()
        case 91..<92: if number(0..<3) == 0 { changeMembers() } else { changeForms() }
        case 92..<93: changeState()
        default: drain(bytes: number(0..<3_000))
        }
        for connection in connections.values {
            // One state waits beside the events, whatever room there is.
            if connection.waiting.bytes > limits.queueBytes + 200 { wrongs.append("more bytes wait than allowed") }
            if connection.waiting.events > limits.queueEvents + 1 { wrongs.append("more events wait than allowed") }
        }
    }

    /// One of the servers, that for which `isBusy` holds where one does.
    private mutating func busy(_ isBusy: (Server) -> Bool) -> Int {
        let first = number(0..<2)
        return isBusy(servers[first]) ? first : 1 - first
    }

    // MARK: The log

    mutating func publish() {
        var topics: Set<Topic> = []
        for _ in 0...number(0..<2) {
            let all: [Topic] = [
                .reader(11), .reader(12), .reader(13), .reader(99), .inbox(1), .inbox(2), .inbox(3), .book(1), .book(1),
                .book(2), .thread(5), .thread(5), .conversation(9),
            ]
            topics.insert(all[number(0..<all.count)])
        }
        let scope = topics.contains(.thread(5)) ? number(0..<4) : nil
        var forms: [Int64: EventStream.Form] = [:]
        for reader: Int64 in 1...3 {
            guard let scope else {
                forms[reader] = form()
                continue
            }
            forms[reader] = scope <= gates[reader, default: 0] ? .event : .gated
        }
        append(topics.sorted { $0.name < $1.name }, forms: forms, scope: scope)
    }

    /// Mostly whole.
    mutating func form() -> EventStream.Form {
        switch number(0..<8) {
        case 0: .skip
        case 1: .gated
        default: .event
        }
    }

    mutating func append(
        _ topics: [Topic], kind: String = "test.happened", forms: [Int64: EventStream.Form] = [:], scope: Int? = nil,
        data: String? = nil
    ) {
        let seq = head + 1
        let places = topics.map { LoggedEvent.Place(topic: $0, prev: lastOfTopic[$0, default: 0]) }
        for topic in topics { lastOfTopic[topic] = seq }
        let padded = #"{"n": \#(seq), "pad": "\#(String(repeating: "x", count: number(0..<300)))"}"#
        let event = LoggedEvent(
            seq: seq, id: seq, kind: kind, version: 1, places: places, owner: nil, subjectKind: nil, subject: nil,
            at: Timestamp(seconds: 0), data: JSON(bytes: Array((data ?? padded).utf8)))
        log.append(Event(event, forms, scope: scope))
        for place in servers.indices { servers[place].hints.append(seq) }
    }

    /// Blocks and edits: what readers may have of what has happened lately is another from now on, live and in a replay.
    mutating func changeForms() {
        for place in log.indices.suffix(20) where log[place].scope == nil && number(0..<3) == 0 {
            let (reader, form) = (Int64(number(1..<4)), form())
            log[place].change(reader, to: form)
        }
    }

    /// A reader gets further: posts of the thread open, and the inbox is told which.
    mutating func unlock() {
        let reader = Int64(number(1..<4))
        let gate = gates[reader, default: 0] + 1
        gates[reader] = gate
        var ids: [String] = []
        for place in log.indices where log[place].scope == gate && log[place].forms[reader] == .gated {
            log[place].change(reader, to: .event)
            opened[reader, default: [:]][log[place].logged.seq] = head + 1
            ids.append("\"\(log[place].logged.seq)\"")
        }
        guard !ids.isEmpty, sabotage != .tellNoUnlock else { return }
        let data = #"{"ids": [\#(ids.joined(separator: ","))]}"#
        append([.inbox(reader)], kind: "posts.unlocked", forms: [reader: .event], scope: 0, data: data)
    }

    /// Somebody comes into the conversation, or is shown out of it, which is told in its place in the log.
    mutating func changeMembers() {
        let reader = Int64(number(1..<4))
        guard members.remove(reader) != nil else {
            members.insert(reader)
            return
        }
        append([.control], kind: "topic.closed", data: #"{"topic": "conversation:9", "readers": ["\#(reader)"]}"#)
    }

    mutating func changeState() {
        version += 1
        append([.control], kind: "state.changed", data: #"{"topic": "trending"}"#)
    }

    mutating func evict() {
        let planned = servers[number(0..<2)].planned.seq
        oldest = min(head + 1, max(oldest, planned - Int64(number(0..<30))))
    }

    /// A friendship that began or ended, told in its place in the log.
    mutating func changeFriends() {
        hasVolatileFriend.toggle()
        append([.control], kind: "friendship.changed", data: #"{"readers": ["1", "2", "3"]}"#)
    }

    var homeTopics: [Topic] {
        (Self.friends + (hasVolatileFriend ? [13] : [])).map { Topic.reader($0) }
    }
}

import EventLog
import NIOCore

@testable import Web

/// The sockets, and the clients that look at every frame.
extension StreamModel {
    // MARK: The event loop

    mutating func hop() {
        guard !hops.isEmpty else { return }
        switch hops.removeFirst() {
        case .offer(let deliveries):
            for (socket, parcels) in deliveries {
                with(socket) { session, now in session.offer(parcels, now: now) }
            }
        case .opened(let socket, let opening): with(socket) { $0.opened(opening, now: $1) }
        case .page(let socket, let page):
            lagged += 1
            with(socket) { $0.received(page, now: $1) }
        case .closed(let socket, let name, let token): with(socket) { session, _ in session.closed(name, token: token) }
        case .reset(let sockets, let position):
            for socket in sockets { with(socket) { session, _ in session.reset(.epoch, to: position) } }
        }
    }

    mutating func with(_ socket: UInt64, _ body: (inout EventStream.Session, Int64) -> Void) {
        guard var connection = connections[socket] else { return }
        body(&connection.session, now)
        connections[socket] = connection
        collect(socket)
    }

    mutating func collect(_ socket: UInt64) {
        guard let effects = connections[socket]?.session.takeEffects() else { return }
        commands += effects.map { (socket, $0) }
    }

    /// Sockets take bytes, and clients read what their sockets took.
    mutating func drain(bytes: Int, evenStalled: Bool = false) {
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

    mutating func read(_ wire: ByteBuffer, on socket: UInt64) {
        guard wire.getInteger(at: wire.readerIndex, as: UInt8.self) == 0x81 else { return }
        guard let client = connections[socket]?.client, let frame = ServerFrame(wire: wire) else {
            return wrongs.append("a frame that cannot be read")
        }
        if frame.type == "error" { return refused(frame, client) }
        guard let name = frame.topic.flatMap(EventStream.Name.init(text:)), frame.type != "unsubscribed" else { return }
        guard clients[client].isSubscribed.contains(name), var topic = clients[client].topics[name] else {
            if name == .conversation(9), clients[client].isShownOut { wrongs.append("a \(frame.type) after the end") }
            return
        }
        if frame.type == "closed" { return leave(name, client) }
        if let run = topic.receive(frame) { check(run.start, run.seqs, name, client, isEnd: false) }
        if let seq = frame.seq, let form = EventStream.Form(rawValue: frame.type) {
            look(at: log[Int(seq) - 1], form, name, clients[client].reader)
            if !name.isOwnChain { compare(wire, "\(name.text) \(frame.type) \(frame.cursor ?? "")") }
            delivered += form == .event ? 1 : 0
        }
        wrongs += topic.wrongs
        clients[client].topics[name] = topic
    }

    /// Whether this may have been what the reader may have, at some time since it happened.
    mutating func look(at event: Event, _ form: EventStream.Form, _ name: EventStream.Name, _ reader: Int64) {
        let may = event.ever[reader, default: []]
        if !may.contains(form) { wrongs.append("\(event.logged.seq) as \(form.rawValue) on \(name.text)") }
        if form != .event, name.isOwnChain { wrongs.append("\(form.rawValue) on \(name.text)") }
    }

    /// Live or from the log, to whomever: one form of one event on one topic is always the same frame.
    mutating func compare(_ wire: ByteBuffer, _ key: String) {
        if let known = wires[key], known != wire { wrongs.append("two frames for \(key)") }
        wires[key] = wire
    }

    /// The conversation is not, or no longer, this reader's.
    mutating func refused(_ frame: ServerFrame, _ client: Int) {
        guard frame.text("code") == "unknown_topic" else {
            return wrongs.append("an error: \(frame.text("code") ?? "")")
        }
        leave(.conversation(9), client)
    }

    mutating func leave(_ name: EventStream.Name, _ client: Int) {
        if let topic = clients[client].topics[name] { check(topic.start, topic.seqs, name, client, isEnd: false) }
        clients[client].isSubscribed.remove(name)
        clients[client].topics[name] = nil
        clients[client].isShownOut = true
        shownOut += 1
    }

    mutating func connect(_ client: Int) {
        guard clients[client].socket == nil else { return }
        lastSocket += 1
        let socket = lastSocket
        guard board.attach(socket, reader: clients[client].reader, session: 1, limit: 1_000) else {
            return wrongs.append("a socket was refused")
        }
        clients[client].socket = socket
        connections[socket] = Connection(
            client: client,
            session: EventStream.Session(limits: limits, secret: secret, fault: fault, now: now))
        for name in clients[client].isSubscribed.sorted(by: { $0.text < $1.text }) { say(name, client) }
    }

    mutating func cut(_ socket: UInt64) {
        guard let connection = connections.removeValue(forKey: socket) else { return }
        clients[connection.client].socket = nil
        commands.append((socket, nil))
        resumed += 1
    }

    mutating func subscribe(_ client: Int) {
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

    mutating func say(_ name: EventStream.Name, _ client: Int) {
        guard let socket = clients[client].socket, clients[client].topics[name] != nil else { return }
        // A client that asks again for a topic takes no more of the old subscription: here nothing of it is on its way any more.
        drainWhole(socket)
        // What came meanwhile may have been its end.
        guard var topic = clients[client].topics[name] else { return }
        topic.reopen()
        if name == .conversation(9) { clients[client].isShownOut = false }
        let from = topic.cursor ?? "now"
        clients[client].topics[name] = topic
        let frame = ByteBuffer(string: #"{"type":"subscribe","id":1,"topic":"\#(name.text)","from":"\#(from)"}"#)
        with(socket) { $0.received(frame, now: $1) }
    }

    mutating func drainWhole(_ socket: UInt64) {
        while let frame = connections[socket]?.session.next() {
            var wire = frame.head
            if let tail = frame.tail { wire.writeImmutableBuffer(tail) }
            read(wire, on: socket)
        }
    }

    mutating func unsubscribe(_ client: Int) {
        guard let socket = clients[client].socket,
            let name = clients[client].isSubscribed.randomElement(using: &chance),
            clients[client].topics[name]?.isOpen == true
        else { return }
        // What has come may be the end of it.
        drainWhole(socket)
        guard clients[client].topics[name] != nil else { return }
        clients[client].isSubscribed.remove(name)
        let frame = ByteBuffer(string: #"{"type":"unsubscribe","id":2,"topic":"\#(name.text)"}"#)
        with(socket) { $0.received(frame, now: $1) }
        drainWhole(socket)
        clients[client].topics[name] = nil
    }

    mutating func toggleStall() {
        guard let socket = connections.keys.sorted().randomElement(using: &chance) else { return }
        connections[socket]?.isStalled.toggle()
    }
}

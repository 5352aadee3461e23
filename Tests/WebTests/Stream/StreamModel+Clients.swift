import EventLog
import NIOCore
import TestSupport

@testable import Web

/// The connections, and the clients that look at every frame.
extension StreamModel {
    // MARK: The event loop

    mutating func hop(_ place: Int) {
        guard !servers[place].hops.isEmpty else { return }
        switch servers[place].hops.removeFirst() {
        case .offer(let deliveries):
            for (socket, parcels) in deliveries {
                with(socket) { connection, now in
                    for parcel in parcels {
                        connection.socket?.offer(parcel, now: now)
                        connection.source?.offer(parcel, now: now)
                    }
                    connection.source?.endBatch(now: now)
                }
            }
        case .opened(let socket, let opening):
            with(socket) { connection, now in
                connection.socket?.opened(opening, now: now)
                connection.source?.opened(opening)
            }
        case .page(let socket, let page):
            done.pages += 1
            with(socket) { $0.socket?.received(page, now: $1) }
        case .begun(let socket, let opening): with(socket) { $0.source?.opened(opening, now: $1) }
        case .bundles(let socket, let page):
            done.pages += 1
            with(socket) { $0.source?.received(page, now: $1) }
        case .told(let socket, let name, let version):
            let text = #"{"type":"state","topic":"\#(name.text)","version":\#(version),"data":{}}"#
            let frame = WebSocketFrames.text(Array(text.utf8))
            with(socket) { connection, _ in
                connection.socket?.told(frame, of: name, version: version)
                connection.source?.told(frame, of: name, version: version)
            }
        case .closed(let socket, let name, let token):
            with(socket) { connection, _ in
                connection.socket?.closed(name, token: token)
                connection.source?.closed(name)
            }
        case .reset(let sockets, let position):
            done.resets += 1
            for socket in sockets {
                with(socket) { connection, _ in
                    connection.socket?.reset(.epoch, to: position)
                    connection.source?.reset(.epoch, to: position)
                }
            }
        case .leave(let sockets):
            for socket in sockets {
                // The farewell comes behind what waits.
                take(.max, from: socket)
                hear(.max, from: socket, mayCut: false)
                cut(socket)
            }
        }
    }

    /// Works on one connection, and hands on what it then wants of its hub.
    mutating func with(_ socket: UInt64, _ body: (inout Connection, Int64) -> Void) {
        guard var connection = connections.removeValue(forKey: socket) else { return }
        body(&connection, now)
        var effects = (connection.socket?.takeEffects() ?? []).map { Effect.socket($0) }
        for effect in connection.source?.takeEffects() ?? [] {
            if case .state(let name) = effect {
                let token = EventStream.SourceSession.token
                effects.append(.socket(.subscribe(token: token, name, from: .now)))
            } else {
                effects.append(.source(effect))
            }
        }
        for effect in effects { servers[connection.server].commands.append((socket, effect)) }
        connections[socket] = connection
    }

    /// Sockets take bytes, and clients read what their sockets took.
    mutating func drain(bytes: Int, evenStalled: Bool = false) {
        for socket in connections.keys.sorted() {
            guard evenStalled || connections[socket]?.isStalled == false else { continue }
            take(bytes, from: socket)
            hear(bytes, from: socket, mayCut: !evenStalled)
            with(socket) { connection, now in
                connection.socket?.askForPage(now: now)
                connection.source?.askForPage(now: now)
            }
        }
    }

    // MARK: Coming and going

    /// Comes with a ticket, to whichever server: its own, which may be new, spent or late, or another's.
    mutating func connect(_ client: Int) {
        guard clients[client].socket == nil else { return }
        let (other, place) = (number(0..<clients.count), number(0..<servers.count))
        let isOwn = number(0..<4) > 0
        guard let ticket = clients[isOwn ? client : other].ticket, redeem(ticket, by: client) else {
            if clients[client].ticket != nil { done.refused += 1 }
            clients[client].ticket = tickets.count
            unspent.insert(tickets.count)
            tickets.append(Ticket(client: client, until: now + Self.ticketLife))
            return
        }
        if place != clients[client].server { done.moved += 1 }
        clients[client].server = place
        open(client, as: clients[tickets[ticket].client].reader, at: place)
    }

    private mutating func redeem(_ ticket: Int, by client: Int) -> Bool {
        guard unspent.contains(ticket),
            tickets[ticket].client == client || sabotage == .foreignTickets,
            now < tickets[ticket].until || sabotage == .lateTickets
        else { return false }
        if sabotage != .keepTickets { unspent.remove(ticket) }
        tickets[ticket].openings += 1
        if tickets[ticket].openings > 1 || now >= tickets[ticket].until || tickets[ticket].client != client {
            wrongs.append("a ticket that is spent, late or another's has opened")
        }
        return true
    }

    private mutating func open(_ client: Int, as reader: Int64, at place: Int) {
        lastSocket += 1
        let socket = lastSocket
        guard servers[place].board.attach(socket, reader: reader, session: 1, limit: 1_000) else {
            return wrongs.append("a socket was refused")
        }
        clients[client].socket = socket
        var connection = Connection(client: client, server: place)
        if clients[client].isSource {
            let from = clients[client].source.id.flatMap { EventStream.Session.Start(text: $0, signedBy: secret) }
            connection.source = EventStream.SourceSession(
                limits: limits, secret: secret, topics: Self.asked, scopes: nil, from: from ?? .now, retryAfter: 500,
                fault: fault, now: now)
        } else {
            connection.socket = EventStream.Session(limits: limits, secret: secret, fault: fault, now: now)
        }
        connections[socket] = connection
        // What it wants at once.
        with(socket) { _, _ in }
        for name in clients[client].isSubscribed.sorted(by: { $0.text < $1.text }) { say(name, client) }
    }

    mutating func cut(_ socket: UInt64) {
        guard let connection = connections.removeValue(forKey: socket) else { return }
        clients[connection.client].socket = nil
        if connection.source != nil { clients[connection.client].source.cut() }
        servers[connection.server].commands.append((socket, .detach))
        done.resumed += 1
    }

    mutating func toggleStall() {
        guard let socket = connections.keys.sorted().randomElement(using: &chance) else { return }
        connections[socket]?.isStalled.toggle()
    }

    // MARK: What every client looks at

    /// An event as one of both kinds of clients has it: `text` is the frame.
    private mutating func look(at frame: ServerFrame, _ text: String, _ name: EventStream.Name, _ client: Int) {
        guard let seq = frame.seq, let form = EventStream.Form(rawValue: frame.type) else { return }
        guard seq > 0, seq <= head else { return wrongs.append("\(seq) never happened") }
        // It may have been what the reader may have, at some time since it happened.
        let may = log[Int(seq) - 1].ever[clients[client].reader, default: []]
        if !may.contains(form) { wrongs.append("\(seq) as \(form.rawValue) on \(name.text)") }
        if form != .event, name.isOwnChain { wrongs.append("\(form.rawValue) on \(name.text)") }
        done.delivered += form == .event ? 1 : 0
        if name == .thread(5) {
            if form == .gated { clients[client].gated.insert(seq) } else { clients[client].gated.remove(seq) }
        }
        if frame.text("kind") == "posts.unlocked", case .array(let ids)? = frame.members["data"]?["ids"] {
            done.unlocked += 1
            for case .string(let id) in ids { clients[client].unlocked.insert(Int64(id) ?? 0) }
        }
        guard !name.isOwnChain else { return }
        // One form of one event on one topic is always the same frame: live and from the log, for every reader.
        let key = "\(name.text) \(frame.type) \(frame.cursor ?? "")"
        if let known = frames[key], known != text { wrongs.append("two frames for \(key)") }
        frames[key] = text
    }

    private mutating func look(atState frame: ServerFrame, _ client: Int) {
        let version = frame.number("version") ?? 0
        done.states += 1
        // Where a server began anew in between, an older one that was on its way may come again.
        if clients[client].state.resets == done.resets, version < clients[client].state.version {
            wrongs.append("state \(version) after \(clients[client].state.version)")
        }
        clients[client].state = (done.resets, version)
    }
}

/// Clients with sockets, which follow each topic by itself.
extension StreamModel {
    private mutating func take(_ bytes: Int, from socket: UInt64) {
        var left = bytes
        while left > 0, let frame = connections[socket]?.socket?.next() {
            left -= frame.bytes
            var wire = frame.head
            if let tail = frame.tail { wire.writeImmutableBuffer(tail) }
            read(wire, on: socket)
        }
    }

    private mutating func read(_ wire: ByteBuffer, on socket: UInt64) {
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
        if frame.type == "state" {
            if !topic.isOpen { wrongs.append("a state before subscribed") }
            return look(atState: frame, client)
        }
        if let run = topic.receive(frame) {
            check(run.seqs, after: run.start, through: run.seqs.last ?? run.start, name, client)
        }
        look(at: frame, String(buffer: WebSocketFrames.payload(of: wire)), name, client)
        wrongs += topic.wrongs
        clients[client].topics[name] = topic
    }

    /// The conversation is not, or no longer, this reader's.
    private mutating func refused(_ frame: ServerFrame, _ client: Int) {
        guard frame.text("code") == "unknown_topic" else {
            return wrongs.append("an error: \(frame.text("code") ?? "")")
        }
        leave(.conversation(9), client)
    }

    private mutating func leave(_ name: EventStream.Name, _ client: Int) {
        if let topic = clients[client].topics[name] {
            check(topic.seqs, after: topic.start, through: topic.seqs.last ?? topic.start, name, client)
        }
        clients[client].isSubscribed.remove(name)
        clients[client].topics[name] = nil
        clients[client].isShownOut = true
        done.shownOut += 1
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

    private mutating func say(_ name: EventStream.Name, _ client: Int) {
        guard let socket = clients[client].socket, clients[client].topics[name] != nil else { return }
        // A client that asks again for a topic takes no more of the old subscription: here nothing of it is on its way any more.
        take(.max, from: socket)
        // What came meanwhile may have been its end.
        guard var topic = clients[client].topics[name] else { return }
        // A state has no place to come back to.
        if name.isState { topic = FollowedTopic(isOwnChain: false) }
        topic.reopen()
        if name == .conversation(9) { clients[client].isShownOut = false }
        let from = topic.cursor ?? "now"
        clients[client].topics[name] = topic
        let frame = ByteBuffer(string: #"{"type":"subscribe","id":1,"topic":"\#(name.text)","from":"\#(from)"}"#)
        with(socket) { $0.socket?.received(frame, now: $1) }
    }

    mutating func unsubscribe(_ client: Int) {
        guard let socket = clients[client].socket,
            let name = clients[client].isSubscribed.sorted(by: { $0.text < $1.text }).randomElement(using: &chance),
            clients[client].topics[name]?.isOpen == true
        else { return }
        // What has come may be the end of it.
        take(.max, from: socket)
        guard clients[client].topics[name] != nil else { return }
        clients[client].isSubscribed.remove(name)
        let frame = ByteBuffer(string: #"{"type":"unsubscribe","id":2,"topic":"\#(name.text)"}"#)
        with(socket) { $0.socket?.received(frame, now: $1) }
        take(.max, from: socket)
        clients[client].topics[name] = nil
    }
}

/// Clients with event streams, which have one `id` for all topics.
extension StreamModel {
    /// Takes so many bytes, at least one message, and may be cut after any.
    private mutating func hear(_ bytes: Int, from socket: UInt64, mayCut: Bool) {
        guard let client = connections[socket]?.client else { return }
        var buffer = ByteBuffer()
        while buffer.readableBytes <= bytes, connections[socket]?.source?.write(into: &buffer) == true {}
        let wire = String(buffer: buffer)
        if !wire.isEmpty, !wire.hasSuffix("\n\n") { wrongs.append("a message that does not end") }
        for message in wire.split(separator: "\n\n") {
            hear(message.split(separator: "\n"), client)
            // Nothing of what was on its way arrives.
            if mayCut, number(0..<60) == 0 { return cut(socket) }
        }
    }

    private mutating func hear(_ lines: [Substring], _ client: Int) {
        func value(_ field: String) -> String? {
            lines.first { $0.hasPrefix(field + ": ") }.map { String($0.dropFirst(field.utf8.count + 2)) }
        }
        guard let data = value("data") else { return }
        guard let frame = ServerFrame(payload: Array(data.utf8)) else { return wrongs.append("no frame: \(data)") }
        if frame.type == "error", frame.topic != "nowhere", frame.topic != "conversation:9" {
            wrongs.append("an error: \(data)")
        }
        var id = value("id")
        if sabotage == .idOnEveryFrame, frame.prev != nil { id = frame.cursor }
        if let topic = frame.topic, let name = EventStream.Name(text: topic) {
            if frame.type == "reset" || frame.type == "closed", let chain = clients[client].source.chains[topic] {
                // What a run that ends here had must have been the log.
                check(chain.seqs, after: chain.start, through: chain.seqs.last ?? chain.start, name, client)
            }
            if frame.type == "closed" { done.shownOut += 1 }
            if frame.type == "state" { look(atState: frame, client) } else { look(at: frame, data, name, client) }
        }
        clients[client].source.receive(frame, id: id)
        wrongs += clients[client].source.wrongs
        guard let id, let place = try? StreamCursor(text: id, signedBy: secret).seq else { return }
        // Up to there nothing is missing on any topic.
        for (topic, chain) in clients[client].source.chains {
            guard let name = EventStream.Name(text: topic) else { continue }
            check(chain.seqs, after: max(chain.start, clients[client].checked), through: place, name, client)
        }
        clients[client].checked = place
    }
}

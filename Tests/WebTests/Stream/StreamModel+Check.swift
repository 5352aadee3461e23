import EventLog

@testable import Web

/// What must be so when nothing more happens.
extension StreamModel {
    /// No hint arrives any more: the servers look by themselves.
    mutating func settle() {
        var rounds = 0
        repeat {
            rounds += 1
            now += 100
            for client in clients.indices { connect(client) }
            for place in servers.indices {
                poll(place)
                command(place)
                job(place)
                hop(place)
            }
            drain(bytes: .max, evenStalled: true)
        } while rounds < 10_000 && wrongs.isEmpty && !isQuiet
        if rounds == 10_000 { wrongs.append("it never comes to rest") }
    }

    private var isQuiet: Bool {
        let end = StreamCursor(epoch: epoch, seq: head)
        return servers.allSatisfy { $0.planned == end && $0.isQuiet } && clients.allSatisfy { $0.socket != nil }
    }

    mutating func check() {
        for client in clients.indices {
            let runs = runs(of: client)
            for run in runs {
                if run.name == .conversation(9), !members.contains(clients[client].reader) {
                    wrongs.append("\(clients[client].reader) still follows what is not theirs")
                }
                check(run.seqs, after: run.start, through: head, run.name, client)
            }
            checkUnlocks(client, inbox: runs.first { $0.name == .inbox }?.start)
            if runs.contains(where: { $0.name == .trending }), clients[client].state.version != version {
                wrongs.append("state \(clients[client].state.version) is told, \(version) is so")
            }
            done.repeats += clients[client].source.repeats
        }
        for (socket, connection) in connections {
            let board = servers[connection.server].board
            let follows = connection.source != nil || clients[connection.client].isSubscribed.contains(.home)
            if follows, Set(board.topics(of: .home, for: socket)) != Set(homeTopics) {
                wrongs.append("a home is made of other topics than its reader's")
            }
        }
        for (socket, connection) in connections { servers[connection.server].board.detach(socket) }
        if !servers.allSatisfy(\.board.isEmpty) { wrongs.append("something is left of sockets that are gone") }
    }

    private typealias Run = (name: EventStream.Name, start: Int64, seqs: [Int64])

    /// What a client follows, since when, and what it had of it.
    private mutating func runs(of client: Int) -> [Run] {
        let (state, isSource) = (clients[client], clients[client].isSource)
        var runs: [Run] = []
        for name in Self.names where isSource || state.isSubscribed.contains(name) {
            if let chain = state.source.chains[name.text] {
                runs.append((name, chain.start, chain.seqs))
            } else if let topic = state.topics[name], topic.isOpen {
                runs.append((name, topic.start, topic.seqs))
            } else if isSource, name.isState {
                runs.append((name, head, []))
            } else if !isSource || name != .conversation(9) {
                wrongs.append("\(name.text) never opened")
            }
        }
        return runs
    }

    /// Who knows a post as gated that has opened was told so, or has begun to listen later.
    private mutating func checkUnlocks(_ client: Int, inbox start: Int64?) {
        guard let start, let opened = opened[clients[client].reader] else { return }
        for seq in clients[client].gated.subtracting(clients[client].unlocked) {
            if let place = opened[seq], start < place { wrongs.append("nobody said that \(seq) has opened") }
        }
    }

    /// Whether a run has everything of its topic in `(start, end]`, and nothing that is not of it.
    mutating func check(
        _ seqs: [Int64], after start: Int64, through end: Int64, _ name: EventStream.Name, _ client: Int
    ) {
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
        let got = Set(seqs.reversed().prefix { $0 > start })
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

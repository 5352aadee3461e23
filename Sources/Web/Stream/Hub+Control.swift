import EventLog
import Logging

/// What the servers tell each other, and what it does to the sockets here.
extension EventStream.Hub {
    private static let askedTogether = 50

    func obey(_ control: EventStream.ControlEvent) async throws {
        switch control {
        case .sessionEnded(let session): leave(board.sockets(ofSession: session), .auth)
        case .accountEnded(let account): leave(board.sockets(ofReader: account), .auth)
        case .homesChanged(let readers): for reader in readers { try await reloadHome(reader) }
        case .tiesChanged(let readers):
            for reader in readers {
                try await reloadHome(reader)
                try await askAgain(reader)
            }
        case .rolesChanged(let readers): for reader in readers { try await askAgain(reader) }
        case .topicClosed(let name, let readers):
            close(name, of: board.followers(of: name, among: readers))
        case .stateChanged(let name): try await tellState(of: name)
        case .unreadable(let kind):
            logger.error("A control event cannot be read", metadata: ["kind": "\(kind)"])
            await prove(board.sessions)
            // Whatever it has closed or changed: those who come back are asked again.
            board.staleHomes()
            leave(board.socketsOnReadersTopics, .drain)
        case .other: break
        }
    }

    private func reloadHome(_ reader: Int64) async throws {
        if board.staleHome(reader) { try await loadHome(reader) }
    }

    /// Loads the reader's home until a load was not overtaken by a change; at once where it is loaded.
    func loadHome(_ reader: Int64) async throws {
        guard !board.sockets(ofReader: reader).isEmpty else { return }
        while let version = board.beginHome(reader) {
            let topics = try await homes.homeTopics(of: reader)
            if board.loaded(reader, version: version, topics: topics) { break }
        }
        board.forgetHomeIfUnused(reader)
    }

    /// Whether the reader may follow `name` now. A home and an inbox are everybody's own.
    func mayFollow(_ name: EventStream.Name, _ reader: Int64) async throws -> Bool {
        guard !name.isOwnChain, let topic = name.topic(of: reader) else { return true }
        return try await topics.mayFollow(topic, reader: reader)
    }

    /// Closes what the reader follows and may follow no longer.
    private func askAgain(_ reader: Int64) async throws {
        // Those before the questions: a later subscription asks for itself.
        var rest = board.readersTopics(of: reader).map {
            (name: $0, followers: board.followers(of: $0, among: [reader]))
        }[...]
        // Many in one trip to the database: a reader may follow a thousand.
        while !rest.isEmpty {
            let asked = rest.prefix(Self.askedTogether)
            rest = rest.dropFirst(asked.count)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (name, followers) in asked {
                    group.addTask {
                        if try await self.mayFollow(name, reader) { return }
                        await self.close(name, of: followers)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private func close(
        _ name: EventStream.Name, of followers: [(socket: EventStream.Switchboard.SocketID, token: UInt64)]
    ) {
        for (socket, token) in followers { close(socket, name, token: token) }
    }

    /// Ends one subscription, if it is still the one that was meant. From this step on nothing is offered to it.
    func close(_ socket: EventStream.Switchboard.SocketID, _ name: EventStream.Name, token: UInt64) {
        guard board.isCurrent(socket, name, token: token) else { return }
        board.unsubscribe(socket, name)
        ports[socket]?.closed(name, token: token)
    }
}

import EventLog

extension EventStream {
    /// Who listens to what: a value that the hub keeps.
    ///
    /// Home is a set of topics that changes while it is followed: friends, followed books, groups. It is kept once for each reader, however
    /// many sockets follow it, and loaded again when one of these, a block or a mute changes.
    struct Switchboard: Sendable {
        typealias SocketID = UInt64

        /// One socket's interest in one event.
        struct Recipient: Sendable, Hashable {
            let socket: SocketID
            let reader: Int64
            let name: Name
        }

        private struct Socket {
            let reader: Int64
            let session: Int64
            /// Token of each subscription, and whether offers go to it yet.
            var chains: [Name: Listening] = [:]
        }

        private struct Listening {
            let token: UInt64
            var isOn = false
        }

        private struct Home {
            var topics: Set<Topic> = []
            var isLoaded = false
            /// Changes with whatever made the topics out of date; a load is good only when nothing did meanwhile. No two homes share one,
            /// so that a load for a home that was dropped is none for the next.
            var version: Int
            var sockets: Set<SocketID> = []
        }

        private var sockets: [SocketID: Socket] = [:]
        private var socketsOfReader: [Int64: Set<SocketID>] = [:]
        /// Sockets on topics that are followed under their own name, and on inboxes.
        private var direct: [Topic: [SocketID: Name]] = [:]
        /// Sockets with subscriptions that are not turned on yet, and how many.
        private var opening: [SocketID: Int] = [:]
        private var homes: [Int64: Home] = [:]
        private var lastVersion = 0
        /// Whose home has the topic.
        private var homesWith: [Topic: Set<Int64>] = [:]

        /// Subscriptions by the kind of their topic, turned on or not.
        private(set) var following: [String: Int] = [:]

        var socketCount: Int { sockets.count }
        var isEmpty: Bool {
            sockets.isEmpty && opening.isEmpty && direct.isEmpty && homes.isEmpty && homesWith.isEmpty
                && socketsOfReader.isEmpty
        }
        var sessions: Set<Int64> { Set(sockets.values.map(\.session)) }

        // MARK: Sockets

        /// False when the reader has `limit` sockets already.
        mutating func attach(_ socket: SocketID, reader: Int64, session: Int64, limit: Int) -> Bool {
            guard socketsOfReader[reader, default: []].count < limit else { return false }
            sockets[socket] = Socket(reader: reader, session: session)
            socketsOfReader[reader, default: []].insert(socket)
            return true
        }

        mutating func detach(_ socket: SocketID) {
            guard let known = sockets[socket] else { return }
            for name in known.chains.keys { unsubscribe(socket, name) }
            sockets[socket] = nil
            socketsOfReader[known.reader]?.remove(socket)
            if socketsOfReader[known.reader]?.isEmpty == true { socketsOfReader[known.reader] = nil }
        }

        func reader(of socket: SocketID) -> Int64? { sockets[socket]?.reader }
        func sockets(ofReader reader: Int64) -> Set<SocketID> { socketsOfReader[reader, default: []] }
        func sockets(ofSession session: Int64) -> [SocketID] {
            sockets.filter { $0.value.session == session }.map(\.key)
        }

        // MARK: Subscriptions

        /// The socket wants `name`; offers begin with `turnOn`. A token that it had for the same name is void.
        mutating func subscribe(_ socket: SocketID, _ name: Name, token: UInt64) {
            guard sockets[socket] != nil else { return }
            unsubscribe(socket, name)
            sockets[socket]?.chains[name] = Listening(token: token)
            opening[socket, default: 0] += 1
            following[name.kind, default: 0] += 1
        }

        func isCurrent(_ socket: SocketID, _ name: Name, token: UInt64) -> Bool {
            sockets[socket]?.chains[name]?.token == token
        }

        /// Every event planned from now on is offered. Home must have been loaded.
        mutating func turnOn(_ socket: SocketID, _ name: Name) {
            guard let reader = sockets[socket]?.reader, let chain = sockets[socket]?.chains[name] else { return }
            if !chain.isOn { endOpening(socket) }
            sockets[socket]?.chains[name]?.isOn = true
            if let topic = name.topic(of: reader) {
                direct[topic, default: [:]][socket] = name
            } else {
                homes[reader]?.sockets.insert(socket)
            }
        }

        mutating func unsubscribe(_ socket: SocketID, _ name: Name) {
            guard let reader = sockets[socket]?.reader, let chain = sockets[socket]?.chains.removeValue(forKey: name)
            else { return }
            if !chain.isOn { endOpening(socket) }
            following[name.kind, default: 0] -= 1
            if let topic = name.topic(of: reader) {
                removeDirect(topic, socket)
            } else {
                homes[reader]?.sockets.remove(socket)
                forgetHomeIfUnused(reader)
            }
        }

        private mutating func endOpening(_ socket: SocketID) {
            opening[socket, default: 1] -= 1
            if opening[socket] == 0 { opening[socket] = nil }
        }

        private mutating func removeDirect(_ topic: Topic, _ socket: SocketID) {
            direct[topic]?[socket] = nil
            if direct[topic]?.isEmpty == true { direct[topic] = nil }
        }

        /// What holds `name` now, turned on or not, with each one's token: sockets of `readers`, or of anybody (`nil`). No chain of
        /// one's own.
        func followers(of name: Name, among readers: [Int64]?) -> [(socket: SocketID, token: UInt64)] {
            let asked =
                readers.map { Set($0.flatMap { socketsOfReader[$0] ?? [] }) }
                ?? Set(opening.keys).union(name.topic(of: 0).flatMap { direct[$0]?.keys }.map(Array.init) ?? [])
            return asked.compactMap { socket in
                sockets[socket]?.chains[name].map { (socket, $0.token) }
            }
        }

        /// What the reader follows that other readers can end.
        func readersTopics(of reader: Int64) -> Set<Name> {
            sockets(ofReader: reader).reduce(into: []) { names, socket in
                names.formUnion((sockets[socket]?.chains.keys.filter(\.hangsOnReaders)) ?? [])
            }
        }

        /// Sockets on anything that other readers can end or, of a home, change.
        var socketsOnReadersTopics: [SocketID] {
            sockets.filter { $0.value.chains.keys.contains { $0 == .home || $0.hangsOnReaders } }.map(\.key)
        }

        // MARK: Homes

        private mutating func nextVersion() -> Int {
            lastVersion += 1
            return lastVersion
        }

        /// The version that a load of the reader's home will be good for, or `nil` where it is loaded.
        mutating func beginHome(_ reader: Int64) -> Int? {
            let home = homes[reader] ?? Home(version: nextVersion())
            homes[reader] = home
            return home.isLoaded ? nil : home.version
        }

        /// False where the home changed while it was loaded: load it again.
        mutating func loaded(_ reader: Int64, version: Int, topics: [Topic]) -> Bool {
            guard var home = homes[reader], home.version == version else { return homes[reader] == nil }
            for topic in home.topics.subtracting(topics) { removeHome(topic, reader) }
            for topic in topics { homesWith[topic, default: []].insert(reader) }
            home.topics = Set(topics)
            home.isLoaded = true
            homes[reader] = home
            return true
        }

        /// What the reader's home is made of changed. True where somebody follows the home, so that it must be loaded again; until then the
        /// old topics hold.
        mutating func staleHome(_ reader: Int64) -> Bool {
            guard homes[reader] != nil else { return false }
            let version = nextVersion()
            homes[reader]?.version = version
            homes[reader]?.isLoaded = false
            return true
        }

        /// What changed is unknown: every home is loaded again when it is asked for next.
        mutating func staleHomes() {
            for reader in homes.keys { _ = staleHome(reader) }
        }

        /// Drops a home that nobody follows after all.
        mutating func forgetHomeIfUnused(_ reader: Int64) {
            guard let home = homes[reader], home.sockets.isEmpty, !wantsHome(reader) else { return }
            for topic in home.topics { removeHome(topic, reader) }
            homes[reader] = nil
        }

        private func wantsHome(_ reader: Int64) -> Bool {
            sockets(ofReader: reader).contains { sockets[$0]?.chains[.home] != nil }
        }

        private mutating func removeHome(_ topic: Topic, _ reader: Int64) {
            homesWith[topic]?.remove(reader)
            if homesWith[topic]?.isEmpty == true { homesWith[topic] = nil }
        }

        /// The topics of the log that make up `name` for this socket's reader.
        func topics(of name: Name, for socket: SocketID) -> [Topic] {
            guard let reader = sockets[socket]?.reader else { return [] }
            return name.topic(of: reader).map { [$0] } ?? Array(homes[reader]?.topics ?? [])
        }

        /// The topics of the log that make up everything that the socket is offered, states aside, each once.
        func topics(of socket: SocketID) -> [Topic] {
            let names = (sockets[socket]?.chains ?? [:]).filter { $0.value.isOn && !$0.key.isState }.keys
            return Array(names.reduce(into: Set<Topic>()) { $0.formUnion(topics(of: $1, for: socket)) })
        }

        // MARK: Events

        /// Who is to be offered the event, each chain once.
        func recipients(of event: LoggedEvent) -> [Recipient] {
            var recipients: [Recipient] = []
            var homesDone: Set<Int64> = []
            for place in event.places {
                for (socket, name) in direct[place.topic] ?? [:] {
                    guard let reader = sockets[socket]?.reader else { continue }
                    recipients.append(Recipient(socket: socket, reader: reader, name: name))
                }
                for reader in homesWith[place.topic] ?? [] where homesDone.insert(reader).inserted {
                    for socket in homes[reader]?.sockets ?? [] {
                        recipients.append(Recipient(socket: socket, reader: reader, name: .home))
                    }
                }
            }
            return recipients
        }

        /// Under which names the socket is offered the event, each once.
        func names(of socket: SocketID, on event: LoggedEvent) -> [Name] {
            guard let reader = sockets[socket]?.reader else { return [] }
            let isHome = homes[reader]?.sockets.contains(socket) == true
            var names: [Name] = []
            for place in event.places {
                if let name = direct[place.topic]?[socket] { names.append(name) }
                guard isHome, !names.contains(.home), homesWith[place.topic]?.contains(reader) == true else { continue }
                names.append(.home)
            }
            return names
        }
    }
}

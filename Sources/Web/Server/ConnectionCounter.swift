import Community
import Metrics
import NIOCore
import Synchronization

/// Counts open connections by address, and streams apart from them: neither shuts the other out.
package final class ConnectionCounter: Sendable {
    /// How many are open, in all and of each address.
    private struct Tally {
        private(set) var all = 0
        private var byAddress: [ClientAddress: Int] = [:]

        /// `each`: the most of one address; `nil` where it is not counted by its address.
        mutating func take(_ address: ClientAddress, most: Int, each: Int?) -> Bool {
            guard all < most, each.map({ byAddress[address, default: 0] < $0 }) ?? true else { return false }
            byAddress[address, default: 0] += 1
            all += 1
            return true
        }

        mutating func leave(_ address: ClientAddress) {
            let left = byAddress[address, default: 1] - 1
            byAddress[address] = left > 0 ? left : nil
            all -= 1
        }
    }

    private struct Open {
        var connections = Tally()
        var streams = Tally()
        /// Each open connection, with whom it counts for, and whether as a stream.
        var holders: [ObjectIdentifier: (address: ClientAddress, isStream: Bool)] = [:]
    }

    private let limits: ServerLimits
    private let trusted: [AddressRange]
    private let open = Mutex(Open())
    private let total = Gauge(label: "commonplace_http_connections")
    private let refused = Counter(label: "commonplace_http_connections_refused_total")
    private let streams = Gauge(label: "commonplace_stream_connections")
    private let refusedStreams = Counter(label: "commonplace_stream_connections_refused_total")

    package init(limits: ServerLimits, trusted: [AddressRange]) {
        self.limits = limits
        self.trusted = trusted
    }

    /// Connections that are open now and no streams.
    var count: Int { open.withLock { $0.connections.all } }
    /// Connections that are streams now.
    var streamCount: Int { open.withLock { $0.streams.all } }

    /// Counts `channel` until it closes; false where its address, or everyone, has too many already.
    func admits(_ channel: any Channel) -> Bool {
        let bytes = channel.remoteAddress?.addressBytes ?? []
        let peer = ClientAddress(bytes)
        let isCounted = !peer.isLoopback && !trusted.contains { $0.contains(bytes) }
        let address = isCounted ? peer : .local
        let id = ObjectIdentifier(channel)
        let isAdmitted = open.withLock { open in
            let each = isCounted ? limits.connectionsPerAddress : nil
            guard open.connections.take(address, most: limits.connections, each: each) else { return false }
            open.holders[id] = (address, false)
            return true
        }
        guard isAdmitted else {
            refused.increment()
            return false
        }
        record()
        channel.closeFuture.whenComplete { [self] _ in
            open.withLock { open in
                guard let holder = open.holders.removeValue(forKey: id) else { return }
                if holder.isStream {
                    open.streams.leave(holder.address)
                } else {
                    open.connections.leave(holder.address)
                }
            }
            record()
        }
        return true
    }

    /// Counts `channel`, an admitted connection, as a stream of `address` from now on. Throws `.busy` where everyone, and `.limited` where
    /// the address has as many as it may; then it stays a connection. Does nothing for one that has closed meanwhile.
    func seat(_ channel: any Channel, of address: ClientAddress) throws(Failure) {
        let id = ObjectIdentifier(channel)
        let refusal = open.withLock { open -> Failure? in
            // Nothing would give the seat of a closed channel back.
            guard let holder = open.holders[id], !holder.isStream else { return nil }
            guard open.streams.all < limits.streams else {
                return .busy("as many streams are open as this server takes", retryAfter: .seconds(5))
            }
            let each = address.isLoopback ? nil : limits.streamsPerAddress
            guard open.streams.take(address, most: limits.streams, each: each) else {
                return .limited(policy: RateClass.stream.rawValue, retryAfter: .seconds(30))
            }
            open.connections.leave(holder.address)
            open.holders[id] = (address, true)
            return nil
        }
        if let refusal {
            refusedStreams.increment()
            throw refusal
        }
        record()
    }

    private func record() {
        let (connections, seats) = open.withLock { ($0.connections.all, $0.streams.all) }
        total.record(connections)
        streams.record(seats)
    }
}

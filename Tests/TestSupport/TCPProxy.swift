import Foundation
import Synchronization

/// A TCP port of this machine before a Postgres that has only a Unix socket: a network that a test can break.
///
/// What `swallow()` breaks stays open and says nothing any more, in neither direction: the kernel still takes every byte, so that nobody but
/// the two ends themselves can notice. Connections made afterwards work.
///
/// One that gathers holds each answer back until its next tick, and then lets all go on at once. So the ticks in which something was asked
/// are the turns that client and server took, over whichever connections.
package final class TCPProxy: Sendable {
    /// One connection: its client's and its server's descriptor.
    private final class Link: Sendable {
        let client: Int32
        let server: Int32
        let isSwallowed = Atomic<Bool>(false)
        /// The client has closed its end.
        let isLeft = Atomic<Bool>(false)
        /// Directions that still use the descriptors, which the last closes. After that their numbers are somebody else's.
        private let pumps = Mutex(2)

        init(client: Int32, server: Int32) {
            self.client = client
            self.server = server
        }

        /// Carries bytes one way until an end closes, or until what comes is a query where `stopsAtQuery` says so.
        /// `taking` takes what came, in the place of the other end.
        func pump(
            from: Int32, to: Int32, stopsAtQuery: Bool = false, noting: (ArraySlice<UInt8>) -> Void = { _ in },
            taking: ((ArraySlice<UInt8>) -> Void)? = nil
        ) {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = read(from, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                if stopsAtQuery, buffer[0] == UInt8(ascii: "Q") { isSwallowed.store(true, ordering: .relaxed) }
                if isSwallowed.load(ordering: .relaxed) { continue }
                noting(buffer[..<count])
                if let taking { taking(buffer[..<count]) } else { Self.hand(buffer[..<count], to: to) }
            }
            if from == client { isLeft.store(true, ordering: .relaxed) }
            end()
            pumps.withLock { pumps in
                pumps -= 1
                guard pumps == 0 else { return }
                close(client)
                close(server)
            }
        }

        /// Hands on what was held back. Where both ends have closed, the descriptor's number is somebody else's by now.
        func answer(_ bytes: ArraySlice<UInt8>) {
            pumps.withLock { pumps in
                if pumps > 0 { Self.hand(bytes, to: client) }
            }
        }

        private static func hand(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
            var rest = bytes
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard written > 0 else { break }
                rest = rest.dropFirst(written)
            }
        }

        func end() {
            pumps.withLock { pumps in
                guard pumps > 0 else { return }
                shutdown(client, Int32(SHUT_RDWR))
                shutdown(server, Int32(SHUT_RDWR))
            }
        }
    }

    struct Failed: Error {
        let call: String
        let code = errno
    }

    /// What a proxy that gathers has seen.
    private struct Gathered {
        var answers: [(link: Link, bytes: ArraySlice<UInt8>)] = []
        /// What was asked since the last tick.
        var asked: [String]?
        var turns: [[String]] = []
    }

    package let port: Int
    private let tick: Duration?
    private let gathered = Mutex(Gathered())
    private let isStopped = Atomic<Bool>(false)
    private let listening: Int32
    private let target: String
    private let links = Mutex<[Link]>([])
    private let isFrozen = Atomic<Bool>(false)
    /// Every connection is swallowed from its first query on, which its log-in precedes.
    package let stopsAfterLogIn = Atomic<Bool>(false)

    /// - Parameters:
    ///   - target: Path of the server's Unix socket.
    ///   - tick: How often one that gathers lets answers go on.
    package init(to target: String, gatheringFor tick: Duration? = nil) throws {
        self.target = target
        self.tick = tick
        listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listening
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw Failed(call: "listen") }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in accept() }
        if let tick { Thread.detachNewThread { [self] in release(every: tick) } }
    }

    /// The turns so far of one that gathers: the names of the statements that were asked in each.
    package var turns: [[String]] { gathered.withLock { $0.turns } }

    private func release(every tick: Duration) {
        while !isStopped.load(ordering: .relaxed) {
            Thread.sleep(forTimeInterval: tick / .seconds(1))
            let answers = gathered.withLock { gathered in
                if let asked = gathered.asked { gathered.turns.append(asked) }
                gathered.asked = nil
                defer { gathered.answers = [] }
                return gathered.answers
            }
            for answer in answers { answer.link.answer(answer.bytes) }
        }
    }

    /// From now on nothing comes through on any connection, new ones included, which are taken all the same: a machine that has stopped.
    package func freeze() {
        isFrozen.store(true, ordering: .relaxed)
        swallow()
    }

    /// New connections work again; those of before stay swallowed.
    package func thaw() { isFrozen.store(false, ordering: .relaxed) }

    /// Connections so far.
    package var connections: Int { links.withLock { $0.count } }
    /// Swallowed connections that their clients have given up.
    package var abandoned: Int {
        links.withLock { links in
            links.count { $0.isSwallowed.load(ordering: .relaxed) && $0.isLeft.load(ordering: .relaxed) }
        }
    }

    /// From now on nothing comes through on the connections that there are.
    package func swallow() {
        links.withLock { links in for link in links { link.isSwallowed.store(true, ordering: .relaxed) } }
    }

    package func stop() {
        isStopped.store(true, ordering: .relaxed)
        shutdown(listening, Int32(SHUT_RDWR))
        links.withLock { links in for link in links { link.end() } }
    }

    private func accept() {
        while true {
            let client = Foundation.accept(listening, nil, nil)
            if client < 0, errno == EINTR { continue }
            guard client >= 0 else { break }
            guard let server = connect() else {
                close(client)
                continue
            }
            let link = Link(client: client, server: server)
            if isFrozen.load(ordering: .relaxed) { link.isSwallowed.store(true, ordering: .relaxed) }
            links.withLock { $0.append(link) }
            let stops = stopsAfterLogIn.load(ordering: .relaxed)
            Thread.detachNewThread { [self] in
                link.pump(from: client, to: server, stopsAtQuery: stops, noting: note)
            }
            Thread.detachNewThread { [self] in
                link.pump(from: server, to: client, taking: tick.map { _ in { self.hold($0, of: link) } })
            }
        }
        close(listening)
    }

    private func note(_ bytes: ArraySlice<UInt8>) {
        if tick != nil { gathered.withLock { $0.asked = ($0.asked ?? []) + Self.names(in: bytes) } }
    }

    /// The prepared statements that messages bind: `B`, a length, the name of no portal, and that of the statement. One that is cut in two goes
    /// unnamed.
    private static func names(in bytes: ArraySlice<UInt8>) -> [String] {
        var names: [String] = []
        var at = bytes.startIndex
        while at + 6 < bytes.endIndex {
            defer { at += 1 }
            guard bytes[at] == UInt8(ascii: "B"), bytes[at + 1] == 0, bytes[at + 5] == 0 else { continue }
            let name = bytes[(at + 6)...].prefix { (0x21...0x7E).contains($0) }
            guard name.contains(UInt8(ascii: ".")), name.endIndex < bytes.endIndex, bytes[name.endIndex] == 0 else {
                continue
            }
            // Behind the number that it has in its pool.
            names.append(String(decoding: name.drop { $0 != UInt8(ascii: ".") }.dropFirst(), as: UTF8.self))
        }
        return names
    }

    private func hold(_ bytes: ArraySlice<UInt8>, of link: Link) {
        gathered.withLock { $0.answers.append((link, bytes)) }
    }

    private func connect() -> Int32? {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: target.utf8.prefix($0.count - 1)) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            close(server)
            return nil
        }
        return server
    }
}

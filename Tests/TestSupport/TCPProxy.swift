import Foundation
import Synchronization

/// A TCP port of this machine before a Postgres that has only a Unix socket: a network that a test can break.
///
/// What `swallow()` breaks stays open and says nothing any more, in neither direction: the kernel still takes every byte, so that nobody but
/// the two ends themselves can notice. Connections made afterwards work.
final class TCPProxy: Sendable {
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
        func pump(from: Int32, to: Int32, stopsAtQuery: Bool = false) {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = read(from, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                if stopsAtQuery, buffer[0] == UInt8(ascii: "Q") { isSwallowed.store(true, ordering: .relaxed) }
                if isSwallowed.load(ordering: .relaxed) { continue }
                var rest = buffer[..<count]
                while !rest.isEmpty {
                    let written = rest.withUnsafeBytes { send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                    guard written > 0 else { break }
                    rest = rest.dropFirst(written)
                }
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

    let port: Int
    private let listening: Int32
    private let target: String
    private let links = Mutex<[Link]>([])
    private let isFrozen = Atomic<Bool>(false)
    /// Every connection is swallowed from its first query on, which its log-in precedes.
    let stopsAfterLogIn = Atomic<Bool>(false)

    /// - Parameter target: Path of the server's Unix socket.
    init(to target: String) throws {
        self.target = target
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
    }

    /// From now on nothing comes through on any connection, new ones included, which are taken all the same: a machine that has stopped.
    func freeze() {
        isFrozen.store(true, ordering: .relaxed)
        swallow()
    }

    /// New connections work again; those of before stay swallowed.
    func thaw() { isFrozen.store(false, ordering: .relaxed) }

    /// Connections so far.
    var connections: Int { links.withLock { $0.count } }
    /// Swallowed connections that their clients have given up.
    var abandoned: Int {
        links.withLock { links in
            links.count { $0.isSwallowed.load(ordering: .relaxed) && $0.isLeft.load(ordering: .relaxed) }
        }
    }

    /// From now on nothing comes through on the connections that there are.
    func swallow() {
        links.withLock { links in for link in links { link.isSwallowed.store(true, ordering: .relaxed) } }
    }

    func stop() {
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
            Thread.detachNewThread { link.pump(from: client, to: server, stopsAtQuery: stops) }
            Thread.detachNewThread { link.pump(from: server, to: client) }
        }
        close(listening)
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

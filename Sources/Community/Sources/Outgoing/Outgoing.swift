import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import Postgres

extension Sources {
    /// The only way in which this program asks anything of the internet: GET, of hosts on a list, at public addresses,
    /// within limits.
    ///
    /// Every request has a connection of its own, to the very address that was resolved and checked: between the check
    /// and the connection no name is looked up again. The certificate is still checked against the host's name.
    struct Outgoing: Sendable {
        typealias Resolve = @Sendable (_ host: String, _ port: Int) async throws -> SocketAddress

        /// Tests change these.
        struct Bounds: Sendable {
            /// Where a name may lead.
            var mayVisit: @Sendable (InternetAddress) -> Bool = \.isPublic
            /// For a request with its redirects, from the resolution of the name to the last byte.
            var total: Duration = .seconds(Limits.sources.lookUpSeconds)
            var connect: TimeAmount = .seconds(Limits.sources.connectSeconds)
            /// Longest time without a byte.
            var idle: TimeAmount = .seconds(Limits.sources.connectSeconds)
            /// Bytes of an answer, unpacked.
            var answer = Limits.sources.answer
        }

        struct Answer: Sendable {
            let status: Int
            let body: [UInt8]
        }

        private let allowed: Set<Host>
        private let domains: Set<String>
        private let agent: String
        private let accept: String
        private let bounds: Bounds
        private let timer: any Clock<Duration>
        private let resolve: Resolve
        private let trust: NIOSSLTrustRoots

        /// `agent` and `accept` are what `User-Agent` and `Accept` say; `domains` are names under which every host may
        /// be asked too, over TLS at its own port. A host that is an address of this machine is asked as it stands;
        /// every other must lead to a public address.
        init(
            allowed: Set<Host>, domains: Set<String> = [], agent: String, accept: String = "application/json",
            bounds: Bounds = Bounds(), timer: any Clock<Duration> = ContinuousClock(),
            trust: NIOSSLTrustRoots = .default, resolve: @escaping Resolve = Outgoing.system
        ) {
            self.allowed = allowed
            self.domains = domains
            self.agent = agent
            self.accept = accept
            self.bounds = bounds
            self.timer = timer
            self.trust = trust
            self.resolve = resolve
        }

        /// The answer of `target`, or of where it redirects to; 404 is an answer. Throws `Trouble`, and
        /// `CancellationError` where the caller went away.
        func get(_ target: Target) async throws -> Answer {
            try await Sources.within(bounds.total, timer) {
                var target = target
                // One look at each name, for all that is asked of it.
                var addresses: [String: String] = [:]
                for _ in 0...Limits.sources.redirects {
                    guard allows(target.host) else { throw Trouble.forbiddenHost(target.host.name) }
                    let known = addresses[target.host.name]
                    let address = if let known { known } else { try await address(of: target.host) }
                    addresses[target.host.name] = address
                    switch try await visit(target, at: address) {
                    case .answer(let answer): return answer
                    case .moved(let location):
                        guard let next = target.following(location) else { throw Trouble.redirect }
                        target = next
                    }
                }
                throw Trouble.redirect
            }
        }

        private enum Visit {
            case answer(Answer)
            case moved(String)
        }

        private func allows(_ host: Host) -> Bool {
            if allowed.contains(host) { return true }
            return host.isSecure && host.port == 443
                && domains.contains { host.name == $0 || host.name.hasSuffix("." + $0) }
        }

        private func visit(_ target: Target, at address: String) async throws -> Visit {
            var configuration = HTTPClient.Configuration(
                redirectConfiguration: .disallow,
                timeout: .init(connect: bounds.connect, read: bounds.idle, write: bounds.idle),
                decompression: .enabled(limit: .size(bounds.answer)))
            configuration.dnsOverride = [target.host.name: address]
            configuration.httpVersion = .http1Only
            configuration.connectionPool.retryConnectionEstablishment = false
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = trust
            configuration.tlsConfiguration = tls
            var request = HTTPClientRequest(url: target.text)
            request.headers = ["User-Agent": agent, "Accept": accept]
            let asked = request
            do {
                return try await HTTPClient.withHTTPClient(
                    eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration
                ) { client in
                    let time = TimeAmount.nanoseconds(bounds.total.wholeMicroseconds * 1000)
                    let response = try await client.execute(asked, timeout: time)
                    return try await read(response)
                }
            } catch {
                throw Self.trouble(error)
            }
        }

        private func read(_ response: HTTPClientResponse) async throws -> Visit {
            let status = Int(response.status.code)
            switch status {
            case 301, 302, 303, 307, 308:
                guard let location = response.headers.first(name: "Location") else { throw Trouble.redirect }
                return .moved(location)
            case 429, 503:
                throw Trouble.limited(seconds: response.headers.first(name: "Retry-After").flatMap { Int64($0) })
            case 200, 404, 410: break
            default: throw Trouble.status(status)
            }
            if let length = response.headers.first(name: "Content-Length").flatMap({ Int($0) }), length > bounds.answer
            {
                throw Trouble.tooLarge
            }
            var body: [UInt8] = []
            for try await part in response.body {
                guard body.count + part.readableBytes <= bounds.answer else { throw Trouble.tooLarge }
                body.append(contentsOf: part.readableBytesView)
            }
            return .answer(Answer(status: status, body: body))
        }

        // MARK: Addresses

        /// The text of the address to connect to.
        private func address(of host: Host) async throws -> String {
            if host.isLoopback { return host.name }
            guard InternetAddress(host.name) == nil else { throw Trouble.privateAddress }
            let found: SocketAddress
            do {
                found = try await resolve(host.name, host.port)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                throw Trouble.unresolved
            }
            guard let text = found.ipAddress, let address = InternetAddress(text), bounds.mayVisit(address) else {
                throw Trouble.privateAddress
            }
            return text
        }

        /// Threads that wait for the system's resolver, which nothing can interrupt: not those that read files.
        private static let resolvers = WorkPool(
            "resolvers", threads: Limits.sources.resolutions, queue: Limits.sources.resolutionQueue)

        /// What the system's resolver thinks best. A caller that waits is let go after the connect time; where all
        /// threads wait, nobody is let in.
        static let system: Resolve = { host, port in
            let loop = MultiThreadedEventLoopGroup.singleton.any()
            let promise = loop.makePromise(of: SocketAddress.self)
            let timer = loop.scheduleTask(in: .seconds(Limits.sources.connectSeconds)) {
                promise.fail(Trouble.unresolved)
            }
            let isTaken = resolvers.start {
                promise.completeWith(Result { try SocketAddress.makeAddressResolvingHost(host, port: port) })
            }
            if !isTaken { promise.fail(Trouble.unresolved) }
            defer { timer.cancel() }
            return try await promise.futureResult.get()
        }

        // MARK: Errors

        private static func trouble(_ error: any Error) -> any Error {
            switch error {
            case is Trouble, is CancellationError: error
            case let error as HTTPClientError:
                switch error {
                case .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
                    .tlsHandshakeTimeout:
                    Trouble.timedOut
                case .connectTimeout: Trouble.unreachable
                case .cancelled: CancellationError()
                default: Trouble.broken
                }
            case let error as NIOHTTPDecompression.DecompressionError:
                if case .limit = error { Trouble.tooLarge } else { Trouble.broken }
            case is NIOConnectionError, is IOError: Trouble.unreachable
            case is HTTPParserError: Trouble.broken
            default: Trouble.broken
            }
        }
    }

    /// Runs `body` for `time` at the longest; then it is cancelled and `Trouble.timedOut` thrown.
    static func within<Result: Sendable>(
        _ time: Duration, _ timer: any Clock<Duration>, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await timer.sleep(for: time)
                throw Trouble.timedOut
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}

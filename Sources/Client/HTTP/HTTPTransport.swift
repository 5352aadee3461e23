import NIOCore
import NIOHTTP1
import NIOPosix

/// Carries calls to one server over HTTP/1.1 and keeps a few connections open for the next ones.
actor HTTPTransport {
    /// Connections that are kept while nobody uses them.
    private static let mostIdle = 8

    private let address: ServerAddress
    private let timeout: Duration
    private var idle: [any Channel] = []

    init(_ address: ServerAddress, timeout: Duration) {
        self.address = address
        self.timeout = timeout
    }

    deinit {
        for channel in idle { channel.close(promise: nil) }
    }

    /// The answer, whatever its status. Throws `ClientError`.
    ///
    /// A connection that was idle may be closed by the server at the moment it is used again: then the call goes out once more on a new
    /// one. All calls are safe to repeat, by their nature or by their key.
    func perform(_ call: HTTPCall) async throws -> HTTPAnswer {
        if let channel = takeIdle() {
            do {
                return try await perform(call, on: channel)
            } catch ClientError.unreachable {
                // On a new connection below.
            }
        }
        return try await perform(call, on: await connect())
    }

    private func takeIdle() -> (any Channel)? {
        while let channel = idle.popLast() {
            if channel.isActive { return channel }
        }
        return nil
    }

    private func perform(_ call: HTTPCall, on channel: any Channel) async throws -> HTTPAnswer {
        let promise = channel.eventLoop.makePromise(of: HTTPExchange.Outcome.self)
        let exchange = HTTPExchange.Request(call: call, authority: address.authority, promise: promise)
        let limit = channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) {
            promise.fail(ClientError.timedOut)
            channel.close(promise: nil)
        }
        defer { limit.cancel() }
        channel.writeAndFlush(exchange).whenFailure { error in
            promise.fail(ClientError.unreachable("\(error)"))
        }
        let outcome = try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            channel.close(promise: nil)
        }
        if outcome.mayBeUsedAgain, idle.count < Self.mostIdle {
            idle.append(channel)
        } else {
            channel.close(promise: nil)
        }
        return outcome.answer
    }

    private func connect() async throws -> any Channel {
        let address = address
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(min(TimeAmount(timeout), .seconds(10)))
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try ClientTLS.add(to: channel, for: address)
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        try channel.pipeline.syncOperations.addHandler(HTTPExchange())
                    }
                }
                .connect(host: address.host, port: address.port).get()
        } catch {
            throw ClientError.unreachable("\(address.authority): \(error)")
        }
    }
}

/// The live stream: what happens in the community, as it happens, over one WebSocket or event stream at `GET /api/v1/stream`.
///
/// It is the tail of REST and never the only place where something is: `EventLog` holds the order, this folder gives it to clients.
/// `README.md` beside this file is the protocol as clients see it.
///
/// - `WebSocketMessages` checks frames by RFC 6455 and joins fragments; `Session` is one connection's protocol, a value that decides and
///   does nothing; `WebSocketHandler` is the thin shell that ties both to a channel.
/// - `Switchboard` knows who listens to what; `Hub`, an actor around it, takes the log's events, asks who may see what of them **now**, and
///   hands them to the sockets, each in one of three forms (`Wrapper`); it also reads the pages that connections need to catch up, and ends
///   what a reader may follow no longer.
/// - `EventSource/` is the same for clients that ask for `text/event-stream`: `SourceSession` decides, and `SourceSocket` is its shell. The
///   hub knows both kinds of sockets as a `Port`; `Deliveries` is a batch of events on its way to them.
/// - `StreamUpgrade` decides at the handshake; `Admission` says who may open a stream, for the handshake and the route alike. `Echo` is
///   for a test suite of RFC 6455.
package enum EventStream {
    /// Bounds of one connection, told to clients in `hello`.
    package struct Limits: Sendable {
        /// Topics that one socket follows.
        package var topics = 100
        /// Sockets of one reader.
        package var sockets = 10
        /// Payload bytes of one frame from the client.
        package var frameBytes = 16 * 1024
        /// Bytes of one message from the client, its fragments joined.
        package var messageBytes = 64 * 1024
        /// Fragments of one message.
        package var fragments = 16
        /// Messages a second from the client, on average; each fragment, ping and pong counts as one.
        package var messagesPerSecond = 10
        /// Messages at once from the client, after a rest: every topic and some.
        package var messageBurst = 120
        /// Bytes of events that wait for one socket, queued and held. Beyond it the topic is read from the log later.
        package var queueBytes = 256 * 1024
        /// Events that wait for one socket.
        package var queueEvents = 500
        /// Bytes of everything else that waits for one socket: answers, heartbeats, pongs. Beyond it the client is slow.
        package var controlBytes = 64 * 1024
        /// Events that a subscription from a cursor replays; a longer way back is answered `reset`.
        package var replay = 1_000
        /// Events and bytes of one page of a replay.
        package var pageEvents = 200
        package var pageBytes = 128 * 1024
        /// Seconds between two pings, each with a `heartbeat`.
        package var heartbeat = 25
        /// Seconds between two comments on an event stream, so that nobody on the way takes it for dead.
        package var commentSeconds = 15
        /// Pings without any byte from the client after which it counts as gone.
        package var missedPings = 2
        /// Seconds without a byte taken by a client for which something waits.
        package var stallSeconds = 30
        /// Seconds that a topic may be behind the log.
        package var behindSeconds = 60
        /// Seconds between two looks at the clock.
        package var tickSeconds = 5
        /// Seconds between two proofs that the sockets' sessions are still open.
        package var recheckSeconds = 60

        package init() {}
    }

    /// Why the server ends a connection: the word in `bye`, and the status of the close frame.
    package enum CloseReason: String, Sendable, Hashable, CaseIterable {
        /// The client does not keep up; it comes back with its cursors and loses nothing.
        case slow
        /// The session is over, or the account.
        case auth
        /// More sockets, topics or messages than allowed.
        case limit
        /// The server stops or restarts; come back after `retry_ms`.
        case drain

        package var closeCode: UInt16 {
            switch self {
            case .slow: 4008
            case .auth: 4001
            case .limit: 4029
            case .drain: 1012
            }
        }
    }
}

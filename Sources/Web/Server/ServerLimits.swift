import Community
import NIOCore

/// What one client, and all of them together, may cost. Tests inject short times; the program uses these.
package struct ServerLimits: Sendable {
    /// From the first byte of a request (or the opening of the connection) to the end of its headers.
    package var headTime: TimeAmount = .seconds(10)
    /// A body may take this long at any speed; beyond it `bodyRate` holds.
    package var bodyGrace: TimeAmount = .seconds(10)
    /// Bytes a second.
    package var bodyRate = 1024
    /// A body takes no longer than this, however fast it is.
    package var bodyTime: TimeAmount = .seconds(120)
    /// Bytes of bodies that all calls together hold in memory, beside those of pictures, which `uploads` bounds; 503 beyond.
    package var bodies = 64 * 1024 * 1024
    /// Longest time without a byte leaving while some wait to leave.
    package var writeStall: TimeAmount = .seconds(30)
    /// Between two requests of one connection.
    package var keepAlive: TimeAmount = .seconds(60)
    /// How long input is thrown away after the last answer, so that the client gets to read it before the connection breaks.
    package var linger: TimeAmount = .seconds(2)
    /// While the server ends: how long a connection that rests stays open, so that the request that is on its way to it is answered, and
    /// how long one that has begun has to arrive; 408 beyond.
    package var farewell: TimeAmount = .milliseconds(250)
    package var lastRequest: TimeAmount = .seconds(3)
    /// How often the clocks are looked at; the times above are exact to this.
    package var tick: TimeAmount = .seconds(1)
    /// Bytes of one header field, of all of them, and how many.
    package var headerField = 16 * 1024
    package var headers = 32 * 1024
    package var headerFields = 100
    /// Bytes of path and query.
    package var target = 8 * 1024
    /// From the beginning of the work on a request, its body read, to the answer; 503 beyond.
    package var requestTime: Duration = .seconds(10)
    /// The same for a call that carries a picture, which may wait as long for its turn; and for the picture itself to arrive.
    package var uploadTime: Duration = .seconds(60)
    package var uploadBodyTime: Duration = .seconds(30)
    /// What a picture takes longer to arrive is counted as conversion.
    package var uploadBodyGrace: Duration = .seconds(5)
    /// Calls that carry a picture: worked on at once, and waiting for their turn.
    package var uploads = 4
    package var uploadBacklog = 16
    /// Calls that carry a file, which is read as it arrives: worked on at once, waiting for their turn, and how long one takes.
    package var files = 2
    package var fileBacklog = 8
    package var fileTime: Duration = .seconds(180)
    /// Requests that are worked on at once, and that may wait for their turn; 503 beyond. Streams are not counted.
    package var inFlight = 16
    package var backlog = 128
    /// Calls for which a password may be hashed, which hold none of those turns: worked on at once, and waiting.
    package var passwords = 4
    package var passwordBacklog = 8
    /// How many of them one address has at once (loopback is not counted); 503 beyond.
    package var passwordsPerAddress = 4
    /// How long a call that carries no picture waits for its turn; 503 beyond.
    package var turnWait: Duration = .seconds(3)
    /// Open connections: all, and of one address (loopback and trusted proxies are not counted by address).
    package var connections = 4096
    package var connectionsPerAddress = 100
    /// Open streams, which are not counted as connections: all, and of one address, behind trusted proxies the client's (loopback is not
    /// counted by address).
    package var streams = 12_000
    package var streamsPerAddress = 200

    package init() {}

    /// The part of the table that `commonplace config` and `GET /api/v1/server` show beside `Limits.table`.
    package var table: [Limits.Line] {
        [
            Limits.Line("http.head_time", headTime.seconds, "seconds"),
            Limits.Line("http.body_grace", bodyGrace.seconds, "seconds"),
            Limits.Line("http.body_rate", bodyRate, "bytes_per_second_at_least"),
            Limits.Line("http.body_time", bodyTime.seconds, "seconds"),
            Limits.Line("http.bodies", bodies, "bytes"),
            Limits.Line("http.write_stall", writeStall.seconds, "seconds"),
            Limits.Line("http.keep_alive", keepAlive.seconds, "seconds"),
            Limits.Line("http.header_field", headerField, "bytes"),
            Limits.Line("http.headers", headers, "bytes"),
            Limits.Line("http.header_fields", headerFields, "items"),
            Limits.Line("http.target", target, "bytes"),
            Limits.Line("http.request_time", requestTime.components.seconds, "seconds"),
            Limits.Line("http.upload_time", uploadTime.components.seconds, "seconds"),
            Limits.Line("http.upload_body_time", uploadBodyTime.components.seconds, "seconds"),
            Limits.Line("http.upload_body_grace", uploadBodyGrace.components.seconds, "seconds"),
            Limits.Line("http.uploads", uploads, "items"),
            Limits.Line("http.upload_backlog", uploadBacklog, "items"),
            Limits.Line("http.files", files, "items"),
            Limits.Line("http.file_backlog", fileBacklog, "items"),
            Limits.Line("http.file_time", fileTime.components.seconds, "seconds"),
            Limits.Line("http.in_flight", inFlight, "items"),
            Limits.Line("http.backlog", backlog, "items"),
            Limits.Line("http.passwords", passwords, "items"),
            Limits.Line("http.password_backlog", passwordBacklog, "items"),
            Limits.Line("http.passwords_per_address", passwordsPerAddress, "items"),
            Limits.Line("http.turn_wait", turnWait.components.seconds, "seconds"),
            Limits.Line("http.last_request", lastRequest.seconds, "seconds"),
            Limits.Line("http.connections", connections, "items"),
            Limits.Line("http.connections_per_address", connectionsPerAddress, "items"),
            Limits.Line("http.streams", streams, "items"),
            Limits.Line("http.streams_per_address", streamsPerAddress, "items"),
        ]
    }
}

extension TimeAmount {
    fileprivate var seconds: Int64 { nanoseconds / 1_000_000_000 }
}

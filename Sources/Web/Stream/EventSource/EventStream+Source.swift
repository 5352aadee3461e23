import Community
import EventLog
import HTTPTypes
import Hummingbird
import NIOCore

/// The stream as `text/event-stream`, for clients that have `EventSource` or nothing but HTTP.
extension EventStream.Routes {
    static let eventTypes = ["text/event-stream"]

    static let eventQuery = [
        QueryParameter(
            "topics", .string,
            "With `Accept: text/event-stream`: 1 to 100 topics to follow, with commas between them."),
        QueryParameter(
            "cursor", .string,
            "With `Accept: text/event-stream`: from where, a cursor of any answer. From now on where it is left out."),
    ]

    static let eventHeaders = [
        QueryParameter(
            "Last-Event-ID", .string,
            "The `id` that came last, from which an event stream goes on. It wins over `cursor`.")
    ]

    /// Whether an event stream is asked for.
    static func wantsEvents(_ request: Request) -> Bool {
        request.headers[values: .accept].contains { value in
            value.split(separator: ",").contains { type in
                let name = type.split(separator: ";").first ?? ""
                return name.filter { $0 != " " && $0 != "\t" }.lowercased() == eventTypes[0]
            }
        }
    }

    /// The answer that follows `topics` for `identity`, from `Last-Event-ID`, else from `cursor`, else from now on. Throws `.invalid`, 400
    /// `invalid_cursor`, and, where there are too many streams, `.busy` and `.limited`; 426 where there is no connection to write to.
    func source(_ request: Request, for identity: Accounts.Identity, _ context: SiteContext) throws -> Reply {
        guard let hub = site.hub, let channel = context.channel else { throw Self.upgradeRequired }
        let query = try context.query()
        let topics = try Self.topics(query["topics"], atMost: hub.limits.topics)
        let start = try Self.start(request, query, hub)
        var headers: HTTPFields = [
            .contentType: Self.eventTypes[0], .cacheControl: "no-store", .connection: "close",
        ]
        headers[.accelBuffering] = "no"
        if request.method == .head { return Reply(status: .ok, headers: headers) }
        try site.connections.seat(channel, of: context.address)
        let presence = context.presence
        let body = ResponseBody { _ in
            try await EventStream.SourceSocket.serve(on: channel) { ended in
                let session = EventStream.SourceSession(
                    limits: hub.limits, secret: hub.secret, topics: topics, scopes: identity.scopes, from: start,
                    retryAfter: EventStream.retryAfter(), fault: hub.fault, now: EventStream.now)
                return EventStream.SourceSocket(
                    reader: identity.account.rawValue, session: identity.session.rawValue, machine: session,
                    hub: hub, presence: presence, ended: ended)
            }
        }
        return Reply(status: .ok, headers: headers, content: .stream(body))
    }

    private static func topics(_ text: String?, atMost most: Int) throws(Failure) -> [String] {
        guard let text else { throw .invalid("?topics", .required, "must be given") }
        var faults = Faults()
        var topics: [String] = []
        for topic in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            if topic.isEmpty || topic.utf8.count > 100 {
                faults.add("?topics", topic.isEmpty ? .tooShort : .tooLong, "each has 1 to 100 bytes")
                break
            }
            if !topics.contains(topic) { topics.append(topic) }
            guard topics.count <= most else {
                faults.add("?topics", .tooMany, "must be 1 to \(most)")
                break
            }
        }
        try faults.check()
        return topics
    }

    private static func start(
        _ request: Request, _ query: Query, _ hub: EventStream.Hub
    ) throws(Problem) -> EventStream.Session.Start {
        let last = request.headers[.lastEventID].flatMap { $0.isEmpty ? nil : $0 }
        guard let text = last ?? query["cursor"] else { return .now }
        guard let start = EventStream.Session.Start(text: text, signedBy: hub.secret) else {
            throw Problem(
                .invalidCursor, "Take it from a frame's `cursor`, an event's `id` or another answer, unchanged.")
        }
        return start
    }
}

extension EventStream.SourceSocket {
    /// Seconds for which a peer that is gone without a word is believed to be there.
    private static let peerTimeout = 45
    /// Linux's `TCP_USER_TIMEOUT`, in milliseconds.
    private static let userTimeout = NIOBSDSocket.Option(rawValue: 18)

    /// Writes the body of an answer, whose head is on its way, until the stream is over, and the end of the answer with it. `make` is
    /// called on the channel's event loop.
    static func serve(
        on channel: any Channel, _ make: @escaping @Sendable (EventLoopPromise<Void>) -> EventStream.SourceSocket
    ) async throws {
        let ended = channel.eventLoop.makePromise(of: Void.self)
        try await withTaskCancellationHandler {
            channel.eventLoop.execute {
                Self.prepare(channel)
                do {
                    try channel.pipeline.syncOperations.addHandler(make(ended))
                } catch {
                    // The connection has gone meanwhile.
                    ended.fail(error)
                }
            }
            try await ended.futureResult.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Also bounds how long the kernel waits for a peer that is gone: nothing comes from this one by which it could be known.
    private static func prepare(_ channel: any Channel) {
        try? EventStream.boundSendBuffer(of: channel)
        guard let options = channel.syncOptions, channel.remoteAddress?.protocol != .unix else { return }
        try? options.setOption(.tcpOption(userTimeout), value: peerTimeout * 1000)
    }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name(known: "Last-Event-ID")
    /// What a browser says of the page that asks.
    package static let fetchSite = HTTPField.Name(known: "Sec-Fetch-Site")
    static let accelBuffering = HTTPField.Name(known: "X-Accel-Buffering")
}

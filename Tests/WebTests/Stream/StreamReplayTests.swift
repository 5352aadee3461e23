import Community
import EventLog
import TestSupport
import Testing

@testable import Web

/// What happens to the log, or to its reader, while clients are given what they have missed.
@Suite(.database, .requirement("TRE-6"))
struct StreamReplayTests {
    /// A socket and an event stream of one reader, in the middle of a replay that they do not take: it is more than the connections and the
    /// queues hold.
    private struct Scene {
        let stream: StreamServer
        let ann: Signed
        let book: Topic
        let cursor: String
        let socket: WebSocketClient
        let source: SourceClient

        init(_ stream: StreamServer) async throws {
            let given = stream.world.given
            (self.stream, ann, book) = (stream, try await given.account(), .book(try await stream.book()))
            let witness = try await stream.open(try await given.account())
            witness.subscribe(book.name)
            cursor = try #require(try await witness.hear("subscribed").cursor)
            for number in 0..<200 { try await stream.publish(number, on: [book], padding: 8_000) }
            // A server replays what it has handed on.
            try await eventually { witness.text.contains("\"n\": 199,") }
            await witness.cut(isAbrupt: false)

            let socket = try await stream.open(ann)
            try await socket.stopReading()
            socket.subscribe(book.name, from: cursor)
            let source = try await stream.source(ann, [book.name], cursor: cursor, reads: false)
            try await eventually("\(socket.text.suffix(300)), \(source.text.suffix(300))") {
                socket.sip()
                source.sip()
                return [socket.text, source.text].allSatisfy { $0.contains("\"type\":\"event\"") }
            }
            (self.socket, self.source) = (socket, source)
        }

        func resume() async throws {
            try await socket.resumeReading()
            try await source.resume()
        }

        /// Both have that in what came.
        func hear(_ text: String) async throws {
            try await eventually("\(socket.text.suffix(300)), \(source.text.suffix(300))") {
                [socket.text, source.text].allSatisfy { $0.contains(text) }
            }
        }

        func cut() async {
            await socket.cut(isAbrupt: false)
            await source.cut()
        }
    }

    /// A clock that does not take those who pause for slow.
    private static let patient: @Sendable (inout EventStream.Limits) -> Void = {
        ($0.stallSeconds, $0.behindSeconds) = (3_600, 3_600)
    }

    @Test(arguments: [
        ("update server set epoch = epoch + 1", "epoch"), ("update event_head set oldest = seq", "expired"),
    ])
    func `a restore or an expiry in the middle of a replay is told, and what follows it comes`(
        _ sql: String, why: String
    ) async throws {
        try await withStream(limits: Self.patient) { stream in
            let scene = try await Scene(stream)
            let (socket, source, topic) = (scene.socket, scene.source, scene.book.name)
            try await stream.world.asSuperuser(sql)
            // The tail looks whether its history still is the log's.
            if why == "epoch" {
                let head = try await EventLog.Reader(stream.world.database).head()
                try await eventually { await stream.hub.planned.epoch == head.epoch }
            }
            try await scene.resume()
            try await scene.hear("\"type\":\"reset\"")
            try await stream.publish(1_000, on: [scene.book])
            try await scene.hear("\"n\": 1000,")

            var (chain, reader) = (FollowedTopic(isOwnChain: false), SourceReader())
            for frame in socket.frames where frame.topic != nil { _ = chain.receive(frame) }
            for event in source.events { reader.receive(event.frame, id: event.id) }
            #expect(chain.wrongs == [] && reader.wrongs == [])
            // The run in which they are now has that one event.
            #expect(chain.seqs.count == 1 && reader.chains[topic]?.seqs == chain.seqs)
            #expect(socket.frames("reset").map { $0.text("why") } == [why])
            #expect(source.frames("reset").map { $0.text("why") } == [why])
            #expect(source.events.last?.id == source.events.last?.frame.cursor)
            #expect(socket.frames("event").count < 200 && source.frames("event").count < 200)

            // The place from before is nobody's any more.
            let late = try await stream.open(scene.ann)
            late.subscribe(topic, from: scene.cursor)
            #expect(try await late.hear("reset").text("why") == why)
            let again = try await stream.source(scene.ann, [topic], last: scene.cursor)
            #expect(try await again.hear("reset").text("why") == why)
            await late.cut(isAbrupt: false)
            await again.cut()
            await scene.cut()
            try await eventually { await stream.hub.isEmpty }
        }
    }

    @Test func `the end of an account ends its replays, and nothing that is said later reaches it`() async throws {
        try await withStream(limits: Self.patient) { stream in
            let scene = try await Scene(stream)
            let (socket, source) = (scene.socket, scene.source)
            // A farewell waits two seconds for one who does not read.
            try await scene.resume()
            try await stream.world.community.accounts.close(scene.ann.id)
            try await stream.publish(1_000, on: [scene.book])

            try await eventually("\(socket.text.suffix(300))") { socket.closeCode == 4001 }
            try await eventually("\(source.text.suffix(300))") { source.hasEnded && source.isClosed }
            for last in [socket.frames.last, source.events.last?.frame] {
                #expect(last?.type == "bye" && last?.text("why") == "auth")
            }
            #expect(!socket.text.contains("\"n\": 1000,") && !source.text.contains("\"n\": 1000,"))
            let again = try await WebSocketClient.open(port: stream.port, token: scene.ann.token)
            let anew = try await stream.source(scene.ann, [scene.book.name], cursor: scene.cursor)
            try await eventually { again.status == 401 && anew.status == 401 }
            await again.cut(isAbrupt: false)
            await anew.cut()
            await scene.cut()
            try await eventually { await stream.hub.isEmpty }
        }
    }
}

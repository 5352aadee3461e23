import Community
import EventLog
import TestSupport
import Testing

@testable import Web

/// What an event stream is refused for, and what it is asked for that it does not give.
@Suite(.database, .requirement("TRE-6"))
struct StreamSourceRefusalsTests {
    @Test func `an access token needs the stream's scope, and for a topic that of the topic`() async throws {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let accounts = stream.world.community.accounts
            func token(_ areas: [String]) async throws -> String {
                try await accounts.makeAccessToken(
                    Accounts.NewAccessToken(name: "some", scopes: areas.map { .init(.read, $0) }, days: 1), for: ann.id
                ).0.text
            }
            let topics = ["inbox", "book:\(try await stream.book())", "home"]
            let weak = try await SourceClient.open(
                port: stream.port, token: try await token(["library"]), topics: topics)
            try await eventually { weak.status == 403 && weak.text.contains("\"insufficient_scope\"") }
            let some = try await SourceClient.open(
                port: stream.port, token: try await token(["stream", "boards"]), topics: topics)
            try await some.hear("subscribed", on: "home")
            #expect(some.frames("subscribed").map(\.topic) == [topics[1], topics[2]])
            #expect(
                some.frames("error").map { "\($0.topic ?? "") \($0.text("code") ?? "")" } == [
                    "inbox insufficient_scope"
                ])
            for client in [weak, some] { await client.cut() }
        }
    }

    /// What is asked wrongly, and the status and code that say so.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int
        let code: String
        var topics = ["inbox"]
        var query: [String] = []
        var headers: [String] = []
        var accept = "text/event-stream"
        var isSigned = true
        var testDescription: String { name }

        static let all = [
            Fault(name: "no topics", status: 422, code: "validation", topics: []),
            Fault(name: "an empty topic", status: 422, code: "validation", topics: ["inbox", ""]),
            Fault(
                name: "101 topics", status: 422, code: "validation", topics: (1...101).map { "book:\($0)" }),
            Fault(
                name: "100,000 topics", status: 431, code: "headers_too_long",
                topics: (1...100_000).map { "book:\($0)" }),
            Fault(name: "a long topic", status: 422, code: "validation", topics: [String(repeating: "x", count: 101)]),
            Fault(name: "topics twice", status: 422, code: "validation", query: ["topics=home"]),
            Fault(name: "a strange parameter", status: 422, code: "unknown_parameter", query: ["from=now"]),
            Fault(name: "no cursor at all", status: 400, code: "invalid_cursor", query: ["cursor=nonsense"]),
            Fault(name: "no id at all", status: 400, code: "invalid_cursor", headers: ["Last-Event-ID: 17"]),
            Fault(
                name: "an id of 10 KiB", status: 400, code: "invalid_cursor",
                headers: ["Last-Event-ID: " + String(repeating: "A", count: 10_240)]),
            Fault(
                name: "an id of 1 MiB", status: 431, code: "headers_too_long",
                headers: ["Last-Event-ID: " + String(repeating: "A", count: 1 << 20)]),
            Fault(name: "another type", status: 426, code: "upgrade_required", accept: "application/json"),
            Fault(name: "nobody", status: 401, code: "unauthenticated", isSigned: false),
            Fault(
                name: "a foreign page", status: 403, code: "origin_not_allowed",
                headers: ["Origin: http://evil.example"]),
        ]
    }

    @Test(arguments: Fault.all)
    func `what is asked wrongly is refused in words before the stream begins`(_ fault: Fault) async throws {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let client = try await SourceClient.open(
                port: stream.port, token: fault.isSigned ? ann.token : nil, topics: fault.topics, query: fault.query,
                headers: fault.headers, accept: fault.accept)
            try await eventually("\(client.text.suffix(300))") { client.status != nil && client.text.contains("}") }
            #expect(client.status == fault.status && client.text.contains("\"code\":\"\(fault.code)\""))
            await client.cut()
            #expect(await stream.hub.isEmpty && stream.app.site.connections.streamCount == 0)
        }
    }

    @Test func `a cursor of another history begins anew, and one too far back is told so`() async throws {
        try await withStream(limits: { $0.replay = 5 }) { stream in
            let ann = try await stream.world.given.account()
            let topics = ["inbox", "book:\(try await stream.book())"]
            let other = StreamCursor(epoch: 1, seq: 0).text(signedBy: stream.world.services.settings.secret)
            let foreign = try await stream.source(ann, topics, cursor: other)
            #expect(try await foreign.hear("reset", on: topics[1]).text("why") == "epoch")
            let start = try #require(foreign.events.last?.id)
            for number in 0..<6 { try await stream.publish(number, on: [Topic(topics[1])]) }
            try await eventually { foreign.frames("event").count == 6 }
            // The header wins over the parameter.
            let late = try await stream.source(ann, topics, cursor: other, last: start)
            #expect(try await late.hear("reset", on: topics[1]).text("why") == "too_far")
            #expect(late.frames("subscribed").map { $0.members["is_recovered"] } == [.boolean(false), .boolean(false)])
            #expect(late.events.count { $0.id != nil } == 1)
            for client in [foreign, late] { await client.cut() }
        }
    }

    @Test func `HEAD answers as GET does, without a stream`() async throws {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let client = try await SourceClient.open(
                port: stream.port, token: ann.token, topics: ["inbox"], method: "HEAD",
                accept: "text/*, TEXT/Event-Stream;q=1")
            try await eventually { client.isClosed }
            #expect(client.status == 200 && client.head?["content-type"] == "text/event-stream")
            #expect(client.text.hasSuffix("\r\n\r\n") && !client.text.contains("data:"))
            #expect(await stream.hub.isEmpty && stream.app.site.connections.streamCount == 0)
            await client.cut()
        }
    }
}

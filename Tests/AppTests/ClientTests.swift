import Testing

@testable import Client

/// The client's rules, without a server.
@Suite struct ClientTests {
    @Test func `each event is applied once, and one that hangs on nothing shows a gap`() {
        var chain = TopicChain(.now)
        #expect(chain.from == "now")
        #expect(chain.received(seq: 5, prev: 4, cursor: "c5") == .gap)

        chain.subscribed(cursor: "c10", seq: 10)
        #expect(chain.from == "c10")
        #expect(chain.received(seq: 12, prev: 10, cursor: "c12") == .apply)
        #expect(chain.received(seq: 12, prev: 10, cursor: "c12") == .drop)
        #expect(chain.received(seq: 11, prev: 10, cursor: "c11") == .drop)
        #expect(chain.received(seq: 20, prev: 15, cursor: "c20") == .gap)
        #expect(chain.from == "c12")
        #expect(chain.received(seq: 15, prev: 12, cursor: "c15") == .apply)

        #expect(chain.heard(head: 15) == .drop)
        #expect(chain.heard(head: 16) == .gap)
        chain.reset(cursor: "c40", seq: 40)
        #expect(chain.received(seq: 41, prev: 40, cursor: "c41") == .apply)
    }

    @Test func `pauses are drawn from nothing to 30 seconds`() {
        #expect(StreamRunner.pause(after: 1, 1) == .seconds(0.5))
        #expect(StreamRunner.pause(after: 3, 1) == .seconds(2))
        #expect(StreamRunner.pause(after: 3, 0) == .zero)
        #expect(StreamRunner.pause(after: 1000, 1) == .seconds(30))
    }

    @Test func `a frame is read, and an unknown one is known as such`() throws {
        let event =
            #"{"type":"event","topic":"home","seq":7,"prev":5,"cursor":"x","kind":"review.posted","created_at":"t","data":{"a":[1,null]}}"#
        guard case .event(let read, let prev) = try StreamFrame.read(Array(event.utf8)),
            case .unknown = try StreamFrame.read(Array(#"{"type":"news"}"#.utf8))
        else {
            Issue.record("not the frames that were sent")
            return
        }
        #expect(read.seq == 7 && prev == 5 && read.kind == "review.posted")
        #expect(read.data["a"]?.array == [.number(1), .null])
    }

    @Test func `the three forms of an event, and the end of a topic, are told apart`() throws {
        func read(_ text: String) throws -> StreamFrame { try StreamFrame.read(Array(text.utf8)) }
        let place = #""topic":"thread:7","seq":7,"prev":5,"cursor":"x""#
        guard case .event(let event, 5) = try read("{\"type\":\"event\",\(place),\"kind\":\"post.created\"}"),
            case .gated(let placeholder, 5) = try read(
                "{\"type\":\"gated\",\(place),\"data\":{\"post\":{\"id\":\"1\",\"state\":\"gated\"}}}"),
            case .skip("thread:7", 7, 5, "x") = try read("{\"type\":\"skip\",\(place)}"),
            case .closed("thread:7") = try read(#"{"type":"closed","topic":"thread:7"}"#),
            case .error(3, "unknown_topic", _) = try read(#"{"type":"error","id":3,"code":"unknown_topic"}"#)
        else {
            Issue.record("not the frames that were sent")
            return
        }
        #expect(event.seq == placeholder.seq && event.cursor == placeholder.cursor)
        #expect(placeholder.data["post"]?["state"]?.string == "gated")
    }

    @Test(arguments: ["", "{", #"{"type":"event","topic":"home"}"#, #"{"seq":1}"#, "null", "[1]"])
    func `what is no frame is refused`(text: String) {
        #expect(throws: ClientError.self) { try StreamFrame.read(Array(text.utf8)) }
    }

    @Test func `addresses`() throws {
        let address = try ServerAddress("https://books.example.org/reading/")
        #expect(
            address.port == 443 && address.isSecure && address.path == "/reading"
                && address.authority == "books.example.org")
        #expect(try ServerAddress("http://[::1]:8080").authority == "[::1]:8080")
        for wrong in [
            "", "books", "ftp://books.example.org", "http://a:b@books.example.org", "http://books.example.org?x",
        ] {
            #expect(throws: ClientError.self) { try ServerAddress(wrong) }
        }
    }

    @Test func `a full handoff makes its sender wait and loses nothing`() async throws {
        let handoff = Handoff<Int>(capacity: 3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 0..<1000 { await handoff.send(number) }
                handoff.finish(throwing: ClientError.timedOut)
            }
            var got: [Int] = []
            await #expect(throws: ClientError.self) {
                while let number = try await handoff.next() { got.append(number) }
            }
            #expect(got == Array(0..<1000))
            try await group.waitForAll()
        }
    }
}

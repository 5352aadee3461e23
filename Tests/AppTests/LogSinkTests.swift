import Client
import Foundation
import Logging
import TestSupport
import Testing

@testable import App

@Suite struct LogSinkTests {
    /// A sink into a pipe; the reading end is the test's.
    private func withSink(
        _ environment: [String: String] = [:], _ body: (LogSink, _ reading: Int32) async throws -> Void
    ) async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer {
            close(ends[0])
            close(ends[1])
        }
        let settings = try await Settings.load(environment: environment)
        try await body(LogSink(settings, descriptor: ends[1]), ends[0])
    }

    /// What is in the pipe now.
    private func text(_ reading: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var waits = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            guard poll(&waits, 1, 0) == 1 else { return String(decoding: bytes, as: UTF8.self) }
            let count = read(reading, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }

    @Test func `where nobody watches, a line is one JSON object, whatever the message holds`() async throws {
        try await withSink { sink, reading in
            var logger = sink.logger("test")
            logger[metadataKey: "request.id"] = "r-1"
            logger.debug("not asked for")
            logger.notice(
                "two\nlines, a \"quote\", a \\ and a \u{0} NUL",
                metadata: ["status": "200", "count": .stringConvertible(7)])
            logger.error("naïve café 📚")
            sink.flush()

            let lines = text(reading).split(separator: "\n")
            try #require(lines.count == 2)
            let first = try JSONDecoder().decode(JSONValue.self, from: Data(lines[0].utf8))
            #expect(first["level"]?.string == "notice")
            #expect(first["msg"]?.string == "two lines, a \"quote\", a \\ and a   NUL")
            #expect(first["request.id"]?.string == "r-1" && first["status"]?.string == "200")
            #expect(first["count"]?.number == 7)
            #expect(first["ts"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            let second = try JSONDecoder().decode(JSONValue.self, from: Data(lines[1].utf8))
            #expect(second["msg"]?.string == "naïve café 📚")
        }
    }

    @Test func `for people a line is words, and still one line`() async throws {
        try await withSink(["COMMONPLACE_LOG_FORMAT": "human", "COMMONPLACE_LOG_LEVEL": "debug"]) { sink, reading in
            sink.logger("test").debug("looked\nagain", metadata: ["b": "2\r", "a": "1"])
            sink.flush()
            #expect(text(reading).wholeMatch(of: /\d\d:\d\d:\d\d\.\d{3}Z debug: looked again a=1 b=2 \n/) != nil)
        }
    }

    @Test func `a reader that is too slow holds nobody up, and is told how many lines are missing`() async throws {
        try await withSink { sink, reading in
            let logger = sink.logger("test")
            let long = String(repeating: "x", count: 10_000)
            // The pipe takes some 60 KB and the queue a megabyte.
            for number in 0..<300 { logger.info("\(long)", metadata: ["number": "\(number)"]) }
            var (rest, kept, dropped) = ("", [Int](), 0)
            try await eventually {
                var lines = (rest + text(reading)).split(separator: "\n", omittingEmptySubsequences: false)
                rest = String(lines.removeLast())
                // Each line once, and of a long one its end: searching megabytes takes longer than reading them.
                for line in lines.map({ $0.suffix(200) }) {
                    if let number = line.firstMatch(of: /"number":"(\d+)"/) { kept += [Int(number.1) ?? -1] }
                    if let count = line.firstMatch(of: /dropped","count":(\d+)/) { dropped += Int(count.1) ?? 0 }
                }
                return kept.count + dropped >= 300
            }
            #expect(kept == Set(kept).sorted(), "what is kept is in order")
            // The writer begins when it can: what it takes then, and what waits behind that, is kept.
            #expect(dropped > 50 && dropped + kept.count == 300)
        }
    }
}

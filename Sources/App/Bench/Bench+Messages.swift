import ArgumentParser
import Community
import FoundationEssentials
import Postgres

/// `commonplace bench messages`: how long a page of a conversation takes at any depth, the list of conversations, and
/// what is unread.
///
/// Fills the database that the settings name with made-up conversations (run it on one that is thrown away), then asks
/// through the store as a request does. The time is that of the whole call, of which the database's own is the greater
/// part.
struct BenchMessages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages",
        abstract: "Measure pages of a long conversation among many others, on a database to throw away.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "Messages, a tenth of them in one conversation. 100000 to 10000000, in thousands.")
    var messages = 10_000_000

    @Option(help: "Calls of each kind.")
    var pages = 200

    @Flag(help: "The database was filled by a call with the same number before.")
    var filled = false

    @Flag(help: "Print one line of JSON, and the rest to standard error.")
    var json = false

    private static let reader = ID<Accounts.Account>(rawValue: 1)
    private static let longest = ID<Messages.Conversation>(rawValue: 1)

    func validate() throws {
        guard (100_000...10_000_000).contains(messages), messages % 1_000 == 0, (10...10_000).contains(pages) else {
            throw ValidationError("messages 100000...10000000 in thousands, pages 10...10000")
        }
    }

    func run() async throws {
        let command = self
        try await Runtime.open(options, as: "commonplace bench", statementTimeout: .seconds(3_600)) { runtime in
            let began = ContinuousClock.now
            let fill = BenchMessagesFill(messages: command.messages)
            if !command.filled { try await fill.run(on: runtime.database, owner: runtime.ownerConninfo) }
            BenchTimes.sayFilled(since: began)
            var times = BenchTimes()
            command.addPages(fill, runtime.community.messages, &times)
            try await command.addLists(runtime.community.messages, &times)
            times.add("unread, of anybody", count: command.pages) { number in
                let reader = ID<Accounts.Account>(rawValue: Int64(number * 7919 % fill.readers + 1))
                _ = try await runtime.community.messages.unread(of: reader)
            }
            try await times.measure()
            times.report(
                json: command.json, of: ["page", "list", "unread"], counted: "messages", command.messages)
        }
    }

    /// Pages of 50 messages, in both directions, of the longest conversation, and of others.
    private func addPages(_ fill: BenchMessagesFill, _ store: Messages.Store, _ times: inout BenchTimes) {
        let end = Int64(fill.longest)
        let starts: [(name: String, start: PageRequest<Int64>.Start)] = [
            ("newest", .first), ("in the middle", .after(end / 2)), ("back in the middle", .before(end / 2)),
            ("oldest", .after(51)),
        ]
        for (name, start) in starts {
            times.add("page of \(fill.longest) messages, \(name)", count: pages) { _ in
                _ = try await store.messages(
                    in: Self.longest, for: Self.reader, page: PageRequest(start, limit: 50))
            }
        }
        // The first reader's other conversations, each with its next reader.
        times.add("page of 100 messages, of many", count: pages) { number in
            let id = ID<Messages.Conversation>(rawValue: Int64(2 + number * 7919 % 500))
            _ = try await store.messages(in: id, for: Self.reader, page: PageRequest(.first, limit: 50))
        }
    }

    /// Pages of 20 of a reader's 501 conversations.
    private func addLists(_ store: Messages.Store, _ times: inout BenchTimes) async throws {
        var start = PageRequest<Messages.Key>.Start.first
        for depth in [0, 100, 200, 300, 400] {
            let page = PageRequest(start, limit: 20)
            times.add("list of 501 conversations, at \(depth)", count: pages) { _ in
                _ = try await store.conversations(of: Self.reader, archived: false, page: page)
            }
            let skipped = try await store.conversations(
                of: Self.reader, archived: false, page: PageRequest(start, limit: 100))
            guard let next = skipped.next else { throw CommandError(.failure, "the list ends before \(depth + 100)") }
            start = .after(next)
        }
    }
}

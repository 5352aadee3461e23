import ArgumentParser
import Community
import FoundationEssentials
import Glibc
import PlainText

/// `commonplace demo`: a small lively community to look at, and its removal.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load a small lively community to look at, or remove it again.",
        discussion: """
            Loads some 430 real books, and readers with friendships, shelves, ratings and reviews that were made up for it and dated over \
            the last 60 days, some books by many in the last of them. Only where nobody has an account yet. The sign-ins of two readers who \
            are friends are printed; nobody knows the other passwords. Books that are here already, by their ISBNs or by title and \
            author, become one with those of the demonstration.

            With --from bookcrossing it loads the Book-Crossing community instead, from a folder with items_info.dat, book_history.dat and \
            book_ratings.dat: some 2,900 readers, whose names and dates are made up, and 272,000 books on their shelves.

            Examples:
              commonplace demo
              commonplace demo --remove
              commonplace demo --from bookcrossing /srv/data/book_crossing
              commonplace demo --readers 2000 --tokens tokens.txt
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Remove the demonstration's readers, what they wrote, and its books.")
    var remove = false

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Load this community instead, from its files: bookcrossing FOLDER.", valueName: "name folder"))
    var from: [String] = []

    @Option(help: "Make this many readers instead, without friends or books, for benchmarks. 1 to 100000.")
    var readers: Int?

    @Option(help: "File that takes their session tokens, one a line, readable by its owner alone.")
    var tokens: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (readers == nil) == (tokens == nil) else { throw ValidationError("--readers and --tokens go together") }
        guard from.isEmpty || from.count == 2 && from[0] == "bookcrossing" else {
            throw ValidationError("--from takes a name, which is bookcrossing, and a folder")
        }
        guard from.isEmpty || !remove && readers == nil else {
            throw ValidationError("--from excludes --remove and --readers")
        }
        guard !remove || readers == nil else { throw ValidationError("--remove and --readers exclude each other") }
        guard (1...100_000).contains(readers ?? 1) else { throw ValidationError("--readers takes 1 to 100000") }
    }

    func run() async throws {
        let command = self
        // Before anything is written: a file that cannot be read changes nothing.
        let files = try from.last.map { try Self.read($0) }
        if !remove, readers == nil { Admin.say(Self.announcement(of: files)) }
        // Some statements are about a whole community.
        try await Runtime.open(options, as: "commonplace demo", statementTimeout: .seconds(600)) { runtime in
            if command.remove {
                try await command.remove(runtime)
            } else if let count = command.readers, let path = command.tokens {
                try await command.addReaders(count, path, runtime)
            } else {
                try await command.load(files, runtime)
            }
        }
    }

    private static func read(_ folder: String) throws -> BookCrossing {
        do { return try BookCrossing(folder: folder) } catch let error as BookCrossing.Malformed {
            throw CommandError(.invalid, error.description)
        }
    }

    /// What is going to be done, on two lines.
    private static func announcement(of files: BookCrossing?) -> String {
        let what =
            files == nil
            ? "This makes a community to look at: some 430 real books, and 44 made-up readers with friends, shelves and reviews."
            : "This makes the Book-Crossing community: 272,000 books on the shelves of 2,946 readers under made-up names."
        let time = files == nil ? "10 to 60 seconds" : "some minutes"
        return what + "\nIt takes \(time); `commonplace demo --remove` takes it all away again."
    }

    /// Loads `files`, or the program's own demonstration.
    private func load(_ files: BookCrossing?, _ runtime: Runtime) async throws {
        let census = try await runtime.community.accounts.census()
        guard census.real == 0, census.demo == 0 else {
            let why =
                census.real > 0
                ? "\(census.real) people have an account here, and the demonstration is for empty communities"
                : "the demonstration is loaded already; remove it with: commonplace demo --remove"
            throw CommandError(.conflict, why)
        }
        let started = ContinuousClock.now
        let days = files == nil ? DemoPlan.days : BookCrossingPlan.days
        let loader = DemoLoader(runtime.community, node: try await runtime.node(), days: days)
        let loaded =
            if let files {
                try await loader.load(files, progress: Progress())
            } else {
                try await loader.load(try .embedded(), progress: Progress())
            }
        if let guide = loaded.guide { try await DemoGuide.give(in: runtime.community, of: guide) }
        let seconds = String(format: "%.1f s", (ContinuousClock.now - started) / .seconds(1))
        if json {
            return try printJSON([
                "books": .number(loaded.books), "readers": .number(loaded.readers),
                "friendships": .number(loaded.friendships), "shelved": .number(loaded.shelved),
                "ratings": .number(loaded.ratings), "reviews": .number(loaded.reviews),
                "sign_ins": .signIns(loaded.signIns),
            ])
        }
        print(
            """
            Loaded \(loaded.books) books, \(loaded.readers) readers, \(loaded.friendships) friendships, \(loaded.shelved) books on their \
            shelves and \(loaded.ratings) ratings, \(loaded.reviews) of them with a review, in \(seconds).
            \(Self.invitation(to: loaded.signIns))
            Remove it all with: commonplace demo --remove
            """)
    }

    private static func invitation(to signIns: [DemoLoader.SignIn]) -> String {
        let lines = signIns.map { "    \($0.username)  \($0.password)" }.joined(separator: "\n")
        return signIns.count > 1
            ? "Sign in as one of these two, who are friends, with the password behind the name (shown once):\n" + lines
            : "Sign in with this username and password (shown once):\n" + lines
    }

    private func addReaders(_ count: Int, _ path: String, _ runtime: Runtime) async throws {
        let census = try await runtime.community.accounts.census()
        guard census.real == 0 else {
            throw CommandError(
                .conflict, "\(census.real) people have an account here: benchmark readers do not belong beside them")
        }
        // A new file: one that was there may be open to others.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        if attributes?[.type] as? FileAttributeType == .typeRegular { unlink(path) }
        let file = try OpenFile.making(path)
        let loader = DemoLoader(runtime.community, node: try await runtime.node())
        try await loader.addReaders(count, progress: Progress()) { tokens in
            try file.write(tokens.map { $0 + "\n" }.joined().utf8)
        }
        try file.finish()
        if json { return try printJSON(["readers": .number(count)]) }
        print("Made \(count) readers; their session tokens stand in \(path).")
    }

    private func remove(_ runtime: Runtime) async throws {
        let accounts = runtime.community.accounts
        let total = try await accounts.census().demo
        let progress = Progress()
        var removed = 0
        while case let batch = try await accounts.demoReaders(), !batch.isEmpty {
            for reader in batch {
                try await accounts.removeDemoReader(reader)
                removed += 1
                progress.show("readers", removed, of: max(total, removed))
            }
        }
        progress.end()
        try await DemoGuide.takeBack(in: runtime.community)
        let books = try await runtime.community.catalog.remove(from: DemoLoader.source)
        if json {
            return try printJSON([
                "readers": .number(removed), "books": .number(books.removed), "books_kept": .number(books.kept),
            ])
        }
        print("Removed \(removed) readers and \(books.removed) books.")
        if books.kept > 0 { print("\(books.kept) books stay, because somebody else has said something about them.") }
    }

    private enum Value: Encodable {
        case number(Int)
        case signIns([DemoLoader.SignIn])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let value): try container.encode(value)
            case .signIns(let value): try container.encode(value)
            }
        }
    }

    private func printJSON(_ members: [String: Value]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(members), as: UTF8.self))
    }
}

extension Runtime {
    /// The node number that this process holds. Throws where it was lost.
    func node() async throws -> Int {
        guard let number = await lease.number else {
            throw CommandError(.temporary, "no node number is free; try again in a minute")
        }
        return number
    }
}

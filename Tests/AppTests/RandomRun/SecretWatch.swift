import Foundation
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Client

/// Two who look at all that a run writes: one who is at the beginning of every book and reveals nothing, to whom the
/// secret word must never come, and one who has read them all, to whom it does; and who writes it in every kind of
/// place.
final class SecretWatch: Sendable {
    /// Never past the beginning of any book.
    let beginner: Watcher
    /// Has read them all.
    let finisher: Watcher
    let writer: SecretWriter
    /// What stands there before the run.
    let scene: RandomRun.Known
    /// By the beginner and by the finisher, in the free thread.
    private let own: [String]

    var watchers: [Watcher] { [beginner, finisher] }
    var companions: [String] { watchers.map(\.account.username) }

    init(_ servers: [CommonplaceClient], books: [String]) async throws {
        beginner = try await Watcher("beginner", at: servers)
        finisher = try await Watcher("finisher", at: servers)
        writer = try await SecretWriter(at: servers, books: books)
        for book in books {
            try await beginner.write(
                .put, "/books/\(book)/position", ["percent": .number(0), "device": .string("phone")])
            try await finisher.write(.put, "/books/\(book)/shelf", ["shelf": .string("read")])
        }
        var own: [String] = []
        for watcher in [beginner, finisher] {
            try await writer.meet(watcher)
            let made = try await watcher.write(
                .post, "/threads/\(writer.thread)/posts",
                ["body": .string("I do not know yet."), "scope": .string("free")])
            own.append(try #require(made["post"]?["id"]?.string))
            for book in books { try await watcher.write(.put, "/books/\(book)/board/follow") }
        }
        for _ in 0..<4 { try await writer.sayEverywhere() }
        let said = Dictionary(grouping: writer.said, by: \.place)
        let reviews = said[.review, default: []].map(\.id)
        let secrets = said[.post, default: []].map(\.id)
        scene = RandomRun.Known(
            books: books,
            threads: writer.threads
                + said[.title, default: []].map { String($0.path.dropFirst("/threads/".count)) },
            posts: writer.openings + secrets + own, reviews: reviews, groups: [writer.group],
            markedReviews: reviews, secretPosts: Set(secrets))
        self.own = own
    }

    /// What one of them follows from the beginning to the end.
    func topics(for watcher: Watcher) -> [String] {
        ["home", "inbox", "group:\(writer.group)"] + scene.books.map { "book:\($0)" }
            + scene.threads.map { "thread:\($0)" }
            + [writer.conversation(with: watcher)].compactMap { $0.map { "conversation:\($0)" } }
    }

    /// Has the two look and listen while `run` acts.
    func during(_ run: RandomRun) async throws {
        for watcher in watchers {
            for username in run.usernames {
                try await watcher.call(.post, "/me/friend-requests", ["username": .string(username)])
            }
            for topic in topics(for: watcher) { watcher.ear.follow(topic) }
        }
        let ending = Ending()
        try await withThrowingTaskGroup(of: Void.self) { listeners in
            for watcher in watchers {
                listeners.addTask {
                    do {
                        try await watcher.ear.listen()
                    } catch {
                        Issue.record(error, "\(watcher.account.username) listens no more")
                        throw error
                    }
                }
            }
            try await eventually { watchers.allSatisfy(\.ear.isReady) }
            try await withThrowingTaskGroup(of: Void.self) { lookers in
                for watcher in watchers {
                    lookers.addTask {
                        let random = TestRandom(for: watcher.account.username)
                        while !ending.isReached, !Task.isCancelled {
                            try await self.step(watcher, run, random)
                        }
                    }
                }
                try await run.run()
                ending.reach()
                try await lookers.waitForAll()
            }
            try await sayTheLast()
            listeners.cancelAll()
            try await listeners.waitForAll()
        }
        for watcher in watchers {
            let name = watcher.account.username
            let paths = writer.said.filter { ($0.reader ?? name) == name }.map(\.path)
            try await watcher.lookAtAll(run.snapshot, and: Set(paths).sorted())
        }
        expectPlenty(in: run)
    }

    /// Looks at something; now and then writes, follows or joins, so that others answer and more is told.
    private func step(_ watcher: Watcher, _ run: RandomRun, _ random: TestRandom) async throws {
        let known = run.snapshot
        guard random.once(in: 12), let thread = random.element(of: known.threads) else {
            return try await watcher.look(at: known, run.usernames, random)
        }
        if random.once(in: 2) {
            try await watcher.call(.put, "/threads/\(thread)/follow")
            watcher.ear.follow("thread:\(thread)")
        }
        if random.once(in: 3), let group = random.element(of: known.groups) {
            try await watcher.call(.put, "/groups/\(group)/membership")
            watcher.ear.follow("group:\(group)")
        }
        try await watcher.call(
            .post, "/threads/\(thread)/posts", ["body": .string("And then?"), "scope": .string("free")],
            at: random.number(in: 0...1))
    }

    /// The writer says it everywhere once more, and once while nobody listens, and that is waited for: with it came all
    /// that was pushed before.
    private func sayTheLast() async throws {
        try await hear(try await writer.sayEverywhere(answering: own))
        for watcher in watchers { try await watcher.ear.hangUp() }
        let said = try await writer.sayEverywhere(answering: own)
        for watcher in watchers { watcher.ear.comeBack() }
        try await hear(said)
        for watcher in watchers { try await watcher.ear.settle() }
        // What a mail tells of is told here first.
        try await eventually {
            try await finisher.call(.get, "/me/notifications?limit=100", by: .notification)
            return !finisher.found(.notification).isEmpty
        }
    }

    /// Waits until the finisher was pushed each text, and the beginner the place of each.
    private func hear(_ said: [SecretWriter.Said]) async throws {
        let pushed = said.filter { Secret.Place.pushed.contains($0.place) }
        let (tokens, ids) = (Set(pushed.map(\.token)), Set(pushed.map(\.id)))
        func missing() -> String {
            let unheard = pushed.filter { !finisher.secrets(.push).contains($0.token) }.map(\.place.rawValue)
            let unplaced = pushed.filter { !beginner.ear.placeholders.contains($0.id) }.map(\.place.rawValue)
            let resets = watchers.flatMap(\.ear.resets)
            return
                "not pushed to the finisher: \(unheard), nor to the beginner as places: \(unplaced); reset: \(resets)"
        }
        try await eventually(within: .seconds(120), "\(missing())") {
            tokens.isSubset(of: finisher.secrets(.push)) && ids.isSubset(of: beginner.ear.placeholders)
        }
    }

    // MARK: Afterwards

    /// Has mails sent of what is unread, and archives made of all that is the two's, and looks through both.
    func open(_ program: Program) async throws {
        try await Self.hurryMails(program)
        for watcher in [beginner, finisher] {
            try await eventually(within: .seconds(120), "no mail of notifications came") {
                let mails = try Self.mails(of: watcher, program)
                return mails.contains { String(decoding: $0, as: UTF8.self).contains("in your reading app") }
            }
            for mail in try Self.mails(of: watcher, program) { watcher.search(mail, of: "a mail", by: .mail) }
            try await watcher.call(.post, "/me/export")
            try await eventually(within: .seconds(120), "no archive is made") {
                try await watcher.call(.get, "/me/export")?["state"]?.string == "ready"
            }
            let archive = try await unpacked(try await watcher.bytes(of: "/me/export/archive"), in: program.folder)
            #expect(archive.count > 1_000)
            watcher.search(archive, of: "the archive", by: .export)
        }
    }

    /// Their mails, with the line ends that quoted-printable makes taken out.
    private static func mails(of watcher: Watcher, _ program: Program) throws -> [[UInt8]] {
        let folder = program.folder + "/mail"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return try names.filter { $0.hasPrefix(watcher.account.id + ".") && $0.hasSuffix(".eml") }.map { name in
            let text = String(decoding: try Data(contentsOf: URL(filePath: folder + "/" + name)), as: UTF8.self)
            return Array(text.replacing("=\r\n", with: "").utf8)
        }
    }

    /// What would be mailed in a quarter of an hour is mailed now, and to addresses that nobody has proven.
    private static func hurryMails(_ program: Program) async throws {
        try await Behind.run(
            [
                "update account set verified_at = now() where verified_at is null",
                "update notification set mail_at = now() - interval '1 hour' where mail_at is not null",
                """
                insert into job (kind, queue, unique_key, payload, attempts)
                values ('notifications.digest', 'default', 'all', '{}', 3)
                on conflict do nothing
                """,
            ], program)
    }

    /// Python: writes all that is in an archive.
    private static let unzipping = """
        import sys, zipfile
        archive = zipfile.ZipFile(sys.argv[1])
        for name in archive.namelist(): sys.stdout.buffer.write(archive.read(name))
        """

    private func unpacked(_ archive: [UInt8], in folder: String) async throws -> [UInt8] {
        let log = folder + "/archive-\(UUID().uuidString)"
        try Data(archive).write(to: URL(filePath: log + ".zip"))
        let unzip = try RunningProgram(
            program: "/usr/bin/env", arguments: ["python3", "-c", Self.unzipping, log + ".zip"], input: "",
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"], log: log)
        let status = await unzip.exit()
        try #require(status == 0, "\(unzip.errors)")
        return [UInt8](try Data(contentsOf: URL(filePath: log + ".out")))
    }

    /// The word never came to the beginner, in no way; to the finisher it came, so it was there to be found. `servers`
    /// have ended.
    func expectSilence(_ servers: [RunningProgram]) {
        for server in servers {
            beginner.search(Array((server.output + server.errors).utf8), of: "the log", by: .log)
        }
        for way in Watcher.Way.allCases {
            #expect(beginner.looked(way) > 0, "nothing came by \(way)")
            let leaks = beginner.found(way)
            #expect(leaks.isEmpty, "\(way) told the secret \(leaks.count) times: \(Set(leaks).sorted().prefix(20))")
        }
        for way: Watcher.Way in [.response, .push, .notification, .mail] {
            #expect(!finisher.found(way).isEmpty, "to nobody came the secret by \(way)")
        }
        let counts = Watcher.Way.allCases.map { way in
            "\(way) \(beginner.looked(way)) and \(finisher.found(way).count) of \(finisher.looked(way))"
        }
        print("secret: \(counts.joined(separator: ", ")) (beginner's, and finisher's with the word)")
    }
}

/// The database behind the program's back.
enum Behind {
    /// Gives the rows of the last statement.
    @discardableResult
    static func run(_ statements: [String], _ program: Program) async throws -> [[String?]] {
        let cluster = try await LocalCluster.open(
            under: program.folder + "/data", logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        let conninfo = cluster.conninfo(.superuser)
        let rows = try await DirectConnection.onThread {
            let connection = try DirectConnection(conninfo, applicationName: "test")
            return try statements.reduce([]) { _, statement in try connection.run(statement) }
        }
        await cluster.leave()
        return rows
    }
}

/// Told once by the run to who looks on.
private final class Ending: Sendable {
    private let state = Mutex(false)
    var isReached: Bool { state.withLock { $0 } }
    func reach() { state.withLock { $0 = true } }
}

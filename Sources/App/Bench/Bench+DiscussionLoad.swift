import ArgumentParser
import Community
import FoundationEssentials
import PlainText
import Postgres

/// What it takes to have many read and write in a thread at once: over HTTP, and the same statements by `pgbench`.
struct BenchDiscussionLoad: Sendable {
    /// Where 32 write over HTTP, and where they do by `pgbench`: of the same size, on the same board. The first thread
    /// is read.
    static let httpThread = 2
    private static let peerThread = 3

    /// Writes `readers` and `writers` (tokens), `conninfo`, `read.sql` and `post.sql`.
    func prepare(in folder: String, _ runtime: Runtime) async throws {
        let load = BenchLoad(folder: folder)
        let (first, many) = (BenchDiscussionFill.firstHalfway, BenchDiscussionFill.writers)
        let writers = Array(first..<first + many)
        let readers = Array(first + 2 * many..<first + 3 * many)
        let tokens = try await load.signIn(writers + readers, runtime)
        guard let digest = tokens[first + 2 * many]?.digest else { return }
        try load.write(readers.compactMap { tokens[$0]?.text }.joined(separator: "\n"), "readers")
        try load.write(writers.compactMap { tokens[$0]?.text }.joined(separator: "\n"), "writers")
        try load.write(runtime.ownerConninfo, "conninfo")
        let hex = digest.map { String(format: "%02x", $0) }.joined()
        try load.write(try readScript(firstReader: first + 2 * many, digest: hex), "read.sql")
        try load.write(try postScript(firstWriter: first + many), "post.sql")
    }

    /// The statements of `GET /threads/1/posts?limit=50`, for `pgbench -M prepared`: who asks, where the stream stands,
    /// whether the thread is seen, the posts. Each client is a reader, known by one and the same token.
    private func readScript(firstReader: Int, digest: String) throws -> String {
        let (reader, thread) = (":reader::bigint", "1::bigint")
        let steps = [
            try BenchLoad.sql(
                "accounts.identify",
                ["digest": "'\\x\(digest)'::bytea", "now": "now()", "idleSince": "now() - interval '1 day'"]),
            try BenchLoad.sql("eventlog.read_head", [:]),
            try BenchLoad.sql("boards.thread_seen", ["viewer": reader, "thread": thread]),
            try BenchLoad.sql(
                "boards.posts_by_oldest_after", ["viewer": reader, "thread": thread, "limit": "51", "number": "0"]),
        ]
        return """
            \\set reader \(firstReader) + :client_id
            \(steps.joined(separator: ";\n"));

            """
    }

    /// The transaction of `POST /threads/3/posts` with a text alone, for `pgbench -M prepared`: who asks, then the
    /// program's own statements in its order. Each client is a reader who answers the thread as a whole, and whose
    /// place in the book is what the post gives away.
    private func postScript(firstWriter: Int) throws -> String {
        let (reader, thread, post) = (":reader::bigint", "\(Self.peerThread)::bigint", ":id::bigint")
        let never = "9223372036854775807"
        let text = String(repeating: "What they said in the harbour was not what they had written. ", count: 5)
        let event = """
            {"post": {"id": "123456789012345678", "thread_id": "3", "number": 5001, "parent_id": null, "depth": 0, \
            "author": {"id": "133", "username": "bench_133", "name": null}, "kind": "reply", "scope": {"upto": 5000}, \
            "also": null, "quoted_id": null, "body": "\(text)", "html": "<p>\(text)</p>", "is_veiled": false, \
            "replies": 0, "reactions": {}, "own_reactions": [], "version": 1, "created_at": null, "edited_at": null}, \
            "thread": {"id": "3", "kind": "discussion", "book_id": "1"}, "is_cut": false}
            """
        let writer = try BenchLoad.sql("accounts.lock_writer", ["account": reader])
        let held = try BenchLoad.sql(
            "groups.hold_member_at", ["thread": thread, "post": "null::bigint", "reader": reader])
        let recent = try BenchLoad.sql(
            "boards.recent",
            [
                "account": reader, "hourAgo": never, "dayAgo": never, "minuteAgo": never, "newSince": "now()",
                "pauseAgo": never, "place": thread, "body": "'\(text)'",
            ])
        let ground = try BenchLoad.sql(
            "boards.reply_ground",
            ["viewer": reader, "thread": thread, "parent": "null::bigint", "quoted": "null::bigint"])
        let known = try BenchLoad.sql("gate.known_of", ["author": reader, "work": "1::bigint"])
        let reply = try BenchLoad.sql(
            "boards.insert_reply",
            [
                "id": post,
                "thread": thread,
                "author": reader,
                "parent": "null::bigint",
                "depth": "0",
                "path": "lpad(to_hex(\(post)), 16, '0')",
                "quoted": "null::bigint",
                "scope": ":k4::smallint",
                "also.book": "null::bigint",
                "also.scope": "null::smallint",
                "at": "now()",
                "text": post,
                "beside": "null::bigint",
            ])
        let rest = [
            try BenchLoad.sql(
                "boards.insert_text_post",
                [
                    "id": post, "thing": post, "title": "null::text", "text.body": "'\(text)'",
                    "text.html": "'<p>\(text)</p>'", "veiled.body": "null::text", "veiled.html": "null::text",
                    "at": "now()",
                ]),
            try BenchLoad.sql(
                "boards.set_words",
                ["post": post, "thread": thread, "text": post, "words": "'\(Self.words(of: text))'"]),
            try BenchLoad.sql(
                "boards.mark_written",
                ["reader": reader, "thread": thread, "number": ":number::integer", "at": "now()"]),
            try BenchLoad.sql("boards.count_scope", ["thread": thread, "scope": ":k4::smallint", "by": "1"]),
            try BenchLoad.sql(
                "accounts.add_to_tally",
                ["reader": reader, "comments": "1", "groups": "0", "unreadMessages": "0", "unreadNotifications": "0"]),
            try BenchLoad.sql(
                "eventlog.append",
                [
                    "id": post,
                    "kind": "'post.created'",
                    "version": "1",
                    "topics": "array['thread:\(Self.peerThread)']",
                    "owner": reader,
                    "subjectKind": "'text'",
                    "subject": post,
                    "at": "now()",
                    "data": "'\(event)'",
                ]),
            try BenchLoad.sql(
                "jobs.enqueue",
                [
                    "kind": "'notifications.tell'",
                    "queue": "'default'",
                    "uniqueKey": "'written ' || \(post)",
                    "payload":
                        #"'{"what": "written", "post": "123456789012345678", "account": "133", "subject": 0, "cause": 1, "after": 0}'"#,
                    "attempts": "20",
                    "delay": "0",
                ]),
        ]
        // Identifiers of the size and in the order of the program's own.
        let id = "(extract(epoch from clock_timestamp()) * 1000000)::bigint * 1000 + :client_id::bigint"
        return """
            \\set reader \(firstWriter) + :client_id
            begin isolation level read committed;
            select found.*, \(id) as id from (\(writer)) found (\(BenchLoad.names("w", 9))) \\gset
            \(held);
            select * from (\(recent)) found (\(BenchLoad.names("r", 7))) \\gset
            select * from (\(ground)) found (\(BenchLoad.names("g", 16))) \\gset
            select * from (\(known)) found (\(BenchLoad.names("k", 6))) \\gset
            \(reply) \\gset
            \(rest.joined(separator: ";\n"));
            commit;

            """
    }
}

extension BenchDiscussionLoad {
    /// What a search finds the text by, as a literal within a literal.
    fileprivate static func words(of text: String) -> String {
        var places: [String: [Int]] = [:]
        for (place, word) in text.lowercased().split(whereSeparator: { !$0.isLetter }).enumerated() {
            places[String(word), default: []].append(place + 1)
        }
        return places.sorted { $0.key < $1.key }.map { word, places in
            "''\(word)'':" + places.map(String.init).joined(separator: ",")
        }.joined(separator: " ")
    }
}

/// `commonplace bench discussion-check`: whether every reply is there, and counted once.
struct BenchDiscussionCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discussion-check", abstract: "Recount what is counted of boards.", shouldDisplay: false)

    @OptionGroup var options: GlobalOptions

    @Option(help: "Replies that were answered with 201.")
    var answered = 0

    func run() async throws {
        let answered = answered
        try await Runtime.open(options, as: "commonplace bench", statementTimeout: .seconds(600)) { runtime in
            let thread = ID<Boards.Thread>(rawValue: Int64(BenchDiscussionLoad.httpThread))
            let written = try await runtime.database.one(Bench.WrittenSince(thread: thread))
            guard written >= answered else {
                throw CommandError(.failure, "of \(answered) replies that were answered \(written) are there")
            }
        }
        try await Check.check([Boards.self], options, try OutputOptions.parse([]), as: "commonplace bench")
    }
}

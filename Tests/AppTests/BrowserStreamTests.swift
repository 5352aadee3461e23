import Foundation
import TestSupport
import Testing

@testable import Client

/// The stream in a page of another origin, in Chromium: the module that servers hand out, and who is refused. Where there is no
/// browser they are skipped; a full proof fails.
@Suite(.serialized, .enabled(if: Browser.program != nil || ProofCount.isFull, Comment(rawValue: Browser.isMissing)))
struct BrowserStreamTests {
    init() throws {
        try #require(Browser.program != nil, "\(Browser.isMissing), and a full proof needs it")
    }

    @Test(.requirement("TRE-6"), .timeLimit(.minutes(ProofCount.minutes)))
    func `a page follows a thread across restarts of the server and shows each post once and in order`() async throws {
        try await CatalogueStub.serving { page in
            try await withProgram(["COMMONPLACE_CORS_ORIGINS": page.url]) { program in
                let thread = try await Self.thread(in: program)
                var server = thread.server
                page.answers(["/page": .html(Self.follower(of: thread, at: program.url))])
                try await Self.showing(page.url + "/page", in: program) {
                    var written = 0
                    func write(_ count: Int) async throws {
                        for _ in 0..<count {
                            written += 1
                            try await thread.write("Post \(written)")
                        }
                    }
                    func isShown() -> Bool { page.told == Self.numbers(written) }
                    try await eventually(within: .seconds(120), "the page does not follow: \(page.told)") {
                        page.asked.contains("/told?follows")
                    }
                    try await write(3)
                    try await eventually(within: .seconds(120), "\(page.told)") { isShown() }

                    for round in 0..<max(2, ProofCount.of(20)) {
                        let openings = page.openings
                        // What was written last may be on its way, or nowhere but in the outbox.
                        try await write(2)
                        if round.isMultiple(of: 2) {
                            #expect(await server.stop() == 0)
                        } else {
                            await server.kill()
                        }
                        server = try await program.serve()
                        // The page is likely to be away still.
                        try await write(3)
                        try await eventually(within: .seconds(120), "round \(round): \(page.told)") { isShown() }
                        try await write(1)
                        try await eventually(within: .seconds(120), "round \(round): \(page.told)") { isShown() }
                        #expect(page.openings > openings, "the stream was never cut: that proves nothing")
                    }
                }
                #expect(!page.asked.contains { $0.hasPrefix("/told?refused") || $0.hasPrefix("/told?reset") })
                #expect(await server.stop() == 0)
            }
        }
    }

    @Test(.requirement("TRE-6"), .timeLimit(.minutes(ProofCount.minutes)))
    func `a page of another origin opens the stream with a ticket, and one that may not call opens nothing`()
        async throws
    {
        try await CatalogueStub.serving { friend in
            try await CatalogueStub.serving { stranger in
                try await withProgram(["COMMONPLACE_CORS_ORIGINS": friend.url]) { program in
                    let thread = try await Self.thread(in: program)
                    for (page, told) in [
                        (friend, "given,WebSocket:refused,EventSource:refused,WebSocket:opened,EventSource:opened"),
                        (stranger, "refused,WebSocket:refused,EventSource:refused"),
                    ] {
                        page.answers(["/page": .html(Self.opener(of: thread, at: program.url))])
                        try await Self.showing(page.url + "/page", in: program) {
                            try await eventually(within: .seconds(120), "the page says nothing") {
                                page.asked.contains { $0.hasPrefix("/told?") }
                            }
                        }
                        #expect(page.told == told)
                    }
                    #expect(await thread.server.stop() == 0)
                }
            }
        }
    }

    // MARK: The pages

    /// Lists the posts of a thread as the module hands them on, and tells its own server what its document holds after each.
    private static func follower(of thread: Thread, at server: String) -> String {
        """
        <!doctype html><meta charset=utf-8><ol></ol><script type=module>
        import { follow } from "\(server)/docs/stream.js";
        let told = Promise.resolve();
        const tell = (what) => { told = told.then(() => fetch("/told?" + what)).catch(() => {}); };
        follow({
            server: "\(server)", token: "\(thread.token)", topics: ["thread:\(thread.id)"], cursor: "\(thread.cursor)",
            on: {
                subscribed: () => tell("follows"),
                event(frame) {
                    if (frame.kind !== "post.created") return;
                    const item = document.createElement("li");
                    item.textContent = frame.data.post.body.slice("Post ".length);
                    document.querySelector("ol").append(item);
                    tell("=" + [...document.querySelectorAll("li")].map((each) => each.textContent));
                },
                reset: (frame) => tell("reset-" + frame.why),
                refused: (status) => tell("refused-" + status),
            },
        });
        </script>
        """
    }

    /// Opens the stream in both ways without a ticket, then with one where it is given one, and tells how that went.
    private static func opener(of thread: Thread, at server: String) -> String {
        """
        <!doctype html><meta charset=utf-8><script type=module>
        const address = "\(server)/api/v1/stream?topics=thread:\(thread.id)";
        const ticket = () => fetch("\(server)/api/v1/stream/tickets",
            { method: "POST", headers: { Authorization: "Bearer \(thread.token)" } })
            .then((answer) => answer.json()).then((given) => given.ticket, () => null);
        const opening = (kind, proof) => new Promise((done) => {
            const stream = new kind((kind === WebSocket ? address.replace("http", "ws") : address) + proof);
            const end = (how) => { stream.close(); done(kind.name + ":" + how); };
            stream.onmessage = () => end("opened");
            stream.onerror = () => end("refused");
        });
        const told = [await ticket() ? "given" : "refused"];
        for (const kind of [WebSocket, EventSource]) told.push(await opening(kind, ""));
        if (told[0] === "given") {
            for (const kind of [WebSocket, EventSource]) told.push(await opening(kind, "&ticket=" + await ticket()));
        }
        document.body.textContent = told;
        fetch("/told?=" + document.body.textContent);
        </script>
        """
    }

    private static func numbers(_ count: Int) -> String { (1...count).map(String.init).joined(separator: ",") }

    /// Shows the page while `body` runs.
    private static func showing(_ address: String, in program: Program, _ body: () async throws -> Void) async throws {
        let profile = NSTemporaryDirectory() + "commonplace-browser-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: profile) }
        let browser = try RunningProgram(
            program: "/usr/bin/env", arguments: Browser.showing(address, seconds: 1800, profile: profile), input: "",
            environment: ProcessInfo.processInfo.environment, log: program.folder + "/browser")
        /// With its children: `timeout` leads a group of them, and would hold SIGTERM back, as this process does.
        func end() async {
            if browser.status == nil { kill(-browser.pid, SIGKILL) }
            _ = await browser.exit()
        }
        do {
            try await body()
            #expect(browser.status == nil, "the browser ended: \(browser.errors.suffix(2000))")
            await end()
        } catch {
            await end()
            throw error
        }
    }

    // MARK: The thread

    /// A thread on a server that runs, and who writes in it and reads it.
    private struct Thread {
        let server: RunningProgram
        let reader: CommonplaceClient
        let id: String
        /// From where the page follows it.
        let cursor: String

        var token: String { reader.token ?? "" }

        func write(_ body: String) async throws {
            _ = try await reader.call(
                .post, "/threads/\(id)/posts", [:], ["body": .string(body), "scope": .string("free")])
        }
    }

    private static func thread(in program: Program) async throws -> Thread {
        try "id,title,author\n1,The Book,Ann Writer\n".write(
            toFile: program.folder + "/books.csv", atomically: true, encoding: .utf8)
        try "id = key\ntitle = title\nauthor = authors\n".write(
            toFile: program.folder + "/map", atomically: true, encoding: .utf8)
        try await program.run("import", "csv", program.folder + "/books.csv", "--map", program.folder + "/map")
        let server = try await program.serve()
        let ann = try await program.client().register(
            username: "ann", email: "ann@example.org", password: "a long enough password"
        ).client
        let book = try #require(try await ann.books().items.first?.id)
        let opened = try await ann.call(
            .post, "/books/\(book)/threads", [:],
            ["title": .string("Watched"), "scope": .string("free"), "body": .string("Who follows?")])
        let id = try #require(opened["thread"]?["id"]?.string, "\(opened)")
        let posts = try await ann.call(.get, "/threads/\(id)/posts")
        return Thread(
            server: server, reader: ann, id: id, cursor: try #require(posts["stream_cursor"]?.string, "\(posts)"))
    }
}

extension CatalogueStub {
    /// What the page said of its document last.
    fileprivate var told: String { asked.last { $0.hasPrefix("/told?=") }.map { String($0.dropFirst(7)) } ?? "" }
    /// How often the stream began.
    fileprivate var openings: Int { asked.count { $0 == "/told?follows" } }
}

extension CatalogueStub.Answer {
    fileprivate static func html(_ text: String) -> CatalogueStub.Answer {
        .head("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n", body: Array(text.utf8))
    }
}

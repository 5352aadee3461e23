import Community
import Foundation
import HTTPTypes
import TestSupport
import Testing
import Web

/// The snippets of the screens' page: each is read by its own language, and what it asks for is asked of the server.
@Suite(.database) struct ScreensSnippetsTests {
    @Test(.requirement("WEB-2")) func `no request is refused for its form`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let picture = try Pictures.halves(200, 200, as: "picture.jpg")
            for request in Screens.requests(app.server.table) {
                // One of these closes the account, another its session.
                let reader = app.as(try await app.world.given.account())
                var headers: HTTPFields = [:]
                headers[.contentType] = request.contentType
                let answer = try await reader.send(
                    request.route.method, request.path,
                    body: request.sendsPicture ? picture : Array((request.json ?? "").utf8), headers: headers)
                let faults = answer.json["errors"]?.elements.compactMap { $0["code"]?.text } ?? []
                // What an example names is not there.
                #expect(faults.allSatisfy { $0 == "unknown" }, "\(request.call): \(answer.text)")
                #expect(
                    answer.status.code < 500 && ![400, 405, 411, 415].contains(answer.status.code),
                    "\(request.call): \(answer.text)")
            }
        }
    }

    /// `curl` is a function here that tells its arguments.
    @Test func `a shell reads what the request is`() async throws {
        try await withSnippets { requests, folder in
            let script =
                """
                SERVER=https://books.example TOKEN=secret
                uuidgen() { echo key; }
                curl() { printf '%s\\0' "$@"; printf '\\001\\0'; }

                """ + requests.map(\.curl).joined(separator: "\n")
            let said = try await Self.run(["bash", "-eu"], script, in: folder)
            let calls = said.split(separator: "\u{1}\0").map { $0.split(separator: "\0").map(String.init) }
            try #require(calls.count == requests.count)
            for (request, arguments) in zip(requests, calls) {
                var asked = Asked()
                var rest = arguments[...]
                while let word = rest.popFirst() {
                    switch word {
                    case "-X": asked.method = rest.popFirst() ?? ""
                    case "-H":
                        let header = (rest.popFirst() ?? "").split(separator: ": ", maxSplits: 1).map(String.init)
                        asked.headers[header[0]] = header[1]
                    case "-d", "--data-binary": asked.body = rest.popFirst() ?? ""
                    default: asked.url = word
                    }
                }
                #expect(asked == Asked(request), "\(request.curl)")
            }
        }
    }

    /// `fetch` is a function here that keeps its arguments.
    @Test(.enabled(if: isInstalled("node"), "there is no Node.js here: apt-get install nodejs"))
    func `JavaScript reads what the request is`() async throws {
        try await withSnippets { requests, folder in
            let script = """
                const calls = [];
                async function run(server, token, picture, crypto, fetch) {
                \(requests.map { "{\n\($0.javaScript)\n}\n" }.joined())
                }
                run("https://books.example", "secret", "@picture.jpg", { randomUUID: () => "key" },
                    async (url, options = {}) => calls.push({ method: "GET", headers: {}, url, ...options })
                ).then(() => console.log(JSON.stringify(calls)));
                """
            let said = try await Self.run(["node"], script, in: folder)
            let calls = try JSONDecoder().decode([Asked].self, from: Data(said.utf8))
            try #require(calls.count == requests.count)
            for (request, asked) in zip(requests, calls) {
                #expect(asked == Asked(request), "\(request.javaScript)")
            }
        }
    }

    /// Compiled against Foundation, then run with types in its place that print what a request is.
    @Test(.enabled(if: isInstalled("swiftc"), "there is no Swift compiler here"))
    func `Swift reads what the request is`() async throws {
        try await withSnippets { requests, folder in
            let functions = requests.enumerated().map { "func call\($0)() async throws {\n\($1.swift)\n}\n" }.joined()
            let compiled = "let (server, token, picture) = (\"\", \"\", Data())\n" + functions
            _ = try await Self.run(
                ["swiftc", "-typecheck", "-suppress-warnings"],
                """
                import Foundation
                #if canImport(FoundationNetworking)
                import FoundationNetworking
                #endif
                \(compiled)
                """, in: folder, as: "main.swift")
            let calls = requests.indices.map { "try await call\($0)()\n" }.joined()
            let said = try await Self.run(
                ["swift", "-suppress-warnings"], Self.printing + functions + calls, in: folder, as: "main.swift")
            let lines = said.split(separator: "\n")
            try #require(lines.count == requests.count)
            for (request, line) in zip(requests, lines) {
                let asked = try JSONDecoder().decode(Asked.self, from: Data(line.utf8))
                #expect(asked == Asked(request), "\(request.swift)")
            }
        }
    }

    private static let printing = """
        import Foundation
        struct URLRequest {
            var asked: [String: Any]
            var headers: [String: String] = [:]
            var httpMethod = "GET"
            var httpBody = Data()
            init(url: URL) { asked = ["url": url.absoluteString] }
            mutating func setValue(_ value: String, forHTTPHeaderField name: String) { headers[name] = value }
        }
        struct UUID { let uuidString = "key" }
        struct URLSession {
            static let shared = URLSession()
            func data(for request: URLRequest) async throws -> (Data, Bool) {
                var asked = request.asked
                asked["method"] = request.httpMethod
                asked["headers"] = request.headers
                if !request.httpBody.isEmpty { asked["body"] = String(decoding: request.httpBody, as: UTF8.self) }
                print(String(decoding: try JSONSerialization.data(withJSONObject: asked), as: UTF8.self))
                return (request.httpBody, true)
            }
        }
        let (server, token, picture) = ("https://books.example", "secret", Data("@picture.jpg".utf8))

        """

    /// What a snippet asks for.
    private struct Asked: Codable, Equatable {
        var method = "GET"
        var url = ""
        var headers: [String: String] = [:]
        var body: String?

        init() {}

        init(_ request: Screens.Request) {
            method = request.route.method.rawValue
            url = "https://books.example" + request.path
            if request.route.tokens != .ignored { headers["Authorization"] = "Bearer secret" }
            if request.route.method != .get { headers["Idempotency-Key"] = "key" }
            headers["Content-Type"] = request.contentType
            body = request.sendsPicture ? "@picture.jpg" : request.json
        }
    }

    private func withSnippets(_ body: ([Screens.Request], _ folder: String) async throws -> Void) async throws {
        try await withApp { app in
            let folder = NSTemporaryDirectory() + "commonplace-snippets-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let requests = Screens.requests(app.server.table)
            try #require(requests.count > 150)
            try await body(requests, folder)
        }
    }

    /// What a program prints that is given a file with `text`; it must end well.
    private static func run(
        _ command: [String], _ text: String, in folder: String, as name: String = "snippets"
    ) async throws -> String {
        let file = folder + "/" + name
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        let running = try RunningProgram(
            program: "/usr/bin/env", arguments: command + [file], input: "",
            environment: ProcessInfo.processInfo.environment, log: folder + "/log")
        try #require(await running.exit() == 0, "\(running.errors.prefix(3000))")
        return running.output
    }

    private static func isInstalled(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }
}

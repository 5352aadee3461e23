import HTTPTypes
import TestSupport
import Testing
import Web

/// Somebody with a browser: keeps cookies, follows where an answer leads, and sends the forms of a page.
final class Browser {
    struct Page {
        let address: String
        let answer: TestAnswer
        var html: String { answer.text }
        var status: Int { answer.status.code }

        /// The hidden fields of the first form that is sent to `action`.
        func hidden(_ action: String) -> [(String, String)]? {
            guard let form = html.firstRange(of: " action=\"\(action)\"") else { return nil }
            let rest = html[form.upperBound...]
            let whole = rest[..<(rest.firstRange(of: "</form>")?.lowerBound ?? rest.endIndex)]
            return whole.split(separator: "<input type=\"hidden\" name=\"").dropFirst().compactMap { input in
                let parts = input.split(separator: "\"", maxSplits: 3, omittingEmptySubsequences: false)
                guard parts.count == 4 else { return nil }
                return (String(parts[0]), Self.plain(parts[2]))
            }
        }

        private static func plain(_ text: Substring) -> String {
            String(text).replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&lt;", with: "<")
                .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
        }
    }

    private let app: TestApp
    private(set) var cookies: [String: String] = [:]
    var language: String?

    init(_ app: TestApp) { self.app = app }

    /// Opens `address`, and what it leads to.
    func open(_ address: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Page {
        try await follow(
            Page(address: address, answer: try await send(.get, address, sourceLocation: sourceLocation)),
            sourceLocation)
    }

    /// Fills in the form of `page` that is sent to `action`, sends it, and opens what it leads to.
    func submit(
        _ page: Page, _ action: String, _ fields: [(String, String)] = [], site: String? = "same-origin",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Page {
        let hidden = try #require(
            page.hidden(action), "\(page.address) has no form for \(action)", sourceLocation: sourceLocation)
        let answer = try await post(action, hidden + fields, site: site, sourceLocation: sourceLocation)
        return try await follow(Page(address: action, answer: answer), sourceLocation)
    }

    /// Sends fields as a form does, and stays there.
    func post(
        _ action: String, _ fields: [(String, String)], site: String? = "same-origin", headers more: HTTPFields = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TestAnswer {
        var headers = more
        headers[.contentType] = "application/x-www-form-urlencoded"
        if let site { headers[.fetchSite] = site }
        let body = fields.map { Query.encode($0.0) + "=" + Query.encode($0.1) }.joined(separator: "&")
        return try await send(.post, action, Array(body.utf8), headers, sourceLocation: sourceLocation)
    }

    func send(
        _ method: HTTPRequest.Method, _ address: String, _ body: [UInt8] = [], _ more: HTTPFields = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TestAnswer {
        var headers = more
        if headers[.accept] == nil { headers[.accept] = "text/html,application/xhtml+xml" }
        if let language { headers[.acceptLanguage] = language }
        if !cookies.isEmpty {
            headers[.cookie] = cookies.sorted { $0.key < $1.key }.map { $0.key + "=" + $0.value }.joined(
                separator: "; ")
        }
        let answer = try await app.with(token: nil).send(
            method, address, body: body, headers: headers, sourceLocation: sourceLocation)
        for line in answer.headers[values: .setCookie] {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] = line.contains("Max-Age=0") ? nil : String(pair[1])
        }
        return answer
    }

    private func follow(_ page: Page, _ sourceLocation: SourceLocation) async throws -> Page {
        var page = page
        var steps = 0
        while page.answer.status == .seeOther, let location = page.answer.headers[.location], steps < 5 {
            let address = location.hasPrefix("http://127.0.0.1:8080") ? String(location.dropFirst(21)) : location
            page = Page(
                address: address,
                answer: try await send(.get, String(address.prefix { $0 != "#" }), sourceLocation: sourceLocation))
            steps += 1
        }
        return page
    }

    /// Signs up, and is signed in.
    func signUp(_ username: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Page {
        let page = try await open("/sign-up", sourceLocation: sourceLocation)
        return try await submit(
            page, "/sign-up",
            [
                ("username", username), ("email", "\(username)@example.org"),
                ("email_confirmation", "\(username)@example.org"), ("password", TestReader.password),
                ("password_confirmation", TestReader.password),
            ], sourceLocation: sourceLocation)
    }
}

/// Runs `body` with a server that shows pages, and somebody's browser.
func withPages(
    site: (inout SiteSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation,
    _ body: (TestApp, Browser) async throws -> Void
) async throws {
    try await withApp(leaving: [.outbox, .jobs], site: site, hasPages: true) { app in
        try await body(app, Browser(app))
    }
}

import Community
import HTTPTypes
import Synchronization
import Testing
import Web

/// Makes every `GET` of the server that there is a thing for, and all that need none, and opens every page of a server
/// that has pages: where a word might be that a reader may not see.
///
/// At the end `unanswered` says which of the routes nobody was ever given anything of: a walk past closed doors finds
/// no word anywhere.
package final class CanaryWalk: Sendable {
    /// What one call was answered.
    package struct Sight: Sendable {
        package let path: String
        package let status: HTTPResponse.Status
        /// Body and headers: links and tags are looked at, too.
        package let text: String
    }

    private let walked = Mutex((asked: Set<String>(), answered: Set<String>()))

    package init() {}

    /// Looks at each route whose places are all among `names` (`["book": "42"]`), without the braces, and at the
    /// `paths`. A test that walks often does `all` once, and then with the things that differ: of the routes those that
    /// name one of them. `query`: what is searched for on boards.
    package func look(
        with names: [String: String], all: Bool = true, and paths: [String] = [], query: String = "words",
        as caller: TestApp
    ) async throws -> [Sight] {
        var sights: [Sight] = []
        // Lists that jobs make are empty before, and show nothing of what they would.
        try await caller.world.community.ranking.refresh(asOf: caller.world.clock.now())
        try await caller.world.community.ranking.heatBoards()
        for route in caller.server.table.routes where route.method == .get && !route.isExempt {
            guard let path = path(of: route, names, all) else { continue }
            let sight = try await look(at: path + Self.query(of: route.path, query), as: caller)
            sights.append(sight)
            walked.withLock {
                $0.asked.insert(route.path)
                if sight.status.kind == .successful { $0.answered.insert(route.path) }
            }
        }
        var opened = 0
        for route in caller.server.pages.routes where route.method == .get {
            guard let path = path(of: route, names, all) else { continue }
            let sight = try await look(at: path + (path == "/search" ? "?q=book" : ""), as: caller)
            sights.append(sight)
            opened += sight.status == .ok ? 1 : 0
        }
        #expect(caller.server.pages.routes.isEmpty || !all || opened > 15, "\(opened) pages were opened")
        for path in paths { sights.append(try await look(at: path, as: caller)) }
        return sights
    }

    /// The address of a route; `nil` where it names what is not among `names`, or none of these where not `all` are wanted.
    private func path(of route: Route, _ names: [String: String], _ all: Bool) -> String? {
        let path = names.reduce(route.path) { $0.replacing("{\($1.key)}", with: $1.value) }
        return !path.contains("{") && (all || path != route.path) ? path : nil
    }

    private func look(at path: String, as caller: TestApp) async throws -> Sight {
        let answer = try await caller.get(path)
        let text = answer.text + answer.headers.map { $0.value }.joined(separator: "\n")
        return Sight(path: path, status: answer.status, text: text)
    }

    /// Searches want words, those of the catalogue such as a book may have.
    private static func query(of path: String, _ words: String) -> String {
        switch path {
        case "/api/v1/search", "/api/v1/search/suggest", "/books/v1/volumes", "/api/v1/readers": "?q=book"
        default: path.hasSuffix("/search") ? "?q=" + words : ""
        }
    }

    /// Routes that were walked and gave nobody anything; without those that must not: a librarian's, a moderator's, and
    /// what only stands there once a reader asked for it.
    package var unanswered: [String] {
        let silent: Set = [
            "/api/v1/proposals", "/api/v1/books/{book}/ranking", "/api/v1/me/export", "/api/v1/me/export/archive",
        ]
        return walked.withLock { $0.asked.subtracting($0.answered).subtracting(silent).sorted() }
    }
}

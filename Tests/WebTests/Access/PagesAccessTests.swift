import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@testable import struct Pages.Page

/// Everybody opens every page, about everything: a page tells nobody more than its call does.
@Suite(.database)
struct PagesAccessTests {
    @Test(.requirement("WEB-1"))
    func `every page answers every actor as its call does, and what is private is the page of what never was`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox], settings: { $0.limitsRates = false }, hasPages: true) { app in
            let scene = try await AccessScene(app)
            let rows = AccessRow.table(of: app.server.table) + AccessRow.further(of: app.server.table)
            var opened = 0
            var hidden = 0
            for page in Page.all {
                for actor in Actor.allCases {
                    // A cookie that opens nothing makes a stranger of who sends it.
                    let isSignedIn = actor != .anonymous && !actor.isEnded
                    let route = try Self.route(of: page, isSignedIn: isSignedIn, in: app.server.table)
                    guard let route else { continue }
                    for row in rows where Self.shows(row, route) {
                        try await check(page, row, for: actor, isSignedIn, in: scene)
                        opened += 1
                    }
                }
                hidden += try await checkHidden(page, rows, in: scene)
            }
            #expect(opened > 500 && hidden > 50, "\(opened) pages were opened, \(hidden) of what is hidden")
        }
    }

    /// The call of a page; `nil` where it makes none.
    private static func route(of page: Page, isSignedIn: Bool, in table: RouteTable) throws -> Route? {
        var call = page.call
        if !isSignedIn, case .ask(let strangers) = page.strangers { call = strangers }
        return try call.map { try #require(table.route(.get, "/api/v1" + $0), "\(page.path)") }
    }

    /// Whether a page over `route` can be about what the row is about.
    private static func shows(_ row: AccessRow, _ route: Route) -> Bool {
        row.route.name == route.name && (row.expected.path?.hasSuffix("/pages/1") ?? true)
    }

    private func check(
        _ page: Page, _ row: AccessRow, for actor: Actor, _ isSignedIn: Bool, in scene: AccessScene
    ) async throws {
        let answer = try await scene.as(actor).get(Self.address(of: page, row, in: scene))
        let told = "\(page.path) for \(actor.rawValue), \(row.expected.words): \(answer.status.code)"
        let status = answer.status.code
        #expect(actor == .owner || !answer.text.contains(scene.secret), "\(told) tells what lies ahead")
        if page.isForStrangers, isSignedIn {
            #expect(status == 303 && answer.headers[.location]?.hasSuffix("/home") == true, "\(told)")
            return
        }
        if !isSignedIn, case .signIn = page.strangers {
            #expect(status == 303 && answer.headers[.location]?.contains("/sign-in?then=") == true, "\(told)")
            return
        }
        let outcome = row.expected.outcome(of: row.route, for: isSignedIn ? actor : .anonymous)
        switch outcome {
        case .passes, .told, .placeholder, .empty: #expect(status == 200, "\(told), not \(outcome)")
        case .own: #expect(status == 200 || status == 404, "\(told), not \(outcome)")
        case .hidden: #expect(status == (page.isLenient ? 200 : 404), "\(told), not \(outcome)")
        case .refused, .gated, .notFriends: #expect(status == 403, "\(told), not \(outcome)")
        case .signIn:
            // Strangers are shown what is for everybody.
            let isForAll = if case .ask = page.strangers { true } else { false }
            #expect(status == (isForAll ? 200 : 401), "\(told), not \(outcome)")
        }
    }

    /// Opens the page about each thing that is hidden from somebody, and about one that never was. Gives how often.
    private func checkHidden(_ page: Page, _ rows: [AccessRow], in scene: AccessScene) async throws -> Int {
        var count = 0
        for actor in Actor.allCases where Actor.members.contains(actor) {
            guard let route = try Self.route(of: page, isSignedIn: true, in: scene.app.server.table) else { continue }
            for row in rows where Self.shows(row, route) {
                guard row.expected.outcome(of: row.route, for: actor) == .hidden, let word = try row.thing() else {
                    continue
                }
                let value = try #require(scene.names[word])
                let nothing = value.allSatisfy(\.isNumber) ? "7000000007" : "nobody_at_all"
                let address = Self.address(of: page, row, in: scene)
                let there = try await scene.as(actor).get(address)
                let nowhere = try await scene.as(actor).get(address.replacing(value, with: nothing))
                #expect(
                    there.status == nowhere.status && told(there, of: value) == told(nowhere, of: nothing),
                    "\(page.path) tells \(actor.rawValue) that it is there: \(row.expected.words)")
                count += 1
            }
        }
        return count
    }

    /// A page without the name of what was asked for, and without the keys of its forms: each page has others.
    private func told(_ answer: TestAnswer, of name: String) -> String {
        answer.text.replacing(name, with: "…").replacing(#/name="_key" value="[^"]*"/#, with: "")
    }

    private static func address(of page: Page, _ row: AccessRow, in scene: AccessScene) -> String {
        scene.path(row.expected.words.reduce(page.path) { $0.replacing("{\($1.key)}", with: "{\($1.value)}") })
            .replacing("{page}", with: "1")
    }
}

import Community
import Foundation
import HTTPTypes
import TestSupport
import Testing
import Web

/// The table of what each screen asks.
@Suite(.database)
struct ScreensTests {
    private let apps = ["LibsterApp", "Books!", "Shelfed", "BookNook", "BookLib"]

    @Test func `every call of every screen is a route of this server`() async throws {
        try await withApp { app in
            let known = Set(app.server.table.routes.map(\.name))
            for screens in Screens.apps {
                for screen in screens.screens {
                    for call in screen.calls {
                        let parts = call.split(separator: " ")
                        try #require(parts.count == 2, "\(call)")
                        #expect(
                            known.contains("\(parts[0]) /api/v1\(parts[1])"), "\(screens.name), \(screen.name): \(call)"
                        )
                    }
                    #expect(Set(screen.calls).count == screen.calls.count, "\(screens.name), \(screen.name)")
                    #expect(!screen.calls.isEmpty, "\(screens.name), \(screen.name)")
                    let fill = screen.fill.split(separator: " ")
                    let reads = fill.count == 2 && fill[0] == "GET"
                    #expect(reads && app.server.table.route(.get, "/api/v1" + fill[1]) != nil, "\(screen.fill)")
                }
            }
            #expect(Screens.apps.map(\.name) == apps)
        }
    }

    @Test func `the API document has the table`() async throws {
        try await withApp { app in
            let table = try await app.get("/api/v1/openapi.json").json["x-screens"]?.elements ?? []
            #expect(table.count == Screens.apps.map(\.screens.count).reduce(0, +))
            #expect(Set(table.compactMap { $0["app"]?.text }) == Set(apps))
            let loading = table.first { $0["app"] == "LibsterApp" && $0["screen"] == "Loading" }
            #expect(loading?["calls"] == ["GET /api/v1/me/bootstrap"])
            #expect(table.allSatisfy { $0["fill"]?.text?.hasPrefix("GET /api/v1/") == true && $0["missing"] == nil })
        }
    }

    /// To write it anew: `COMMONPLACE_WRITE=1` in the environment of the tests.
    @Test func `the page beside the table says the same, with a snippet of each request`() async throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Web/Screens/README.md")
        try await withApp { app in
            let page = Screens.markdown(app.server.table)
            if ProcessInfo.processInfo.environment["COMMONPLACE_WRITE"] != nil {
                try page.write(to: path, atomically: true, encoding: .utf8)
            }
            #expect(try String(contentsOf: path, encoding: .utf8) == page)
            for call in Screens.apps.flatMap(\.screens).flatMap({ [$0.fill] + $0.calls }) {
                #expect(page.ranges(of: "<code>\(call)</code>").count == 1, "\(call)")
            }
        }
    }
}

import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// Every screen of the five apps, filled on the demonstration by the one call that the table names.
@Suite(.database) struct ScreensFillTests {
    @Test(.requirement("WEB-2", "ACC-7", "LIB-1", "REA-1", "REA-3", "SEA-6", "SHE-3", "NOT-6", "PRO-4", "PRO-5"))
    func `one call gives what a screen shows`() async throws {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.newAccountHours = 0 }) { app in
            let scene = try await ScreensScene(app)
            for shown in Screens.apps {
                let promised = ScreenPromise.all[shown.name] ?? []
                #expect(shown.screens.map(\.name).sorted() == promised.map(\.screen).sorted(), "\(shown.name)")
                for screen in shown.screens {
                    for promise in promised where promise.screen == screen.name {
                        try await check(screen, promise, scene, "\(shown.name), \(screen.name)")
                    }
                }
            }
        }
    }

    private func check(
        _ screen: Screens.Screen, _ promise: ScreenPromise, _ scene: ScreensScene, _ name: String
    ) async throws {
        let parts = screen.fill.split(separator: " ")
        try #require(parts.count == 2 && parts[0] == "GET", "\(name)")
        for path in scene.paths(of: String(parts[1])) {
            #expect(!path.contains("{"), "\(name): \(path)")
            let answer = try await scene.ann.get("/api/v1" + path)
            #expect(answer.status == .ok, "\(name): \(answer.text)")
            for member in promise.members {
                #expect(answer.json.at(member) != .null, "\(name): no \(member) in \(answer.text.prefix(3000))")
            }
            #expect(promise.holds(answer.json, scene), "\(name): \(answer.text.prefix(3000))")
        }
    }
}

extension JSONValue {
    /// What stands at `items.0.title`; null where there is none.
    func at(_ path: String) -> JSONValue {
        path.split(separator: ".").reduce(self) { value, part in
            value[String(part)] ?? Int(part).flatMap { value[$0] } ?? .null
        }
    }
}

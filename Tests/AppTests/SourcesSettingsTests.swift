import Community
import TestSupport
import Testing

@testable import App

/// Which other catalogues the owner lets this server ask.
@Suite struct SourcesSettingsTests {
    @Test func `nobody is asked unless the owner says so`() async throws {
        #expect(try await Settings.load(environment: [:]).sources.enabled.isEmpty)
        let off = try await Settings.load(environment: ["COMMONPLACE_METADATA_SOURCES": "off"])
        #expect(off.sources.enabled.isEmpty)
        let both = try await Settings.load(
            environment: [
                "COMMONPLACE_METADATA_SOURCES": "openlibrary, google", "COMMONPLACE_GOOGLE_BOOKS_KEY": "secret",
                "COMMONPLACE_OPENLIBRARY_URL": "http://127.0.0.1:8099",
            ])
        #expect(both.sources.enabled == [.openlibrary, .google])
        #expect(both.sources.googleKey == "secret" && both.sources.bases.keys.map(\.self) == [.openlibrary])
        #expect(both.lines.first { $0.name == "COMMONPLACE_GOOGLE_BOOKS_KEY" }?.value == "***")
    }

    @Test(arguments: [
        ["COMMONPLACE_METADATA_SOURCES": "bing"], ["COMMONPLACE_METADATA_SOURCES": "google,google"],
        ["COMMONPLACE_METADATA_SOURCES": "google,"], ["COMMONPLACE_OPENLIBRARY_URL": "http://10.0.0.1"],
        ["COMMONPLACE_GOOGLE_BOOKS_URL": "https://www.googleapis.com"],
        [
            "COMMONPLACE_GOOGLE_BOOKS_URL": "http://127.0.0.1:1", "COMMONPLACE_LISTEN": "0.0.0.0:8080",
            "PUBLIC_URL": "https://books.example.org",
        ],
    ])
    func `what names another catalogue wrongly is refused`(environment: [String: String]) async {
        await #expect(throws: SettingError.self) { try await Settings.load(environment: environment) }
    }
}

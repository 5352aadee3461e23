import Community
import EventLog
import Foundation
import Logging
import TestSupport
import Testing
import Web

@testable import App

/// What the owner of a server may say, and what is made of it.
@Suite struct SettingsTests {
    private let outside = ["COMMONPLACE_LISTEN": "0.0.0.0:8080"]

    private func load(
        _ environment: [String: String] = [:], flags: [String: String] = [:], file: String? = nil
    ) async throws -> Settings {
        try await Settings.load(flags: flags, environment: environment, file: file)
    }

    /// Names of the settings that are refused, in order.
    private func faults(_ environment: [String: String], file: String? = nil) async -> [String] {
        do {
            _ = try await load(environment, file: file)
            return []
        } catch let error as SettingError {
            return error.faults.map(\.name)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `nothing given is a server for this machine alone`() async throws {
        let settings = try await load()
        #expect(settings.listen == ListenAddress(host: "127.0.0.1", port: 8080))
        #expect(settings.isLoopback && settings.registration == .open && settings.access == .open)
        #expect(settings.keeping.days == 30 && settings.keeping.events == 10_000_000)
        #expect(settings.limitsRates && settings.newAccountHours == 24 && !settings.allowsUnsafeDatabase)
        #expect(settings.effectivePublicURL == "http://127.0.0.1:8080")
        #expect(settings.warnings.isEmpty && settings.notes.isEmpty && settings.streamFault == nil)
        #expect(settings.lines.allSatisfy { $0.isDefault })
    }

    @Test func `a flag goes before the environment, and the environment before the file`() async throws {
        let file = try TemporaryFile(
            "settings",
            Array(
                """
                # what the owner wrote
                COMMONPLACE_NAME = "From the file"
                COMMONPLACE_CONTACT='desk@example.org'
                COMMONPLACE_LOG_LEVEL=error
                COMMONPLACE_LISTEN=127.0.0.1:1111

                not a setting
                """.utf8))
        let settings = try await load(
            ["COMMONPLACE_LOG_LEVEL": "debug", "COMMONPLACE_LISTEN": "127.0.0.1:2222"],
            flags: ["COMMONPLACE_LISTEN": "127.0.0.1:3333"], file: file.path)
        #expect(settings.name == "From the file" && settings.contact == "desk@example.org")
        #expect(settings.logLevel == .debug)
        #expect(settings.listen.port == 3333)
        #expect(await faults([:], file: file.folder + "/absent") == ["--config"])
    }

    @Test func `a secret may stand in a file of its own, and is never shown`() async throws {
        let file = try TemporaryFile("url", Array("postgres://app:hush@db.example.org/books\n".utf8))
        let settings = try await load(["DATABASE_URL_FILE": file.path])
        #expect(settings.databaseURL == "postgres://app:hush@db.example.org/books")
        #expect(settings.lines.first { $0.name == "DATABASE_URL" }?.value == "***")
        #expect(!settings.lines.contains { $0.value?.contains("hush") == true })

        let key = try TemporaryFile("key", Array((String(repeating: "ab", count: 32) + "\n").utf8))
        #expect(
            try await load(["COMMONPLACE_SECRET_KEY_FILE": key.path]).secretKey == Array(repeating: 0xAB, count: 32))

        let empty = try TemporaryFile("empty", [0x0A])
        #expect(await faults(["DATABASE_URL_FILE": empty.path]) == ["DATABASE_URL_FILE"])
        #expect(await faults(["DATABASE_URL_FILE": empty.folder + "/absent"]) == ["DATABASE_URL_FILE"])
        #expect(
            await faults(["DATABASE_URL": "postgres:///books", "DATABASE_URL_FILE": file.path]) == ["DATABASE_URL"])
    }

    @Test(arguments: [
        ("COMMONPLACE_LISTEN", "8080"), ("COMMONPLACE_LISTEN", "127.0.0.1:65536"), ("PUBLIC_URL", "books.example.org"),
        ("PUBLIC_URL", "https://books.example.org/?a"), ("COMMONPLACE_REGISTRATION", "everyone"),
        ("COMMONPLACE_ACCESS", "secret"), ("COMMONPLACE_RATE_LIMITS", "no"), ("COMMONPLACE_NEW_ACCOUNT_HOURS", "-1"),
        ("COMMONPLACE_NEW_ACCOUNT_HOURS", "1.5"), ("COMMONPLACE_SECRET_KEY", "short"),
        ("COMMONPLACE_LOG_LEVEL", "loud"), ("COMMONPLACE_LOG_FORMAT", "xml"),
        ("COMMONPLACE_CORS_ORIGINS", "https://app.example.org/path"), ("COMMONPLACE_TRUSTED_PROXIES", "10.0.0.0/33"),
        ("COMMONPLACE_UNSAFE_DATABASE", "yes"),
        ("COMMONPLACE_DATABASE_CONNECTIONS", "1"), ("COMMONPLACE_MAX_CONNECTIONS", "lots"),
        ("COMMONPLACE_SHUTDOWN_SECONDS", "301"), ("COMMONPLACE_DRAIN_SECONDS", "11"),
        ("COMMONPLACE_EVENT_DAYS", "0"), ("COMMONPLACE_EVENTS", "999999"),
        ("COMMONPLACE_STREAM_FAULT", "lose"), ("COMMONPLACE_RULES", String(repeating: "x", count: 501)),
    ])
    func `a value that is wrong is refused by the name of its setting`(name: String, value: String) async {
        #expect(await faults([name: value]) == [name])
    }

    @Test func `every wrong value is told at once`() async {
        let wrong = ["COMMONPLACE_LISTEN": "x", "COMMONPLACE_ACCESS": "x", "COMMONPLACE_LOG_LEVEL": "x"]
        #expect(Set(await faults(wrong)) == Set(wrong.keys))
    }

    @Test func `beyond loopback people are invited, and what makes benches possible is refused`() async throws {
        let named = outside.merging(["PUBLIC_URL": "https://books.example.org"]) { _, new in new }
        let settings = try await load(named)
        #expect(!settings.isLoopback && settings.registration == .invite)
        for (name, value) in [
            ("COMMONPLACE_RATE_LIMITS", "off"), ("COMMONPLACE_NEW_ACCOUNT_HOURS", "0"),
            ("COMMONPLACE_STREAM_FAULT", "drop"), ("COMMONPLACE_STREAM_FAULT", "repeat"),
            ("COMMONPLACE_STREAM_FAULT", "swap"),
        ] {
            #expect(try await load([name: value]).isLoopback, "allowed on loopback")
            #expect(await faults(outside.merging([name: value]) { _, new in new }) == [name])
            // Behind a proxy on this machine the server listens on loopback and is none.
            #expect(await faults(["PUBLIC_URL": "https://books.example.org", name: value]) == [name])
        }
        #expect(try await load(["PUBLIC_URL": "http://localhost:8080/"]).isLoopback)
        #expect(try await load(["COMMONPLACE_LISTEN": "[::1]:8080"]).isLoopback)
    }

    @Test func `what an owner must not forget is noted, and what means nothing is warned of`() async throws {
        let settings = try await load([
            "COMMONPLACE_RATE_LIMITS": "off", "COMMONPLACE_UNSAFE_DATABASE": "1", "COMMONPLACE_NAMES": "typo",
            "SOMETHING_ELSE": "of no concern", "COMMONPLACE_NAME": "", "COMMONPLACE_STREAM_FAULT": "swap",
        ])
        #expect(settings.notes.count == 3 && settings.notes[2].hasPrefix("COMMONPLACE_STREAM_FAULT=swap: "))
        #expect(settings.streamFault == .swap)
        #expect(settings.warnings.count == 1 && settings.warnings[0].hasPrefix("COMMONPLACE_NAMES "))
        #expect(settings.name == "Commonplace", "empty is unset")
        #expect(
            await faults(["COMMONPLACE_MAIL_SPOOL": "/tmp/m", "COMMONPLACE_SMTP_URL": "smtp://localhost"]) == [
                "COMMONPLACE_MAIL_SPOOL"
            ])
    }
}

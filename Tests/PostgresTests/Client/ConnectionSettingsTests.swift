import Postgres
import TestSupport
import Testing

/// What each connection says of itself, whatever the server's owner left as it was.
@Suite(.database(.empty)) struct ConnectionSettingsTests {
    private struct Compiles: Statement {
        static let name = "test.compiles"
        static let sql: SQL<Self> = "select current_setting('jit')"
        typealias Output = String
    }

    @Test func `no statement is compiled on a server that compiles by itself`() async throws {
        let conninfo = try Lane.required().superuserConninfo
        let byItself = try await DirectConnection.onThread {
            try DirectConnection(conninfo, applicationName: "test").value("select current_setting('jit')")
        }
        #expect(byItself == "on", "the tests' cluster is not as Postgres is by itself: this proves nothing")

        let told = try await withDatabase { database in
            [
                try await database.one(Compiles()), try await database.transaction { try await $0.one(Compiles()) },
                try await database.session { try await $0.one(Compiles()) },
            ]
        }
        #expect(told == ["off", "off", "off"])
    }
}

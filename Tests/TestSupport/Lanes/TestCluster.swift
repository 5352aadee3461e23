import Foundation

/// The throwaway Postgres that `deploy/test-cluster` started.
package struct TestCluster: Hashable, Sendable {
    /// The folder of its Unix socket.
    package let socketFolder: String
    package let superuser: String

    /// Why tests cannot have a database.
    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads `COMMONPLACE_TEST_CLUSTER`. Throws `Unavailable` where it is unset, or names anything but a local socket: tests delete
    /// everything that they find, and must never reach a database that somebody needs.
    package static func fromEnvironment() throws -> TestCluster {
        try TestCluster(conninfo: ProcessInfo.processInfo.environment["COMMONPLACE_TEST_CLUSTER"])
    }

    init(conninfo: String?) throws {
        guard let conninfo, !conninfo.isEmpty else {
            throw Unavailable(
                description: """
                    This test needs a throwaway Postgres and COMMONPLACE_TEST_CLUSTER names none. \
                    Run deploy/test, or: deploy/test-cluster run -- swift test
                    """)
        }
        var values: [Substring: Substring] = [:]
        for pair in conninfo.split(separator: " ") {
            let halves = pair.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, ["host", "user", "dbname"].contains(halves[0]) else {
                throw Self.refusal(conninfo)
            }
            values[halves[0]] = halves[1]
        }
        guard let host = values["host"], host.hasPrefix("/"), !host.contains(","), let user = values["user"] else {
            throw Self.refusal(conninfo)
        }
        socketFolder = String(host)
        superuser = String(user)
    }

    /// A connection string for `database` as `user`, the superuser where none is named.
    package func conninfo(database: String, user: String? = nil) -> String {
        "host=\(socketFolder) user=\(user ?? superuser) dbname=\(database)"
    }

    private static func refusal(_ conninfo: String) -> Unavailable {
        Unavailable(
            description: """
                COMMONPLACE_TEST_CLUSTER must be “host=/FOLDER user=NAME dbname=NAME”, a local socket and nothing else, because tests \
                delete everything they find there. It is: \(conninfo)
                """)
    }
}

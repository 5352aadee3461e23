import Postgres

/// One database that a test has for itself until it ends.
package struct Lane: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The migrated schema, shared by one test after the other, emptied in between. Milliseconds.
        case shared
        /// A copy of the migrated schema that is thrown away: for tests that run DDL or write much. About 50 ms.
        case fresh
        /// As `fresh`, with the rows that this SQL makes, run as a superuser: made once for all tests that name the same SQL, and copied.
        case filled(String)
        /// A database without any table, thrown away: for tests of the migrator.
        case empty
    }

    package let name: String
    package let kind: Kind
    package let cluster: TestCluster

    /// The lane of the running test, set by the trait `.database`.
    @TaskLocal package static var current: Lane?

    /// The lane of the running test. Throws where the test has no trait `.database`.
    package static func required() throws -> Lane {
        guard let current else {
            throw TestCluster.Unavailable(description: "Mark the test or its suite with the trait .database")
        }
        return current
    }

    /// As `commonplace_app`, as the program connects: rows only, no DDL.
    package var conninfo: String { cluster.conninfo(database: name, user: Migrator.applicationRole) }
    /// As `commonplace_owner`, as the migrator works.
    package var ownerConninfo: String { cluster.conninfo(database: name, user: Migrator.ownerRole) }
    /// As `commonplace_app`, by way of a proxy before the cluster.
    package func conninfo(through proxy: TCPProxy) -> String {
        "host=127.0.0.1 port=\(proxy.port) user=\(Migrator.applicationRole) dbname=\(name)"
    }
    package var superuserConninfo: String { cluster.conninfo(database: name, user: nil) }

    /// A small pool's settings: many worlds run at once and share the cluster's 200 connections.
    package func settings(conninfo: String? = nil) -> DatabaseSettings {
        var settings = DatabaseSettings(conninfo: conninfo ?? self.conninfo)
        settings.sharedConnections = 2
        settings.exclusiveConnections = 3
        // Tests load two cores fully: what is slow there is no fault.
        settings.acquireTimeout = .seconds(20)
        settings.statementTimeout = .seconds(30)
        settings.lockTimeout = .seconds(20)
        settings.idleInTransactionTimeout = .seconds(60)
        settings.requiresDurability = false
        return settings
    }
}

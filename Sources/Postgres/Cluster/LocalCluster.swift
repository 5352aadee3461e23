import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle
import Synchronization

/// The Postgres that the program makes and runs by itself, under its data folder, reached through a Unix socket alone.
///
/// Any number of `commonplace` processes may use it at once. **The first starts it, the last stops it**, and nobody stops it under another:
/// each holds a shared lock on `users.lock` for as long as it lives, and who leaves stops the server only if it can have that lock alone.
/// The kernel drops the locks of a process that is killed, so the server it leaves behind is adopted by the next process, and stopped when
/// that one leaves as the last. `guard.lock` is held while somebody decides, starts or stops.
///
/// The server is in a session of its own (`pg_ctl` sees to it): Ctrl-C in a terminal reaches the program, which drains and then stops it.
package final class LocalCluster: Service, Sendable {
    package enum Role: String, Sendable {
        /// Reads and writes rows, has no DDL.
        case application = "commonplace_app"
        /// Owns the tables, migrates.
        case owner = "commonplace_owner"
        case superuser = "postgres"
    }

    package static let database = "commonplace"
    /// How long one waits for another process that starts or stops the server, recovery after a crash included.
    static let patience: Duration = .seconds(300)

    package let programs: ServerPrograms
    private let folder: ClusterFolder
    private let guardLock: FileLock
    private let usersLock: FileLock
    private let logger: Logger
    private let postmaster: Mutex<Postmaster>

    /// Makes the cluster under `dataFolder` where there is none, starts it where it does not run, and joins it where it does.
    ///
    /// Throws `LocalClusterError`. `searchFolders` is where the server programs are looked for.
    package static func open(
        under dataFolder: String, searchFolders: [String] = ServerPrograms.defaultFolders(), logger: Logger
    ) async throws -> LocalCluster {
        try await DirectConnection.onThread {
            try LocalCluster(folder: ClusterFolder.prepare(dataFolder), searchFolders: searchFolders, logger: logger)
        }
    }

    private init(folder: ClusterFolder, searchFolders: [String], logger: Logger) throws {
        self.folder = folder
        self.logger = logger
        let version = folder.version
        programs = try ServerPrograms.choose(version: version, in: searchFolders)
        if let version, version != programs.major { throw Self.refusal(folder, version: version, programs: programs) }
        guardLock = try FileLock(folder.guardLock, for: folder.user)
        usersLock = try FileLock(folder.usersLock, for: folder.user)
        guard guardLock.alone(within: Self.patience) else { throw Self.busy(folder) }
        let starter = Starter(folder: folder, programs: programs, logger: logger)
        // Nobody stops the server from here on.
        usersLock.share()
        let running = try starter.join()
        postmaster = Mutex(running)
        try starter.makeDatabase(conninfo: Self.conninfo(running, .superuser, database: "postgres"))
        guardLock.release()
    }

    /// How to connect as `role`. Changes when the server had to be started again in another place, which it never is by itself.
    package func conninfo(_ role: Role) -> String {
        Self.conninfo(postmaster.withLock { $0 }, role, database: Self.database)
    }

    /// The process that runs the server.
    package var pid: Int32 { postmaster.withLock { $0.pid } }

    /// Starts the server again whenever it is gone, until graceful shutdown. It does not stop it: that is `leave`.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await Task.sleep(for: .seconds(1))
                    try await self.revive()
                } catch is CancellationError {
                    return
                } catch {
                    self.logger.error("the local Postgres does not run", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    /// Starts the server where it is gone.
    package func revive() async throws {
        guard Postmaster.running(on: folder.data) == nil else { return }
        logger.warning("the local Postgres is gone; starting it again")
        try await DirectConnection.onThread { [self] in
            guard guardLock.alone(within: Self.patience) else { throw Self.busy(folder) }
            defer { guardLock.release() }
            let running = try Starter(folder: folder, programs: programs, logger: logger).join()
            postmaster.withLock { $0 = running }
        }
    }

    /// Leaves the cluster, and stops it where nobody else uses it. All connections of this process must be closed before. Once only.
    package func leave() async {
        do {
            try await DirectConnection.onThread { [self] in
                guard guardLock.alone(within: Self.patience) else { throw Self.busy(folder) }
                defer { guardLock.release() }
                guard usersLock.tryAlone() else { return logger.debug("the local Postgres stays for others") }
                try Starter(folder: folder, programs: programs, logger: logger).stop()
                usersLock.release()
            }
        } catch {
            logger.error("the local Postgres was not stopped", metadata: ["error": "\(error)"])
        }
    }

    private static func conninfo(_ running: Postmaster, _ role: Role, database: String) -> String {
        "host=\(Conninfo.quoted(running.socketFolder)) port=\(running.port) user=\(role.rawValue) dbname=\(database)"
    }

    private static func busy(_ folder: ClusterFolder) -> LocalClusterError {
        LocalClusterError(
            .busy,
            "Another commonplace has been starting or stopping the Postgres in \(folder.root) for \(patience); look at its log."
        )
    }

    /// Tells how to move the cluster, which no server of another major version can read.
    private static func refusal(_ folder: ClusterFolder, version: Int, programs: ServerPrograms) -> LocalClusterError {
        let old = "/usr/lib/postgresql/\(version)/bin"
        let kept = "\(folder.root)/data-\(version)"
        let user = folder.user?.name ?? ServerUser(uid: geteuid())?.name ?? "user \(geteuid())"
        return LocalClusterError(
            .otherVersion,
            """
            The database in \(folder.data) belongs to Postgres \(version), and this machine has Postgres \(programs.major). Either \
            install the programs of its version: apt-get install postgresql-\(version) — Commonplace then uses them — or move the database, \
            with those programs installed, while nothing of Commonplace runs, as \(user) (from root: runuser -u \(user) -- bash):
              cd \(folder.root)
              mv \(folder.data) \(kept)
              \(programs.path("initdb")) \(Starter.initOptions.joined(separator: " ")) --pgdata \(folder.data)
              cp \(kept)/postgresql.conf \(kept)/commonplace.conf \(folder.data)
              \(programs.path("pg_upgrade")) --username postgres --old-bindir \(old) --new-bindir \(programs.folder) \
            --old-datadir \(kept) --new-datadir \(folder.data) --socketdir \(folder.root)
            Then start Commonplace; when all is well, remove \(kept). Or, with a backup made by `commonplace backup FILE`: move \(folder.root) away and run `commonplace restore FILE`.
            """)
    }
}

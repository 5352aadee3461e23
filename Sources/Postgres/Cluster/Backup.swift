import FoundationEssentials
import Glibc
import Logging

/// Dumps and restores by Postgres's own programs (`pg_dump` in its custom format), so that a backup outlives this program.
package struct Backup: Sendable {
    /// Why there is no backup, or nothing was restored.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong and what to do.
        package let description: String
        init(_ description: String) { self.description = description }
    }

    let conninfo: Conninfo
    let programs: ServerPrograms

    /// A database as a role that may read, or for `restore` make, everything. `programs` are those of the server, or newer ones; the
    /// newest installed where none are given. Throws `Failure`.
    package init(conninfo: String, programs: ServerPrograms? = nil) throws {
        let needed = ["pg_dump", "pg_restore"]
        let folders = programs.map { [$0.folder] } ?? ServerPrograms.defaultFolders()
        guard let found = ServerPrograms.installed(in: folders, having: needed).first else {
            throw Failure("pg_dump and pg_restore were not found. Install them: apt-get install postgresql-client")
        }
        guard let parsed = Conninfo(conninfo) else { throw Failure("The database's address cannot be read.") }
        self.conninfo = parsed
        self.programs = found
    }

    /// Writes everything but the rows of `leavingOut` (`public.server`) into the new file `path`, as of one instant, while others read and
    /// write. The file appears under its name when it is whole and on disk; one that exists is never touched. Gives its size in bytes.
    package func write(to path: String, leavingOut tables: [String]) async throws -> Int {
        try await DirectConnection.onThread { try writeBlocking(to: path, leavingOut: tables) }
    }

    /// How many bytes `write(to:)` has written to `path` so far, in this process; `nil` before it begins and after it ended.
    package static func written(to path: String) -> Int? {
        var status = stat()
        return stat(partial(of: URL(filePath: path).standardizedFileURL), &status) == 0 ? Int(status.st_size) : nil
    }

    /// Where a backup grows until it is whole.
    private static func partial(of final: URL) -> String { final.path + ".partial-\(getpid())" }

    private func writeBlocking(to path: String, leavingOut tables: [String]) throws -> Int {
        let final = URL(filePath: path).standardizedFileURL
        guard FileStatus(final.path) == nil else { throw Failure("\(path) exists; a backup never overwrites a file.") }
        let partial = Self.partial(of: final)
        // Made here, and not by pg_dump, so that nobody else can read it from its first byte on.
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure("\(partial) cannot be made: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        defer { unlink(partial) }
        let arguments =
            [
                "--format=custom", "--no-password", "--lock-wait-timeout=60s", "--file=\(partial)",
                "--dbname=\(conninfo.withoutPassword)",
            ]
            + tables.map { "--exclude-table-data=\($0)" }
        try run("pg_dump", arguments)
        // A dump that cannot be listed cannot be restored.
        try run("pg_restore", ["--list", "--file=/dev/null", partial])
        guard fsync(descriptor) == 0 else {
            throw Failure("\(partial) cannot be synced: \(String(cString: strerror(errno))).")
        }
        // A hard link fails where the name exists; a rename would replace it.
        guard link(partial, final.path) == 0 else {
            throw Failure("\(path) cannot be made: \(String(cString: strerror(errno))).")
        }
        let folder = open(final.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
        var status = stat()
        fstat(descriptor, &status)
        return Int(status.st_size)
    }

    /// Reads `path` into a database that has no table, in one transaction, under the migrator's lock. The rows that the backup left out
    /// are missing afterwards, and the schema is the backup's: the caller migrates.
    package func restore(from path: String, logger: Logger) async throws {
        try await DirectConnection.onThread { try restoreBlocking(from: path, logger: logger) }
    }

    private func restoreBlocking(from path: String, logger: Logger) throws {
        guard access(path, R_OK) == 0 else { throw Failure("\(path) cannot be read.") }
        do {
            try run("pg_restore", ["--list", "--file=/dev/null", path])
        } catch {
            throw Failure("\(path) is no backup that this pg_restore (Postgres \(programs.major)) can read. \(error)")
        }
        let connection = try DirectConnection(conninfo.text, applicationName: "commonplace restore")
        let migrator = Migrator(conninfo: conninfo.text, migrations: [], logger: logger)
        try migrator.lock(connection)
        try requireEmpty(connection)
        try migrator.adoptRoles(connection)
        try connection.run("reset role")
        // A superuser gives every table to the owner whom the backup names; anybody else keeps what he restores.
        let isSuperuser = try connection.value("select rolsuper from pg_roles where rolname = current_user") == "t"
        let hasRole =
            try connection.value("select true from pg_roles where rolname = $1", Migrator.applicationRole) == "t"
        var arguments = [
            "--single-transaction", "--exit-on-error", "--no-password", "--dbname=\(conninfo.withoutPassword)",
        ]
        if !isSuperuser { arguments.append("--no-owner") }
        if !hasRole { arguments.append("--no-privileges") }
        try run("pg_restore", arguments + [path])
    }

    private func requireEmpty(_ connection: DirectConnection) throws {
        let tables = try connection.value(
            """
            select string_agg(relname, ', ')
              from (select c.relname from pg_class c
                     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
                     order by c.relname limit 3) first
            """)
        guard let tables else { return }
        throw Failure(
            """
            A backup is restored into an empty database only, and this one has tables (\(tables), …). Give another \
            COMMONPLACE_DATA_DIR or DATABASE_URL, or move the old database away first.
            """)
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        var environment = ProcessInfo.processInfo.environment.filter { $0.key == "HOME" || $0.key.hasPrefix("PG") }
        if let password = conninfo.password { environment["PGPASSWORD"] = password }
        let outcome = try Program(programs.path(program), arguments, environment: environment).run()
        guard outcome.status == 0 else { throw Failure("\(program) failed: \(outcome.output)") }
    }
}

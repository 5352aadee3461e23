import FoundationEssentials
import Glibc
import Logging

/// Makes, starts and stops the server of one folder. Its caller holds the folder's guard lock, on a thread that may wait.
struct Starter {
    let folder: ClusterFolder
    let programs: ServerPrograms
    let logger: Logger

    /// UTF-8 with the plain byte order of keys; checksums find what a disk has spoiled. Nobody but the owner of the folder and root reaches the
    /// socket, so that the socket asks for no password; there is no other way in.
    static let initOptions = [
        "--username=postgres", "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale=C",
        "--lc-ctype=C.UTF-8",
        "--data-checksums",
    ]

    /// The running server: the one that is there, or one that is started now.
    func join() throws -> Postmaster {
        if let running = try settled() {
            logger.debug("joined the local Postgres", metadata: ["pid": "\(running.pid)"])
            return running
        }
        if folder.version == nil { try make() }
        try awaitOrphans()
        try removeStaleFiles()
        try writeSettings()
        try start()
        guard let running = try settled() else { throw failure("it ended at once") }
        logger.info("local Postgres started", metadata: ["pid": "\(running.pid)", "version": "\(programs.major)"])
        return running
    }

    /// Stops the server at once but in order: sessions end, everything is written. Nothing where none runs.
    func stop() throws {
        guard let running = Postmaster.running(on: folder.data) else { return }
        try pgControl(["stop", "--mode=fast"])
        if !running.socketFolder.hasPrefix(folder.root) { rmdir(running.socketFolder) }
        logger.info("local Postgres stopped", metadata: ["pid": "\(running.pid)"])
    }

    /// Roles and database, where an earlier start has not come so far.
    func makeDatabase(conninfo: String) throws {
        let connection = try DirectConnection(conninfo, applicationName: "commonplace")
        for role in [LocalCluster.Role.owner, .application] {
            guard try connection.value("select true from pg_roles where rolname = $1", role.rawValue) == nil else {
                continue
            }
            try connection.run("create role \(role.rawValue) login")
        }
        guard try connection.value("select true from pg_database where datname = $1", LocalCluster.database) == nil
        else { return }
        try connection.run("create database \(LocalCluster.database) owner \(LocalCluster.Role.owner.rawValue)")
    }

    /// The server that runs, once it is ready; `nil` where none runs or where it was about to stop.
    private func settled() throws -> Postmaster? {
        let end = ContinuousClock.now.advanced(by: LocalCluster.patience)
        while let running = Postmaster.running(on: folder.data) {
            if running.isReady { return running }
            guard ContinuousClock.now < end else {
                throw failure("process \(running.pid) has neither become ready nor ended in \(LocalCluster.patience)")
            }
            usleep(50_000)
        }
        return nil
    }

    /// Beside the final place, then renamed: a kill in between leaves nothing that looks like a database.
    private func make() throws {
        logger.notice("making a database of our own", metadata: ["folder": "\(folder.data)"])
        try Program("/bin/rm", ["-rf", folder.unfinished], user: folder.user).succeed()
        try Program(
            programs.path("initdb"), Self.initOptions + ["--no-instructions", "--pgdata", folder.unfinished],
            user: folder.user
        ).succeed()
        try write(LocalCluster.mainSettings, to: folder.unfinished + "/postgresql.conf")
        guard rename(folder.unfinished, folder.data) == 0 else {
            throw failure("\(folder.unfinished) cannot be renamed: \(String(cString: strerror(errno)))")
        }
    }

    private func writeSettings() throws {
        let text = try LocalCluster.settings(socketFolder: folder.socketFolder())
        try write(text, to: folder.data + "/commonplace.conf")
    }

    private func start() throws {
        try Program("/bin/rm", ["-f", folder.startLog], user: folder.user).succeed()
        do {
            try pgControl(["start", "--log=\(folder.startLog)"])
        } catch {
            let log = (try? String(contentsOfFile: folder.startLog, encoding: .utf8)) ?? ""
            throw failure("\(error)\n\(log)")
        }
    }

    /// Processes of a server that was killed take a moment to notice, and until then no other can start.
    private func awaitOrphans() throws {
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        while true {
            let orphans = Postmaster.processes(on: folder.data)
            guard !orphans.isEmpty else { return }
            guard ContinuousClock.now < end else {
                let pids = orphans.map(String.init).joined(separator: " ")
                throw failure("processes of a killed server still work there; end them with: kill \(pids)")
            }
            usleep(50_000)
        }
    }

    private func pgControl(_ command: [String]) throws {
        let wait = "--timeout=\(LocalCluster.patience.components.seconds)"
        try Program(
            programs.path("pg_ctl"), command + ["--wait", wait, "--silent", "--pgdata=\(folder.data)"],
            user: folder.user
        ).succeed()
    }

    /// Takes away what a killed server has left: the files that name its process. Postgres would do it, but believes that the process lives
    /// where the number has gone to another one, or where nobody has collected it yet (a container whose first process does not). No process
    /// works in the folder now, and the socket's folder is this server's alone.
    private func removeStaleFiles() throws {
        let socket = try folder.socketFolder() + "/.s.PGSQL.5432"
        let left = [folder.data + "/postmaster.pid", socket, socket + ".lock"].filter { FileStatus($0) != nil }
        guard !left.isEmpty else { return }
        logger.notice("the last local Postgres did not end in order; it recovers now")
        try Program("/bin/rm", ["-f"] + left, user: folder.user).succeed()
    }

    /// As the user who runs the server: root writes nothing in a folder that another user may change under it.
    private func write(_ text: String, to path: String) throws {
        try Program(
            "/bin/sh", ["-c", #"umask 077 && cat >"$0.new" && mv "$0.new" "$0""#, path], user: folder.user, input: text
        )
        .succeed()
    }

    private func failure(_ what: String) -> LocalClusterError {
        let logs = (try? FileManager.default.contentsOfDirectory(atPath: folder.data + "/log")) ?? []
        // By day of the week: the newest is the one written last.
        let newest = logs.map { "\(folder.data)/log/\($0)" }.max { modified($0) < modified($1) }
        let tail = newest.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }?
            .split(separator: "\n").suffix(5).joined(separator: "\n")
        return LocalClusterError(
            .failed,
            "The Postgres in \(folder.data) did not start: \(what)\n\(tail ?? "")\nIts log is in \(folder.data)/log.")
    }

    private func modified(_ path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mtim.tv_sec : 0
    }
}

import Cryptography
import FoundationEssentials
import Glibc
import PlainText

/// Where the parts of the local cluster lie below the data folder, and who may go there.
struct ClusterFolder: Sendable {
    /// The program's data folder, without symbolic links.
    let parent: String
    /// Who runs the server; `nil`: ourselves.
    let user: ServerUser?

    var root: String { parent + "/postgres" }
    /// Postgres's own data folder.
    var data: String { root + "/data" }
    /// Where `initdb` works; renamed to `data` when it is complete.
    var unfinished: String { root + "/data.new" }
    var guardLock: String { root + "/guard.lock" }
    var usersLock: String { root + "/users.lock" }
    var startLog: String { root + "/start.log" }

    /// The major version of the cluster that stands there; `nil` where there is none.
    var version: Int? {
        guard let text = try? String(contentsOfFile: data + "/PG_VERSION", encoding: .utf8) else { return nil }
        return Int(text.trimmed().prefix { $0.isNumber })
    }

    /// Makes the folders, hands them to the user who runs the server, and makes sure that he can reach them.
    static func prepare(_ path: String) throws -> ClusterFolder {
        let absolute = URL(filePath: path).standardizedFileURL.path
        guard !absolute.contains(where: { "\"'`$\\,\n".contains($0) }) else {
            throw LocalClusterError(
                .folder,
                "The data folder \(absolute) has a quote, $, \\, comma or line break in its name; choose another.")
        }
        let isNew = FileStatus(absolute) == nil
        do {
            try FileManager.default.createDirectory(atPath: absolute, withIntermediateDirectories: true)
        } catch {
            throw LocalClusterError(.folder, obstacle(to: absolute) ?? "The folder \(absolute) cannot be made.")
        }
        let parent = URL(filePath: absolute).resolvingSymlinksInPath().path
        let user = try ServerUser.choose(data: parent + "/postgres/data")
        let folder = ClusterFolder(parent: parent, user: user)
        if isNew {
            chmod(parent, 0o700)
            if let user { chown(parent, user.uid, user.gid) }
        }
        if let user { try folder.requireReach(of: user) }
        try folder.makeRoot()
        return folder
    }

    /// The cluster's own folder: 0700, of the user who runs the server.
    private func makeRoot() throws {
        let owner = user?.uid ?? geteuid()
        if mkdir(root, 0o700) == 0 {
            if let user { chown(root, user.uid, user.gid) }
        } else if errno != EEXIST {
            throw LocalClusterError(.folder, Self.obstacle(to: root) ?? "The folder \(root) cannot be made.")
        }
        guard let status = FileStatus(root), status.isFolder else {
            throw LocalClusterError(.folder, "\(root) is not a folder; move it away.")
        }
        guard status.uid == owner else {
            let name = ServerUser(uid: status.uid)?.name ?? (status.uid == 0 ? "root" : "user \(status.uid)")
            let ours = user?.name ?? ServerUser(uid: owner)?.name ?? "user \(owner)"
            throw LocalClusterError(
                .folder,
                "The folder \(root) belongs to \(name) and not to \(ours). Start Commonplace as root or as \(name).")
        }
        if status.mode != 0o700 { chmod(root, 0o700) }
    }

    /// Walks from `/` down: each folder must be one that the user can cross. The data folder itself is handed over where it is ours to
    /// give: owned by root and holding nothing that is not Commonplace's.
    private func requireReach(of user: ServerUser) throws {
        var path = ""
        for name in parent.split(separator: "/") {
            path += "/" + name
            guard try !user.canEnter(path) else { continue }
            let status = FileStatus(path)
            if path == parent, status?.uid == 0, holdsOnlyOurs(path) {
                chown(path, user.uid, user.gid)
                if try user.canEnter(path) { continue }
            }
            throw LocalClusterError(
                .folder,
                """
                Postgres runs as the user \(user.name), who cannot cross the folder \(path) (mode \(status?.modeText ?? "unknown")). \
                Run: chmod o+x \(path) — or choose another data folder with COMMONPLACE_DATA_DIR.
                """)
        }
    }

    private func holdsOnlyOurs(_ path: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? ["?"]
        return names.allSatisfy { $0 == "postgres" || $0.hasPrefix("secret") || $0 == "mail" || $0 == "lost+found" }
    }

    /// Why we ourselves cannot make `path`: the nearest folder above it that exists, with its mode.
    private static func obstacle(to path: String) -> String? {
        var existing = URL(filePath: path).deletingLastPathComponent()
        while FileStatus(existing.path) == nil, existing.path != "/" { existing.deleteLastPathComponent() }
        guard let status = FileStatus(existing.path) else { return nil }
        return """
            The folder \(path) cannot be made: \(existing.path) (mode \(status.modeText)) does not let us. Choose another data folder with \
            COMMONPLACE_DATA_DIR.
            """
    }

    /// Where the server puts its socket: in its own folder, or in a short one where the address would exceed 90 bytes (the kernel allows
    /// 107, and some libraries fewer).
    func socketFolder() throws -> String {
        let own = root + "/socket"
        let short = (own + "/.s.PGSQL.5432").utf8.count > 90
        let path = short ? Self.shortFolder(for: root) : own
        if mkdir(path, 0o700) == 0 {
            if let user { chown(path, user.uid, user.gid) }
        } else if errno != EEXIST {
            throw LocalClusterError(.folder, Self.obstacle(to: path) ?? "The folder \(path) cannot be made.")
        }
        // Anybody may make folders in /tmp: one that is not ours alone would let him answer in the server's place.
        guard let status = FileStatus(path), status.isFolder, status.uid == user?.uid ?? geteuid(),
            status.mode & 0o077 == 0
        else {
            throw LocalClusterError(
                .folder, "\(path), the folder for the database's socket, belongs to somebody else; remove it.")
        }
        return path
    }

    private static func shortFolder(for root: String) -> String {
        let digest = SHA256.hash(Array(root.utf8)).prefix(8)
        let name = "commonplace-" + digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        if geteuid() == 0, FileStatus("/run")?.isFolder == true { return "/run/" + name }
        let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? ""
        if runtime.hasPrefix("/"), runtime.utf8.count <= 40, access(runtime, W_OK) == 0 { return runtime + "/" + name }
        return "/tmp/" + name
    }
}

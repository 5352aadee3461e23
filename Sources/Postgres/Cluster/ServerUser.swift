import FoundationEssentials
import Glibc

/// The unprivileged user as whom root runs Postgres, which refuses to run as root.
package struct ServerUser: Hashable, Sendable {
    /// Those that root chooses from where no cluster stands yet.
    package static let names = ["postgres", "nobody"]

    let name: String
    let uid: uid_t
    let gid: gid_t

    /// `nil` where we are not root and so run it ourselves. Root takes the owner of the cluster that stands at `data`, else `postgres`
    /// (which Debian's package makes), else `nobody`.
    static func choose(data: String) throws -> ServerUser? {
        guard geteuid() == 0 else { return nil }
        if let owner = FileStatus(data)?.uid, owner != 0, let user = ServerUser(uid: owner) { return user }
        for name in names {
            if let user = ServerUser(name: name) { return user }
        }
        throw LocalClusterError(
            .folder,
            "Postgres does not run as root, and there is no user named postgres or nobody to run it as. Make one: useradd --system postgres"
        )
    }

    init?(name: String) {
        guard let entry = getpwnam(name), entry.pointee.pw_uid != 0 else { return nil }
        self.init(entry.pointee)
    }

    init?(uid: uid_t) {
        guard uid != 0, let entry = getpwuid(uid) else { return nil }
        self.init(entry.pointee)
    }

    private init(_ entry: passwd) {
        name = String(cString: entry.pw_name)
        uid = entry.pw_uid
        gid = entry.pw_gid
    }

    /// What stands before a command to run it as this user: a program of util-linux that replaces itself by the command.
    func prefix() throws -> [String] {
        let found = ["/usr/bin/setpriv", "/bin/setpriv"].first { (path: String) in access(path, X_OK) == 0 }
        guard let found else {
            throw LocalClusterError(
                .noPrograms,
                "Run by root, Commonplace needs the program setpriv. Install it: apt-get install util-linux")
        }
        return [found, "--reuid", String(uid), "--regid", String(gid), "--init-groups", "--"]
    }

    /// Whether the user may enter `folder`: asked of the kernel, as the user, because modes alone do not know access lists.
    func canEnter(_ folder: String) throws -> Bool {
        try Program("/usr/bin/test", ["-x", folder], user: self).run().status == 0
    }
}

/// What `lstat` says: a link is not followed.
struct FileStatus {
    let uid: uid_t
    /// Permission bits.
    let mode: mode_t
    let isFolder: Bool

    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        uid = status.st_uid
        mode = status.st_mode & 0o7777
        isFolder = status.st_mode & S_IFMT == S_IFDIR
    }

    /// `0750`, as chmod takes it.
    var modeText: String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

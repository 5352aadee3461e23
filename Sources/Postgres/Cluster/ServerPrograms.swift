import FoundationEssentials
import Glibc

/// One installed set of Postgres programs.
package struct ServerPrograms: Hashable, Sendable {
    /// The folder that holds them.
    package let folder: String
    /// 15, 16, …
    package let major: Int

    package static let oldest = 15

    package func path(_ program: String) -> String { folder + "/" + program }

    /// Folders to look in: the search path, and where distributions put what they keep off it.
    package static func defaultFolders() -> [String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        var folders = path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        for (parent, suffix) in [("/usr/lib/postgresql", "/bin"), ("/usr", "/bin")] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
            folders += names.filter { parent != "/usr" || $0.hasPrefix("pgsql-") }.sorted().map {
                "\(parent)/\($0)\(suffix)"
            }
        }
        return folders + ["/usr/local/pgsql/bin"]
    }

    /// Every set in `folders` that has all of `programs`, newest first.
    package static func installed(in folders: [String], having programs: [String] = serverPrograms) -> [ServerPrograms]
    {
        var found: [ServerPrograms] = []
        for folder in folders where programs.allSatisfy({ access("\(folder)/\($0)", X_OK) == 0 }) {
            var program = Program("\(folder)/\(programs[0])", ["--version"])
            // Else Postgres says first, and with a number, that it cannot enter root's folder, where `runuser` may have left us.
            program.folder = "/"
            guard let output = try? program.succeed(),
                let major = major(in: output)
            else { continue }
            // A link to the program may stand alone: the set is where the real one lies.
            let real = URL(filePath: "\(folder)/\(programs[0])").resolvingSymlinksInPath().deletingLastPathComponent()
                .path
            let holdsAll = programs.allSatisfy { access("\(real)/\($0)", X_OK) == 0 }
            let resolved = holdsAll ? real : folder
            let set = ServerPrograms(folder: resolved, major: major)
            if !found.contains(set) { found.append(set) }
        }
        return found.sorted { $0.major > $1.major }
    }

    static let serverPrograms = ["postgres", "initdb", "pg_ctl"]

    /// The set for a cluster of `version`, or the newest for a new one. Throws `.noPrograms` where there is none of 15 or newer; gives another
    /// major version where the right one is not installed: the caller refuses.
    static func choose(version: Int?, in folders: [String]) throws -> ServerPrograms {
        let installed = installed(in: folders)
        let usable = installed.filter { $0.major >= oldest }
        if let same = usable.first(where: { $0.major == version }) { return same }
        if let newest = usable.first { return newest }
        let found =
            installed.first.map { "Only Postgres \($0.major) was found (in \($0.folder)); " }
            ?? "No Postgres was found; "
        throw LocalClusterError(
            .noPrograms,
            """
            \(found)Commonplace needs \(oldest) or newer to run its own database. Install it: apt-get install postgresql \
            (or set DATABASE_URL to a database elsewhere).
            """)
    }

    /// `postgres (PostgreSQL) 15.8 (Debian …)` → 15; also of betas (`17beta1`).
    static func major(in text: String) -> Int? {
        guard let number = text.split(separator: " ").first(where: { $0.first?.isNumber == true }) else { return nil }
        return Int(number.prefix { $0.isNumber })
    }
}

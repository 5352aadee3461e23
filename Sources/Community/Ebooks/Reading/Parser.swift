import FoundationEssentials
import Postgres
import Synchronization

extension Ebooks {
    /// Reads e-books in processes of their own: this program, started anew as `commonplace read-ebook`.
    ///
    /// Reading has a private folder, which goes with `Pages`; a picture is written into the folder that its caller names.
    /// Each process may take 1 GiB of addresses, 40 s, files of 512 MiB and 64 open files, and gets none of the server's
    /// environment. It runs as the server's user, with what that user may read and reach. In one server process at most
    /// two read and four wait, and at most two others give pictures; never on Swift's own threads.
    package struct Parser: Sendable {
        private let tools: Tools
        /// Private folders are made here.
        private let folder: String
        private let random: any RandomSource
        private let pool: WorkPool
        /// Pictures wait for no e-book.
        private let pictures = WorkPool("ebook pictures", threads: Limits.ebooks.drawings, queue: 1)
        /// Which pictures are being made.
        let drawing = Drawing()
        /// Archives that are made or given away.
        let packings = Packings()

        /// Pictures that are being made, each once, and few at a time: a caller who would have to wait is told so at once.
        final class Drawing: Sendable {
            private let names = Mutex<Set<String>>([])
            /// Those that took too much time or memory, until when they are left alone.
            private let resting = Mutex<[String: ContinuousClock.Instant]>([:])

            /// False where this one is being made, or as many as may be; else `end` must follow.
            func begin(_ name: String) -> Bool {
                names.withLock { names in
                    guard names.count < Limits.ebooks.drawings else { return false }
                    return names.insert(name).inserted
                }
            }

            func end(_ name: String) { names.withLock { _ = $0.remove(name) } }

            func rests(_ name: String) -> Bool { resting.withLock { $0[name].map { $0 > .now } == true } }

            /// Leaves it alone for `Limits.ebooks.drawingPause`.
            func rest(_ name: String) {
                resting.withLock { resting in
                    if resting.count >= 10_000 { resting = resting.filter { $0.value > .now } }
                    resting[name] = .now + Limits.ebooks.drawingPause
                }
            }
        }

        /// The programs that reading needs.
        package struct Tools: Sendable {
            /// This program.
            let program: String
            /// From util-linux.
            let prlimit: String
            /// The version of the rules by which it cuts pages.
            let splitter: Int

            /// `program`: where this program lies, and by which rules it cuts pages. `nil` where one of them is not there.
            package static func find(
                program: String, splitter: Int, in folders: [String] = ["/usr/local/bin", "/usr/bin", "/bin"]
            ) -> Tools? {
                let files = FileManager.default
                let prlimit = folders.map { $0 + "/prlimit" }.first(where: files.isExecutableFile(atPath:))
                guard let prlimit, files.isExecutableFile(atPath: program) else { return nil }
                return Tools(program: program, prlimit: prlimit, splitter: splitter)
            }
        }

        package init(tools: Tools, folder: String, random: any RandomSource) {
            (self.tools, self.folder, self.random) = (tools, folder, random)
            pool = WorkPool("ebooks", threads: Limits.ebooks.readings, queue: Limits.ebooks.readingQueue)
        }

        /// The version of the rules by which it cuts pages.
        var splitter: Int { tools.splitter }

        /// Reads the file at `path` into pages of a numbered layout.
        ///
        /// Throws `Refusal`, `Media.Refusal.noRoom`, `Failure.busy` where too many wait already, and `Unable` where the
        /// program does not work.
        func read(_ path: String, layout: Int = 1) async throws -> Pages {
            let place = folder + "/" + Media.Hash(of: random.bytes(16)).tag
            let tools = tools
            let pages = try await pool.run {
                try FileManager.default.createDirectory(
                    atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                let pages = Pages(folder: place)
                try run(tools, path, in: place, arguments: ["--output", "pages", "--layout", "\(layout)"])
                return pages
            }
            guard let pages else {
                throw Failure.busy("too many e-books are being read", retryAfter: .seconds(5))
            }
            return pages
        }

        /// Writes one picture of the e-book at `path` to the file `picture` of a folder. Throws as `read`, and
        /// `Media.Refusal.damaged` for one that the e-book does not give.
        func picture(_ number: Int, of path: String, in folder: String) async throws {
            let tools = tools
            let done: Void? = try await pictures.run {
                do {
                    try run(tools, path, in: folder, arguments: ["--picture", "\(number)", "--output", "picture"])
                } catch let unable as Unable where unable.status == Self.noPicture {
                    throw Media.Refusal.damaged("the e-book does not give it")
                } catch Refusal.file {
                    throw Media.Refusal.tooCostly
                }
            }
            guard done != nil else {
                throw Failure.busy("too many e-books are being read", retryAfter: .seconds(5))
            }
        }

        /// How `read-ebook` ends where the e-book has no such picture, or one that is too large.
        package static let noPicture: Int32 = 7

        /// What was read, in a folder that goes with it.
        final class Pages: Sendable {
            let folder: String

            init(folder: String) { self.folder = folder }

            deinit { try? FileManager.default.removeItem(atPath: folder) }

            func lines() throws -> LineFile { try LineFile(folder + "/pages") }
        }

        /// The program does not work, as far as can be told. Says its own words, which name no content.
        package struct Unable: Error, CustomStringConvertible {
            package let description: String
            /// The exit status; 0 where it said that all is well.
            var status: Int32 = 0
        }
    }
}

private func run(
    _ tools: Ebooks.Parser.Tools, _ path: String, in folder: String, arguments: [String]
) throws {
    let limits = Limits.ebooks
    let bounds = [
        "--as=\(limits.readingMemory)", "--cpu=\(limits.readingTime.components.seconds)",
        "--fsize=\(limits.readingFile)", "--nofile=64", "--core=0",
    ]
    let outcome = try Program(
        tools.prlimit, bounds + ["--", tools.program, "read-ebook", path] + arguments,
        environment: ["HOME": folder, "TMPDIR": folder, "MALLOC_ARENA_MAX": "2"], folder: folder,
        timeLimit: limits.readingTime
    ).run()
    guard outcome.status != 0 else { return }
    guard !["No space left on device", "Disk quota exceeded"].contains(where: outcome.output.contains) else {
        throw Media.Refusal.noRoom
    }
    if outcome.isTimedOut || outcome.status < 0 || outcome.output.contains("memory") {
        throw Ebooks.Refusal.file(code: .ebookTooLarge, "Reading it takes more time or memory than an e-book may.")
    }
    throw Ebooks.Parser.Unable(
        description: "reading failed with \(outcome.status): \(outcome.output.prefix(300))", status: outcome.status)
}

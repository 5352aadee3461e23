import FoundationEssentials
import Postgres

extension Photos {
    /// tesseract in processes of its own: reads the words of a photograph that this server converted before.
    ///
    /// Each run has a private folder, removed in every case. libvips makes the page ready: grey, evenly lit, of about the
    /// size that it has at 300 dots per inch, its lines level. Each program may take 1 GiB of addresses and 60 s of
    /// processor, write 64 MiB into one file and open 64; the whole run may take 60 s. One photograph is read at a time
    /// in each process of the server, and one more may wait; never on Swift's own threads.
    package struct Recognizer: Sendable {
        private let tools: Tools
        /// Private folders are made here.
        private let folder: String
        private let random: any RandomSource
        private let bounds: Bounds
        private let pool: WorkPool
        /// tesseract's names of those that it has here, in the order in which the owner of the server wants them tried.
        private let wanted: [String]

        /// What one run may take. Tests ask for less.
        struct Bounds: Sendable {
            /// Bytes of addresses.
            var memory = Limits.photos.readingMemory
            var time = Limits.photos.readingTime
        }

        /// Why nothing was read. Whatever else goes wrong is no fault of the picture.
        package enum Refusal: Error, Hashable, Sendable {
            /// It takes more time or memory than reading may, or the programs cannot do anything with it.
            case unreadable
            /// The disk.
            case noRoom
        }

        /// `languages`: tesseract's names (`eng`), for books of which no language is known.
        package init(tools: Tools, languages: [String], folder: String, random: any RandomSource) {
            self.init(tools: tools, languages: languages, folder: folder, random: random, bounds: Bounds())
        }

        init(tools: Tools, languages: [String], folder: String, random: any RandomSource, bounds: Bounds) {
            self.tools = tools
            self.folder = folder
            self.random = random
            self.bounds = bounds
            wanted = languages.filter(tools.languages.contains)
            pool = WorkPool("words", threads: 1, queue: 1)
        }

        /// The languages to read a book in that is written in `tag` (BCP 47): that one where it is installed, else those
        /// of the settings that are. Empty: it cannot be read here.
        package func languages(for tag: String?) -> [String] {
            if let name = tag.flatMap(Languages.tesseractName), tools.languages.contains(name) { return [name] }
            return wanted
        }

        /// The words of `picture`, a JPEG of ours, with how sure they are. No text: none were found.
        ///
        /// Throws `Refusal`, `Failure.busy` where one is read and one waits already, and `Unable` where the programs do
        /// not work.
        package func read(_ picture: [UInt8], in languages: [String]) async throws -> RecognizedPage {
            let run = RecognizerRun(
                tools: tools, folder: folder + "/" + Media.Hash(of: random.bytes(16)).tag, bounds: bounds)
            let work: @Sendable () throws -> RecognizedPage = { try run.read(picture, in: languages) }
            guard let page = try await pool.run(work) else {
                throw Failure.busy("photographs are being read", retryAfter: .seconds(10))
            }
            return page
        }

        /// The programs do not work, as far as can be told. Says their own words, which name no content.
        package struct Unable: Error, CustomStringConvertible {
            package let description: String
        }
    }
}

/// One reading in a folder of its own.
private struct RecognizerRun: Sendable {
    let tools: Photos.Recognizer.Tools
    let folder: String
    let bounds: Photos.Recognizer.Bounds

    func read(_ picture: [UInt8], in languages: [String]) throws -> Photos.RecognizedPage {
        let end = ContinuousClock.now.advanced(by: bounds.time)
        let files = FileManager.default
        try files.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? files.removeItem(atPath: folder) }
        let header = try Media.ImageHeader(picture)
        try DurableFile.refusingFull { try Data(picture).write(to: URL(filePath: folder + "/in.jpg")) }
        try prepare(header, until: end)
        try run(
            tools.tesseract,
            ["page.png", "page", "-l", languages.joined(separator: "+"), "--dpi", "300", "--psm", "3", "tsv"],
            ["OMP_THREAD_LIMIT": "1"], until: end)
        return Photos.RecognizedPage(tsv: String(decoding: try file("page.tsv"), as: UTF8.self))
    }

    /// Makes `page.png` of `in.jpg`.
    private func prepare(_ header: Media.ImageHeader, until end: ContinuousClock.Instant) throws {
        func vips(_ arguments: String...) throws {
            try run(
                tools.vips, arguments, ["VIPS_CONCURRENCY": "1", "MALLOC_ARENA_MAX": "2"], until: end)
        }
        let size = Self.size(of: header)
        try vips("thumbnail", "in.jpg", "sized.v", "\(size.width)", "--height", "\(size.height)", "--size", "force")
        try vips("colourspace", "sized.v", "grey.v", "b-w")
        // The paper's brightness around each place: the second brightest of 25 squares of 16 pixels, made smooth.
        try vips("shrink", "grey.v", "squares.v", "16", "16")
        try vips("rank", "squares.v", "paper.v", "5", "5", "23")
        try vips("gaussblur", "paper.v", "smooth.v", "2")
        try vips("resize", "smooth.v", "light.v", "16", "--kernel", "linear")
        try vips("divide", "grey.v", "light.v", "even.v")
        try vips("linear", "even.v", "flat.v", "255", "0", "--uchar")
        try vips("resize", "flat.v", "small.pgm", "\(min(1, 800 / Double(max(size.width, size.height))))")
        let angle = GreyImage(pgm: try file("small.pgm")).map(Photos.Skew.angle) ?? 0
        let output = "page.png[compression=1]"
        if angle == 0 {
            try vips("copy", "flat.v", output)
        } else {
            try vips("similarity", "flat.v", output, "--angle", "\(angle)", "--background", "255")
        }
    }

    /// Pixels in which a page is read best and soon: whole squares, of about 2,400 to 3,300 on the long side, which a
    /// book's page has at 300 dots per inch. Nothing is blown up to more than twice its size.
    private static func size(of header: Media.ImageHeader) -> (width: Int, height: Int) {
        let long = Double(max(header.width, header.height))
        let factor = min(2, max(2_400 / long, 1)) * min(3_300 / long, 1)
        func whole(_ side: Int) -> Int { max(5, Int((Double(side) * factor / 16).rounded())) * 16 }
        return (whole(header.width), whole(header.height))
    }

    private func file(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: folder + "/" + name)))
    }

    private func run(
        _ program: String, _ arguments: [String], _ environment: [String: String], until end: ContinuousClock.Instant
    ) throws {
        let limits = [
            "--as=\(bounds.memory)", "--cpu=\(bounds.time.components.seconds)", "--fsize=\(Limits.photos.readingFile)",
            "--nofile=64", "--core=0",
        ]
        let left = end - .now
        guard left > .zero else { throw Photos.Recognizer.Refusal.unreadable }
        let own = ["HOME": folder, "TMPDIR": folder, "XDG_CACHE_HOME": folder]
        let outcome = try Program(
            tools.prlimit, limits + ["--", program] + arguments, environment: own.merging(environment) { $1 },
            folder: folder, timeLimit: left
        ).run()
        guard outcome.status != 0 else { return }
        guard outcome.status > 0, !outcome.isTimedOut else { throw Photos.Recognizer.Refusal.unreadable }
        let words = outcome.output
        // The words of `strerror`; programs here run without a language.
        guard !["No space left on device", "Disk quota exceeded"].contains(where: words.contains) else {
            throw Photos.Recognizer.Refusal.noRoom
        }
        // Of libvips, C++, GLib, which gets no thread, and the loader of libraries.
        let starved = ["out of memory", "bad_alloc", "Resource temporarily unavailable", "failed to map segment"]
        guard !starved.contains(where: words.contains) else { throw Photos.Recognizer.Refusal.unreadable }
        let name = program.split(separator: "/").last ?? ""
        throw Photos.Recognizer.Unable(description: "\(name) failed with \(outcome.status): \(words.prefix(300))")
    }
}

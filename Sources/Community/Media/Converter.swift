import FoundationEssentials
import Glibc
import Postgres

extension Media {
    /// libvips in processes of its own: decodes what strangers send, and draws text.
    ///
    /// Each run has a private folder, removed in every case, and may take 512 MiB of addresses (for HEIC half as much
    /// again), 10 s of processor and 15 s of time, write 64 MiB into one file and open 64. Loaders that libvips marks as untrusted are blocked, and
    /// only what `ImageHeader` knows gets here at all. At most two pictures are converted at once, and a few may wait;
    /// never on Swift's own threads.
    package struct Converter: Sendable {
        private let tools: Tools
        /// Private folders are made here.
        private let folder: String
        private let random: any RandomSource
        private let bounds: Bounds
        private let pool: WorkPool

        /// What one run may take. Tests ask for less.
        struct Bounds: Sendable {
            /// Bytes of addresses.
            var memory = Limits.media.conversionMemory
            var processorSeconds = Limits.media.conversionProcessorSeconds
            /// Bytes of one file that is written.
            var file = Limits.media.conversionFile
            var time = Limits.media.conversionTime
        }

        package init(tools: Tools, folder: String, random: any RandomSource) {
            self.init(tools: tools, folder: folder, random: random, bounds: Bounds())
        }

        init(tools: Tools, folder: String, random: any RandomSource, bounds: Bounds) {
            self.tools = tools
            self.folder = folder
            self.random = random
            self.bounds = bounds
            pool = WorkPool("pictures", threads: Limits.media.conversions, queue: Limits.media.conversionQueue)
        }

        /// A file of a picture, in the fixed width that it stands for.
        package typealias File = (width: Int, bytes: [UInt8])

        /// A JPEG for each fixed width of `kind`, upright, in sRGB, without metadata; of a photograph the master, too,
        /// and the widths are of what `edit` makes of it. The largest that is shown comes last. Check the header first.
        /// `taken` hears how long a converter was busy with it, also where it is refused.
        ///
        /// Throws `Refusal.damaged`, `.tooCostly`, `.noHEIC`, `.cutTooSmall`, `.noRoom`, and `Failure.busy` where too many
        /// wait already.
        package func convert(
            _ bytes: [UInt8], as kind: Kind, edit: Edit = Edit(),
            taken: @escaping @Sendable (Duration) -> Void = { _ in }
        ) async throws -> [File] {
            try await work(taken) { run in
                let input = try DecoderInput(bytes)
                return { try run.convert(input, as: kind, edit: edit) }
            }
        }

        /// The same of a photograph whose master is there already.
        package func edit(
            _ edit: Edit, master: [UInt8], taken: @escaping @Sendable (Duration) -> Void = { _ in }
        ) async throws -> [File] {
            try await work(taken) { run in { try run.edit(edit, master: master) } }
        }

        /// A picture of an e-book's page, at most `width` wide and twice that high: a JPEG of a JPEG, PNG, WebP or HEIC; a
        /// PNG of a drawing in SVG, which sees no other file and no network. Throws as `convert`, and `.unknownType`.
        func page(_ bytes: [UInt8], isDrawing: Bool, width: Int) async throws -> (bytes: [UInt8], type: String) {
            if !isDrawing { try ImageHeader(bytes).checkSize() }
            let made = try await work({ _ in }) { run in
                let input = isDrawing ? nil : try DecoderInput(bytes)
                return {
                    if let input { return try run.page(input, width: width) }
                    return try run.drawing(bytes, width: width)
                }
            }
            guard let file = made.first else { throw Refusal.damaged("nothing came of it") }
            return (file.bytes, isDrawing ? "image/png" : "image/jpeg")
        }

        /// The barcodes in a picture: books' first, then others; each row after row from the top. None where none is
        /// read. Check the header first. Throws as `convert`, and `.off` where `Tools` name no program that reads them.
        package func barcodes(
            in bytes: [UInt8], taken: @escaping @Sendable (Duration) -> Void = { _ in }
        ) async throws -> [Barcode] {
            try await work(taken) { run in
                let input = try DecoderInput(bytes)
                return { try run.barcodes(in: input) }
            }
        }

        /// What `prepare` makes ready runs in a folder of its own, when a converter is free.
        private func work<Result: Sendable>(
            _ taken: @escaping @Sendable (Duration) -> Void,
            _ prepare: @escaping @Sendable (ConverterRun) throws -> () throws -> Result
        ) async throws -> Result {
            let work: @Sendable () throws -> Result = { [self] in
                let start = ContinuousClock.now
                defer { taken(.now - start) }
                let run = run
                let convert = try prepare(run)
                return try DurableFile.refusingFull { try run.inFolder(convert) }
            }
            guard let result = try await pool.run(work) else {
                throw Failure.busy("too many pictures are being converted", retryAfter: .seconds(3))
            }
            return result
        }

        /// Text in grey, white on black, as large as fits into `width` × `height`. On the calling thread, which must
        /// not be one of Swift's.
        func text(_ markup: String, width: Int, height: Int) throws -> GreyImage {
            let run = run
            return try run.inFolder { try run.text(markup, width: width, height: height) }
        }

        private var run: ConverterRun {
            ConverterRun(
                tools: tools, folder: folder + "/" + Hash(of: random.bytes(16)).tag, bounds: bounds,
                end: .now.advanced(by: bounds.time))
        }
    }

    /// The programs that pictures need.
    package struct Tools: Sendable {
        /// From libvips-tools.
        package let vips: String
        /// From util-linux.
        let prlimit: String
        /// This program, which reads barcodes; `nil`: none are read.
        package let program: String?

        /// `program`: where this program lies. `nil` where one of the others is not installed: then pictures are off.
        package static func find(
            program: String? = nil, in folders: [String] = ["/usr/local/bin", "/usr/bin", "/bin"]
        ) -> Tools? {
            func installed(_ name: String) -> String? {
                folders.map { $0 + "/" + name }.first(where: FileManager.default.isExecutableFile(atPath:))
            }
            guard let vips = installed("vips"), let prlimit = installed("prlimit") else { return nil }
            return Tools(vips: vips, prlimit: prlimit, program: program)
        }
    }
}

/// One conversion in a folder of its own.
private struct ConverterRun: Sendable {
    let tools: Media.Tools
    let folder: String
    let bounds: Media.Converter.Bounds
    let end: ContinuousClock.Instant

    func inFolder<Result>(_ body: () throws -> Result) throws -> Result {
        let files = FileManager.default
        try files.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? files.removeItem(atPath: folder) }
        return try body()
    }

    func convert(
        _ input: Media.DecoderInput, as kind: Media.Kind, edit: Media.Edit
    ) throws -> [Media.Converter.File] {
        try Data(input.bytes).write(to: URL(filePath: folder + "/in"))
        guard kind != .photo else {
            try decode(into: Self.master + Self.best, width: Limits.media.masterSide, kind, input)
            return try files(edit, of: try file(Self.master))
        }
        // Decoded once, at the largest width and without loss; the others are made of that.
        try decode(into: "whole.png[strip,compression=1]", width: kind.widths.max() ?? 1, kind, input)
        return try kind.widths.map { (width: $0, bytes: try shown($0, kind, of: "whole.png")) }
    }

    func page(_ input: Media.DecoderInput, width: Int) throws -> [Media.Converter.File] {
        try Data(input.bytes).write(to: URL(filePath: folder + "/in"))
        try decode(into: "whole.png[strip,compression=1]", width: width, .cover, input)
        return [(width: width, bytes: try shown(width, .cover, of: "whole.png"))]
    }

    /// The loader is named: what is no SVG is not looked at by another.
    func drawing(_ bytes: [UInt8], width: Int) throws -> [Media.Converter.File] {
        try Data(bytes).write(to: URL(filePath: folder + "/in.svg"))
        try vips(["svgload", "in.svg", "drawn.v"], isOurs: true)
        try vips(["thumbnail", "drawn.v", "out.png[strip]"] + size(width, .cover), isOurs: true)
        return [(width: width, bytes: try file("out.png"))]
    }

    /// The only step that sees a photograph or a picture that a stranger sent.
    private func decode(
        into output: String, width: Int, _ kind: Media.Kind, _ input: Media.DecoderInput
    ) throws {
        let whole = ["thumbnail", "in", output] + size(width, kind) + ["--fail-on", "error"]
        do {
            // Only what names a colour space of its own is converted from it: anything else is sRGB and would shift.
            try vips(whole + (input.hasProfile ? ["--export-profile", "srgb"] : []), isHEIC: input.isHEIC)
        } catch Media.Refusal.damaged where input.hasProfile {
            // A profile that does not fit its picture is as good as none.
            try vips(whole, isHEIC: input.isHEIC)
        }
    }

    func edit(_ edit: Media.Edit, master: [UInt8]) throws -> [Media.Converter.File] {
        try Data(master).write(to: URL(filePath: folder + "/" + Self.master))
        return try files(edit, of: master)
    }

    /// What is kept of a photograph whose master lies here.
    private func files(_ edit: Media.Edit, of master: [UInt8]) throws -> [Media.Converter.File] {
        let source = try edited(edit, master)
        let kept = (width: Media.Kind.master, bytes: master)
        let files = try Media.Kind.photo.widths.dropLast().map { width in
            (width: width, bytes: try shown(width, .photo, of: source))
        }
        guard let largest = Media.Kind.photo.widths.last, !edit.isNothing else { return files + [kept] }
        try vips(["copy", source, "largest.jpg" + Self.best], isOurs: true)
        return [kept] + files + [(width: largest, bytes: try file("largest.jpg"))]
    }

    /// The name of the file that holds what `edit` makes of the master.
    private func edited(_ edit: Media.Edit, _ master: [UInt8]) throws -> String {
        var source = Self.master
        let stored = try Media.ImageHeader(master)
        var (width, height) = (stored.width, stored.height)
        if edit.turn != .none {
            try vips(["rot", source, "turned.v", "d\(edit.turn.rawValue)"], isOurs: true)
            source = "turned.v"
            if edit.turn != .half { (width, height) = (height, width) }
        }
        guard let crop = edit.crop else { return source }
        let whole = Media.Edit.Crop.whole
        let (left, top) = (width * crop.left / whole, height * crop.top / whole)
        let right = width * (crop.left + crop.width) / whole
        let bottom = height * (crop.top + crop.height) / whole
        guard min(right - left, bottom - top) >= Limits.media.leastSide else {
            throw Media.Refusal.cutTooSmall(width: right - left, height: bottom - top)
        }
        let part = [left, top, right - left, bottom - top].map { "\($0)" }
        try vips(["extract_area", source, "cut.v"] + part, isOurs: true)
        return "cut.v"
    }

    /// The bytes of a picture that was decoded before, in a width.
    private func shown(_ width: Int, _ kind: Media.Kind, of source: String) throws -> [UInt8] {
        let output = "out.jpg[Q=82,strip,optimize_coding,background=255 255 255]"
        try vips(["thumbnail", source, output] + size(width, kind), isOurs: true)
        return try file("out.jpg")
    }

    /// libvips makes it grey, and this program reads it in a process of its own.
    func barcodes(in input: Media.DecoderInput) throws -> [Media.Barcode] {
        guard let program = tools.program else { throw Media.Refusal.off }
        try Data(input.bytes).write(to: URL(filePath: folder + "/in"))
        // A PPM has no room for transparency: what shines through is white, as paper is.
        try decode(into: "whole.ppm[background=255]", width: Limits.media.masterSide, .photo, input)
        try vips(["colourspace", "whole.ppm", "grey.pgm", "b-w"], isOurs: true)
        return try Media.Barcode.list(run([program, "read-barcodes", "grey.pgm"], memory: bounds.memory))
    }

    /// A file of this folder. Throws `.tooCostly` for one that is too large to be kept.
    private func file(_ name: String) throws -> [UInt8] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder + "/" + name)))
        guard bytes.count <= Limits.media.file else { throw Media.Refusal.tooCostly }
        return bytes
    }

    private static let master = "master.jpg"
    /// Colours at half the size: even a picture of nothing but noise then has room in a file.
    private static let best = "[Q=90,strip,optimize_coding,subsample_mode=on,background=255 255 255]"

    private func size(_ width: Int, _ kind: Media.Kind) -> [String] {
        switch kind {
        case .profile: ["\(width)", "--height", "\(width)", "--crop", "centre"]
        case .photo where width == Limits.media.masterSide: ["\(width)", "--height", "\(width)", "--size", "down"]
        case .cover, .photo: ["\(width)", "--height", "\(2 * width)", "--size", "down"]
        }
    }

    func text(_ markup: String, width: Int, height: Int) throws -> GreyImage {
        try vips([
            "text", "text.pgm", markup, "--width", "\(width)", "--height", "\(height)", "--align", "centre", "--wrap",
            "word-char", "--font", "DejaVu Serif Bold",
        ])
        guard let image = GreyImage(pgm: [UInt8](try Data(contentsOf: URL(filePath: folder + "/text.pgm")))) else {
            throw Media.Refusal.damaged("no text was drawn")
        }
        return image
    }

    /// `isOurs`: what is read was written here before, in any format of libvips. `isHEIC`: what a stranger sent is.
    private func vips(_ arguments: [String], isOurs: Bool = false, isHEIC: Bool = false) throws {
        // Beside the picture libvips holds, libheif holds one, and its decoder another.
        let memory = isHEIC ? bounds.memory + bounds.memory / 2 : bounds.memory
        let own = isOurs ? [:] : ["VIPS_BLOCK_UNTRUSTED": "1"]
        do {
            _ = try run(
                [tools.vips] + arguments, memory: memory, environment: own.merging(["VIPS_CONCURRENCY": "1"]) { $1 })
        } catch let unable as Unable {
            if isHEIC, let refusal = Self.refusal(ofHEIC: unable.description) { throw refusal }
            throw Media.Refusal.damaged("it cannot be decoded to its end")
        }
    }

    /// A program did not do its work, as far as can be told. Says its own words.
    private struct Unable: Error, CustomStringConvertible {
        let description: String
    }

    /// What a program says that is run under the bounds. Throws `Refusal.tooCostly`, `.noRoom` and `Unable`.
    private func run(
        _ command: [String], memory: Int, environment: [String: String] = [:]
    ) throws -> String {
        let limits = [
            "--as=\(memory)", "--cpu=\(bounds.processorSeconds)", "--fsize=\(bounds.file)", "--nofile=64",
            "--core=0",
        ]
        let left = end - .now
        guard left > .zero else { throw Media.Refusal.tooCostly }
        let outcome = try Program(
            tools.prlimit, limits + ["--"] + command,
            environment: environment.merging([
                "MALLOC_ARENA_MAX": "2", "HOME": folder, "TMPDIR": folder, "XDG_CACHE_HOME": folder,
            ]) { $1 }, folder: folder, timeLimit: left
        ).run()
        guard outcome.status != 0 else { return outcome.output }
        // liborc maps a file of the folder for the code that it makes, whether or not the disk has room for it.
        guard outcome.status != -SIGBUS else { throw Media.Refusal.noRoom }
        guard outcome.status > 0, !outcome.output.contains("out of memory") else { throw Media.Refusal.tooCostly }
        // The words of `strerror`; programs here run without a language.
        guard !["No space left on device", "Disk quota exceeded"].contains(where: outcome.output.contains) else {
            throw Media.Refusal.noRoom
        }
        throw Unable(description: outcome.output)
    }

    /// What libheif's words mean, where they say more than that a picture is damaged.
    private static func refusal(ofHEIC output: String) -> Media.Refusal? {
        // libvips has no loader for it, or only one that it does not trust; libheif has no decoder for HEVC.
        let absent = ["not a known file format", "operation is blocked", "Unsupported codec", "Unsupported file-type"]
        if absent.contains(where: output.contains) { return .noHEIC }
        // Both are what libheif says when it gets no memory.
        let starved = ["Memory allocation error", "Unsupported color conversion"]
        return starved.contains(where: output.contains) ? .tooCostly : nil
    }
}

import ArgumentParser
import Community
import Jobs
import Migrations
import PlainText
import Postgres

/// `commonplace doctor`: what is wrong with this installation, and what to do about it.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check settings, database, schema, roles, disk, mail, pictures, passwords, clock and catalogue.",
        discussion: """
            Prints a line for each part: ok, warn or BAD, its name, and what was found with what to do about it. Exit code 0 when nothing \
            is wrong, 1 otherwise. Warnings do not count.

            Examples:
              commonplace doctor
              commonplace doctor --json
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = try await options.settings()
        try settings.requireOwner()
        var report = Report()
        // What makes this no server for people.
        let odd = settings.warnings + settings.notes
        report.add(
            settings.streamFault != nil ? .bad : odd.isEmpty ? .good : .warning, "settings",
            odd.isEmpty ? "\(settings.lines.count) read" : odd.joined(separator: "; "))
        Self.checkPublic(settings, &report)
        Self.checkDisk(settings, &report)
        Self.checkDescriptors(settings, &report)
        Self.checkMail(settings, &report)
        Self.checkSources(settings, &report)
        report.add(await Self.pictures(settings, tools: .find(program: Runtime.program)))
        report.add(await Self.words(settings, tools: .find()))
        await Self.checkPasswords(&report)
        do {
            let findings = try await Runtime.open(options, as: "commonplace doctor") { try await Self.database($0) }
            for finding in findings { report.add(finding) }
        } catch {
            report.add(.bad, "database", App.sentence(for: error))
        }
        let findings = report.findings
        try output.print(findings, columns: ["STATE", "PART", "FOUND"]) { index in
            [findings[index].mark.rawValue, findings[index].part, findings[index].detail]
        }
        if findings.contains(where: { $0.mark == .bad }) { throw ExitCode.failure }
    }

    // MARK: Parts

    private static func checkPublic(_ settings: Settings, _ report: inout Report) {
        switch (settings.publicURL, settings.isLoopback) {
        case (nil, _) where !settings.listen.isLoopback:
            report.add(
                .bad, "address",
                "listens beyond loopback without PUBLIC_URL: requests by any other name are refused; set it")
        case (let url?, false) where url.hasPrefix("http://"):
            report.add(
                .warning, "address",
                "PUBLIC_URL is not https: tokens travel in the clear; put a proxy with TLS in front")
        default: report.add(.good, "address", settings.effectivePublicURL)
        }
    }

    private static func checkDisk(_ settings: Settings, _ report: inout Report) {
        let folder = settings.dataFolder
        do {
            let space = try DiskSpace(at: folder)
            let text = "\(space.free >> 20) MiB of \(space.size >> 20) free at \(folder)"
            report.add(space.free < 1 << 30 || space.free < space.size / 20 ? .bad : .good, "disk", text)
        } catch {
            report.add(.warning, "disk", "the free space of \(folder) cannot be read: \(error)")
        }
    }

    private static func checkDescriptors(_ settings: Settings, _ report: inout Report) {
        let (wanted, hard) = (settings.maxConnections + settings.maxSockets, Descriptors.limits.hard)
        let room = Descriptors.streams(beside: settings.databaseConnections)
        guard settings.maxSockets <= room else {
            return report.add(
                .warning, "open files",
                "\(hard) at most are too few for COMMONPLACE_MAX_SOCKETS=\(settings.maxSockets): raise the limit (ulimit -Hn, "
                    + "LimitNOFILE) or allow \(room) streams")
        }
        // At their usual number connections fit into what streams leave.
        guard settings.maxConnections <= Settings.usualConnections || wanted + settings.databaseConnections <= hard
        else {
            return report.add(
                .warning, "open files",
                "\(hard) at most are too few for \(wanted) connections and streams: raise the limit (ulimit -Hn, LimitNOFILE) or lower "
                    + "COMMONPLACE_MAX_CONNECTIONS=\(settings.maxConnections)")
        }
        report.add(.good, "open files", "\(hard) at most, for \(wanted) connections and streams")
    }

    private static func checkMail(_ settings: Settings, _ report: inout Report) {
        if let spool = settings.mailSpool {
            report.add(.good, "mail", "into files at \(spool)")
        } else if settings.smtpURL != nil {
            report.add(.good, "mail", "through a mail server, from \(settings.mailFrom)")
        } else {
            report.add(
                .warning, "mail", "no mail leaves this server: an invitation or an approval counts as verification")
        }
    }

    private static func checkSources(_ settings: Settings, _ report: inout Report) {
        let names = settings.sources.enabled.map(\.rawValue)
        report.add(
            .good, "metadata sources",
            names.isEmpty
                ? "off: a book that is missing is not looked up elsewhere; set COMMONPLACE_METADATA_SOURCES=google,openlibrary for that"
                : names.joined(separator: ", "))
    }

    /// One picture, converted as everybody's are, and looked through for barcodes.
    static func pictures(_ settings: Settings, tools: Media.Tools?) async -> Finding {
        guard let tools else {
            let advice = "install libvips-tools (vips) and util-linux (prlimit)"
            return Finding(mark: .warning, part: "pictures", detail: "off, and covers are plain plates: \(advice)")
        }
        let folder = settings.mediaFolder
        do {
            try Media.FolderStore(folder: folder, clock: SystemClock(), random: SystemRandom()).prepare()
            let converter = Media.Converter(tools: tools, folder: folder + "/scratch", random: SystemRandom())
            let start = ContinuousClock.now
            let files = try await converter.convert(Media.samplePicture, as: .profile)
            let time = (ContinuousClock.now - start).wholeMicroseconds / 1000
            if tools.program != nil { _ = try await converter.barcodes(in: Media.samplePicture) }
            return Finding(
                mark: files.isEmpty ? .bad : .good, part: "pictures",
                detail: "in \(folder); one is converted in \(time) ms")
        } catch {
            return Finding(
                mark: .bad, part: "pictures", detail: "cannot be converted or stored in \(folder): \(error)")
        }
    }

    /// One picture, read as everybody's photographs are.
    static func words(_ settings: Settings, tools: Photos.Recognizer.Tools?) async -> Finding {
        let part = "words in photographs"
        guard let tools else {
            return Finding(
                mark: .warning, part: part,
                detail: "off: install tesseract-ocr, with tesseract-ocr-deu and its like for further languages")
        }
        let known = tools.languages.sorted().joined(separator: ", ")
        let missing = settings.photoLanguages.filter { !tools.languages.contains($0) }
        guard missing.isEmpty else {
            let packages = missing.map { "tesseract-ocr-" + $0.replacing("_", with: "-").lowercased() }
            return Finding(
                mark: .warning, part: part,
                detail: "COMMONPLACE_PHOTO_LANGUAGES names what is not installed: \(missing.joined(separator: ", ")); "
                    + "install \(packages.joined(separator: ", "))")
        }
        let recognizer = Photos.Recognizer(
            tools: tools, languages: settings.photoLanguages, folder: settings.mediaFolder + "/scratch",
            random: SystemRandom())
        do {
            let start = ContinuousClock.now
            _ = try await recognizer.read(Media.samplePicture, in: settings.photoLanguages)
            let time = (ContinuousClock.now - start).wholeMicroseconds / 1000
            return Finding(mark: .good, part: part, detail: "in \(known); a picture is read in \(time) ms")
        } catch {
            return Finding(mark: .bad, part: part, detail: "cannot be read: \(error)")
        }
    }

    /// One hash, timed: too quick is too weak for the machine, too slow keeps people waiting.
    private static func checkPasswords(_ report: inout Report) async {
        let start = ContinuousClock.now
        do {
            _ = try await PasswordPool(cost: .standard).hash("the time that one takes", salt: SystemRandom().bytes(16))
            let time = ContinuousClock.now - start
            report.add(
                time > .seconds(1) ? .warning : .good, "passwords",
                "one argon2id hash takes \(time.wholeMicroseconds / 1000) ms")
        } catch {
            report.add(.bad, "passwords", "argon2 does not work: \(error)")
        }
    }

    private static func database(_ runtime: Runtime) async throws -> [Finding] {
        var findings: [Finding] = []
        let before = SystemClock().now()
        let facts = try await runtime.database.one(ServerFacts())
        let after = SystemClock().now()
        findings.append(
            Finding(
                mark: facts.version >= 150_000 ? .good : .bad, part: "database",
                detail: "Postgres \(facts.version / 10_000), "
                    + (facts.isLocal ? "on a Unix socket" : "over the network")))
        findings.append(
            Finding(
                mark: .good, part: "schema",
                detail: "\(try await runtime.database.one(SchemaNumber())) of \(Migrations.all.count) migrations"))
        findings.append(
            Finding(
                mark: facts.isSuperuser ? .warning : .good, part: "role",
                detail: facts.isSuperuser
                    ? "\(facts.role) is a superuser: serve as \(Migrator.applicationRole), which has no DDL"
                    : facts.role))
        let complaint = try await Jobs.complaint(in: runtime.database)
        findings.append(
            Finding(mark: complaint == nil ? .good : .bad, part: "jobs", detail: complaint ?? "every queue is served"))
        // The database answered at some moment between the two readings of our clock.
        let skew = max(before - facts.now, facts.now - after, .zero)
        findings.append(
            Finding(
                mark: skew > .seconds(5) ? .bad : .good, part: "clock",
                detail: "\(skew.wholeMicroseconds / 1000) ms apart from the database"))
        findings.append(try await books(runtime.database))
        return findings
    }

    /// What the catalogue does not say about its books.
    private static func books(_ database: Database) async throws -> Finding {
        let gaps = try await database.one(BookGaps())
        let detail =
            gaps.books == 0
            ? "none; load some with `commonplace demo`, or import them with `commonplace import`"
            : "\(gaps.books == BookGaps.most ? "of the first " : "")\(gaps.books), \(gaps.undescribed) without a description"
        return Finding(mark: .good, part: "books", detail: detail)
    }

    enum Mark: String, Sendable, Encodable {
        case good = "ok"
        case warning = "warn"
        case bad = "BAD"
    }

    struct Finding: Sendable, Encodable {
        let mark: Mark
        let part: String
        let detail: String

        enum CodingKeys: String, CodingKey {
            case mark = "state"
            case part, detail
        }
    }

    private struct Report {
        private(set) var findings: [Finding] = []

        mutating func add(_ mark: Mark, _ part: String, _ detail: String) {
            // One line each, whatever words libpq has.
            let words = detail.split(whereSeparator: \.isNewline).map { $0.trimmed() }
            findings.append(Finding(mark: mark, part: part, detail: words.joined(separator: " ")))
        }

        mutating func add(_ finding: Finding) { add(finding.mark, finding.part, finding.detail) }
    }
}

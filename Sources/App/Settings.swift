import Community
import EventLog
import FoundationEssentials
import Glibc
import Logging
import PlainText
import Web

/// Everything that the owner of a server may choose, read once at the start. The only reader of the environment.
///
/// Order: flags, environment (`COMMONPLACE_*`, `DATABASE_URL`, `PUBLIC_URL`), the file given with `--config` (lines of `NAME=value`).
/// A secret may stand in a file of its own, named by the same setting with `_FILE` behind it. A value that is wrong ends the
/// program with code 78 and the setting's name; a `COMMONPLACE_*` that does not exist is warned of.
struct Settings: Sendable {
    /// Where to listen.
    let listen: ListenAddress
    /// How people reach this server; `nil` while unset.
    let publicURL: String?
    /// An outside database; `nil`: the program runs its own under `dataFolder`.
    let databaseURL: String?
    /// A superuser's or `commonplace_owner`'s address of the same database, for `migrate`; `databaseURL` where unset.
    let ownerDatabaseURL: String?
    let dataFolder: String
    /// Where the files of pictures lie.
    let mediaFolder: String
    let registration: CommunitySettings.Registration
    let access: CommunitySettings.Access
    /// False only on loopback.
    let limitsRates: Bool
    let hasPages: Bool
    let newAccountHours: Int
    let mailSpool: String?
    let smtpURL: String?
    let mailFrom: String
    /// Base64 or hexadecimal text of at least 32 bytes; `nil`: generated in the data folder.
    let secretKey: [UInt8]?
    let logLevel: Logger.Level
    let logFormat: LogFormat
    let trustedProxies: [String]
    /// Empty: every one.
    let corsOrigins: [String]
    let allowsUnsafeDatabase: Bool
    let name: String
    let rules: [String]
    let contact: String?
    /// Connections that transactions hold; single statements share a few more.
    let databaseConnections: Int
    static let usualConnections = 4_096
    let maxConnections: Int
    let maxConnectionsPerAddress: Int
    let maxSockets: Int
    let shutdownGrace: Duration
    /// How long `/readyz` says that the server ends before it does.
    let drainDelay: Duration
    /// How long the event log keeps what happened.
    let keeping: EventLog.Keeping
    /// What the stream does wrong, so that tests of it can show that they see it; only on loopback.
    let streamFault: EventStream.Fault.Kind?
    /// Jobs of a queue that each process does at a time, where it is not the number that the program comes with.
    let jobLimits: [String: Int]
    /// Other catalogues that are asked for books.
    let sources: Sources.Settings
    /// What photographs are read in where the book's own language cannot be: tesseract's names.
    let photoLanguages: [String]

    /// Each setting as `commonplace config` shows it.
    let lines: [SettingLine]
    /// Sentences about settings that do nothing.
    let warnings: [String]

    enum LogFormat: String, CaseIterable {
        /// Human on a terminal, JSON lines otherwise.
        case auto
        case human, json
    }

    /// A machine of one's own: the address listened on and the host of `PUBLIC_URL` are both loopback.
    var isLoopback: Bool {
        listen.isLoopback && (publicURL.map { HostRule.isLoopback(host: HostRule.host(ofURL: $0) ?? "") } ?? true)
    }

    /// Where mail and `Location` headers point while `PUBLIC_URL` is unset.
    var effectivePublicURL: String { publicURL ?? "http://\(listen.text)" }
}

extension Settings {
    /// Reads flags (by environment name), environment and file. Throws `SettingError` with every fault.
    static func load(
        flags: [String: String] = [:], environment: [String: String] = ProcessInfo.processInfo.environment,
        file: String? = nil
    ) async throws -> Settings {
        var fromFile: [String: String] = [:]
        if let file {
            guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
                throw SettingError(faults: [("--config", "names a file that cannot be read: \(file)")])
            }
            fromFile = SettingReader.parse(file: text)
        }
        return try Settings(SettingReader(flags: flags, environment: environment, file: fromFile))
    }

    private init(_ source: SettingReader) throws {
        var reader = source
        let listen = reader.value(
            "COMMONPLACE_LISTEN", default: ListenAddress(host: "127.0.0.1", port: 8080), shown: \.text,
            "Where to listen: host:port, IPv6 in brackets.", "must be host:port with a port of 0 to 65535",
            ListenAddress.init(text:))
        let publicURL = reader.optional(
            "PUBLIC_URL",
            "How people reach this server, such as https://books.example.org. Mails name it.",
            "must be http:// or https:// with a host and no query", HostRule.normalised(url:))
        let loopback =
            listen.isLoopback && (publicURL.map { HostRule.isLoopback(host: HostRule.host(ofURL: $0) ?? "") } ?? true)
        self.listen = listen
        self.publicURL = publicURL
        databaseURL = reader.secret(
            "DATABASE_URL",
            "Address of the database, as libpq reads it. Unset: one of the program's own, in the data folder.")
        ownerDatabaseURL = reader.secret(
            "COMMONPLACE_OWNER_DATABASE_URL", "The same database as the role that migrates. Unset: DATABASE_URL.")
        dataFolder = reader.text(
            "COMMONPLACE_DATA_DIR", default: Self.defaultDataFolder, bytes: 1...1000,
            "Folder of the program's own Postgres and of the secret key.")
        mediaFolder = reader.text(
            "COMMONPLACE_MEDIA_DIR", default: dataFolder + "/media", bytes: 1...1000,
            "Folder of pictures' files. `backup` does not hold them: copy it too.")
        registration = reader.choice(
            "COMMONPLACE_REGISTRATION", default: loopback ? .open : .invite,
            "Who may sign up. Default: open on loopback, invite otherwise.")
        access = reader.choice(
            "COMMONPLACE_ACCESS", default: .open, "Who may read what is public: everyone, or members.")
        limitsRates =
            reader.choice("COMMONPLACE_RATE_LIMITS", default: Switch.on, "Off on loopback only, for benches and tests.")
            == .on
        let pages = reader.choice(
            "COMMONPLACE_PAGES", default: Switch.on,
            "The community in a browser, at `/`. Left out where PUBLIC_URL has a path, too.")
        hasPages = pages == .on && (publicURL.map { $0.split(separator: "/").count <= 2 } ?? true)
        newAccountHours = reader.integer(
            "COMMONPLACE_NEW_ACCOUNT_HOURS", default: 24, in: 0...720,
            "Hours in which an account counts as new. Other than 24 on loopback only.")
        mailSpool = reader.optional(
            "COMMONPLACE_MAIL_SPOOL", "Folder that takes each mail as a file instead of sending it.", "must be a path"
        ) { $0.isEmpty ? nil : $0 }
        smtpURL = reader.secret(
            "COMMONPLACE_SMTP_URL", "Mail server: smtp:// or smtps://user:password@host:port. Unset: no mail is sent.")
        mailFrom = reader.text(
            "COMMONPLACE_MAIL_FROM",
            default: "commonplace@" + (publicURL.flatMap(HostRule.host(ofURL:)) ?? "localhost"), bytes: 3...254,
            "Sender of mails.")
        secretKey = reader.secretBytes(
            "COMMONPLACE_SECRET_KEY", atLeast: SecretKey.length,
            "At least 32 random bytes in base64 or hexadecimal; seals cursors and stored replies. Unset: made in the data folder."
        )
        logLevel = reader.choice(
            "COMMONPLACE_LOG_LEVEL", default: Logger.Level.info, "Least important messages that are written.")
        logFormat = reader.choice(
            "COMMONPLACE_LOG_FORMAT", default: .auto, "auto: human on a terminal, JSON lines otherwise.")
        trustedProxies = reader.list(
            "COMMONPLACE_TRUSTED_PROXIES",
            "Addresses or address/bits whose X-Forwarded-For is believed, separated by commas.",
            "must be IP addresses or address/bits", AddressRange.isValid)
        corsOrigins = reader.list(
            "COMMONPLACE_CORS_ORIGINS",
            "Origins whose pages may call the API from a browser, with a token, separated by commas. Unset: every one. Probes: none.",
            "must be origins such as https://app.example.org", HostRule.isOrigin)
        allowsUnsafeDatabase =
            reader.choice(
                "COMMONPLACE_UNSAFE_DATABASE", default: Bit.no,
                "1: accept a database that may lose writes. Test clusters only.") == .yes
        name = reader.text("COMMONPLACE_NAME", default: "Commonplace", bytes: 1...100, "Name of the community.")
        rules = reader.list(
            "COMMONPLACE_RULES", separator: "|", "Rules of the community, separated by |.",
            "at most 100 of 1 to 500 bytes"
        ) {
            (1...500).contains($0.utf8.count)
        }
        contact = reader.optional("COMMONPLACE_CONTACT", "Address or page for questions.", "must have 1 to 200 bytes") {
            (1...200).contains($0.utf8.count) ? $0 : nil
        }
        databaseConnections = reader.integer(
            "COMMONPLACE_DATABASE_CONNECTIONS", default: 12, in: 2...256,
            "Connections for transactions; one more than there are processors, 3 to 16, are shared beside them.")
        maxConnections = reader.integer(
            "COMMONPLACE_MAX_CONNECTIONS", default: Self.usualConnections, in: 16...65_536, "Open client connections.")
        maxConnectionsPerAddress = reader.integer(
            "COMMONPLACE_MAX_CONNECTIONS_PER_ADDRESS", default: 100, in: 1...65_536,
            "Open connections of one address; on loopback and behind trusted proxies it does not count.")
        maxSockets = reader.integer(
            "COMMONPLACE_MAX_SOCKETS", default: min(12_000, Descriptors.streams(beside: databaseConnections)),
            in: 16...65_536, "Open streams, which do not count as connections; each is an open file.")
        shutdownGrace = .seconds(
            reader.integer(
                "COMMONPLACE_SHUTDOWN_SECONDS", default: 25, in: 0...300,
                "Seconds that requests may take to end after SIGTERM."))
        drainDelay = .seconds(
            reader.integer(
                "COMMONPLACE_DRAIN_SECONDS", default: 0, in: 0...10,
                "The first of these seconds, in which /readyz says 503 and all is answered: balancers turn away."))
        keeping = EventLog.Keeping(
            days: reader.integer(
                "COMMONPLACE_EVENT_DAYS", default: EventLog.Keeping.standard.days, in: 1...365,
                "Days after which the event log drops an event. An app that was away for longer reads everything anew."),
            events: reader.integer(
                "COMMONPLACE_EVENTS", default: EventLog.Keeping.standard.events, in: 1_000_000...1_000_000_000,
                "Newest events that the log keeps, however young the others are; up to a twentieth more stay."))
        streamFault = reader.optional(
            "COMMONPLACE_STREAM_FAULT",
            "Spoils one event in 1,000 on the stream: drop, repeat or swap. On loopback only.",
            "must be drop, repeat or swap", EventStream.Fault.Kind.init(rawValue:))
        jobLimits = reader.value(
            "COMMONPLACE_JOB_LIMITS", default: [:], shown: { _ in "" },
            "Jobs of a queue that each process does at a time, such as default=8,mail=2. `commonplace jobs stats` names the queues.",
            "must be like default=8,mail=2, each number 1 to 64", Self.jobLimits)
        sources = Self.sources(&reader, isLoopback: loopback)
        photoLanguages = reader.value(
            "COMMONPLACE_PHOTO_LANGUAGES", default: ["eng"], shown: { $0.joined(separator: ",") },
            "Languages that photographs of books are read in where the book's own is unknown or not installed: tesseract's names, such as eng,deu.",
            "must be 1 to 5 of tesseract's names of languages, such as eng,deu", Self.photoLanguages)
        if !limitsRates, !loopback { reader.fault("COMMONPLACE_RATE_LIMITS", "off is allowed on loopback only") }
        if newAccountHours != 24, !loopback {
            reader.fault("COMMONPLACE_NEW_ACCOUNT_HOURS", "anything but 24 is allowed on loopback only")
        }
        if streamFault != nil, !loopback { reader.fault("COMMONPLACE_STREAM_FAULT", "is allowed on loopback only") }
        if mailSpool != nil, smtpURL != nil {
            reader.fault("COMMONPLACE_MAIL_SPOOL", "cannot be given together with COMMONPLACE_SMTP_URL")
        }
        try reader.check()
        lines = reader.lines
        warnings = reader.warnings
    }

    private static func jobLimits(_ text: String) -> [String: Int]? {
        var limits: [String: Int] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=").map { $0.trimmed() }
            guard sides.count == 2, let limit = Int(sides[1]), (1...64).contains(limit), limits[sides[0]] == nil else {
                return nil
            }
            limits[sides[0]] = limit
        }
        return limits
    }

    private static func photoLanguages(_ text: String) -> [String]? {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map {
            $0.trimmed()
        }
        let isSound = (1...5).contains(names.count) && names.allSatisfy(Photos.Recognizer.Tools.isName)
        return isSound && Set(names).count == names.count ? names : nil
    }

    private static func sources(_ reader: inout SettingReader, isLoopback: Bool) -> Sources.Settings {
        let enabled = reader.value(
            "COMMONPLACE_METADATA_SOURCES", default: [], shown: { _ in "off" },
            "Other catalogues that are asked for books that are missing: off, or google and openlibrary separated by commas.",
            "must be off, google, openlibrary or both separated by a comma"
        ) { text -> [Sources.Name]? in
            if text == "off" { return [] }
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map {
                Sources.Name(rawValue: $0.trimmed())
            }
            guard !names.contains(nil), Set(names).count == names.count else { return nil }
            return names.compactMap(\.self)
        }
        let key = reader.secret(
            "COMMONPLACE_GOOGLE_BOOKS_KEY",
            "API key for Google Books. Unset: asked anonymously, which is often refused.")
        var bases: [Sources.Name: Sources.Host] = [:]
        for (name, setting) in [
            (Sources.Name.google, "COMMONPLACE_GOOGLE_BOOKS_URL"), (.openlibrary, "COMMONPLACE_OPENLIBRARY_URL"),
        ] {
            bases[name] = reader.optional(
                setting,
                "Asked instead of \(name.rawValue), such as http://127.0.0.1:8081: for tests, on loopback only.",
                "must be http:// or https:// and a loopback address, without a path", Sources.Host.init(loopback:))
            if bases[name] != nil, !isLoopback { reader.fault(setting, "is allowed on loopback only") }
        }
        return Sources.Settings(enabled: enabled, googleKey: key, bases: bases)
    }

    /// `/var/lib/commonplace` for root, else as the XDG base directory specification says.
    private static var defaultDataFolder: String {
        if getuid() == 0 { return "/var/lib/commonplace" }
        let environment = ProcessInfo.processInfo.environment
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/commonplace" }
        return (environment["HOME"] ?? ".") + "/.local/share/commonplace"
    }

    private enum Switch: String, CaseIterable { case on, off }
    private enum Bit: String, CaseIterable {
        case no = "0"
        case yes = "1"
    }
}

/// Where a server listens.
struct ListenAddress: Sendable, Hashable {
    let host: String
    /// 0: any free one.
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:8080`, `[::1]:8080`, `books.example.org:80`.
    init?(text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: port)
    }

    var text: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
    var isLoopback: Bool { HostRule.isLoopback(host: host) }
}

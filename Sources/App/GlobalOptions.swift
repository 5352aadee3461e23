import ArgumentParser

/// Flags that every command takes; each stands before the environment and the file.
struct GlobalOptions: ParsableArguments {
    @Option(name: .customLong("config"), help: "File with lines of NAME=value, read after flags and environment.")
    var configFile: String?

    @Option(help: "Where to listen: host:port (COMMONPLACE_LISTEN).")
    var listen: String?

    @Option(help: "How people reach this server (PUBLIC_URL).")
    var publicURL: String?

    @Option(help: "Folder of the program's own Postgres (COMMONPLACE_DATA_DIR).")
    var dataDir: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical (COMMONPLACE_LOG_LEVEL).")
    var logLevel: String?

    /// The flags that were given, by the name of their setting.
    private var flags: [String: String] {
        [
            "COMMONPLACE_LISTEN": listen, "PUBLIC_URL": publicURL, "COMMONPLACE_DATA_DIR": dataDir,
            "COMMONPLACE_LOG_LEVEL": logLevel,
        ].compactMapValues(\.self)
    }

    /// Everything the owner chose. Throws `SettingError`.
    func settings() async throws -> Settings {
        try await Settings.load(flags: flags, file: configFile)
    }
}

import ArgumentParser
import FoundationEssentials
import Postgres

/// `commonplace backup FILE`: everything in the database, while it serves.
struct BackUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write the whole database into a new file, while the server runs.",
        discussion: """
            The file is one of pg_dump's custom format, as of one instant, readable by you alone. It appears when it is whole and on
            disk. Keep the secret key (COMMONPLACE_SECRET_KEY or the file in the data folder) beside it: it is not in the database. Nor are
            the files of pictures: copy the media folder (COMMONPLACE_MEDIA_DIR) afterwards, so that it has every file that the backup names.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "A file that does not exist yet.", completion: .file())
    var file: String

    func run() async throws {
        let settings = try await options.settings()
        let logs = LogSink(settings)
        defer { logs.flush() }
        let logger = logs.logger("commonplace backup")
        let bytes = try await DatabaseSource.with(settings, logger: logger, makes: false) { source in
            let backup = try Backup(conninfo: source.owner, programs: source.cluster?.programs)
            return try await Progress().watching("written") {
                Backup.written(to: file).map(Progress.megabytes)
            } while: {
                // Of another epoch when it is restored: see `restore`.
                try await backup.write(to: file, leavingOut: ["public.server"])
            }
        }
        print("\(file): \(bytes) bytes")
        if FileManager.default.fileExists(atPath: settings.mediaFolder) {
            print("The files of pictures are not in it. Copy this folder too: \(settings.mediaFolder)")
        }
    }
}

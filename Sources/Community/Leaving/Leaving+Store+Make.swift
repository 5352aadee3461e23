import FoundationEssentials
import Postgres

extension Leaving.Store {
    /// Writes the archive of `account`. Without effect where nobody waits for it any more. Throws what the database
    /// and the picture store throw; then nothing of this run counts.
    func make(_ export: ID<Leaving.Export>, of account: ID<Accounts.Account>) async throws {
        let database = house.database
        let tables = Community.personalTables.filter { $0.unexported == nil }
        let pictures = try await database.all(Leaving.Statements.Pictures(account: account))
        let total = tables.count + pictures.count
        guard let attempt = try await database.first(Leaving.Statements.Begin(export: export, total: total)) else {
            return
        }
        let shelf = ArchiveShelf(database: database, export: export, attempt: attempt)
        let archive = try Archive(at: house.clock.now()) { try await shelf.put($0) }
        var contents: [Contents.Table] = []
        for (done, table) in tables.enumerated() {
            contents.append(try await write(table, of: account, into: archive))
            try await database.run(
                Leaving.Statements.Progress(export: export, attempt: attempt, done: done + 1))
        }
        var files: [String] = []
        for (done, picture) in pictures.enumerated() {
            if let bytes = try await media.facilities.store.read(picture.variant.hash) {
                try await archive.add(picture.name, bytes)
                files.append(picture.name)
            }
            try await database.run(
                Leaving.Statements.Progress(export: export, attempt: attempt, done: tables.count + done + 1))
        }
        let now = house.clock.now()
        let cover = Contents(
            server: house.settings.publicURL, account: account.text, madeAt: now.text, tables: contents, files: files)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        try await archive.add("export.json", [UInt8](try encoder.encode(cover)))
        try await archive.finish()
        let size = shelf.size
        try await database.transaction { transaction in
            let finished = try await transaction.run(
                Leaving.Statements.Finish(
                    export: export, attempt: attempt, size: size, now: now, expiresAt: Self.end(now)))
            if finished == 1 {
                try await transaction.run(Leaving.Statements.DropParts(export: export, attempt: attempt))
            }
        }
    }

    /// No further run will be made.
    func giveUp(_ export: ID<Leaving.Export>) async throws {
        try await house.database.run(Leaving.Statements.GiveUp(export: export, now: house.clock.now()))
    }

    /// The rows of one table, in files of about 4 MiB.
    private func write<Table: Leaving.PersonalTable>(
        _: Table.Type, of account: ID<Accounts.Account>, into archive: Archive
    ) async throws -> Contents.Table {
        var contents = Contents.Table(name: Table.name, rows: 0, files: [])
        var text: [UInt8] = []
        var after = (Int64.min, Int64.min)
        var isOver = false
        while !isOver {
            let rows = try await house.database.all(
                Leaving.Rows<Table>(account: account, after: after, limit: Self.page))
            isOver = rows.count < Self.page
            for row in rows {
                text += text.isEmpty ? Array("[\n".utf8) : Array(",\n".utf8)
                text += row.json
                after = row.key
            }
            contents.rows += rows.count
            guard isOver || text.count >= Limits.Leaving.exportedFile else { continue }
            // A reader without rows gets the file all the same: what is not there was looked for.
            if text.isEmpty {
                guard contents.files.isEmpty else { break }
                text = Array("[".utf8)
            }
            text += Array("\n]\n".utf8)
            let number = contents.files.isEmpty ? "" : "-\(contents.files.count + 1)"
            contents.files.append("data/\(Table.name)\(number).json")
            try await archive.add("data/\(Table.name)\(number).json", text)
            text = []
        }
        return contents
    }

    /// Rows that are read at a time: a review has 20 kB at most.
    private static let page = 200

    /// `export.json`.
    private struct Contents: Encodable {
        struct Table: Encodable {
            let name: String
            var rows: Int
            var files: [String]
        }

        let server: String
        let account: String
        let madeAt: String
        let tables: [Table]
        let files: [String]
    }
}

/// Where the pieces of an archive go: rows of at most 1 MiB.
private final class ArchiveShelf {
    private let database: Database
    private let export: ID<Leaving.Export>
    private let attempt: Int
    private var places = 0
    private(set) var size = 0

    init(database: Database, export: ID<Leaving.Export>, attempt: Int) {
        self.database = database
        self.export = export
        self.attempt = attempt
    }

    func put(_ bytes: [UInt8]) async throws {
        try await database.run(
            Leaving.Statements.InsertPart(export: export, attempt: attempt, place: places, bytes: Bytes(bytes)))
        places += 1
        size += bytes.count
    }
}

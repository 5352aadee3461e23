import FoundationEssentials
import Postgres

extension Leaving.Store {
    /// Writes the archive of `account`. Without effect where nobody waits for it any more. Throws what the database
    /// and the picture store throw; then nothing of this run counts.
    func make(_ export: ID<Leaving.Export>, of account: ID<Accounts.Account>) async throws {
        try await media.inScratch { folder in
            try await services.database.session { reader in
                let gathered = try await Deadline.within(Limits.leaving.readingTime) {
                    try await reader.reading(patience: Limits.leaving.readingPatience) {
                        try await gather(export, of: account, from: reader, in: folder)
                    }
                }
                guard let (draft, pictures) = gathered else { return }
                for picture in pictures {
                    try await draft.add(picture, from: media.facilities.store)
                }
                try await finish(draft, of: account)
            }
        }
    }

    /// No further run will be made.
    func giveUp(_ export: ID<Leaving.Export>) async throws {
        try await services.database.transaction { transaction in
            let giveUp = Leaving.Statements.GiveUp(export: export, now: services.clock.now())
            guard let operation = try await transaction.first(giveUp) ?? nil else { return }
            try await Operations.end(operation, isDone: false, services, in: transaction)
        }
    }

    /// The tables of a reader, written, and the pictures that are still to be; `nil` where nobody waits for them.
    private func gather(
        _ export: ID<Leaving.Export>, of account: ID<Accounts.Account>, from reader: HeldConnection, in folder: String
    ) async throws -> (Draft, [Leaving.PictureFile])? {
        let pictures = try await reader.all(Leaving.Statements.Pictures(account: account))
        let total = Leaving.Rows.tables.count + pictures.count
        let begin = Leaving.Statements.Begin(export: export, total: total)
        guard let run = try await services.database.first(begin) else { return nil }
        let shelf = ArchiveShelf(
            services: services, export: export, attempt: run.attempt, operation: run.operation, parts: total)
        let draft = try Draft(on: shelf, in: folder, at: services.clock.now())
        for (place, table) in Leaving.Rows.tables.enumerated() {
            try await draft.add(Leaving.Rows(account: account, choice: place), as: table.name, from: reader)
        }
        return (draft, pictures)
    }

    /// Writes what is in the archive, ends it, and has it count, unless another run has begun meanwhile.
    private func finish(_ draft: Draft, of account: ID<Accounts.Account>) async throws {
        let now = services.clock.now()
        let cover = Contents(
            server: services.settings.publicURL, account: account.text, madeAt: now.text, tables: draft.tables,
            files: draft.files)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        try await draft.archive.add("export.json", [UInt8](try encoder.encode(cover)))
        try await draft.archive.finish().give { try await draft.shelf.put($0) }
        let (export, attempt, size) = (draft.shelf.export, draft.shelf.attempt, draft.shelf.size)
        let operation = draft.shelf.operation
        if let operation { try await Operations.settle(operation, services) }
        try await services.database.transaction { transaction in
            let finished = try await transaction.run(
                Leaving.Statements.Finish(
                    export: export, attempt: attempt, size: size, now: now, expiresAt: Self.end(now)))
            if finished == 1 {
                try await transaction.run(Leaving.Statements.DropParts(export: export, attempt: attempt))
                if let operation { try await Operations.end(operation, isDone: true, services, in: transaction) }
            }
        }
    }
}

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

/// An archive that is being written. Not to be shared: one part after the other.
private final class Draft {
    let shelf: ArchiveShelf
    let archive: Media.Archive
    private(set) var tables: [Contents.Table] = []
    private(set) var files: [String] = []
    private var done = 0

    init(on shelf: ArchiveShelf, in folder: String, at time: Timestamp) throws {
        self.shelf = shelf
        archive = try Media.Archive(in: folder, at: time)
    }

    /// Adds the rows of one table, in files of about 4 MiB.
    func add(_ rows: Leaving.Rows, as name: String, from reader: HeldConnection) async throws {
        var contents = Contents.Table(name: name, rows: 0, files: [])
        var text: [UInt8] = []
        try await reader.portions(of: rows) { rows in
            for row in rows {
                text += text.isEmpty ? Array("[\n".utf8) : Array(",\n".utf8)
                text += row
                guard text.count >= Limits.leaving.exportedFile else { continue }
                try await add(&text, to: &contents)
            }
            contents.rows += rows.count
        }
        // A reader without rows gets the file all the same: what is not there was looked for.
        if contents.files.isEmpty, text.isEmpty { text = Array("[".utf8) }
        if !text.isEmpty { try await add(&text, to: &contents) }
        tables.append(contents)
        try await noteProgress()
    }

    /// Adds a file of these rows, and begins the next one.
    private func add(_ rows: inout [UInt8], to contents: inout Contents.Table) async throws {
        let number = contents.files.isEmpty ? "" : "-\(contents.files.count + 1)"
        let name = "data/\(contents.name)\(number).json"
        rows += Array("\n]\n".utf8)
        try await archive.add(name, rows)
        contents.files.append(name)
        rows = []
    }

    /// Adds a picture's file, unless it is gone.
    func add(_ picture: Leaving.PictureFile, from store: any MediaStore) async throws {
        if let bytes = try await store.read(picture.variant.hash) {
            try await archive.add(picture.name, bytes)
            files.append(picture.name)
        }
        try await noteProgress()
    }

    private func noteProgress() async throws {
        done += 1
        try await shelf.services.database.run(
            Leaving.Statements.Progress(export: shelf.export, attempt: shelf.attempt, done: done))
        if let operation = shelf.operation {
            try await Operations.advance(operation, done: done, of: shelf.parts, shelf.services)
        }
    }
}

/// Where the pieces of an archive go: rows of at most 1 MiB.
private final class ArchiveShelf {
    let services: Services
    let export: ID<Leaving.Export>
    let attempt: Int
    /// Tells how far it is, of so many parts.
    let operation: ID<Operations.Operation>?
    let parts: Int
    private var places = 0
    private(set) var size = 0

    init(services: Services, export: ID<Leaving.Export>, attempt: Int, operation: ID<Operations.Operation>?, parts: Int)
    {
        self.services = services
        self.export = export
        self.attempt = attempt
        self.operation = operation
        self.parts = parts
    }

    func put(_ bytes: [UInt8]) async throws {
        try await services.database.run(
            Leaving.Statements.InsertPart(export: export, attempt: attempt, place: places, bytes: Bytes(bytes)))
        places += 1
        size += bytes.count
    }
}

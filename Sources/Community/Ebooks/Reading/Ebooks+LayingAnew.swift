import Jobs
import Logging
import Postgres

extension Ebooks {
    /// Hourly: lays those e-books out anew whose pages were cut by former rules, see `Store.layAnew()`.
    package struct LayAnew: Job {
        package static let kind = "ebooks.lay_anew"
        package static let timeout = Duration.seconds(3_600)
        package var uniqueKey: String? { "all" }
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.handle(LayAnew.self) { _, _ in try await community.ebooks.layAnew() }
        worker.schedule("ebooks.lay_anew", every: .seconds(3_600)) { LayAnew() }
    }

    /// A file whose pages were cut by former rules.
    struct Outdated: Sendable {
        let file: ID<File>
        let hash: Media.Hash
        let layout: Int
    }
}

extension Ebooks.Store {
    /// Lays out anew what was cut into pages by former rules, one file after the other, each in a transaction of its own.
    /// What the rules of today refuse stays as it is.
    package func layAnew() async throws {
        guard let parser else { return }
        var last = ID<Ebooks.File>.min
        while let outdated = try await services.database.first(
            Ebooks.Statements.NextOutdated(after: last, splitter: parser.splitter))
        {
            last = outdated.file
            do {
                try await layAnew(outdated, by: parser)
            } catch let error where !Task.isCancelled && (error as? PostgresError)?.isUnavailable != true {
                services.logger.error(
                    "an e-book cannot be laid out anew", metadata: ["file": "\(outdated.file)", "error": "\(error)"])
                guard case Ebooks.Refusal.file = error else { continue }
                try await services.database.run(
                    Ebooks.Statements.Settle(file: outdated.file, splitter: parser.splitter))
            }
        }
    }

    private func layAnew(_ outdated: Ebooks.Outdated, by parser: Ebooks.Parser) async throws {
        let pages = try await media.inScratch { place in
            guard try await media.facilities.store.lend(outdated.hash, at: place + "/book") else {
                throw Ebooks.Refusal.fileMissing
            }
            return try await parser.read(place + "/book", layout: outdated.layout + 1)
        }
        let lines = try pages.lines()
        let facts = try await Self.facts(of: lines)
        try await services.database.transaction { transaction in
            let renewed = try await transaction.run(
                Ebooks.Statements.Renew(
                    outdated: outdated, facts: facts, contents: try JSON(encoding: facts.contents)))
            // Another process was quicker, or the file is gone.
            guard renewed == 1 else { return }
            try await transaction.run(Ebooks.Statements.KeepFormer(file: outdated.file, layout: outdated.layout))
            try await transaction.run(Ebooks.Statements.ClearPages(file: outdated.file))
            try await transaction.run(Ebooks.Statements.ClearWords(file: outdated.file))
            try await transaction.run(Ebooks.Statements.ClearChapters(file: outdated.file))
            try await transaction.run(Ebooks.Statements.ClearPictures(file: outdated.file))
            try await transaction.run(
                Ebooks.Statements.InsertPictures(file: outdated.file, pictures: facts.pictures))
            try await write(facts, lines, of: outdated.file, in: transaction)
        }
    }

    /// The first line. Throws `Refusal` for one that says why the file is not taken.
    static func facts(of lines: Ebooks.LineFile) async throws -> Ebooks.Facts {
        switch try await lines.next(1).first {
        case .facts(let facts): return facts
        case .refused(let code, let sentence): throw Ebooks.Refusal.file(code: code, sentence)
        case .page, nil: throw Ebooks.Parser.Unable(description: "what was read has no beginning")
        }
    }
}

extension Ebooks.Statements {
    /// The next file that was cut by former rules.
    struct NextOutdated: Statement {
        static let sql: SQL<Self> = """
            select id, hash, layout
              from ebook_file
             where id > \(\.after)
               and splitter < \(\.splitter, as: Int32.self)
             order by id
             limit 1
            """
        let after: ID<Ebooks.File>, splitter: Int

        static func decode(_ columns: inout Columns) throws -> Ebooks.Outdated {
            Ebooks.Outdated(file: try columns("id"), hash: try columns("hash"), layout: try columns("layout"))
        }
    }

    /// What is said of a file in its next layout. No row where it has that already.
    struct Renew: Statement {
        static let sql: SQL<Self> = """
            update ebook_file
               set layout = layout + 1,
                   pages = \(\.facts.pages, as: Int32.self),
                   length = \(\.facts.length, as: Int32.self),
                   contents = \(\.contents),
                   cover = \(\.facts.cover, as: Int32.self),
                   drawn = 0,
                   splitter = \(\.facts.splitter, as: Int32.self)
             where id = \(\.outdated.file)
               and layout = \(\.outdated.layout, as: Int32.self)
            """
        let outdated: Ebooks.Outdated, facts: Ebooks.Facts, contents: JSON
    }

    /// Leaves a file in the layout that it has: the rules of today refuse it.
    struct Settle: Statement {
        static let sql: SQL<Self> =
            "update ebook_file set splitter = \(\.splitter, as: Int32.self) where id = \(\.file)"
        let file: ID<Ebooks.File>, splitter: Int
    }

    /// Where the pages began that are about to go.
    struct KeepFormer: Statement {
        static let sql: SQL<Self> = """
            insert into ebook_former_page (file_id, layout, number, chapter, start)
            select file_id, \(\.layout, as: Int32.self), number, chapter, start from ebook_page where file_id = \(\.file)
            """
        let file: ID<Ebooks.File>, layout: Int
    }

    struct ClearPages: Statement {
        static let sql: SQL<Self> = "delete from ebook_page where file_id = \(\.file)"
        let file: ID<Ebooks.File>
    }

    struct ClearWords: Statement {
        static let sql: SQL<Self> = "delete from ebook_words where file_id = \(\.file)"
        let file: ID<Ebooks.File>
    }

    /// Numbers of pictures may be others; what was made of them goes with the sweep.
    struct ClearPictures: Statement {
        static let sql: SQL<Self> = "delete from ebook_picture where file_id = \(\.file)"
        let file: ID<Ebooks.File>
    }

    struct ClearChapters: Statement {
        static let sql: SQL<Self> = "delete from ebook_chapter where file_id = \(\.file)"
        let file: ID<Ebooks.File>
    }
}

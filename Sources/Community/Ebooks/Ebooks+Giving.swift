import FoundationEssentials
import Postgres

// What somebody at the server's own terminal does with e-books.
extension Ebooks {
    /// The edition that a file is of.
    package struct Match: Hashable, Sendable {
        package let edition: ID<Catalog.Edition>
        /// Of the book.
        package let title: String
    }
}

extension Ebooks.Store {
    /// The edition that a file is of: the one that is named, that which librarians gave the same file for, the one with an
    /// ISBN that the file names, or the first of the only book with its title by one of its authors. `nil` for none.
    package func match(_ prepared: Prepared, edition: ID<Catalog.Edition>?) async throws -> Ebooks.Match? {
        let database = services.database
        if let edition {
            return try await database.first(Ebooks.Statements.NamedEdition(edition: edition))
        }
        guard let pages = prepared.pages else {
            return try await database.first(Ebooks.Statements.EditionOfFile(hash: prepared.hash))
        }
        let facts = try await Self.facts(of: try pages.lines())
        let isbns = facts.isbns.compactMap { Int64($0) }
        if let match = try await database.first(Ebooks.Statements.EditionOfISBN(isbns: isbns)) { return match }
        let matches = try await database.all(
            Ebooks.Statements.EditionsOfTitle(
                title: Normaliser.titleKey(facts.title), authors: facts.creators.map { Normaliser.fold($0[...]) }))
        return matches.count == 1 ? matches[0] : nil
    }

    /// Takes in a file of this machine and has it read. Throws `Refusal.file` for one that is too long, as `prepare`, and
    /// what reading it throws.
    package func prepare(fileAt path: String) async throws -> Prepared {
        let incoming = try await receive()
        let file = try OpenFile.reading(path)
        while case let part = try file.read(1 << 20), !part.isEmpty {
            guard incoming.size + part.count <= Limits.ebooks.upload else {
                throw Ebooks.Refusal.file(code: .ebookTooLarge, "At most \(Limits.ebooks.upload) bytes are read.")
            }
            try await incoming.append(part)
        }
        return try await prepare(incoming)
    }

    /// Gives an e-book to others, in the place of the one that librarians gave for the edition. Where that is the same
    /// file, nothing changes, also not its rights and its audience, and `isNew` is false.
    ///
    /// Throws `.invalid`, `.notFound` for the edition, `Media.Refusal.noRoom`, `Failure.busy`.
    package func give(
        _ new: Ebooks.NewEbook, _ prepared: Prepared, at edition: ID<Catalog.Edition>
    ) async throws -> (ebook: Ebooks.Opened, isNew: Bool) {
        try new.check(by: .owner)
        guard let ground = try await services.database.first(Ebooks.Statements.GroundOf(edition: edition)) else {
            throw Failure.notFound("edition \(edition)")
        }
        try await media.facilities.store.keep(prepared.incoming, as: prepared.hash)
        let given: (ebook: Ebooks.Opened, isNew: Bool) = try await services.database.transaction { transaction in
            let same = try await transaction.first(
                Ebooks.Statements.Given(edition: ground.edition, hash: prepared.hash))
            if let same { return (try await opened(same, for: .anonymous, in: transaction), false) }
            let kept = try await keep(new, prepared, on: ground, for: nil, by: nil, in: transaction)
            return (try await opened(kept.id, for: .anonymous, in: transaction), true)
        }
        try await settle(prepared)
        return given
    }

    /// Those that librarians gave, newest first.
    package func given(limit: Int) async throws -> [Ebooks.Ebook] {
        try await services.database.all(
            Ebooks.Statements.AllGiven(viewer: .anonymous, limit: limit, now: services.clock.now()))
    }

    /// Takes away what librarians gave. Throws `.notFound`.
    package func takeBack(_ id: ID<Ebooks.Ebook>) async throws {
        try await services.database.transaction { transaction in
            guard let held = try await transaction.first(Ebooks.Statements.Lock(ebook: id)), held.reader == nil else {
                throw Failure.notFound("ebook \(id) that readers are given")
            }
            try await Ebooks.remove([id], in: transaction)
        }
    }

    /// Every file that somebody keeps.
    package func files() async throws -> [Media.Hash] {
        try await services.database.all(Ebooks.Statements.AllFiles())
    }

    /// What is wrong with a stored file; `nil` for one that is there and can be read.
    package func fault(of file: Media.Hash) async throws -> String? {
        guard let parser else { throw Ebooks.Refusal.off }
        do {
            return try await media.inScratch { place in
                guard try await media.facilities.store.lend(file, at: place + "/book") else {
                    return "the file is missing"
                }
                _ = try await Self.facts(of: try await parser.read(place + "/book").lines())
                return nil
            }
        } catch Ebooks.Refusal.file(_, let sentence) {
            return sentence
        }
    }
}

extension Ebooks.Statements {
    struct NamedEdition: Statement {
        static let sql: SQL<Self> = """
            select edition.id, coalesce(work.title, '') as title
              from (select coalesce(merged_into, id) as id from edition where id = \(\.edition)) target
              join edition on edition.id = target.id
              join work on work.id = edition.work_id
             where edition.withdrawn_at is null
            """
        let edition: ID<Catalog.Edition>
        typealias Output = Ebooks.Match
    }

    /// The edition that librarians gave the same bytes for.
    struct EditionOfFile: Statement {
        static let sql: SQL<Self> = """
            select edition.id, coalesce(work.title, '') as title
              from ebook_file file
              join ebook on ebook.file_id = file.id and ebook.reader_id is null
              join edition on edition.id = ebook.edition_id
              join work on work.id = edition.work_id
             where file.hash = \(\.hash)
             order by ebook.id
             limit 1
            """
        let hash: Media.Hash
        typealias Output = Ebooks.Match
    }

    struct EditionOfISBN: Statement {
        static let sql: SQL<Self> = """
            select edition.id, coalesce(work.title, '') as title
              from edition_isbn
              join edition on edition.id = edition_isbn.edition_id
              join work on work.id = edition.work_id
             where edition_isbn.isbn = any(\(\.isbns))
               and edition.withdrawn_at is null
               and edition.merged_into is null
             order by edition.id
             limit 1
            """
        let isbns: [Int64]
        typealias Output = Ebooks.Match
    }

    /// The first editions of two books with a title, folded, one of whose authors is one of these, folded.
    struct EditionsOfTitle: Statement {
        static let sql: SQL<Self> = """
            select (select min(edition.id) from edition where edition.work_id = work.id and edition.withdrawn_at is null) as id, work.title
              from work_search search
              join work on work.id = search.work_id
             where search.title = \(\.title)
               and exists (select 1 from unnest(\(\.authors)::text[]) author (name) where position(author.name in search.author) > 0)
               and exists (select 1 from edition where edition.work_id = work.id and edition.withdrawn_at is null)
             limit 2
            """
        let title: String, authors: [String]
        typealias Output = Ebooks.Match
    }

    /// The e-book that librarians gave for an edition with the same bytes.
    struct Given: Statement {
        static let sql: SQL<Self> = """
            select ebook.id
              from ebook
              join ebook_file file on file.id = ebook.file_id
             where ebook.edition_id = \(\.edition)
               and ebook.reader_id is null
               and file.hash = \(\.hash)
            """
        let edition: ID<Catalog.Edition>, hash: Media.Hash
        typealias Output = ID<Ebooks.Ebook>
    }

    struct AllGiven: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(columns(at: "\(\.now)"))
              from ebook
              \(joins)
             where ebook.reader_id is null
             order by ebook.id desc
             limit \(\.limit)
            """
        let viewer: Viewer, limit: Int, now: Timestamp
        typealias Output = Ebooks.Ebook
    }

    struct AllFiles: Statement {
        static let sql: SQL<Self> = "select hash from ebook_file order by id"
        typealias Output = Media.Hash
    }
}

extension Ebooks.Match: RowReadable {
    /// Reads the columns `id` and `title`.
    package init(_ columns: inout Columns) throws {
        self.init(edition: try columns("id"), title: try columns("title"))
    }
}

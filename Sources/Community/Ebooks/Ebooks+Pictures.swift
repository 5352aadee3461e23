import FoundationEssentials
import Postgres

extension Ebooks {
    /// A picture in an e-book, as far as it was made.
    struct Drawn: Sendable {
        let file: ID<File>
        let book: Media.Hash
        let type: String
        let made: (hash: Media.Hash, type: String)?
        let isRefused: Bool
        /// Bytes of what was made of the e-book's pictures.
        let drawn: Int
        let layout: Int
        let keeping: Keeping
    }

    /// Pixels that a picture is wide at most.
    static let pictureWidth = 1280
}

extension Ebooks.Store {
    /// A picture of an e-book, converted when somebody first asks for it, its tag, and the layout that counts it so.
    ///
    /// Throws `.notFound`, also for one that cannot be shown, `.unauthenticated` and `.forbidden` as for pages,
    /// `Ebooks.Refusal.off`, `Media.Refusal.off`, `.noRoom`, `Failure.busy`.
    package func picture(
        _ number: Int, of id: ID<Ebooks.Ebook>, for viewer: Viewer
    ) async throws -> (file: Media.File, tag: String, layout: Int, keeping: Ebooks.Keeping) {
        let asked = Ebooks.Statements.PictureOf(
            viewer: viewer, ebook: id, number: number, now: services.clock.now())
        guard let drawn = try await services.database.first(asked) else {
            try await opened(id, for: viewer).ebook.access.check()
            throw Failure.notFound("picture \(number) of ebook \(id)")
        }
        guard !drawn.isRefused else { throw Failure.notFound("picture \(number) of ebook \(id) that can be shown") }
        let store = media.facilities.store
        if let made = drawn.made, let bytes = try await store.read(made.hash) {
            return (Media.File(bytes: bytes, type: made.type), made.hash.tag, drawn.layout, kept(drawn.keeping))
        }
        guard let parser else { throw Ebooks.Refusal.off }
        let name = "\(drawn.file) \(number)"
        guard drawn.drawn < Limits.ebooks.drawn, !parser.drawing.rests(name) else {
            throw Failure.notFound("picture \(number) of ebook \(id) that can be shown")
        }
        guard parser.drawing.begin(name) else {
            throw Failure.busy("pictures are being made", retryAfter: .seconds(1))
        }
        defer { parser.drawing.end(name) }
        let budget = media.facilities.budget
        let turn = try viewer.reader.map { try budget.begin($0) }
        let start = ContinuousClock.now
        defer { if let turn { budget.end(turn, took: .now - start) } }
        // What was made is stored, however long it took: the next caller would only begin again.
        let file = try await Task.detached { try await make(number, of: drawn, named: name) }.value
        guard let file else { throw Failure.notFound("picture \(number) of ebook \(id) that can be shown") }
        return (file, Media.Hash(of: file.bytes).tag, drawn.layout, kept(drawn.keeping))
    }

    /// Converts a picture and stores it; `nil` for one that cannot be shown.
    private func make(_ number: Int, of drawn: Ebooks.Drawn, named name: String) async throws -> Media.File? {
        let store = media.facilities.store
        do {
            let (bytes, type) = try await convert(number, of: drawn)
            let hash = Media.Hash(of: bytes)
            try await store.put(bytes, as: hash)
            try await services.database.transaction { transaction in
                try await transaction.run(
                    Media.Statements.InsertFile(hash: hash, size: bytes.count, at: services.clock.now(), type: type))
                // Before its pictures, as a new layout takes them.
                try await transaction.run(Ebooks.Statements.HoldDrawn(file: drawn.file))
                try await transaction.run(
                    Ebooks.Statements.SetPicture(file: drawn.file, number: number, hash: hash, refused: nil))
                try await transaction.run(Ebooks.Statements.CountDrawn(file: drawn.file))
            }
            if try await !store.contains(hash) { try await store.put(bytes, as: hash) }
            return Media.File(bytes: bytes, type: type)
        } catch Media.Refusal.tooCostly {
            // Another time there may be more time or memory.
            parser?.drawing.rest(name)
            return nil
        } catch let refusal as Media.Refusal where refusal != .off && refusal != .noRoom {
            try await services.database.run(
                Ebooks.Statements.SetPicture(file: drawn.file, number: number, hash: nil, refused: "\(refusal)"))
            return nil
        }
    }

    private func convert(_ number: Int, of drawn: Ebooks.Drawn) async throws -> (bytes: [UInt8], type: String) {
        guard let parser else { throw Ebooks.Refusal.off }
        guard let converter = media.facilities.converter else { throw Media.Refusal.off }
        let bytes = try await media.inScratch { place in
            guard try await media.facilities.store.lend(drawn.book, at: place + "/book") else {
                throw Media.Refusal.noRoom
            }
            try await parser.picture(number, of: place + "/book", in: place)
            return [UInt8](try Data(contentsOf: URL(filePath: place + "/picture")))
        }
        return try await converter.page(
            bytes, isDrawing: drawn.type == "image/svg+xml", width: Ebooks.pictureWidth)
    }
}

extension Ebooks.Statements {
    /// A picture of an e-book, where the viewer may turn its pages.
    struct PictureOf: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select file.id, file.hash as book, picture.type, picture.hash, made.type as made, picture.refused is not null as refused,
                   file.drawn, file.layout, ebook.audience, opened.access
              from ebook
              join ebook_file file on file.id = ebook.file_id
             cross join lateral (select \(access(at: "\(\.now)")) as access limit 1) opened
              join ebook_picture picture on picture.file_id = file.id and picture.number = \(\.number, as: Int32.self)
              left join media_file made on made.hash = picture.hash
             where ebook.id = \(\.ebook)
               and \(isSeen())
               and opened.access in ('open', 'lent')
            """
        let viewer: Viewer, ebook: ID<Ebooks.Ebook>, number: Int, now: Timestamp

        static func decode(_ columns: inout Columns) throws -> Ebooks.Drawn {
            Ebooks.Drawn(
                file: try columns("id"), book: try columns("book"), type: try columns("type"),
                made: try columns.part(through: "made") { (try $0("hash"), try $0("made")) },
                isRefused: try columns("refused"), drawn: try columns("drawn"), layout: try columns("layout"),
                keeping: Ebooks.Keeping(try columns("audience"), try columns("access")))
        }
    }

    /// What became of a picture.
    struct SetPicture: Statement {
        static let sql: SQL<Self> = """
            update ebook_picture
               set hash = \(\.hash),
                   refused = \(\.refused)
             where file_id = \(\.file)
               and number = \(\.number, as: Int32.self)
            """
        let file: ID<Ebooks.File>, number: Int, hash: Media.Hash?, refused: String?
    }

    struct HoldDrawn: Statement {
        static let sql: SQL<Self> = "select id from ebook_file where id = \(\.file) for no key update"
        let file: ID<Ebooks.File>
    }

    /// Sums up what was made of a file's pictures.
    struct CountDrawn: Statement {
        static let sql: SQL<Self> = """
            update ebook_file
               set drawn = (select coalesce(sum(made.size), 0)
                              from ebook_picture picture
                              join media_file made on made.hash = picture.hash
                             where picture.file_id = ebook_file.id)
             where id = \(\.file)
            """
        let file: ID<Ebooks.File>
    }
}

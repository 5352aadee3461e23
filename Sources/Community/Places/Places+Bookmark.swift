import JSONWriting
import Postgres

extension Places {
    /// A place in a book that its reader marked.
    package struct Bookmark: Hashable, Sendable {
        package let id: ID<Bookmark>
        package let book: Catalog.Book
        /// Ten-thousandths of the work.
        package let position: Int
        package let page: Int?
        /// Pages of the reader's own copy, else of the edition that the entry names; `nil` where neither is known.
        package let pages: Int?
        package let label: String?
        /// The e-book that it was made in, whose pages are counted; `nil` where it was made otherwise.
        package let ebook: ID<Ebooks.Ebook>?
        /// 1, 2, …: rises with every change.
        package let version: Int
        package let createdAt: Timestamp
        package let changedAt: Timestamp

        var key: BookmarkKey { BookmarkKey(position: position, id: id) }
    }

    /// Where a bookmark lies.
    struct Mark: Hashable, Sendable {
        let position: Int
        let page: Int?
        let ebook: ID<Ebooks.Ebook>?
        let chapter: Int?
        let start: Int?
        /// How the page of the e-book begins.
        let words: String?

        init(position: Int, page: Int?, anchor: Anchor?, words: String?) {
            (self.position, self.page, self.words) = (position, page, words)
            (ebook, chapter, start) = (anchor?.ebook, anchor?.chapter, anchor?.start)
        }
    }

    /// Where a bookmark stands among those of its book.
    package struct BookmarkKey: SortKey, Codable {
        package let position: Int
        package let id: ID<Bookmark>

        package static let lowest = BookmarkKey(position: -1, id: .min)
        package static let highest = BookmarkKey(position: Gate.end + 1, id: .max)

        private enum CodingKeys: String, CodingKey {
            case position = "p"
            case id = "i"
        }
    }
}

extension Places.Store {
    /// Marks a place in a work; without one, where the reader is. A total that is said is remembered where the book is
    /// in the library.
    ///
    /// Throws `.invalid`, `.notFound` for the work, `.forbidden` (`account_frozen`), `.conflict`
    /// (`too_many_bookmarks`).
    package func mark(
        _ said: Places.Said?, label: String?, in work: ID<Catalog.Work>, by reader: ID<Accounts.Account>
    ) async throws -> Places.Bookmark {
        try Self.check(label: label)
        return try await services.database.transaction { transaction in
            try await library.lock(reader, holding: work)
            let ground = try await ground(of: reader, in: work, for: said, in: transaction)
            guard let book = try await transaction.first(Catalog.HoldBook(work: ground.work)) else {
                throw Failure.notFound("book \(work)")
            }
            let held = try await transaction.one(Places.Statements.BookmarksIn(reader: reader, work: book))
            guard held < Limits.places.bookmarks else {
                throw Failure.conflict(
                    code: .tooManyBookmarks, "a book holds at most \(Limits.places.bookmarks) of your bookmarks")
            }
            let mark = try Self.mark(said, on: ground)
            let id: ID<Places.Bookmark> = try services.ids.make()
            let insert = Places.Statements.InsertBookmark(
                id: id, reader: reader, work: book, mark: mark, label: label, at: services.clock.now())
            try await transaction.batch { batch in
                batch.run(insert)
                if let label { batch.run(OwnWords.Put(.bookmark, id, of: reader, in: book, plain: label)) }
            }
            try await remember(said, on: ground, in: transaction)
            return try await bookmark(id, of: reader, in: transaction)
        }
    }

    /// Moves a bookmark, or calls it something else. Throws as `mark`, `.notFound` for one that is not the reader's,
    /// `.preconditionFailed`.
    package func change(
        _ id: ID<Places.Bookmark>, to said: Places.Said?, label: FieldChange<String>,
        by reader: ID<Accounts.Account>, ifVersion version: Precondition = .none
    ) async throws -> Places.Bookmark {
        try Self.check(label: label.value)
        return try await services.database.transaction { transaction in
            try await library.lock(reader, in: transaction)
            let old = try await bookmark(id, of: reader, in: transaction)
            try version.check(old.version)
            let former = try await transaction.one(Places.Statements.MarkOf(bookmark: id))
            var mark = former
            if let said {
                let ground = try await ground(of: reader, in: old.book.id, for: said, in: transaction)
                mark = try Self.mark(said, on: ground)
                try await remember(said, on: ground, in: transaction)
            }
            let new = label.applied(to: old.label)
            guard mark != former || new != old.label else { return old }
            let update = Places.Statements.UpdateBookmark(id: id, mark: mark, label: new, at: services.clock.now())
            try await transaction.batch { batch in
                batch.run(update)
                if new != old.label {
                    batch.run(OwnWords.Put(.bookmark, id, of: reader, in: old.book.id, plain: new ?? ""))
                }
            }
            return try await bookmark(id, of: reader, in: transaction)
        }
    }

    /// Takes a bookmark out. Throws `.notFound`, `.forbidden` (`account_frozen`).
    package func remove(_ id: ID<Places.Bookmark>, by reader: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            try await library.lock(reader, in: transaction)
            guard try await transaction.run(Places.Statements.DeleteBookmark(id: id, reader: reader)) == 1 else {
                throw Failure.notFound("bookmark \(id)")
            }
            try await transaction.run(OwnWords.Drop(.bookmark, [id]))
        }
    }

    /// A reader's own bookmark. Throws `.notFound`.
    package func bookmark(_ id: ID<Places.Bookmark>, of reader: ID<Accounts.Account>) async throws -> Places.Bookmark {
        try await bookmark(id, of: reader, in: services.database)
    }

    private func bookmark(
        _ id: ID<Places.Bookmark>, of reader: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws -> Places.Bookmark {
        guard let bookmark = try await queryable.first(Places.Statements.OneBookmark(id: id, reader: reader)) else {
            throw Failure.notFound("bookmark \(id)")
        }
        return bookmark
    }

    /// The reader's bookmarks in a work, from its beginning.
    package func bookmarks(
        in work: ID<Catalog.Work>, of reader: ID<Accounts.Account>, page: PageRequest<Places.BookmarkKey>
    ) async throws -> Page<Places.Bookmark, Places.BookmarkKey> {
        let database = services.database
        return try await page.read(from: .lowest, key: \.key) {
            try await database.all(Places.Statements.Bookmarks(reader: reader, work: work, span: $0))
        }
    }

    /// The reader's bookmarks in all books, newest first.
    package func bookmarks(
        of reader: ID<Accounts.Account>, page: PageRequest<ID<Places.Bookmark>>
    ) async throws -> Page<Places.Bookmark, ID<Places.Bookmark>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Places.Statements.AllBookmarks(reader: reader, span: $0))
        }
    }

    private static func mark(_ said: Places.Said?, on ground: Places.Ground) throws(Failure) -> Places.Mark {
        if let said {
            let (position, spot) = (try ground.position(of: said), ground.spot)
            return Places.Mark(position: position, page: said.page, anchor: spot?.anchor, words: spot?.words)
        }
        guard let entry = ground.entry, let position = entry.position else {
            throw .invalid("/percent", .required, "no position was logged yet: say where, by percent, page or chapter")
        }
        return Places.Mark(position: position, page: entry.page, anchor: entry.anchor, words: nil)
    }

    private func remember(_ said: Places.Said?, on ground: Places.Ground, in transaction: Transaction) async throws {
        guard let total = said?.total, let entry = ground.entry, entry.pages != total else { return }
        try await transaction.run(Places.Statements.Remember(entry: entry.id, pages: total))
    }

    private static func check(label: String?) throws(Failure) {
        guard let label else { return }
        var faults = Faults()
        faults.require(Limits.places.label.contains(label.utf8.count), "/label", .tooLong, "1 to 500 bytes of UTF-8")
        faults.require(Wording.isPlain(label), "/label", .badFormat, Wording.unplain)
        try faults.check()
    }
}

extension Places.Bookmark: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("book", book)
        object.put("position", position)
        object.put("percent", Double(position) / 100)
        object.put("page", page)
        object.put("page_count", pages)
        object.put("label", label)
        object.put("ebook_id", ebook)
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("changed_at", changedAt)
    }
}

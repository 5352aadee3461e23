import Postgres

extension Catalog {
    /// A book that somebody adds: its own fields and those of its first edition, by name.
    package struct AddedBook: Sendable {
        package let book: Facts
        package let edition: Facts
        /// The member has seen the candidates and says that this is another book.
        package let isConfirmed: Bool

        package init(book: Facts, edition: Facts, isConfirmed: Bool = false) {
            self.book = book
            self.edition = edition
            self.isConfirmed = isConfirmed
        }
    }

    /// Why a book was not added: it may be one of these.
    package struct NearDuplicates: Error, Sendable {
        /// Those with the same ISBN first; at most `Limits.catalog.nearDuplicates`.
        package let candidates: [BookItem]
    }
}

extension Catalog.Store {
    /// Adds a book with one edition, listed at once in searches and, a few seconds later, in every order.
    ///
    /// Throws `.invalid` with every fault, `NearDuplicates` unless confirmed, `.limited` (`books_per_day`) for members
    /// who add many, and what `takeTurn` throws.
    package func add(_ new: Catalog.AddedBook, by helper: Catalog.Helper) async throws -> ID<Catalog.Work> {
        let (facts, edition) = try checked(new, by: helper)
        return try await services.database.transaction { transaction in
            if let account = helper.account { try await takeTurn(of: account, in: transaction) }
            // Two members who add one book at the same moment: the second one sees what the first one made.
            let names =
                ["title:" + Normaliser.titleKey(facts[.title]?.text ?? "")]
                + (edition[.isbns]?.texts ?? []).map { "isbn:" + $0 }
            try await transaction.run(Catalog.TakeTurns(keys: names))
            if !new.isConfirmed {
                let candidates = try await candidates(for: facts, edition, in: transaction)
                guard candidates.isEmpty else { throw Catalog.NearDuplicates(candidates: candidates) }
            }
            try await checkPace(of: helper, in: transaction)
            let writing = Catalog.Writing(transaction: transaction, services: services)
            let halves = try await writing.resolved([facts, edition])
            let (resolved, printed) = (halves[0], halves[1])
            let work = try services.ids.make(Catalog.Work.self)
            var columns = Catalog.WorkColumns()
            columns.append(work, Catalog.WorkRecord(key: "", title: facts[.title]?.text))
            try await transaction.run(Catalog.InsertWorks(columns: columns))
            try await writing.write(resolved, to: .book(work), from: [:], changed: Set(resolved.keys).union([.authors]))
            _ = try await add(printed, to: work, with: writing)
            try await transaction.run(
                Catalog.AddRevision(
                    id: try services.ids.make(), at: services.clock.now(), actor: helper.actor.text,
                    account: helper.account,
                    action: .create, thing: .book(work), reason: "", before: try JSON([:]), after: try JSON(resolved)))
            return work
        }
    }

    /// Both halves checked, all faults at once; what people set of the book is locked.
    private func checked(
        _ new: Catalog.AddedBook, by helper: Catalog.Helper
    ) throws(Failure) -> (book: Catalog.Facts, edition: Catalog.Facts) {
        var sent = new.book
        if sent[.title] == nil { sent[.title] = Catalog.Fact.none }
        if sent[.kind] == nil { sent[.kind] = .text("book") }
        var faults: [Failure.Fault] = []
        var halves: [Catalog.Facts] = []
        for (facts, kind) in [(sent, Catalog.Thing.Kind.book), (new.edition, .edition)] {
            do {
                halves.append(try Catalog.checked(facts, of: kind, by: helper))
            } catch {
                guard case .invalid(let found) = error else { throw error }
                faults += found
            }
        }
        guard faults.isEmpty, halves.count == 2 else { throw .invalid(faults) }
        var (book, edition) = (halves[0], halves[1])
        // A title of its own is for editions that are called something else: a correction of the book's would leave the
        // copy behind.
        if edition[.language] == nil { edition[.language] = book[.language] }
        book.locked = Set(book.filter { $0.value.says && $0.key != .kind }.keys)
        return (book, edition)
    }

    private func checkPace(of helper: Catalog.Helper, in transaction: Transaction) async throws {
        guard !helper.isLibrarian, let account = helper.account else { return }
        let limit = Limits.catalog.booksPerDay
        let added = try await transaction.one(
            Catalog.BooksAddedSince(
                account: account, since: IDMaker.first(at: services.clock.now() - .seconds(86_400)), limit: limit))
        guard added < limit else { throw Failure.limited(policy: "books_per_day", retryAfter: .seconds(3_600)) }
    }

    /// Books that may be this one: with one of its ISBNs, or of the same title and kind, leading articles ignored,
    /// and an author of the same folded name (any author, where one of the two has none).
    private func candidates(
        for facts: Catalog.Facts, _ edition: Catalog.Facts, in transaction: Transaction
    ) async throws -> [Catalog.BookItem] {
        let limit = Limits.catalog.nearDuplicates
        var works: [ID<Catalog.Work>] = []
        for isbn in edition[.isbns]?.texts.compactMap({ try? ISBN($0) }) ?? [] {
            works += try await transaction.all(Catalog.WorksOfISBN(isbn: isbn, limit: limit))
        }
        let title = facts[.title]?.text ?? ""
        let authors = Set((facts[.authors]?.parts ?? []).compactMap { $0.name.map { Normaliser.fold($0) } })
        let ids = Set((facts[.authors]?.parts ?? []).compactMap(\.id))
        let alike = try await transaction.all(
            Catalog.AlikeTitles(
                titles: [
                    Normaliser.titleKey(title),
                    Normaliser.titleKey(title + " " + (facts[.subtitle]?.text ?? "")),
                ]))
        for book in alike where facts[.kind] == nil || facts[.kind] == .text(book.kind) {
            let folded = Set(book.authors.map { Normaliser.fold($0.name) })
            let isSame =
                book.authors.isEmpty || (authors.isEmpty && ids.isEmpty) || !folded.isDisjoint(with: authors)
                || !ids.isDisjoint(with: book.authors.map(\.id.text))
            if isSame { works.append(book.work) }
        }
        var seen: Set<ID<Catalog.Work>> = []
        let wanted = works.filter { seen.insert($0).inserted }.prefix(limit)
        guard !wanted.isEmpty else { return [] }
        return try await transaction.all(Catalog.BooksNamed(works: Array(wanted)))
    }
}

extension Catalog.Fact {
    /// Whether it holds anything.
    var says: Bool {
        switch self {
        case .none: false
        case .text, .number: true
        case .texts(let texts): !texts.isEmpty
        case .parts(let parts): !parts.isEmpty
        }
    }
}

import Postgres

extension Boards.Store {
    /// What a post gives away: what its author says or what is usual, and `source`, that of what it answers and quotes,
    /// at least. Throws `.invalid` for a chapter that is not known.
    func scope(
        _ said: Boards.SaidScope?, atLeast source: Gate.Scope, by author: ID<Accounts.Account>,
        in work: ID<Catalog.Work>?, in transaction: Transaction
    ) async throws -> Gate.Usual {
        guard let work else {
            if let said { _ = try await scope(said, by: author, in: nil, in: transaction) }
            return Gate.Usual(scope: source, reason: source == .free ? .noBook : .source)
        }
        // Nothing that is usual is more than all of it.
        if said == nil, source == .finished { return Gate.Usual(scope: source, reason: .source) }
        let own =
            if let said {
                Gate.Usual(scope: try await scope(said, by: author, in: work, in: transaction), reason: .said)
            } else {
                try await Gate.Store(services).usualScope(of: author, in: work, in: transaction)
            }
        return own.scope < source ? Gate.Usual(scope: source, reason: .source) : own
    }

    /// What `said` means in the edition of the work that the author's shelf names; where something is about no book it
    /// gives nothing away. Throws `.invalid` at `pointer`.
    func scope(
        _ said: Boards.SaidScope, by author: ID<Accounts.Account>, in work: ID<Catalog.Work>?,
        in transaction: Transaction, at pointer: String = "/scope"
    ) async throws -> Gate.Scope {
        guard let work else {
            guard said == .scope(.free) else {
                throw Failure.invalid(pointer, .noBook, "it is about no book: it gives nothing away")
            }
            return .free
        }
        switch said {
        case .scope(let scope): return scope
        case .chapter(let number):
            let found = try await transaction.all(
                Boards.Statements.ChapterEnd(reader: author, work: work, chapter: number))
            guard let end = found.first else {
                throw Failure.invalid(
                    pointer + "/chapter", .chaptersUnknown,
                    "where the chapters of your edition end is not known: send `upto`, or `page` with `of`")
            }
            guard let end else {
                throw Failure.invalid(pointer + "/chapter", .outOfRange, "there is no chapter \(number)")
            }
            return end
        case .ebook(let ebook, let page):
            do {
                let spot = try await Ebooks.spot(
                    page, of: ebook, in: work, for: author, at: services.clock.now(), in: transaction)
                return Gate.Scope(position: spot.position) ?? .finished
            } catch Failure.invalid(let faults) {
                throw Failure.invalid(faults.map { $0.below(pointer) })
            }
        }
    }

    /// The other book that is named, or what it was merged into. Throws `.invalid` unless it is a later one of a series
    /// of `work`.
    func also(
        _ said: Boards.SaidAlso?, by author: ID<Accounts.Account>, in work: ID<Catalog.Work>?,
        in transaction: Transaction
    ) async throws -> Boards.Also? {
        guard let said else { return nil }
        guard let work else {
            throw Failure.invalid("/also/book_id", .noBook, "it is about no book: name that as its book")
        }
        guard let other = try await transaction.first(Boards.Statements.AlsoBook(work: work, also: said.book)) else {
            throw Failure.invalid("/also/book_id", .unknown, "there is no such book")
        }
        guard other.isLater else {
            throw Failure.invalid("/also/book_id", .notInSeries, "must be a later book of the series")
        }
        let scope = try await scope(said.scope, by: author, in: other.book, in: transaction, at: "/also/scope")
        guard scope != .free else {
            throw Failure.invalid("/also/scope", .outOfRange, "names a book of which nothing is given away")
        }
        return Boards.Also(book: other.book, scope: scope)
    }
}

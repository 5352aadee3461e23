import EventLog
import Jobs
import Postgres

extension Lending {
    /// What came of checking out.
    package enum Taken: Hashable, Sendable {
        case now(Checkout)
        /// The reader has had it since before.
        case before(Checkout)

        package var checkout: Checkout {
            switch self {
            case .now(let checkout), .before(let checkout): checkout
            }
        }
    }
}

extension Lending.Store {
    /// Checks a book out of a library. Who has it already keeps it. For its members; everybody with an account is one
    /// of the server's.
    ///
    /// One transaction: copy, checkout, counter. Throws `.notFound` for book and library, `.forbidden` (`not_a_member`,
    /// `account_frozen`), `.conflict` (`all_out`, `too_many_checkouts`).
    package func checkOut(
        _ work: ID<Catalog.Work>, from id: ID<Lending.SharedLibrary> = .server, by reader: ID<Accounts.Account>
    ) async throws -> Lending.Taken {
        try await Failure.mapping(["checkout_library_fkey": .notFound("library \(id)")]) {
            try await services.database.transaction { transaction in
                try await lock(reader, in: transaction)
                // Before the library is read: who is removed meanwhile is no member then.
                try await transaction.run(Lending.Statements.HoldMembership(library: id, reader: reader))
                let library = try await library(id, for: .reader(reader), in: transaction)
                try library.require(.reader)
                guard let book = try await transaction.first(Lending.Statements.BookOf(work: work)) else {
                    throw Failure.notFound("book \(work)")
                }
                if let had = try await had(book.id, from: id, by: reader, in: transaction), had.isOut {
                    return .before(try await checkout(had.checkout, of: reader, in: transaction))
                }
                try await requireRoom(of: reader, in: transaction)
                let copy = try await transaction.first(
                    Lending.Statements.ClaimAny(library: id, work: book.id, reader: reader))
                if copy == nil {
                    guard try await !transaction.one(Lending.Statements.HasCopies(library: id, work: book.id)) else {
                        throw Failure.conflict(code: .allOut, "every copy of this book is out")
                    }
                }
                let dueAt = copy.flatMap { _ in library.loanDays }.map { services.clock.now() + .days($0) }
                let taken = try await take(book, copy, from: id, dueAt: dueAt, by: reader, in: transaction)
                return .now(try await checkout(taken, of: reader, in: transaction))
            }
        }
    }

    /// Writes the checkout of a copy that is claimed, or of a book without copies, and counts it. The reader's account
    /// is locked.
    func take(
        _ book: Catalog.Book, _ copy: ID<Lending.Copy>?, from library: ID<Lending.SharedLibrary>, dueAt: Timestamp?,
        by reader: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> ID<Lending.Checkout> {
        let id: ID<Lending.Checkout> = try services.ids.make()
        let now = services.clock.now()
        try await transaction.batch { batch in
            batch.run(
                Lending.Statements.InsertCheckout(
                    id: id, library: library, book: book, copy: copy, reader: reader, at: now, dueAt: dueAt))
            batch.run(Lending.Statements.Count(work: book.id, reader: reader, day: now.day, checkout: id))
        }
        if let dueAt, library == .server {
            try await transaction.run(try Jobs.Enqueue(Lending.EndLoan(id, at: dueAt), after: dueAt - now))
        }
        return id
    }

    /// Returns what a reader has of a book from a library; a frozen reader may, too. Returning what was returned before
    /// gives that. Throws `.notFound` where the reader never had it from there.
    package func giveBack(
        _ work: ID<Catalog.Work>, to id: ID<Lending.SharedLibrary> = .server, by reader: ID<Accounts.Account>
    ) async throws -> Lending.Checkout {
        try await services.database.transaction { transaction in
            try await transaction.run(Accounts.Statements.LockState(reader: reader))
            guard let had = try await had(work, from: id, by: reader, in: transaction) else {
                throw Failure.notFound("checkout of book \(work)")
            }
            if had.isOut { try await close(had.checkout, by: reader, in: transaction) }
            return try await checkout(had.checkout, of: reader, in: transaction)
        }
    }

    /// What a reader has, or had last, of a book from a library. Throws `.notFound` where they never had it from there.
    package func checkout(
        of work: ID<Catalog.Work>, from id: ID<Lending.SharedLibrary> = .server, by reader: ID<Accounts.Account>
    ) async throws -> Lending.Checkout {
        guard let had = try await had(work, from: id, by: reader, in: services.database) else {
            throw Failure.notFound("checkout of book \(work)")
        }
        return try await checkout(had.checkout, of: reader, in: services.database)
    }

    /// Takes a copy back for its library: by its contributors and owners, or by who has it. Throws `.notFound`,
    /// `.forbidden` (`account_frozen`).
    package func takeBack(_ id: ID<Lending.Checkout>, by identity: Accounts.Identity) async throws -> Lending.Checkout {
        let reader = identity.account
        return try await services.database.transaction { transaction in
            try await lock(reader, in: transaction)
            guard let row = try await transaction.first(Lending.Statements.LockCheckout(checkout: id)) else {
                throw Failure.notFound("checkout \(id)")
            }
            guard try await isKnown(row.whereabouts, to: reader, in: transaction) else {
                throw Failure.notFound("checkout \(id)")
            }
            if row.returnedAt == nil { try await close(id, by: reader, in: transaction) }
            return try await transaction.one(
                Lending.Statements.OneCheckout(viewer: .reader(reader), isInformed: true, checkout: id))
        }
    }

    /// A checkout as `takeBack` shows it, to those who may do that. Throws `.notFound`.
    package func checkout(
        _ id: ID<Lending.Checkout>, for reader: ID<Accounts.Account>
    ) async throws -> Lending.Checkout {
        let database = services.database
        guard let places = try await database.first(Lending.Statements.WhereaboutsOf(checkout: id)),
            try await isKnown(places, to: reader, in: database),
            let found = try await database.first(
                Lending.Statements.OneCheckout(viewer: .reader(reader), isInformed: true, checkout: id))
        else { throw Failure.notFound("checkout \(id)") }
        return found
    }

    /// Whether a reader knows who has it: their own, and that of a library which tells them. Of what has no copy nobody
    /// else knows.
    private func isKnown(
        _ places: Lending.Whereabouts, to reader: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws -> Bool {
        guard places.reader != reader else { return true }
        guard places.copy != nil, let library = places.library else { return false }
        let seen = try await queryable.first(Lending.Statements.OneLibrary(viewer: .reader(reader), library: library))
        return seen?.isInformed == true
    }

    /// Puts off the day on which a copy is due, from today as many days as the library gives. A second time on the same
    /// day changes nothing.
    ///
    /// Throws `.notFound` where the reader does not have it from there; `.forbidden` (`not_a_member`,
    /// `account_frozen`); `.conflict` (`never_due`, `lender_decides`, `too_many_renewals`).
    package func renew(
        _ work: ID<Catalog.Work>, from id: ID<Lending.SharedLibrary> = .server, by reader: ID<Accounts.Account>
    ) async throws -> Lending.Checkout {
        try await services.database.transaction { transaction in
            try await lock(reader, in: transaction)
            // As for checking out; before the checkout, as those who end the library.
            try await transaction.run(Lending.Statements.HoldMembership(library: id, reader: reader))
            guard let (open, isOut) = try await had(work, from: id, by: reader, in: transaction), isOut,
                let row = try await transaction.first(Lending.Statements.LockCheckout(checkout: open))
            else { throw Failure.notFound("checkout of book \(work)") }
            guard !row.isLoan else {
                throw Failure.conflict(code: .lenderDecides, "ask who lent it for more time")
            }
            let library = try await library(id, for: .reader(reader), in: transaction)
            try library.require(.reader)
            guard let dueAt = row.dueAt, let days = library.loanDays else {
                throw Failure.conflict(code: .neverDue, "this is never due")
            }
            let new = services.clock.now() + .days(days)
            if new >= dueAt + .days(1) {
                guard row.renewals < Limits.lending.renewals else {
                    throw Failure.conflict(
                        code: .tooManyRenewals, "it was renewed \(row.renewals) times: return it first")
                }
                try await transaction.run(Lending.Statements.Renew(checkout: open, dueAt: new))
                if id == .server {
                    let job = Lending.EndLoan(open, at: new)
                    try await transaction.run(try Jobs.Enqueue(job, after: new - services.clock.now()))
                }
            }
            return try await checkout(open, of: reader, in: transaction)
        }
    }

    /// What a reader has borrowed, from any library, by title.
    package func borrowed(
        by reader: ID<Accounts.Account>, page: PageRequest<Lending.CheckoutKey>
    ) async throws -> Page<Lending.Checkout, Lending.CheckoutKey> {
        try await checkouts(.reader, reader.rawValue, isInformed: false, for: .reader(reader), page: page)
    }

    /// What is out of a library, by title. Throws `.notFound`.
    package func checkouts(
        of id: ID<Lending.SharedLibrary>, for viewer: Viewer, page: PageRequest<Lending.CheckoutKey>
    ) async throws -> Page<Lending.Checkout, Lending.CheckoutKey> {
        let library = try await library(id, for: viewer)
        return try await checkouts(.library, id.rawValue, isInformed: library.isInformed, for: viewer, page: page)
    }

    private func checkouts(
        _ scope: Lending.CheckoutScope, _ owner: Int64, isInformed: Bool, for viewer: Viewer,
        page: PageRequest<Lending.CheckoutKey>
    ) async throws -> Page<Lending.Checkout, Lending.CheckoutKey> {
        let database = services.database
        return try await page.read(from: .lowest, key: \.key) {
            try await database.all(
                Lending.Statements.Checkouts(
                    viewer: viewer, isInformed: isInformed, scope: scope, owner: owner, span: $0))
        }
    }

    /// How often a book was checked out.
    package func timesCheckedOut(_ work: ID<Catalog.Work>) async throws -> Int {
        try await services.database.first(Lending.Statements.CountOfWork(work: work)) ?? 0
    }

    /// Tells readers what is due within two days, and what is overdue: each of both once for a date. In batches, each a
    /// transaction of its own.
    package func tellDue() async throws {
        let now = services.clock.now()
        for (stage, before) in [(2, now), (1, now + .days(Limits.lending.noticeDays))] {
            var told = Lending.TellDue.batch
            while told == Lending.TellDue.batch {
                told = try await services.database.transaction { transaction in
                    let found = try await transaction.all(
                        Lending.Statements.ToBeTold(before: before, stage: stage, limit: Lending.TellDue.batch))
                    for (id, reader) in found {
                        let checkout = try await checkout(id, of: reader, in: transaction)
                        let event =
                            stage == 2 ? Lending.Event.overdue(checkout, of: reader) : .due(checkout, of: reader)
                        try await event.append(in: transaction, services: services)
                    }
                    return found.count
                }
            }
        }
    }

    /// Tells the reader of a copy with an e-book that its pages are closed, at the time when it was due. One that was
    /// renewed meanwhile has another time, and of one that was returned the reader has been told.
    package func endLoan(_ job: Lending.EndLoan) async throws {
        try await services.database.transaction { transaction in
            guard let row = try await transaction.first(Lending.Statements.LockCheckout(checkout: job.checkout)),
                row.returnedAt == nil, row.dueAt?.microseconds == job.dueAt,
                try await transaction.one(Lending.Statements.LendsEbook(checkout: job.checkout))
            else { return }
            let reader = row.whereabouts.reader
            let checkout = try await checkout(job.checkout, of: reader, in: transaction)
            try await Lending.Event.ended(checkout, of: reader).append(in: transaction, services: services)
        }
    }

    // MARK: -

    private func had(
        _ work: ID<Catalog.Work>, from library: ID<Lending.SharedLibrary>, by reader: ID<Accounts.Account>,
        in queryable: some Queryable
    ) async throws -> (checkout: ID<Lending.Checkout>, isOut: Bool)? {
        try await queryable.first(Lending.Statements.HadOf(reader: reader, library: library, work: work))
    }

    /// A checkout as its reader sees it.
    func checkout(
        _ id: ID<Lending.Checkout>, of reader: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws -> Lending.Checkout {
        try await queryable.one(
            Lending.Statements.OneCheckout(viewer: .reader(reader), isInformed: false, checkout: id))
    }

    func requireRoom(of reader: ID<Accounts.Account>, in transaction: Transaction) async throws {
        let bound = Limits.lending.checkouts
        guard try await transaction.one(Lending.Statements.CountOpen(reader: reader, limit: bound)) < bound else {
            throw Failure.conflict(code: .tooManyCheckouts, "return some first: at most \(bound) books are out")
        }
    }

    /// Ends an open checkout; where it is a loan, the other of the two is told.
    private func close(
        _ id: ID<Lending.Checkout>, by actor: ID<Accounts.Account>, in transaction: Transaction
    ) async throws {
        let now = services.clock.now()
        let lends = try await transaction.one(Lending.Statements.LendsEbook(checkout: id))
        try await transaction.run(Lending.Statements.Close(checkout: id, at: now))
        // Of one that was due before, `endLoan` tells.
        if lends, let row = try await transaction.first(Lending.Statements.LockCheckout(checkout: id)),
            row.dueAt.map({ $0 > now }) ?? true
        {
            let checkout = try await checkout(id, of: row.whereabouts.reader, in: transaction)
            try await Lending.Event.ended(checkout, of: row.whereabouts.reader).append(
                in: transaction, services: services)
        }
        try await returned(id, by: actor, at: now, in: transaction)
    }
}

extension Duration {
    /// Days of 24 hours.
    static func days(_ count: Int) -> Duration { .seconds(Int64(count) * 86_400) }
}

import Postgres

extension Lending {
    /// A friend's question for a copy, and what became of it, as one of the two sees it.
    package struct Loan: Hashable, Sendable {
        /// Which of the two the viewer is.
        package enum Direction: String, Sendable, CaseIterable, Encodable {
            /// The viewer borrows.
            case `in`
            /// The viewer lends.
            case out
        }

        /// How far it has come: `asked`, `accepted` and `out` are open, the others are its end.
        package enum State: String, Sendable, CaseIterable, PostgresText {
            case asked
            /// As the table has it.
            case accepted = "agreed"
            /// Handed over.
            case out
            case declined
            /// By the borrower, or by the end of the friendship.
            case withdrawn
            case returned

            package var name: String { self == .accepted ? "accepted" : rawValue }
        }

        package let id: ID<Loan>
        package let direction: Direction
        package let state: State
        package let book: Catalog.Book
        /// `nil` where it is gone.
        package let copy: ID<Copy>?
        package let label: String?
        /// The other of the two; `nil` where the viewer may not see them any more.
        package let reader: Accounts.Reader?
        /// When the lender wants it back.
        package let due: CalendarDate?
        /// Since it was handed over.
        package let checkout: ID<Checkout>?
        package let askedAt: Timestamp
        package let changedAt: Timestamp
    }
}

extension Lending.Store {
    /// Asks a friend for a copy in their own library. Asking again while that is open gives the same.
    ///
    /// One transaction: loan, event. Throws `.notFound` for a copy that the reader does not see or that is in no own
    /// library; `.forbidden` (`account_frozen`, `email_unverified`, `not_friends`); `.conflict` (`your_own`,
    /// `too_many_loans`); `.limited`.
    package func ask(for copy: ID<Lending.Copy>, by identity: Accounts.Identity) async throws -> Lending.Loan {
        try identity.mayPost()
        let borrower = identity.account
        let gone = Failure.notFound("copy \(copy)")
        return try await services.database.transaction { transaction in
            guard let place = try await transaction.first(Lending.Statements.PlaceOf(copy: copy)),
                let seen = try await transaction.first(
                    Lending.Statements.OneLibrary(viewer: .reader(borrower), library: place)),
                let lender = seen.reader
            else { throw gone }
            guard lender.id != borrower else { throw Failure.conflict(code: .yourOwn, "this copy is yours") }
            let standing = try await Friends.Store(services).lock(borrower, lender.id, in: transaction)
            guard !standing.isBlocked else { throw gone }
            guard standing.areFriends else {
                throw Failure.notFriends("friends lend to each other: ask for friendship first")
            }
            guard let row = try await transaction.first(Lending.Statements.LockCopy(copy: copy)) else { throw gone }
            if let open = try await transaction.first(Lending.Statements.OpenLoan(copy: copy, borrower: borrower)) {
                return try await loan(open, of: borrower, in: transaction)
            }
            try await limitQuestions(of: borrower, in: transaction)
            let id: ID<Lending.Loan> = try services.ids.make()
            try await transaction.run(
                Lending.Statements.InsertLoan(
                    id: id, copy: copy, work: row.work, lender: lender.id, borrower: borrower, at: services.clock.now())
            )
            return try await told(.asked, id, by: borrower, to: lender.id, in: transaction)
        }
    }

    /// Accepts to lend, perhaps until a day. Accepting again may name another day. Throws `.notFound` for what is not the
    /// lender's, `.invalid` (`/due`), `.forbidden` (`account_frozen`), `.conflict` (`loan_over`, `already_out`).
    package func accept(
        _ id: ID<Lending.Loan>, until due: CalendarDate? = nil, by lender: ID<Accounts.Account>
    ) async throws -> Lending.Loan {
        try check(due)
        return try await step(id, by: lender, as: .out) { row, borrower, transaction in
            guard row.state != .out else {
                throw Failure.conflict(code: .alreadyOut, "it was handed over already")
            }
            try Self.requireOpen(row)
            if row.state == .accepted, row.due == due { return try await loan(id, of: lender, in: transaction) }
            try await move(id, to: .accepted, due: due, in: transaction)
            return try await told(.accepted, id, by: lender, to: borrower, in: transaction)
        }
    }

    /// Declines, also what was accepted. Declining twice is declining once. Throws as `accept`.
    package func decline(_ id: ID<Lending.Loan>, by lender: ID<Accounts.Account>) async throws -> Lending.Loan {
        try await step(id, by: lender, as: .out) { row, borrower, transaction in
            if row.state == .declined { return try await loan(id, of: lender, in: transaction) }
            guard row.state != .out else {
                throw Failure.conflict(code: .alreadyOut, "it was handed over already")
            }
            try Self.requireOpen(row)
            try await move(id, to: .declined, due: nil, in: transaction)
            return try await told(.declined, id, by: lender, to: borrower, in: transaction)
        }
    }

    /// Takes a question back before the book is handed over. Throws as `accept`, for the borrower.
    package func withdraw(_ id: ID<Lending.Loan>, by borrower: ID<Accounts.Account>) async throws -> Lending.Loan {
        try await step(id, by: borrower, as: .in) { row, lender, transaction in
            if row.state == .withdrawn { return try await loan(id, of: borrower, in: transaction) }
            guard row.state != .out else {
                throw Failure.conflict(code: .alreadyOut, "it was handed over already")
            }
            try Self.requireOpen(row)
            try await move(id, to: .withdrawn, due: nil, in: transaction)
            return try await told(.withdrawn, id, by: borrower, to: lender, in: transaction)
        }
    }

    /// The lender has handed the copy over, accepted before or not: from now on it is a checkout of the borrower's.
    ///
    /// Throws as `accept`, and `.conflict` (`copy_out`, `too_many_checkouts`).
    package func handOver(_ id: ID<Lending.Loan>, by lender: ID<Accounts.Account>) async throws -> Lending.Loan {
        try await step(id, by: lender, as: .out) { row, borrower, transaction in
            if row.state == .out { return try await loan(id, of: lender, in: transaction) }
            try Self.requireOpen(row)
            guard let copy = row.copy, let book = try await transaction.first(Lending.Statements.BookOf(work: row.work))
            else { throw Failure.conflict(code: .loanOver, "the copy is gone") }
            try await requireRoom(of: borrower, in: transaction)
            guard try await transaction.run(Lending.Statements.Claim(copy: copy, reader: borrower)) == 1 else {
                throw Failure.copyOut
            }
            let checkout = try await take(
                book, copy, from: .own(of: lender), dueAt: row.due?.end, by: borrower, in: transaction)
            try await transaction.run(
                Lending.Statements.HandOver(loan: id, checkout: checkout, due: row.due, at: services.clock.now()))
            return try await told(.handedOver, id, by: lender, to: borrower, in: transaction)
        }
    }

    /// The copy is back, says one of the two; a frozen reader may, too. Saying so twice is saying so once. Throws
    /// `.notFound`, `.conflict` (`not_out`).
    package func giveBack(_ id: ID<Lending.Loan>, by reader: ID<Accounts.Account>) async throws -> Lending.Loan {
        try await services.database.transaction { transaction in
            guard let parties = try await transaction.first(Lending.Statements.PartiesOf(loan: id, reader: reader))
            else { throw Failure.notFound("loan \(id)") }
            _ = try await transaction.all(
                Friends.Statements.LockPair(one: parties.lender, other: parties.borrower))
            guard let row = try await transaction.first(Lending.Statements.LockLoan(loan: id)) else {
                throw Failure.notFound("loan \(id)")
            }
            if row.state == .out, let checkout = row.checkout {
                let now = services.clock.now()
                try await transaction.run(Lending.Statements.Close(checkout: checkout, at: now))
                try await returned(checkout, by: reader, at: now, in: transaction)
            } else if row.state != .returned {
                throw Failure.conflict(code: .notOut, "it was not handed over")
            }
            return try await loan(id, of: reader, in: transaction)
        }
    }

    /// A loan, for one of the two. Throws `.notFound`.
    package func loan(_ id: ID<Lending.Loan>, of reader: ID<Accounts.Account>) async throws -> Lending.Loan {
        try await loan(id, of: reader, in: services.database)
    }

    /// What a reader asked for (`in`) or was asked for (`out`), newest first.
    package func loans(
        _ direction: Lending.Loan.Direction, of reader: ID<Accounts.Account>, page: PageRequest<ID<Lending.Loan>>
    ) async throws -> Page<Lending.Loan, ID<Lending.Loan>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Lending.Statements.Loans(viewer: reader, direction: direction, span: $0))
        }
    }

    /// The loan that a checkout was is returned with it, and the other of the two is told; both, where somebody else
    /// who looks after the library took the copy back.
    func returned(
        _ checkout: ID<Lending.Checkout>, by actor: ID<Accounts.Account>, at time: Timestamp,
        in transaction: Transaction
    ) async throws {
        guard let back = try await transaction.first(Lending.Statements.LoanReturned(checkout: checkout, at: time))
        else { return }
        let side = actor == back.borrower ? back.borrower : back.lender
        for other in [back.lender, back.borrower] where other != actor {
            _ = try await told(.returned, back.loan, by: actor, of: side, to: other, in: transaction)
        }
    }

    // MARK: -

    /// Locks the two accounts and the loan, and runs `body` with the loan as it is and the other of the two. Throws
    /// `.notFound` for who is on the other side or on none, and after a block; `.forbidden` (`account_frozen`).
    private func step(
        _ id: ID<Lending.Loan>, by reader: ID<Accounts.Account>, as direction: Lending.Loan.Direction,
        _ body:
            @Sendable (Lending.Statements.LockLoan.Output, ID<Accounts.Account>, Transaction) async throws ->
            Lending.Loan
    ) async throws -> Lending.Loan {
        try await services.database.transaction { transaction in
            guard let parties = try await transaction.first(Lending.Statements.PartiesOf(loan: id, reader: reader)),
                reader == (direction == .out ? parties.lender : parties.borrower)
            else { throw Failure.notFound("loan \(id)") }
            let other = direction == .out ? parties.borrower : parties.lender
            let standing = try await Friends.Store(services).lock(reader, other, in: transaction)
            guard !standing.isBlocked, let row = try await transaction.first(Lending.Statements.LockLoan(loan: id))
            else { throw Failure.notFound("loan \(id)") }
            return try await body(row, other, transaction)
        }
    }

    private static func requireOpen(_ row: Lending.Statements.LockLoan.Output) throws(Failure) {
        guard row.state == .asked || row.state == .accepted else {
            throw .conflict(code: .loanOver, "it was \(row.state.name) already")
        }
    }

    private func move(
        _ id: ID<Lending.Loan>, to state: Lending.Loan.State, due: CalendarDate?, in transaction: Transaction
    ) async throws {
        try await transaction.run(
            Lending.Statements.MoveLoan(loan: id, state: state, due: due, at: services.clock.now()))
    }

    /// Tells the other of a step. Gives the loan as `side` sees it: who took the step, where nothing else is said.
    private func told(
        _ step: Lending.Event.Step, _ id: ID<Lending.Loan>, by actor: ID<Accounts.Account>,
        of side: ID<Accounts.Account>? = nil, to other: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> Lending.Loan {
        let loan = try await loan(id, of: side ?? actor, in: transaction)
        let reader = try await transaction.one(Friends.Statements.ReaderOf(account: actor))
        try await Lending.Event.loan(step, loan, by: reader, to: other).append(in: transaction, services: services)
        return loan
    }

    private func loan(
        _ id: ID<Lending.Loan>, of reader: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws -> Lending.Loan {
        guard let loan = try await queryable.first(Lending.Statements.OneLoan(viewer: reader, loan: id)) else {
            throw Failure.notFound("loan \(id)")
        }
        return loan
    }

    private func limitQuestions(of borrower: ID<Accounts.Account>, in transaction: Transaction) async throws {
        let bound = Limits.lending.openLoans
        let daily = Limits.lending.loansPerDay
        let asked = try await transaction.one(
            Lending.Statements.CountAsked(
                borrower: borrower, since: services.clock.now() - .days(1), limit: max(bound, daily)))
        guard asked.open < bound else {
            throw Failure.conflict(code: .tooManyLoans, "withdraw a question first: \(asked.open) are open")
        }
        guard !services.settings.limitsRates || asked.lately < daily else {
            throw Failure.limited(policy: "loans", retryAfter: .seconds(3600))
        }
    }

    /// Throws `.invalid` for a day that has passed, yesterday being today elsewhere.
    private func check(_ due: CalendarDate?) throws(Failure) {
        guard let due else { return }
        let today = services.clock.now().day.days
        guard due.days >= today - 1, due.days <= today + 3660 else {
            throw .invalid("/due", .outOfRange, "must lie ahead, within ten years")
        }
    }
}

extension CalendarDate {
    /// Its last moment in UTC.
    fileprivate var end: Timestamp { Timestamp(microseconds: (Int64(days) + 1) * 86_400_000_000) }
}

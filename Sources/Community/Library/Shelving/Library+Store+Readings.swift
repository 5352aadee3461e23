import Postgres

extension Library {
    /// What is to change about a reading that is over, or about the beginning of one that is not.
    package struct ReadingChange: Hashable, Sendable {
        /// `finished` or `stopped`; `nil` stays as it is.
        package var outcome: Reading.Outcome?
        package var started: FieldChange<PartialDate>
        package var finished: FieldChange<PartialDate>

        package init(
            outcome: Reading.Outcome? = nil, started: FieldChange<PartialDate> = .keep,
            finished: FieldChange<PartialDate> = .keep
        ) {
            self.outcome = outcome
            self.started = started
            self.finished = finished
        }

        /// The reading as it will be. Throws `.invalid` with every fault; dates later than tomorrow are faults.
        func applied(to old: Reading, today: CalendarDate) throws(Failure) -> Reading {
            var new = old
            new.outcome = outcome ?? old.outcome
            new.started = started.applied(to: old.started)
            new.finished = finished.applied(to: old.finished)
            var faults = Faults()
            for (pointer, date) in [("/started", started.value), ("/finished", finished.value)] {
                faults.require(
                    date.map { $0.first.days <= today.days + 1 } ?? true, pointer, .outOfRange,
                    "must not lie in the future")
            }
            if let started = new.started, let finished = new.finished {
                faults.require(
                    finished.last >= started.first, "/finished", .outOfRange, "lies before the beginning, \(started)"
                )
            }
            faults.require(
                (new.outcome == .open) == (old.outcome == .open), "/outcome", .mismatch,
                "a reading begins and ends where its book is moved on the shelves")
            faults.require(
                new.outcome != .open || new.finished == nil, "/finished", .mismatch, "it has not come to an end")
            try faults.check()
            return new
        }
    }
}

extension Library.Store {
    /// Changes one of the reader's readings of a book, however long ago: its dates, and whether it was finished or
    /// given up. Unchanged is unchanged.
    ///
    /// Throws `.invalid`, `.notFound` for the book or the reading, `.forbidden` (`account_frozen`),
    /// `.preconditionFailed`, `.conflict` (`still_read`) where the book stands on `read` and would have no finished
    /// reading left.
    package func change(
        _ reading: ID<Library.Reading>, of work: ID<Catalog.Work>, _ change: Library.ReadingChange,
        by reader: ID<Accounts.Account>, ifVersion version: Precondition = .none
    ) async throws -> Library.Shelved {
        try await revise(reading, of: work, by: reader, version) { old throws(Failure) in
            let new = try change.applied(to: old, today: services.clock.now().day)
            return new == old ? .nothing : .change(new)
        }
    }

    /// Takes one of the reader's readings of a book out, one that is over. Throws as `change`, `.conflict`
    /// (`reading_open`) for one that is not: that one ends where its book is moved.
    package func remove(
        _ reading: ID<Library.Reading>, of work: ID<Catalog.Work>, by reader: ID<Accounts.Account>,
        ifVersion version: Precondition = .none
    ) async throws -> Library.Shelved {
        try await revise(reading, of: work, by: reader, version) { old throws(Failure) in
            guard old.outcome != .open else {
                throw .conflict(code: .readingOpen, "it is not over: move the book to another shelf instead")
            }
            return .drop(old)
        }
    }

    private func revise(
        _ id: ID<Library.Reading>, of work: ID<Catalog.Work>, by reader: ID<Accounts.Account>, _ version: Precondition,
        _ step: @Sendable (Library.Reading) throws(Failure) -> Library.ReadingStep
    ) async throws -> Library.Shelved {
        try await services.database.transaction { transaction in
            let basis = try await basis(of: reader, work: work, edition: nil, in: transaction)
            guard let mine = basis.mine, let book = basis.book else {
                throw Failure.notFound("book \(work) in your library")
            }
            try version.check(mine.version)
            guard let old = try await transaction.first(Library.Statements.OneReading(entry: mine.id, reading: id))
            else { throw Failure.notFound("reading \(id)") }
            let step = try step(old)
            guard step != .nothing else { return try await shelved(book.id, of: reader, in: transaction) }
            let draft = Library.Draft(
                mine, timesRead: mine.timesRead + step.finishes(beyond: old), on: book.id, in: basis)
            guard mine.status != .read || draft.timesRead > 0 else {
                throw Failure.conflict(code: .stillRead, "the book stands on `read`: move it to another shelf first")
            }
            try await write(draft, step, nil, basis, about: book, in: transaction)
            if mine.timesRead > 0, draft.timesRead == 0 {
                try await transaction.run(
                    Activity.Statements.Undo(
                        subject: mine.id.rawValue, since: mine.addedAt, kind: .shelfRead, at: services.clock.now()))
            }
            return try await shelved(book.id, of: reader, in: transaction)
        }
    }
}

extension Library.Draft {
    /// The entry as it is, read so many times.
    fileprivate init(_ mine: Library.Basis.Mine, timesRead: Int, on work: ID<Catalog.Work>, in basis: Library.Basis) {
        self.init(
            id: mine.id, reader: basis.reader.id, work: work, status: mine.status, edition: mine.edition,
            visibility: mine.visibility, note: mine.note, timesRead: timesRead, counted: mine.counted,
            version: mine.version + 1, addedAt: mine.addedAt, movedAt: mine.movedAt)
    }
}

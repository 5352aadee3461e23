import Postgres

extension Library {
    /// One book in a reader's library, as it is shown to somebody.
    package struct Entry: Hashable, Sendable {
        package let id: ID<Entry>
        package let book: Catalog.Book
        package let status: Status
        package let edition: ID<Catalog.Edition>?
        /// When the last reading began and ended, as exactly as the reader said.
        package let started: PartialDate?
        package let finished: PartialDate?
        /// Finished readings.
        package let timesRead: Int
        /// What the reader gave the book, where the viewer may see that.
        package let rating: Rating?
        package let addedAt: Timestamp
        /// When it came to its status.
        package let movedAt: Timestamp
        /// 1, 2, …: rises with every change by the reader.
        package let version: Int
        /// How far the reader is, where the viewer may see that: ten-thousandths of the work; `nil` where none was
        /// logged.
        package let position: Int?
        /// The page that the reader named with it; seen where the position is.
        package let page: Int?
        /// Pages of the reader's own copy, where the viewer may see the position; else of the edition that the entry
        /// names.
        package let pages: Int?
        /// `nil` for everybody but the reader.
        package let own: Own?

        /// What the reader alone sees.
        package struct Own: Hashable, Sendable {
            /// `nil`: as the reader's setting says.
            package let visibility: Visibility?
            /// Why.
            package let note: String?
        }
    }

    /// One time that a reader read a book, or began to.
    package struct Reading: Hashable, Sendable {
        package enum Outcome: String, Sendable, CaseIterable, PostgresText {
            case open, finished, stopped
        }

        package let id: ID<Reading>
        package var outcome: Outcome
        package var started: PartialDate?
        package var finished: PartialDate?

        package init(id: ID<Reading>, outcome: Outcome, started: PartialDate? = nil, finished: PartialDate? = nil) {
            self.id = id
            self.outcome = outcome
            self.started = started
            self.finished = finished
        }

        var isDated: Bool { started != nil || finished != nil }

        /// Whether that it was read may have been a slip: nothing is said of it but what `today` added.
        func maySlip(_ today: CalendarDate) -> Bool {
            started == nil && (finished == nil || finished == PartialDate(today, .day))
        }
    }

    /// What a reader makes of a book.
    package struct Move: Hashable, Sendable {
        package let status: Status
        package var edition: FieldChange<ID<Catalog.Edition>>
        package var started: FieldChange<PartialDate>
        package var finished: FieldChange<PartialDate>
        package var visibility: FieldChange<Visibility>
        package var note: FieldChange<String>

        package init(
            _ status: Status, edition: FieldChange<ID<Catalog.Edition>> = .keep,
            started: FieldChange<PartialDate> = .keep,
            finished: FieldChange<PartialDate> = .keep, visibility: FieldChange<Visibility> = .keep,
            note: FieldChange<String> = .keep
        ) {
            self.status = status
            self.edition = edition
            self.started = started
            self.finished = finished
            self.visibility = visibility
            self.note = note
        }

        /// Throws `.invalid` with every fault. `today`: dates later than tomorrow, which it may be already elsewhere,
        /// are faults.
        package func validate(today: CalendarDate) throws(Failure) {
            var faults = Faults()
            for (pointer, date) in [("/started", started.value), ("/finished", finished.value)] {
                guard let date else { continue }
                faults.require(date.first.days <= today.days + 1, pointer, .outOfRange, "must not lie in the future")
            }
            if status == .want {
                faults.require(started.value == nil, "/started", .mismatch, "a book that is wanted has not been begun")
            }
            if status != .read, status != .stopped {
                faults.require(finished.value == nil, "/finished", .mismatch, "only read and stopped have an end")
            }
            if let note = note.value {
                faults.require(Limits.library.note.contains(note.utf8.count), "/note", .tooLong, "1 to 2,000 bytes")
                faults.require(Wording.isPlain(note), "/note", .badFormat, Wording.unplain)
            }
            try faults.check()
        }
    }

    /// What a move does to the readings of a book: at most one changes.
    enum ReadingStep: Hashable, Sendable {
        case nothing
        case begin(Reading)
        case change(Reading)
        case drop(Reading)
    }
}

extension Library.Move {
    /// The step for a book that had `old` (`nil`: not in the library) and whose last reading is `last`. `id` is for a
    /// new reading. A book that comes to `read` was finished `today` where nothing is said of its end.
    ///
    /// Throws `.invalid` where the end would lie before the beginning.
    func step(
        from old: Library.Status?, last: Library.Reading?, id: ID<Library.Reading>, today: CalendarDate
    ) throws(Failure) -> Library.ReadingStep {
        let open = last?.outcome == .open ? last : nil
        switch status {
        case .want: return stepBack(from: old, last: last, open: open, today: today)
        case .reading, .paused: return try dated(open, or: id, .open)
        case .read:
            guard old == .read else { return try dated(open, or: id, .finished, endedOn: today) }
            return try dated(open ?? last, or: id, .finished)
        case .stopped:
            return try dated(open ?? (old == .read || old == .stopped ? last : nil), or: id, .stopped)
        }
    }

    private func stepBack(
        from old: Library.Status?, last: Library.Reading?, open: Library.Reading?, today: CalendarDate
    ) -> Library.ReadingStep {
        if var open {
            guard open.isDated else { return .drop(open) }
            open.outcome = .stopped
            return .change(open)
        }
        guard old == .read, let last, last.outcome == .finished, last.maySlip(today) else { return .nothing }
        return .drop(last)
    }

    /// `reading`, or a new one, with `outcome` and with the dates that were sent; `endedOn`: its end where none was sent.
    private func dated(
        _ reading: Library.Reading?, or id: ID<Library.Reading>, _ outcome: Library.Reading.Outcome,
        endedOn day: CalendarDate? = nil
    ) throws(Failure) -> Library.ReadingStep {
        var new = reading ?? Library.Reading(id: id, outcome: outcome)
        new.outcome = outcome
        new.started = started.applied(to: new.started)
        new.finished = finished.applied(to: new.finished)
        if let day, case .keep = finished {
            // A beginning may lie a day ahead of the reader's own.
            new.finished = PartialDate(max(day, new.started?.first ?? day), .day)
        }
        if let started = new.started, let finished = new.finished, finished.last < started.first {
            throw .invalid("/finished", .outOfRange, "lies before the beginning, \(started)")
        }
        guard let reading else { return .begin(new) }
        return new == reading ? .nothing : .change(new)
    }
}

extension Library.ReadingStep {
    /// The last reading after it.
    func last(after old: Library.Reading?) -> Library.Reading? {
        switch self {
        case .nothing: old
        case .begin(let reading), .change(let reading): reading
        // The one before it is looked up where it is shown.
        case .drop: nil
        }
    }

    /// By how much the number of finished readings changes.
    func finishes(beyond old: Library.Reading?) -> Int {
        let before = old?.outcome == .finished ? 1 : 0
        return switch self {
        case .nothing: 0
        case .begin(let reading): reading.outcome == .finished ? 1 : 0
        case .change(let reading): (reading.outcome == .finished ? 1 : 0) - before
        case .drop(let reading): reading.outcome == .finished ? -1 : 0
        }
    }
}

extension Library {
    /// What a shelved book is to its reader now.
    package struct OnShelf: Hashable, Sendable {
        package let status: Library.Status
        /// Finished readings.
        package let timesRead: Int
    }
}

extension Library.OnShelf {
    /// Reads the columns `status` and `times_read` of a shelved book.
    init(_ columns: inout Columns) throws {
        self.init(status: try columns("status"), timesRead: try columns("times_read"))
    }
}

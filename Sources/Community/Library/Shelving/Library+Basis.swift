import Postgres

extension Library {
    /// What stands before a reader moves a book, read while the account's row is locked.
    struct Basis: Sendable {
        struct Mine: Hashable, Sendable {
            let id: ID<Entry>
            let status: Status
            let edition: ID<Catalog.Edition>?
            let visibility: Visibility?
            let note: String?
            let timesRead: Int
            let counted: Bool
            let version: Int
            let addedAt: Timestamp
            let movedAt: Timestamp
        }

        let reader: Accounts.Reader
        /// When the account was made.
        let bornAt: Timestamp
        /// In the reader's time zone.
        let today: CalendarDate
        /// Whether the account's entries count now.
        let counts: Bool
        /// Whether the work has been published.
        let isOut: Bool
        let privacy: Privacy
        /// Books in the library.
        let total: Int
        let mine: Mine?
        let last: Reading?
        /// What the reader gave the book, and who may see that.
        let rating: (stars: Rating, level: Visibility)?
        /// The edition that was named, or what it was merged into, where it is one of this work.
        let edition: ID<Catalog.Edition>?
        /// `nil` where there is no such work, or no book is shown for it.
        let book: Catalog.Book?
        /// The work that was named, or what it was merged into.
        let target: ID<Catalog.Work>?
        /// How far the reader may be told of it.
        let gate: Int

        /// At most who hears of what happens to an entry with this level of its own.
        func told(_ visibility: Visibility?) -> Visibility {
            min(visibility ?? privacy[.shelves], privacy[.activity])
        }

        /// Throws `.conflict` where the library is full.
        func hasRoom() throws(Failure) {
            guard mine != nil || total < Limits.library.entries else {
                throw .conflict(
                    code: .libraryFull, "a library holds at most \(Limits.library.entries) books; take one out first")
            }
        }
    }

    /// The row of `shelf_entry` as it will be, and where it stands.
    struct Draft: Hashable, Sendable {
        let id: ID<Entry>
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let status: Status
        let edition: ID<Catalog.Edition>?
        let visibility: Visibility?
        let note: String?
        let timesRead: Int
        let counted: Bool
        let version: Int
        let addedAt: Timestamp
        let movedAt: Timestamp
    }

    /// Where an entry stands in the counters.
    struct Standing: Hashable, Sendable {
        let status: Status
        let isRead: Bool
        let visibility: Visibility?
        let counted: Bool

        /// The rows of `shelf_tally` that count it.
        var shelves: [String] {
            var shelves = ["all", status.rawValue]
            if isRead, status != .read { shelves.append(Status.read.rawValue) }
            return shelves
        }

        /// `shelf_tally.level`.
        var level: Int16 { visibility?.rawValue ?? -1 }

        /// What it adds to `work_shelf`.
        var share: Share {
            guard counted else { return .nothing }
            return Share(
                want: status == .want ? 1 : 0, reading: status == .reading || status == .paused ? 1 : 0,
                read: isRead ? 1 : 0)
        }
    }

    /// Part of the counters of a work.
    struct Share: Hashable, Sendable {
        let want: Int
        let reading: Int
        let read: Int

        static let nothing = Share(want: 0, reading: 0, read: 0)

        static func - (left: Share, right: Share) -> Share {
            Share(want: left.want - right.want, reading: left.reading - right.reading, read: left.read - right.read)
        }
    }
}

extension Library.Basis.Mine {
    var standing: Library.Standing {
        Library.Standing(status: status, isRead: timesRead > 0, visibility: visibility, counted: counted)
    }
}

extension Library.Draft {
    var standing: Library.Standing {
        Library.Standing(status: status, isRead: timesRead > 0, visibility: visibility, counted: counted)
    }

    /// The entry that `move` makes of `basis`; the same as before but for `counted` where it changes nothing.
    init(
        _ move: Library.Move, _ step: Library.ReadingStep, on work: ID<Catalog.Work>, in basis: Library.Basis,
        services: Services
    )
        throws
    {
        let now = services.clock.now()
        let old = basis.mine
        visibility = move.visibility.applied(to: old?.visibility)
        counted =
            basis.counts && (visibility ?? basis.privacy[.shelves]) >= .members
            && (basis.isOut || old?.counted == true)
        id = try old?.id ?? services.ids.make()
        reader = basis.reader.id
        self.work = work
        status = move.status
        edition = basis.edition ?? move.edition.applied(to: old?.edition)
        note = move.note.applied(to: old?.note)
        timesRead = (old?.timesRead ?? 0) + step.finishes(beyond: basis.last)
        addedAt = old?.addedAt ?? now
        movedAt = old?.status == move.status ? (old?.movedAt ?? now) : now
        let isSame =
            step == .nothing && old?.status == status && old?.edition == edition && old?.visibility == visibility
            && old?.note == note
        version = isSame ? (old?.version ?? 1) : (old?.version ?? 0) + 1
    }
}

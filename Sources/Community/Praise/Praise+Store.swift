import EventLog
import Jobs
import Postgres

extension Praise {
    /// What readers do with favourites and recommendations.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// Holds a book up, moves it in the reader's list, or changes who sees that. Gives whether it is new.
        ///
        /// One transaction: the mark, the work's counter, the act, the event. Throws `.notFound` for the work,
        /// `.forbidden` (`account_frozen`), `.invalid` (`/after`) where that book is not in the list, `.conflict`
        /// (`too_many_marks`).
        package func put(
            _ kind: Kind, on work: ID<Catalog.Work>, by reader: ID<Accounts.Account>, _ wish: Wish = Wish()
        ) async throws -> (mark: Mark, isNew: Bool) {
            try await services.database.transaction { transaction in
                let basis = try await basis(kind, of: reader, work: work, in: transaction)
                guard let book = basis.book else { throw Failure.notFound("book \(work)") }
                guard basis.mine != nil || basis.held < Limits.praise.marks else {
                    throw Failure.conflict(
                        code: .tooManyMarks,
                        "a reader has at most \(Limits.praise.marks) of them; take one back first")
                }
                let visibility = wish.visibility.applied(to: basis.mine?.visibility)
                let place = try await place(wish.spot, kind, book.id, of: basis, in: transaction)
                let mark = Mark(
                    id: try basis.mine?.id ?? services.ids.make(), kind: kind, reader: basis.reader, book: book,
                    visibility: visibility, createdAt: basis.mine?.createdAt ?? services.clock.now(), place: place)
                if basis.mine == nil || basis.mine?.place != place || basis.mine?.visibility != visibility {
                    try await write(mark, basis, in: transaction)
                }
                return (mark, basis.mine == nil)
            }
        }

        /// Locks the account and reads what is decided on.
        private func basis(
            _ kind: Kind, of reader: ID<Accounts.Account>, work: ID<Catalog.Work>, in transaction: Transaction
        ) async throws -> Basis {
            try await Library.Store(services).lock(reader, holding: work)
            return try await transaction.one(
                Statements.Basis(kind: kind, reader: reader, work: work, counting: Accounts.Counting(services)))
        }

        /// The place at `spot`: before all others for a new mark. Moves the others apart where there is no room.
        private func place(
            _ spot: Library.Spot, _ kind: Kind, _ work: ID<Catalog.Work>, of basis: Basis, in transaction: Transaction
        ) async throws -> Int64 {
            if let mine = basis.mine, spot == .keep { return mine.place }
            let reader = basis.reader.id
            for _ in 0..<2 {
                let gap: Library.Gap
                switch spot {
                case .keep, .first:
                    gap = try await transaction.one(Statements.First(kind: kind, reader: reader, without: work))
                case .after(let other):
                    let found = try await transaction.first(
                        Statements.GapAfter(kind: kind, reader: reader, after: other, without: work))
                    guard let found, other != work else {
                        throw Failure.invalid("/after", .unknown, "must be a book of this list")
                    }
                    gap = found
                }
                if let place = gap.place { return place }
                try await transaction.run(Statements.Spread(kind: kind, reader: reader))
            }
            throw Failure.conflict(code: .listFull, "there is no room at this place")
        }

        /// Everything that a mark changes, sent together. The row of `work_popularity` is locked last.
        private func write(_ mark: Mark, _ basis: Basis, in transaction: Transaction) async throws {
            let now = services.clock.now()
            let (old, level) = (basis.mine, basis.told(mark.visibility))
            let wasCounted = old?.counted ?? false
            let counted =
                mark.kind == .recommendation && basis.counts && (mark.visibility ?? basis.usual) >= .members
                && (basis.isOut || wasCounted)
            var events: [Event] = []
            if let old, level < basis.told(old.visibility) {
                events.append(
                    .removed(
                        mark.kind, reader: mark.reader.id, book: mark.book.id, level: basis.told(old.visibility)))
            }
            // Where it stands in the list is no news.
            if old == nil || old?.visibility != mark.visibility { events.append(.given(mark, level: level)) }
            let records = try events.map {
                EventLog.Statements.Append(event: try $0.row(id: try services.ids.make(Event.self).rawValue, at: now))
            }
            let act = try services.ids.make(Activity.Act.self).rawValue
            let age =
                basis.counts || mark.kind == .favourite
                ? nil : Accounts.Counting.comingOfAge(bornAt: basis.bornAt, in: services)
            let comingOfAge = try age.map {
                try Jobs.Enqueue(Library.CountReader(reader: mark.reader.id, isBirthday: true), after: $0)
            }
            try await transaction.batch { batch in
                batch.run(Statements.Put(mark: mark, counted: counted))
                if old == nil {
                    batch.run(
                        Activity.Statements.Record(
                            id: act, reader: mark.reader.id, work: mark.book.id, kind: mark.kind.act, at: now,
                            subject: mark.id.rawValue, since: mark.createdAt))
                }
                for record in records { batch.run(record) }
                if let comingOfAge { batch.run(comingOfAge) }
                if counted != wasCounted {
                    batch.run(Catalog.BumpRecommends(work: mark.book.id, by: counted ? 1 : -1))
                }
            }
        }

        /// Takes a book off the reader's favourites or recommendations; its act is undone. One that is not among
        /// them is off them already. Throws `.notFound` for a book that is not there, `.forbidden` (`account_frozen`).
        package func remove(_ kind: Kind, on work: ID<Catalog.Work>, by reader: ID<Accounts.Account>) async throws {
            try await services.database.transaction { transaction in
                let basis = try await basis(kind, of: reader, work: work, in: transaction)
                guard let mine = basis.mine, let book = basis.target else {
                    guard basis.book != nil else { throw Failure.notFound("book \(work)") }
                    return
                }
                let now = services.clock.now()
                let event = Event.removed(kind, reader: reader, book: book, level: basis.told(mine.visibility))
                let row = try event.row(id: try services.ids.make(Event.self).rawValue, at: now)
                try await transaction.batch { batch in
                    batch.run(Statements.Delete(mark: mine.id))
                    batch.run(
                        Activity.Statements.Undo(subject: mine.id.rawValue, since: mine.createdAt, kind: nil, at: now))
                    batch.run(EventLog.Statements.Append(event: row))
                    if mine.counted { batch.run(Catalog.BumpRecommends(work: book, by: -1)) }
                }
            }
        }

        /// A reader's favourites or recommendations that the viewer may see, in the reader's order. Throws `.notFound`
        /// for a reader whom the viewer may not see.
        package func marks(
            _ kind: Kind, of username: String, for viewer: Viewer, page: PageRequest<Key>
        ) async throws -> (reader: Accounts.Reader, page: Page<Mark, Key>) {
            let reader = try await Library.Store(services).reader(username, for: viewer)
            return (reader, try await marks(kind, of: reader.id, for: viewer, page: page))
        }

        package func marks(
            _ kind: Kind, of reader: ID<Accounts.Account>, for viewer: Viewer, page: PageRequest<Key>
        ) async throws -> Page<Mark, Key> {
            let database = services.database
            return try await page.read(from: .lowest, key: \.key) {
                try await database.all(Statements.Marks(viewer: viewer, reader: reader, kind: kind, span: $0))
            }
        }

        /// Who recommends a work, or what it was merged into, as far as the viewer may see: friends or everybody, last
        /// first.
        package func fans(
            of work: ID<Catalog.Work>, among circle: Circle, for viewer: Viewer, page: PageRequest<ID<Mark>>
        ) async throws -> Page<Fan, ID<Mark>> {
            let database = services.database
            return try await page.read(from: .highest, key: \.mark) {
                try await database.all(Statements.Fans(viewer: viewer, work: work, circle: circle, span: $0))
            }
        }

        /// Brings the counters in line with what one account and its settings are now, in `queryable`'s transaction,
        /// whose account is locked.
        func countMarks(of reader: ID<Accounts.Account>, in queryable: some Queryable) async throws {
            for change in try await queryable.all(
                Statements.CountMarksOf(reader: reader, counting: Accounts.Counting(services)))
            {
                try await queryable.run(Catalog.BumpRecommends(work: change.work, by: change.isCounted ? 1 : -1))
            }
        }
    }
}

import Postgres

extension Places {
    /// What readers do with positions and bookmarks.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        var library: Library.Store { Library.Store(services) }

        /// Logs how far a reader is in a work; opens it (`reading`) or finishes it (`read`) where that is what it
        /// means. Gives whether it is the first in this book.
        ///
        /// One transaction: the shelf, the position, the journal. Throws `Conflict` for a device that is behind,
        /// `.invalid`, `.notFound` for the work, `.forbidden` (`account_frozen`), `.conflict` (`library_full`).
        @discardableResult
        package func log(
            _ step: Step, in work: ID<Catalog.Work>, by reader: ID<Accounts.Account>
        ) async throws -> (place: Place, isFirst: Bool) {
            try Self.check(device: step.device)
            return try await services.database.transaction { transaction in
                try await library.lock(reader, holding: work)
                let ground = try await ground(of: reader, in: work, for: step.said, in: transaction)
                var position = try ground.position(of: step.said)
                var (page, anchor) = (step.said.page, ground.spot?.anchor)
                if ground.isBehind(step, at: position) {
                    let there = try await place(in: ground.work, of: reader, in: transaction)
                    guard step.meant == .theirs else {
                        throw Conflict(sent: position, sentPage: page, device: step.device, there: there)
                    }
                    (position, page, anchor) = (there.position, there.page, ground.entry?.anchor)
                }
                let entry = try await open(ground, at: position, by: reader, in: transaction)
                let logged = Logged(
                    id: try services.ids.make(), position: position, page: page, device: step.device,
                    at: services.clock.now())
                try await write(logged, anchor, step, by: reader, on: entry, over: ground, in: transaction)
                let place = try await place(in: ground.work, of: reader, in: transaction)
                return (place, ground.entry?.position == nil)
            }
        }

        /// Puts the book on the shelf that the position means. Gives its entry.
        private func open(
            _ ground: Ground, at position: Int, by reader: ID<Accounts.Account>, in transaction: Transaction
        ) async throws -> ID<Library.Entry> {
            let wanted: Library.Status = position == 10_000 ? .read : .reading
            if let entry = ground.entry, entry.status == wanted { return entry.id }
            return try await library.move(Library.Move(wanted), on: ground.work, by: reader, turnsPages: false)
                .shelved.entry.id
        }

        private func write(
            _ logged: Logged, _ anchor: Anchor?, _ step: Step, by reader: ID<Accounts.Account>,
            on entry: ID<Library.Entry>, over ground: Ground, in transaction: Transaction
        ) async throws {
            let old = ground.entry
            let pages = step.said.total ?? old?.pages
            let isSame =
                old?.position == logged.position && old?.page == logged.page && old?.pages == pages
                && old?.device == step.device && old?.anchor == anchor
            let isCorrection = step.meant == .mine && old?.reached != nil
            guard !isSame || isCorrection else { return }
            let reached = ground.reached(behind: logged.position, meant: step.meant)
            let unlock = try Gate.unlocking(of: ground.work, for: reader, from: ground.gate)
            try await transaction.batch { batch in
                batch.run(Statements.Advance(entry: entry, to: logged, reached: reached, pages: pages, anchor: anchor))
                batch.run(Statements.Log(entry: entry, logged: logged))
                if ground.gate < Gate.end { batch.run(unlock) }
            }
        }

        /// What `said` is decided on. Throws `.notFound` for the work; `.invalid` for an e-book of another book,
        /// `.unauthenticated` and `.forbidden` for one whose pages the reader may not turn.
        func ground(
            of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>, for said: Said?, in transaction: Transaction
        ) async throws -> Ground {
            guard
                var ground = try await transaction.first(
                    Statements.GroundOf(viewer: reader, work: work, chapter: said?.chapter))
            else { throw Failure.notFound("book \(work)") }
            if case .ebook(let ebook, let page)? = said {
                ground.spot = try await Ebooks.spot(
                    page, of: ebook, in: ground.work, for: reader, at: services.clock.now(), in: transaction)
            }
            return ground
        }

        /// Where the reader left off in a work, or in what it was merged into. Throws `.notFound` where no position was
        /// logged.
        package func place(in work: ID<Catalog.Work>, of reader: ID<Accounts.Account>) async throws -> Place {
            try await place(in: work, of: reader, in: services.database)
        }

        private func place(
            in work: ID<Catalog.Work>, of reader: ID<Accounts.Account>, in queryable: some Queryable
        ) async throws -> Place {
            guard let place = try await queryable.first(Statements.PlaceIn(reader: reader, work: work)) else {
                throw Failure.notFound("position in book \(work)")
            }
            return place
        }

        /// The books that a reader is in, reading or paused, with the place left off, the one read last first.
        package func places(of reader: ID<Accounts.Account>, page: PageRequest<Key>) async throws -> Page<Place, Key> {
            let database = services.database
            return try await page.read(from: .highest, key: \.key) {
                try await database.all(Statements.LeftOff(reader: reader, span: $0))
            }
        }

        /// Every step of the reader through a work, last first. Throws `.notFound` where it is not in the library.
        package func journal(
            of work: ID<Catalog.Work>, by reader: ID<Accounts.Account>, page: PageRequest<ID<Logged>>
        ) async throws -> Page<Logged, ID<Logged>> {
            let database = services.database
            guard let entry = try await database.first(Statements.EntryOf(reader: reader, work: work)) else {
                throw Failure.notFound("book \(work) in your library")
            }
            return try await page.read(from: .highest, key: \.id) {
                try await database.all(Statements.Journal(entry: entry, span: $0))
            }
        }

        private static func check(device: String) throws(Failure) {
            guard Limits.places.device.contains(device.utf8.count), Wording.isPlain(device) else {
                throw .invalid("/device", .tooLong, "1 to 64 bytes of UTF-8, none hidden")
            }
        }
    }
}

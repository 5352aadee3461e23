import EventLog
import Jobs
import MarkdownReading
import Postgres

extension Reviews {
    /// What readers do with ratings and reviews.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// Makes the reader's review of a work what `new` says.
        ///
        /// One transaction: the review, the work's counters, the act, the event. `version`, where given, must be that of the review that
        /// is there (`.preconditionFailed`). Throws `.invalid`, `.notFound` for the work, `.forbidden` with `account_frozen`
        /// or, beyond the reader's friends, `email_unverified`; `.limited` for one text more than a new account may
        /// have.
        package func put(
            _ new: NewReview, on work: ID<Catalog.Work>, by reader: ID<Accounts.Account>,
            ifVersion version: Precondition = .none
        ) async throws -> Outcome {
            try new.validate()
            let new = new.cleaned
            return try await say(on: work, by: reader, ifVersion: version) { _ in new }
        }

        /// Changes what the reader says about a work; what `change` leaves out stays. Throws as the other `put`.
        package func put(
            _ change: ReviewChange, on work: ID<Catalog.Work>, by reader: ID<Accounts.Account>,
            ifVersion version: Precondition = .none
        ) async throws -> Outcome {
            let change = change.cleaned
            return try await say(on: work, by: reader, ifVersion: version) { try change.applied(to: $0) }
        }

        /// Makes the reader's review what `saying` makes of what the reader said before.
        func say(
            on work: ID<Catalog.Work>, by reader: ID<Accounts.Account>, ifVersion version: Precondition,
            _ saying: @Sendable (Basis.Mine?) throws -> NewReview
        ) async throws -> Outcome {
            try await services.database.transaction { transaction in
                let counting = Accounts.Counting(services)
                let asked = Statements.Basis(viewer: reader, work: work, counting: counting)
                guard var basis = try await transaction.first(asked) else { throw Failure.unauthenticated() }
                if let book = basis.book, book.id != work {
                    // Merged while this waited for it: what the reader said before has gone over.
                    basis = try await transaction.one(asked)
                }
                guard let book = basis.book else { throw Failure.notFound("book \(work)") }
                let old = basis.mine?.review
                try version.check(old?.version)
                let new = try saying(basis.mine)
                let text = try await rendered(new, over: basis.mine, by: reader, in: transaction)
                let review = try basis.said(new, text, about: book, services: services)
                try basis.mayPost(at: review.wanted, isLoopback: counting.isLoopback)
                if mayBeLimited(basis, review) {
                    try Basis.mayAddText(to: try await transaction.one(Statements.TextsOf(reader: reader)))
                }
                let events = Event.between(old, review)
                let hasOwnLevel = basis.hasOwnLevel(after: new)
                guard !events.isEmpty else {
                    guard let old, old.levelIsOwn != hasOwnLevel else { return .unchanged(review) }
                    try await transaction.run(Statements.OwnLevel(review: old.id, isOwn: hasOwnLevel))
                    return .changed(review)
                }
                let rewriting = try Rewriting(of: review, as: text, over: basis.mine, ids: services.ids)
                try await write(review, events, basis, rewriting, hasOwnLevel: hasOwnLevel, in: transaction)
                return old == nil ? .created(review) : .changed(review)
            }
        }

        /// Whether a new account says something with words where it said nothing before.
        private func mayBeLimited(_ basis: Basis, _ review: Review) -> Bool {
            services.settings.limitsRates && basis.bornAt > services.newSince && basis.mine?.body == nil
                && review.body != nil
        }

        /// What a review is to say, where it is not kept like that; `nil` without a text, too.
        private func rendered(
            _ new: NewReview, over mine: Basis.Mine?, by reader: ID<Accounts.Account>, in transaction: Transaction
        ) async throws -> Markdown.Text? {
            guard let body = new.body, mine?.has(body) != true else { return nil }
            return try await Markdown.written(body, by: reader, in: transaction)
        }

        /// Everything that a changed review changes: the counters of the work, which all who review it take turns at, with the commit.
        private func write(
            _ review: Review, _ events: [Event], _ basis: Basis, _ rewriting: Rewriting, hasOwnLevel: Bool,
            in transaction: Transaction
        ) async throws {
            let old = basis.mine?.review
            let now = review.editedAt ?? review.createdAt
            let counted = basis.counts(at: review.visibility)
            let before: Share = basis.mine?.share ?? .nothing
            let after: Share = counted ? review.share : .nothing
            let records = try events.map {
                EventLog.Statements.Append(
                    event: try $0.row(id: try services.ids.make(Event.self).rawValue, text: rewriting.text, at: now))
            }
            let acts = try Reviews.acts(from: old, to: review, at: now, ids: services.ids)
            let age = basis.counts ? nil : Accounts.Counting.comingOfAge(bornAt: basis.bornAt, in: services)
            let comingOfAge = try age.map {
                try Jobs.Enqueue(CountReader(reader: review.author.id, isBirthday: true), after: $0)
            }
            do {
                try await transaction.batch { batch in
                    if old == nil {
                        batch.run(
                            Statements.Insert(
                                review: review, text: rewriting.text, counted: counted, hasOwnLevel: hasOwnLevel))
                    }
                    rewriting.write(review, at: now, in: &batch)
                    if old != nil {
                        batch.run(
                            Statements.Update(
                                review: review, text: rewriting.text, counted: counted, hasOwnLevel: hasOwnLevel))
                    }
                    batch.run(
                        Library.Rated(
                            reader: review.author.id, work: review.book.id, rating: review.rating,
                            level: review.visibility))
                    for act in acts { act.add(to: &batch) }
                    for record in records { batch.run(record) }
                    if let comingOfAge { batch.run(comingOfAge) }
                }
                try count(review.book.id, from: before, to: after, in: transaction)
            } catch let error as PostgresError where error.constraint == "review_of_reader" {
                // Another request of the same reader was first: run the whole transaction again, which then finds its review.
                throw PostgresError(.server, sqlState: .serializationFailure, constraint: error.constraint)
            }
        }

        /// Takes the reader's review of a work (or of what it was merged into) away, with its counts; its acts are undone. Where there is
        /// none nothing happens. Throws `.notFound` for a work that is not there, `.forbidden` with `account_frozen`.
        package func remove(
            on work: ID<Catalog.Work>, by reader: ID<Accounts.Account>, ifVersion version: Precondition = .none
        ) async throws {
            try await services.database.transaction { transaction in
                guard let mine = try await transaction.first(Statements.LockMine(viewer: reader, work: work)) else {
                    return try await findNothing(on: work, by: reader, ifVersion: version, in: transaction)
                }
                try mine.state.mayWrite()
                try version.check(mine.review.version)
                let now = services.clock.now()
                let book = mine.review.book.id
                let event = try Event.removed(mine.review).row(
                    id: try services.ids.make(Event.self).rawValue, text: nil, at: now)
                try await transaction.batch { batch in
                    batch.run(Statements.Delete(review: mine.review.id))
                    batch.run(Library.Rated(reader: reader, work: book, rating: nil, level: .private))
                    batch.run(
                        Activity.Statements.Undo(
                            subject: mine.review.id.rawValue, since: mine.review.createdAt, kind: nil, at: now))
                    batch.run(EventLog.Statements.Append(event: event))
                }
                try count(book, from: mine.counted ? mine.review.share : .nothing, to: .nothing, in: transaction)
            }
        }

        /// Nothing is to be taken away. Throws `.notFound` for a work that is not there, `.forbidden` with `account_frozen`.
        func findNothing(
            on work: ID<Catalog.Work>, by reader: ID<Accounts.Account>, ifVersion version: Precondition,
            in transaction: Transaction
        ) async throws {
            let asked = Statements.Basis(viewer: reader, work: work, counting: Accounts.Counting(services))
            guard let basis = try await transaction.first(asked) else { throw Failure.unauthenticated() }
            try basis.state.mayWrite()
            guard basis.book != nil else { throw Failure.notFound("book \(work)") }
            try version.check(basis.mine?.review.version)
        }

        /// Counts one review of a work otherwise than before, with the commit: who reviews it takes turns there.
        func count(
            _ work: ID<Catalog.Work>, from old: Share, to new: Share, in transaction: Transaction
        ) throws {
            guard old != new else { return }
            let readers: Int32 = (new == .nothing ? 0 : 1) - (old == .nothing ? 0 : 1)
            try transaction.atCommit { batch in
                batch.run(Statements.Count(work: work, old: old, new: new))
                if readers != 0 { batch.run(Catalog.BumpReaders(work: work, by: readers)) }
            }
        }

        /// The reader's own review of a work, or of what it was merged into. Throws `.notFound`.
        package func review(of work: ID<Catalog.Work>, by reader: ID<Accounts.Account>) async throws -> Review {
            guard let review = try await services.database.first(Statements.Mine(viewer: reader, work: work)) else {
                throw Failure.notFound("review of book \(work)")
            }
            return review
        }

        /// The counted ratings of a work.
        package func tally(of work: ID<Catalog.Work>) async throws -> Tally {
            try await services.database.first(Statements.TallyOf(work: work)) ?? .none
        }

        /// Counts anew the reviews of every account where something is to change, one transaction an account.
        package func countChanged() async throws {
            var after = ID<Accounts.Account>.min
            while true {
                let readers = try await services.database.all(
                    Statements.ReadersToCount(counting: Accounts.Counting(services), after: after, limit: 500))
                guard let last = readers.last else { return }
                for reader in readers {
                    try await services.database.transaction { try await countReviews(of: reader, in: $0) }
                }
                after = last
            }
        }

        /// Puts what the reader said without choosing a level at the level that the settings say now, with the counters and the ratings beside
        /// shelved books, in the transaction of the change, which holds the account.
        func follow(_ level: Visibility, of reader: ID<Accounts.Account>, in transaction: Transaction) async throws {
            guard try await transaction.run(Statements.FollowLevel(reader: reader, level: level)) > 0 else { return }
            try await transaction.run(Library.RatedAnew(reader: reader))
            try await countReviews(of: reader, in: transaction)
        }

        /// Brings the counters in line with what one account is now, in `queryable`'s transaction.
        func countReviews(of reader: ID<Accounts.Account>, in queryable: some Queryable) async throws {
            for change in try await queryable.all(
                Statements.CountReviewsOf(reader: reader, counting: Accounts.Counting(services)))
            {
                try await queryable.run(Catalog.BumpReaders(work: change.work, by: change.isCounted ? 1 : -1))
            }
        }
    }
}

// Reading what others said. What a viewer may not see at all is left out or `.notFound`; what is ahead of them is a placeholder.
extension Reviews.Store {
    /// One review. Throws `.notFound` also for one that is hidden.
    package func review(_ id: ID<Reviews.Review>, for viewer: Viewer) async throws -> Reviews.Shown {
        guard let review = try await services.database.first(Reviews.Statements.One(viewer: viewer, review: id)) else {
            throw Failure.notFound("review \(id)")
        }
        return review
    }

    /// Ratings and reviews of a work, or of what it was merged into. A work that is unknown has none; without an account nobody is a friend.
    package func reviews(
        of work: ID<Catalog.Work>, by circle: Circle = .all, sort: Reviews.Sort = .newest, for viewer: Viewer,
        page: PageRequest<Reviews.Place>
    ) async throws -> Page<Reviews.Shown, Reviews.Place> {
        let reviews = try await page.read(in: sort, key: { sort.place($0.key) }) {
            try await services.database.all(
                Reviews.Statements.OfBook(viewer: viewer, circle: circle, sort: sort, work: work, span: $0))
        }
        return reviews.map(\.item)
    }
    /// What the reader with this username says about books, newest first, and who that is. Throws `.notFound` for one
    /// that the viewer may not know of.
    package func reviews(
        of username: String, for viewer: Viewer, page: PageRequest<ID<Reviews.Review>>
    ) async throws -> (reader: Accounts.Reader, page: Page<Reviews.Shown, ID<Reviews.Review>>) {
        let database = services.database
        let reader = try await Library.Store(services).reader(username, for: viewer)
        let reviews = try await page.read(from: .highest, key: \.id) {
            try await database.all(Reviews.Statements.OfReader(viewer: viewer, reader: reader.id, span: $0))
        }
        return (reader, reviews)
    }
}

import Postgres

/// Ratings against a book by people who did not read it come in waves. While a book's ratings are held, those that came since are kept and
/// shown by their readers' names, and count nowhere.
extension Catalog.Work: Moderated {
    package static let verbs: [Moderation.Verb] = [.hold, .release]

    package static func perform(
        _ order: Moderation.Order, on id: Int64, of services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        let named = ID<Catalog.Work>(rawValue: id)
        guard let work = try await transaction.first(Reviews.Statements.LockRated(work: named)) else {
            throw Thing(named).missing
        }
        let now = services.clock.now()
        let change: Moderation.Change
        if order.verb == .hold {
            let since = order.wanted["since"].flatMap { Timestamp(text: $0) } ?? now
            guard since <= now else { throw Failure.invalid("/since", .outOfRange, "must not be in the future") }
            guard try await transaction.run(Reviews.Statements.BeginHold(work: work, since: since)) == 1 else {
                return nil
            }
            try await transaction.run(Reviews.Statements.UncountSince(work: work, since: since))
            change = Moderation.Change(author: nil, before: [:], after: ["since": since.text])
        } else {
            guard let since = try await transaction.first(Reviews.Statements.EndHold(work: work)) else { return nil }
            try await transaction.run(
                Reviews.Statements.CountAgain(work: work, counting: Accounts.Counting(services)))
            change = Moderation.Change(author: nil, before: ["since": since.text], after: [:])
        }
        // Writers who do not hold the book count there: they wait, and what is counted anew has what they wrote.
        try await transaction.run(Reviews.Statements.LockTally(work: work))
        try await transaction.run(Reviews.Statements.LockReaders(work: work))
        try await transaction.run(Reviews.Statements.TallyAnew(work: work))
        try await transaction.run(Reviews.Statements.CountReadersAnew(work: work))
        return change
    }
}

extension Reviews.Statements {
    /// Locks a work, or what it was merged into, against all who rate it, who hold it.
    struct LockRated: Statement {
        static let sql: SQL<Self> = """
            select id
              from work
             where id = \(Catalog.resolved("\(\.work)"))
               and merged_into is null
               and title is not null
               for no key update
            """
        let work: ID<Catalog.Work>
        typealias Output = ID<Catalog.Work>
    }

    struct BeginHold: Statement {
        static let sql: SQL<Self> =
            "insert into rating_hold (work_id, since) values (\(\.work), \(\.since)) on conflict (work_id) do nothing"
        let work: ID<Catalog.Work>, since: Timestamp
    }

    struct EndHold: Statement {
        static let sql: SQL<Self> = "delete from rating_hold where work_id = \(\.work) returning since"
        let work: ID<Catalog.Work>
        typealias Output = Timestamp
    }

    struct UncountSince: Statement {
        static let sql: SQL<Self> = """
            update review set counted = false where work_id = \(\.work) and created_at >= \(\.since) and counted
            """
        let work: ID<Catalog.Work>, since: Timestamp
    }

    struct CountAgain: Statement {
        static let sql: SQL<Self> = """
            update review
               set counted = true
              from account reader
             where review.work_id = \(\.work)
               and not review.counted
               and review.visibility >= \(Visibility.members.rawValue)
               and reader.id = review.reader_id
               and \(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)"))
               and \(counts("review.work_id", today: "\(\.counting.today)"))
            """
        let work: ID<Catalog.Work>, counting: Accounts.Counting
    }

    struct LockTally: Statement {
        static let sql: SQL<Self> =
            "insert into work_rating (work_id) values (\(\.work)) on conflict (work_id) do update set n = work_rating.n"
        let work: ID<Catalog.Work>
    }

    struct LockReaders: Statement {
        static let sql: SQL<Self> = "select from work_popularity where work_id = \(\.work) for update"
        let work: ID<Catalog.Work>
    }

    struct TallyAnew: Statement {
        static let sql: SQL<Self> = Reviews.tallied("\(\.work)")
        let work: ID<Catalog.Work>
    }

    struct CountReadersAnew: Statement {
        static let sql: SQL<Self> = "\(Reviews.readersCounted()) where work_id = \(\.work)"
        let work: ID<Catalog.Work>
    }
}

import Postgres

extension Praise: Domain {
    package static let worksOfReaders = [WorkColumn("praise")]
    package static var eventKinds: [String] { EventKind.names }
    package static let eventSubjects = [EventSubject.praise]

    /// Deletes what the reader held up, with the counts of it, in `queryable`'s transaction: for the end of an
    /// account. Acts go with the reviews'. Tells nobody one by one.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        for work in try await transaction.all(Statements.RemoveAll(reader: account)) {
            try await transaction.run(Catalog.BumpRecommends(work: work, by: -1))
        }
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Favourites and recommendations.
        .init("praise", work: "t.work_id")
    ]
}

extension EventSubject {
    /// The id of a favourite or recommendation: told to those to whom the reader's settings tell it.
    static let praise = EventSubject(
        name: "praise",
        joins: """
            left join praise on asked.kind = 'praise' and praise.id = asked.value
            left join privacy on privacy.reader_id = praise.reader_id
            """,
        isTold: """
            praise.id is not null
            and \(Visibility.predicate(viewer: "viewer.id", owner: "praise.reader_id", level: Praise.Statements.told))
            """)
}

extension Community {
    package var praise: Praise.Store { Praise.Store(services) }
}

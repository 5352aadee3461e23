import Postgres

extension Feed.Store {
    /// What was done with one work was done with another: in the transaction in which a librarian merges them.
    func adopt(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.run(Feed.Statements.AdoptWork(from: from, into: target))
    }
}

extension Feed.Statements {
    /// Served by the index `activity_of_work`; acts that were taken back stay where they were, they are shown nowhere.
    struct AdoptWork: Statement {
        static let name = "feed.adopt_work"
        static let sql = "update activity set work_id = $2 where work_id = $1 and undone_at is null"
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) {
            parameters.append(from)
            parameters.append(into)
        }
    }
}

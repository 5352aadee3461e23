import Postgres

extension Catalog: Domain {
    package static let things: [any ThingKind.Type] = [Work.self, Author.self, Series.self]
    package static let topics: [String: TopicRule] = [
        "book": { id, _, database in try await database.first(FindBook(work: id)) != nil }
    ]

    /// Takes a member out of the catalogue's history, in the transaction that ends the account: what the member changed
    /// and decided stays, without name and number; the member's words about it and all proposals go.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Catalog.DropProposals(account: account))
        try await transaction.run(Catalog.ForgetHelper(account: account))
        try await transaction.run(Catalog.ForgetDecider(account: account))
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Corrections that somebody proposed.
        .init("catalog_proposal", owner: "t.account_id"),
        // The pictures that somebody proposed as covers; they are among the reader's pictures too.
        .init(
            "catalog_proposal_cover",
            source: "catalog_proposal_cover t join catalog_proposal on catalog_proposal.id = t.proposal_id",
            owner: "catalog_proposal.account_id", key: "t.proposal_id"),
        // Changes that somebody made, which stay with the catalogue: without name and words of who made them.
        .init("catalog_revision", owner: "t.account_id"),
    ]
}

extension Catalog.Work: ThingKind {
    package static let facts = ThingFacts(
        name: "book", table: "work", title: "coalesce(work.title, '')", isMerged: true)

    package static func isSeen<S: ForViewer>() -> SQL<S> { "(work.title is not null and work.withdrawn_at is null)" }
}

extension Catalog.Author: ThingKind {
    package static let facts = ThingFacts(
        name: "author", table: "author", title: "coalesce(author.name, '')", isMerged: true)

    package static func isSeen<S: ForViewer>() -> SQL<S> { "author.name is not null" }
}

extension Catalog.Series: ThingKind {
    package static let facts = ThingFacts(name: "series", table: "series", title: "series.name")

    package static func isSeen<S: ForViewer>() -> SQL<S> { "true" }
}

extension Thing {
    package static func book(_ id: ID<Catalog.Work>) -> Thing { Thing(id) }
    package static func author(_ id: ID<Catalog.Author>) -> Thing { Thing(id) }
    package static func series(_ id: ID<Catalog.Series>) -> Thing { Thing(id) }
}

extension Catalog {
    /// One row where there is a book of this id to follow: one that has become another is followed under the other's.
    struct FindBook: Statement {
        static let sql: SQL<Self> = """
            select true
              from work
             where work.id = \(\.work)
               and work.title is not null
               and work.merged_into is null
               and work.withdrawn_at is null
            """
        let work: Int64
        typealias Output = Bool
    }
}

extension Community {
    package var catalog: Catalog.Store { Catalog.Store(services) }
}

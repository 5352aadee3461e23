import Postgres

extension Search: Domain {
    /// Forgets every search of the reader.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Search.Statements.ForgetAll(reader: account))
    }

    package static func worksChange(_ change: WorksChange, in transaction: Transaction) async throws {
        switch change {
        case .byHand(let works): try await index(works, in: transaction)
        case .imported(let works): try await mark(works, in: transaction)
        case .renamed(let authors): try await mark(worksOf: authors, in: transaction)
        }
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // What somebody searched for.
        .init("recent_search", hidden: ["folded"])
    ]
}

extension Community {
    package var search: Search.Store { Search.Store(services) }
}

import Jobs
import Postgres

// What one domain begins and all have a part in, each in its turn.

extension Community {
    /// Handles the jobs of all domains.
    package func register(on worker: Jobs.Worker) {
        for domain in Self.domains { domain.register(on: worker, community: self) }
    }

    static func accountEnds(_ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction)
        async throws
    {
        for domain in domains { try await domain.accountEnds(account, of: services, in: transaction) }
    }

    static func relationChanges(
        _ change: RelationChange, of one: ID<Accounts.Account>, and other: ID<Accounts.Account>, in services: Services,
        _ transaction: Transaction
    ) async throws {
        for domain in domains {
            try await domain.relationChanges(change, of: one, and: other, in: services, transaction)
        }
    }

    static func worksAreToMerge(_ merge: Merge<Catalog.Work>, in transaction: Transaction) async throws {
        for domain in domains { try await domain.worksAreToMerge(merge, in: transaction) }
    }

    static func worksMerge(_ merge: Merge<Catalog.Work>, of services: Services, in transaction: Transaction)
        async throws
    {
        for domain in domains { try await domain.worksMerge(merge, of: services, in: transaction) }
    }

    static func worksChange(_ change: WorksChange, in transaction: Transaction) async throws {
        for domain in domains { try await domain.worksChange(change, in: transaction) }
    }
}

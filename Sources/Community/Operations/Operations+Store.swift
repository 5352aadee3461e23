import EventLog
import Jobs
import Postgres

extension Operations {
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// How far an operation of `reader` is. Throws `.notFound`, also for another reader's.
        package func operation(_ id: ID<Operation>, of reader: ID<Accounts.Account>) async throws -> Operation {
            guard let found = try await services.database.first(Statements.Find(id: id, reader: reader)) else {
                throw Failure.notFound("operation")
            }
            return found
        }

        /// Forgets operations that were told of last more than `Limits.Operations.days` ago.
        package func sweep() async throws {
            try await services.database.run(Statements.Sweep())
        }
    }

    /// Daily.
    package struct Sweep: Job {
        package static let kind = "operations.sweep"
        package var uniqueKey: String? { "all" }
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.schedule("operations.sweep", every: .seconds(86_400)) { Sweep() }
        worker.handle(Sweep.self) { _, _ in try await community.operations.sweep() }
    }

    /// Begins one, in the transaction that enqueues its job. `kind`: `domain.verb`.
    static func begin(
        _ kind: String, for reader: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws -> ID<Operation> {
        let id: ID<Operation> = try services.ids.make()
        try await transaction.run(Statements.Insert(id: id, reader: reader, kind: kind))
        return id
    }

    /// `done` parts of `total` are done; told where the last time is long enough ago. Without effect where it has ended
    /// or is gone.
    static func advance(_ id: ID<Operation>, done: Int, of total: Int, _ services: Services) async throws {
        try await services.database.transaction { transaction in
            let advance = Statements.Advance(id: id, done: done, total: total)
            guard let now = try await transaction.first(advance), now.isTold else { return }
            try await tell(now.operation, to: now.reader, services, in: transaction)
        }
    }

    /// Waits until its reader may be told again: before the transaction in which it ends.
    static func settle(_ id: ID<Operation>, _ services: Services) async throws {
        guard let wait = try await services.database.first(Statements.Wait(id: id)), wait > 0 else { return }
        try await Task.sleep(for: .seconds(wait))
    }

    /// Ends one and tells its reader, in the transaction of the last effect.
    static func end(_ id: ID<Operation>, isDone: Bool, _ services: Services, in transaction: Transaction) async throws {
        guard let end = try await transaction.first(Statements.End(id: id, isDone: isDone)) else { return }
        try await tell(end.operation, to: end.reader, services, in: transaction)
    }

    private static func tell(
        _ operation: Operation, to reader: ID<Accounts.Account>, _ services: Services, in transaction: Transaction
    ) async throws {
        try await EventLog.append(try Changed(operation: operation).row(for: reader, services), in: transaction)
    }
}

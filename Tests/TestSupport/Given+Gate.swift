import Community
import Jobs
import Postgres

extension Given {
    /// An account past its first day, whose word counts.
    package func elder(role: Accounts.Role = .member) async throws -> Signed {
        let account = try await account(role: role)
        try await world.asSuperuser(
            "update account set created_at = created_at - interval '10 days' where id = \(account.id)")
        return account
    }

    /// An elder who has read `book` to its end.
    package func finisher(of book: ID<Catalog.Work>, role: Accounts.Role = .member) async throws -> Signed {
        let reader = try await elder(role: role)
        try await shelved(book, .read, by: reader.id)
        return reader
    }
}

extension World {
    /// How far `reader` may be told of `book`.
    package func gate(of reader: ID<Accounts.Account>, in book: ID<Catalog.Work>) async throws -> Int {
        try await community.gate.look(at: book, for: .reader(reader)).gate
    }

    /// What a post gives away.
    package func scope(of post: ID<Boards.Post>) async throws -> Int {
        let rows = try await asSuperuser("select scope from post where id = \(post)")
        return rows.first?.first.flatMap { $0.flatMap { Int($0) } } ?? -1
    }

    /// Runs the jobs of the gate that wait; gives how many ran.
    @discardableResult
    package func tellOfOpenGates() async throws -> Int {
        let worker = Jobs.Worker(database: database, logger: logger)
        Gate.register(on: worker, community: community)
        let drained = try await worker.drain()
        if let failure = drained.failures.first { throw failure }
        return drained.done
    }
}

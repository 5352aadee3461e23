import Community
import Jobs
import Postgres
import Web

extension World {
    /// Does every job that is due, those that they enqueue included, as the program would, for `program` where it is
    /// another one than this world's. Gives how many failed.
    @discardableResult
    package func work(for program: Community? = nil) async throws -> Int {
        let community = program ?? community
        let worker = Jobs.Worker(database: database, logger: logger)
        Mail.register(on: worker, community: community)
        Accounts.register(on: worker, community: community)
        Leaving.register(on: worker, community: community)
        Friends.register(on: worker, community: community)
        Reviews.register(on: worker, community: community)
        Library.register(on: worker, community: community)
        Search.register(on: worker, community: community)
        Catalog.register(on: worker, community: community)
        Photos.register(on: worker, community: community)
        Ebooks.register(on: worker, community: community)
        Lending.register(on: worker, community: community)
        Media.register(on: worker, community: community)
        Boards.register(on: worker, community: community)
        Moderation.register(on: worker, community: community)
        return try await worker.drain().failures.count
    }

    /// Codes that begin with `prefix` (`cpr_`) in the mails to an address, in order, after every due job was done.
    package func codes(_ prefix: String, to address: String) async throws -> [String] {
        try await work()
        return mail.sent(to: address).compactMap { mail in
            mail.text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix(prefix) }.map(String.init)
        }
    }

    /// What `commonplace check` would say.
    package func everyDifference() async throws -> [String] {
        try await database.differences(of: Community.domains + [Idempotency.self] as [any Recounting.Type])
    }

    /// What `commonplace check` says that deleted accounts left.
    package func remains() async throws -> [String] {
        try await everyDifference().filter { $0.contains(" is deleted and ") }
    }
}

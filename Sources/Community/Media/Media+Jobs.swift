import Jobs
import Logging
import Postgres

extension Media {
    /// Daily: removes what nothing uses, brings files and rows in line, clears what interrupted work left.
    package struct Sweep: Job {
        package static let kind = "media.sweep"
        package static let timeout = Duration.seconds(3_600)
        package var uniqueKey: String? { "all" }

        package init() {}
    }

    /// After a removal: takes the files away that it left unused.
    package struct Clear: Job {
        package static let kind = "media.clear"
        /// Hexadecimal.
        let files: [String]

        init(_ files: [Hash]) { self.files = files.map(\.text) }
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.handle(Sweep.self) { _, _ in _ = try await community.media.sweep() }
        worker.handle(Clear.self) { job, _ in
            _ = try await community.media.clear(job.files.compactMap(Hash.init(text:)))
        }
        worker.schedule("media.sweep", every: .seconds(86_400), offset: .seconds(4 * 3_600)) { Sweep() }
    }
}

extension Media.Store {
    /// What a sweep did.
    package struct Swept: Hashable, Sendable {
        /// Pictures that nothing showed any more.
        package var pictures = 0
        /// Files whose row nothing used.
        package var unused = 0
        /// Files without a row.
        package var strays = 0
        /// Rows whose file is not there.
        package var missing = 0
        /// Rows whose file is there again.
        package var found = 0
    }

    /// Brings folder and tables in line. A file that was stored within `grace` may belong to a write that is under way,
    /// and stays.
    ///
    /// Throws, having removed no file, where the folder is not the one that it should be.
    package func sweep(grace: Duration = .seconds(3_600)) async throws -> Swept {
        var swept = Swept()
        let now = services.clock.now()
        swept.pictures = try await services.database.run(
            Media.Statements.RemoveUnshown(before: now - grace, withheld: now - Limits.moderation.evidence))
        swept.unused = try await clear(try await services.database.all(Media.Statements.Unused()))
        // A server that never had a picture has no folder for them, and nothing to bring in line.
        if try await services.database.first(Media.Statements.FirstFile()) == nil {
            guard try await facilities.store.isPrepared() else { return swept }
        }
        for shard in UInt8.min...UInt8.max {
            let stored = try await facilities.store.hashes(from: shard, unusedFor: grace)
            let rows = try await services.database.all(Media.Statements.FilesFrom(shard: shard))
            let known = Set(rows)
            for hash in stored where !known.contains(hash) {
                try await facilities.store.remove(hash)
                swept.strays += 1
            }
            for hash in rows where try await !facilities.store.contains(hash) {
                swept.missing += try await services.database.run(Media.Statements.MarkMissing(hash: hash, at: now))
            }
        }
        for hash in try await services.database.all(Media.Statements.Missing())
        where try await facilities.store.contains(hash) {
            swept.found += try await services.database.run(Media.Statements.MarkFound(hash: hash))
        }
        try await facilities.store.clear(olderThan: grace)
        if swept.missing > 0 {
            services.logger.error("files of pictures are missing", metadata: ["count": "\(swept.missing)"])
        }
        return swept
    }

    /// Removes those of `files` that no picture uses, with their rows. Gives their number.
    ///
    /// A file goes while its row is locked by the delete: a transaction that stores the same bytes at this moment waits
    /// for the row, and finds in `settle` that the file is gone.
    func clear(_ files: [Media.Hash]) async throws -> Int {
        var cleared = 0
        var rest = files.sorted()[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Limits.media.cleared))
            rest = rest.dropFirst(Limits.media.cleared)
            cleared += try await services.database.transaction { transaction in
                let hashes = try await transaction.all(Media.Statements.RemoveUnused(files: batch))
                for hash in hashes { try await facilities.store.remove(hash) }
                return hashes.count
            }
        }
        return cleared
    }
}

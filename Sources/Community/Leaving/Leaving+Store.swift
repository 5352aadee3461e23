import Jobs
import Postgres

extension Leaving {
    /// What a reader may do about their archive.
    package struct Store: Sendable {
        let services: Services
        let media: Media.Store
        let throttle: Accounts.Throttle

        package init(_ services: Services, media: Media.Store) {
            self.services = services
            self.media = media
            self.throttle = Accounts.Throttle(services: services)
        }

        /// Counts a wish for an archive. Never inside a transaction. Throws `.limited`.
        package func admitExport(of account: ID<Accounts.Account>) async throws {
            try await throttle.count(.exportsPerAccount, of: account.text, upTo: Int64(Limits.leaving.exportsPerDay))
        }

        /// Has an archive made, in the place of the one before. One that is being made already is the answer, unless it
        /// has been for `Limits.leaving.exportHours`.
        package func askForExport(of account: ID<Accounts.Account>) async throws -> Export {
            try await services.database.transaction { transaction in
                guard try await transaction.first(Accounts.Statements.Lock(account: account)) != nil else {
                    throw Failure.notFound("account")
                }
                let now = services.clock.now()
                let find = Statements.ExportOf(account: account, now: now)
                // A job that ends with its worker never says so.
                let oldest = now - .seconds(Limits.leaving.exportHours * 3600)
                if let present = try await transaction.first(find), present.state == .waiting,
                    present.createdAt > oldest
                {
                    return present
                }
                let id: ID<Export> = try services.ids.make()
                try await transaction.run(Statements.DropExport(account: account))
                let operation = try await Operations.begin(MakeExport.kind, for: account, of: services, in: transaction)
                try await transaction.run(
                    Statements.PutExport(
                        id: id, account: account, now: now, expiresAt: Self.end(now), operation: operation))
                try await MakeExport(export: id, account: account).enqueue(in: transaction)
                return try await transaction.one(find)
            }
        }

        /// The archive of `account`. Throws `.notFound` where there is none.
        package func export(of account: ID<Accounts.Account>) async throws -> Export {
            let find = Statements.ExportOf(account: account, now: services.clock.now())
            guard let export = try await services.database.first(find) else { throw Failure.notFound("export") }
            return export
        }

        /// The archive of `account` that can be fetched. Throws `.notFound` where there is none, `.conflict`
        /// (`not_ready`, `export_failed`).
        package func archive(of account: ID<Accounts.Account>) async throws -> Export {
            let export = try await export(of: account)
            switch export.state {
            case .ready: return export
            case .waiting: throw Failure.conflict(code: .notReady, "the export is still being made")
            case .failed: throw Failure.conflict(code: .exportFailed, "the export could not be made: ask again")
            }
        }

        /// The piece `place` of an archive, from 0; `nil` behind the last.
        package func piece(_ place: Int, of export: Export) async throws -> [UInt8]? {
            try await services.database.first(
                Statements.Part(export: export.id, attempt: export.attempt, place: place))?.bytes
        }

        /// Deletes the archive of `account`. Throws `.notFound` where there is none.
        package func removeExport(of account: ID<Accounts.Account>) async throws {
            try await services.database.run(Statements.DropExport(account: account))
        }

        /// Deletes archives that are over, in batches.
        package func sweep() async throws {
            let now = services.clock.now()
            let batch = 100
            while try await services.database.run(Statements.Sweep(now: now, limit: batch)) == batch {}
        }

        static func end(_ now: Timestamp) -> Timestamp { now + .seconds(Limits.leaving.exportDays * 86_400) }
    }
}

import Postgres

// What photographs need of pictures, in the transactions of `Photos`, whose account is locked.
extension Media.Store {
    /// Adds a photograph that was prepared. Throws `Refusal.quota`.
    func addPhoto(
        _ prepared: Media.Prepared, alt: String?, of reader: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> ID<Media.Picture> {
        let picture = try services.ids.make(Media.Picture.self)
        try await insert(prepared, as: picture, owner: reader, by: reader, alt: alt, in: transaction)
        try await Media.count(.photo, of: reader, bytes: prepared.size, pictures: 1, in: transaction)
        return picture
    }

    /// Adds a photograph in the place of `former`: what shows that one shows the other once `show` has run. Throws
    /// `Refusal.quota`.
    func replacePhoto(
        _ former: Media.Former, with prepared: Media.Prepared, alt: String?, of reader: ID<Accounts.Account>,
        in transaction: Transaction, show: (ID<Media.Picture>) async throws -> Void
    ) async throws {
        let picture = try services.ids.make(Media.Picture.self)
        try await insert(prepared, as: picture, owner: reader, by: reader, alt: alt, in: transaction)
        try await show(picture)
        let size = try await Media.remove([former], at: services.clock.now(), in: transaction)
        try await Media.count(.photo, of: reader, bytes: prepared.size - size, pictures: 0, in: transaction)
    }
}

extension Media {
    /// Removes photographs with the rows that show them.
    static func removePhotos(
        _ former: [Former], of reader: ID<Accounts.Account>, at now: Timestamp, in transaction: Transaction
    ) async throws {
        let size = try await remove(former, at: now, in: transaction)
        try await count(.photo, of: reader, bytes: -size, pictures: -former.count, in: transaction)
    }

    /// Gives their bytes.
    private static func remove(
        _ former: [Former], at now: Timestamp, in transaction: Transaction
    ) async throws -> Int {
        let size = try await transaction.one(Statements.SizeOf(pictures: former.map(\.picture)))
        let evidence = former.filter(\.isEvidence).map(\.picture)
        if !evidence.isEmpty {
            try await transaction.run(Statements.KeepAsEvidence(pictures: evidence, at: now))
        }
        try await remove(former.filter { !$0.isEvidence }.map(\.picture), in: transaction)
        return size
    }

    /// A photograph that nothing shows any more.
    struct Former: Sendable {
        let picture: ID<Picture>
        /// A moderator hid it: it is kept for `Limits.moderation.evidence`, and then erased by the sweep.
        let isEvidence: Bool
    }
}

extension Media.Statements {
    /// Bytes of the files of some pictures.
    struct SizeOf: Statement {
        static let sql: SQL<Self> =
            "select coalesce(sum(size), 0)::bigint from picture where id = any(\(\.pictures))"
        let pictures: [ID<Media.Picture>]
        typealias Output = Int
    }

    struct KeepAsEvidence: Statement {
        static let sql: SQL<Self> = "update picture set hidden_at = \(\.at) where id = any(\(\.pictures))"
        let pictures: [ID<Media.Picture>], at: Timestamp
    }
}

import Postgres

// What notes need of photographs that stand in them.
extension Photos {
    /// Those of some photographs that the viewer may know of, whole or as placeholders, by their ids.
    static func shown(
        _ ids: [ID<Photo>], for viewer: Viewer, in queryable: some Queryable
    ) async throws -> [ID<Photo>: Shown] {
        if ids.isEmpty { return [:] }
        let found = try await queryable.all(Statements.These(viewer: viewer, photos: ids))
        return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Holds a reader's own photographs of a work, so that none goes before the commit. Leaves out what is not there,
    /// another's or of another book.
    static func hold(
        _ photos: [ID<Photo>], of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>, _ transaction: Transaction
    ) async throws -> Set<ID<Photo>> {
        if photos.isEmpty { return [] }
        return Set(try await transaction.all(Statements.Hold(photos: photos, reader: reader, work: work)))
    }

    /// Deletes a reader's own photograph with its files; the account is locked. False where it is not there, or
    /// another's.
    static func remove(
        _ photo: ID<Photo>, by reader: ID<Accounts.Account>, at now: Timestamp, in transaction: Transaction
    ) async throws -> Bool {
        guard let found = try await transaction.first(Statements.Lock(photo: photo, reader: reader)) else {
            return false
        }
        try await erase(photo, found.former, of: reader, at: now, in: transaction)
        return true
    }

    /// Deletes a photograph with the words in it and its files.
    static func erase(
        _ photo: ID<Photo>, _ former: Media.Former, of reader: ID<Accounts.Account>, at now: Timestamp,
        in transaction: Transaction
    ) async throws {
        try await transaction.run(OwnWords.Drop(.photo, [photo]))
        try await transaction.run(Statements.Delete(photo: photo))
        try await Media.removePhotos([former], of: reader, at: now, in: transaction)
    }
}

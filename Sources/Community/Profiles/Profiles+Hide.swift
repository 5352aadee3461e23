import Postgres

// What moderators take from a profile. It goes as its reader would take it away, so that whatever follows from that
// does, and comes back while the reader has given nothing else.
extension Accounts.Account {
    /// Hides the name, the bio or the picture of a reader, whose account is locked, or gives it back: a name or bio as
    /// `order.wanted` says by `value`. `nil` where there is nothing to hide, or something else by now.
    static func performOnProfile(
        _ order: Moderation.Order, on standing: Accounts.Standing, of services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        let value = order.wanted["value"]
        return switch order.verb {
        case .hideName: try await hide("name", \.name, of: standing.account, services, in: transaction)
        case .unhideName: try await show("name", \.name, value, of: standing.account, services, in: transaction)
        case .hideBio: try await hide("bio", \.bio, of: standing.account, services, in: transaction)
        case .unhideBio: try await show("bio", \.bio, value, of: standing.account, services, in: transaction)
        case .hidePicture: try await withhold(true, from: standing.account, services, in: transaction)
        case .unhidePicture: try await withhold(false, from: standing.account, services, in: transaction)
        default: nil
        }
    }

    private static func hide(
        _ field: String, _ path: WritableKeyPath<Accounts.Facts, String?>, of reader: ID<Accounts.Account>,
        _ services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        guard let old = try await transaction.first(Accounts.Statements.LockProfile(account: reader)),
            let said = old[keyPath: path]
        else { return nil }
        var new = old
        new[keyPath: path] = nil
        try await Profiles.put(new, of: reader, in: transaction, services: services)
        var change = Moderation.Change(field, of: reader, hides: true)
        change.said = try JSON(encoding: [field: said])
        return change
    }

    private static func show(
        _ field: String, _ path: WritableKeyPath<Accounts.Facts, String?>, _ value: String?,
        of reader: ID<Accounts.Account>, _ services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        guard let value, let old = try await transaction.first(Accounts.Statements.LockProfile(account: reader)),
            old[keyPath: path] == nil
        else { return nil }
        var new = old
        new[keyPath: path] = value
        try await Profiles.put(new, of: reader, in: transaction, services: services)
        return Moderation.Change(field, of: reader, hides: false)
    }

    private static func withhold(
        _ isWithheld: Bool, from reader: ID<Accounts.Account>, _ services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        let isDone = try await Media.withhold(isWithheld, reader, at: services.clock.now(), in: transaction)
        return isDone ? Moderation.Change("picture", of: reader, hides: isWithheld) : nil
    }
}

extension Moderation.Change {
    /// Of one part of a profile, which the record names and does not quote.
    fileprivate init(_ field: String, of reader: ID<Accounts.Account>, hides: Bool) {
        self.init(author: reader, before: ["\(field)_hidden": "\(!hides)"], after: ["\(field)_hidden": "\(hides)"])
    }
}

extension Profiles {
    /// Makes a profile, which is locked, say this, and tells of it wherever its reader's own change is told.
    fileprivate static func put(
        _ facts: Accounts.Facts, of reader: ID<Accounts.Account>, in transaction: Transaction, services: Services
    ) async throws {
        let before = try await transaction.one(Friends.Statements.ReaderOf(account: reader))
        try await transaction.run(Accounts.Statements.PutProfile(account: reader, facts: facts))
        let after = try await transaction.one(Friends.Statements.ReaderOf(account: reader))
        if after != before { try await Event.replaceReader(after, in: transaction) }
        try await Event.readerChanged(after).append(in: transaction, services: services)
    }
}

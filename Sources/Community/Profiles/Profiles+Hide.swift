import FoundationEssentials
import Postgres

// What moderators take from a profile. It goes as its reader would take it away, so that whatever follows from that
// does, and comes back while the reader has given nothing else.
extension Accounts.Account {
    /// Hides the name, the bio or the picture of a reader, whose account is locked, or gives it back: a name or bio as
    /// the last act kept it. `nil` where there is nothing to hide, or something else by now.
    static func performOnProfile(
        _ order: Moderation.Order, on standing: Accounts.Standing, of services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        switch order.verb {
        case .hideName: try await hide("name", \.name, of: standing.account, services, in: transaction)
        case .unhideName: try await show("name", \.name, of: standing.account, services, in: transaction)
        case .hideBio: try await hide("bio", \.bio, of: standing.account, services, in: transaction)
        case .unhideBio: try await show("bio", \.bio, of: standing.account, services, in: transaction)
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
        _ field: String, _ path: WritableKeyPath<Accounts.Facts, String?>, of reader: ID<Accounts.Account>,
        _ services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        guard let old = try await transaction.first(Accounts.Statements.LockProfile(account: reader)),
            old[keyPath: path] == nil,
            let kept = try await transaction.first(KeptLast(account: reader, action: "account.hide_" + field)),
            let value = try JSONDecoder().decode([String: String].self, from: Data(kept.bytes))[field]
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
        guard isDone else { return nil }
        try await Profiles.tellPicture(of: reader, in: transaction, services: services)
        return Moderation.Change("picture", of: reader, hides: isWithheld)
    }
}

/// What the last act of a kind took out of the sight of others from a reader's profile, until it is erased; index
/// `moderation_action_of_subject`.
struct KeptLast: Statement {
    static let name = "moderation.kept_last"
    static let sql: SQL<Self> = """
        select kept.said
          from moderation_action hiding
          join moderation_evidence kept on kept.act_id = hiding.id
         where hiding.subject_kind = 'account'
           and hiding.subject_id = \(\.account)
           and hiding.action = \(\.action)
         order by hiding.id desc
         limit 1
        """
    let account: ID<Accounts.Account>, action: String
    typealias Output = JSON
}

extension Moderation.Change {
    /// Of one part of a profile, which the record names and does not quote.
    fileprivate init(_ field: String, of reader: ID<Accounts.Account>, hides: Bool) {
        self.init(author: reader, before: ["\(field)_hidden": "\(!hides)"], after: ["\(field)_hidden": "\(hides)"])
    }
}

extension Profiles {
    /// Tells of the picture that a reader, whose account is locked, shows now, wherever the reader is told of.
    static func tellPicture(
        of reader: ID<Accounts.Account>, in transaction: Transaction, services: Services
    ) async throws {
        let now = try await transaction.one(Friends.Statements.ReaderOf(account: reader))
        try await Event.replaceReader(now, in: transaction)
        try await Event.readerChanged(now).append(in: transaction, services: services)
    }

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

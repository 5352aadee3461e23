import Jobs
import Logging
import Postgres

extension Notifications.Store {
    // MARK: Mails

    /// Mails each reader what has been unread for long enough, all of it in one mail; nothing where this server sends
    /// no mail. Those who got one in the hour before wait for the next. A reader who cannot be mailed keeps nobody else
    /// from theirs, and has their next turn in an hour.
    package func mail() async throws {
        let now = services.clock.now()
        while true {
            let due = try await services.database.all(
                Notifications.Statements.DueReaders(now: now, limit: Limits.notifications.portion))
            guard !due.isEmpty else { return }
            for reader in due {
                do {
                    try await mail(reader, at: now)
                } catch let error as CancellationError {
                    throw error
                } catch {
                    services.logger.error(
                        "a reader could not be mailed of notifications",
                        metadata: ["account.id": "\(reader)", "error": "\(error)"])
                    // If this fails too, the database is at fault, and the whole job is tried again.
                    try await services.database.run(
                        Notifications.Statements.Postpone(reader: reader, until: now + Self.mailPause))
                }
            }
        }
    }

    private static let mailPause = Duration.seconds(Limits.notifications.mailPauseMinutes * 60)

    /// One transaction: what is told is so exactly when its mail is on its way.
    private func mail(_ reader: ID<Accounts.Account>, at now: Timestamp) async throws {
        try await services.database.transaction { transaction in
            let account = try await transaction.first(Notifications.Statements.LockAddressee(reader: reader))
            guard let account, let email = account.email, services.settings.deliversMail
            else {
                try await transaction.run(Notifications.Statements.Mailed(reader: reader, told: [], at: now))
                return
            }
            if let last = try await transaction.one(Notifications.Statements.LastMailed(reader: reader)),
                last + Self.mailPause > now
            {
                try await transaction.run(
                    Notifications.Statements.Postpone(reader: reader, until: last + Self.mailPause))
                return
            }
            let items = try await transaction.all(
                Notifications.Statements.ToMail(viewer: reader, limit: Limits.notifications.mailed))
            try await transaction.run(Notifications.Statements.Mailed(reader: reader, told: items.map(\.id), at: now))
            guard !items.isEmpty else { return }
            let addressee = Accounts.Addressee(account: reader, username: account.username, email: email)
            try await Mail.Send(
                Notifications.letter(of: items, to: addressee, from: services), sealedBy: services.settings.secret
            ).enqueue(in: transaction)
        }
    }

    // MARK: The sweep

    /// Takes what is older than 90 days, what is beyond a reader's newest 1,000 and what has nothing to show any more,
    /// reader by reader.
    package func sweep() async throws {
        let before = services.clock.now() - .seconds(Limits.notifications.keptDays * 86_400)
        var after = ID<Accounts.Account>.min
        while true {
            let readers = try await services.database.all(
                Notifications.Statements.Readers(after: after, limit: Limits.notifications.portion))
            guard let last = readers.last else { return }
            for reader in readers { try await tidy(reader, before: before) }
            after = last
        }
    }

    private func tidy(_ reader: ID<Accounts.Account>, before: Timestamp) async throws {
        try await services.database.transaction { transaction in
            // Nobody adds to what is looked at.
            try await transaction.run(Accounts.Statements.LockWhole(account: reader))
            let (_, unread) = try await transaction.one(Notifications.Statements.Tidy(viewer: reader, before: before))
            guard unread > 0 else { return }
            try transaction.atCommit { batch in
                batch.run(Accounts.AddToTally(of: reader, unreadNotifications: -Int32(clamping: unread)))
            }
        }
    }

    // MARK: The end of an account

    /// Takes a deleted account out of what names it; what then names nobody goes.
    package func forget(_ gone: ID<Accounts.Account>) async throws {
        var after = ID<Notifications.Item>.min
        while true {
            let portion = try await services.database.all(
                Notifications.Statements.NamedIn(actor: gone, after: after, limit: Limits.notifications.portion))
            guard let last = portion.last else { return }
            try await services.database.transaction { transaction in
                try await transaction.run(Notifications.Statements.Unname(actor: gone, notifications: portion))
                let readers = try await transaction.all(Notifications.Statements.DropEmpty(notifications: portion))
                try transaction.atCommit { batch in
                    for reader in readers { batch.run(Accounts.AddToTally(of: reader, unreadNotifications: -1)) }
                }
            }
            after = last
        }
    }
}

extension Notifications {
    /// One mail of all that gathered. Excerpts and titles are those that the reader may see now.
    static func letter(of items: [Item], to addressee: Accounts.Addressee, from services: Services) -> Mail {
        let server = services.settings.publicURL
        let paragraphs =
            ["Hello \(addressee.username),", Catalogue.mailOpening(at: server)] + items.map(\.paragraph)
            + [Catalogue.mailClosing()]
        return Mail(
            to: addressee.email, subject: items.count == 1 ? items[0].title : Catalogue.mailSubject(items.count),
            text: paragraphs.joined(separator: "\n\n") + "\n", random: services.random, publicURL: server,
            account: addressee.account)
    }
}

extension Notifications.Item {
    /// What happened, where, and how it begins.
    fileprivate var paragraph: String {
        var lines = ["* " + text]
        if case .whole(_, let title?) = thread { lines.append("  in “\(title)”") }
        if let group { lines.append("  in the group \(group.name)") }
        if let book { lines.append("  about \(book.title)") }
        if let excerpt, !excerpt.isEmpty { lines.append("  “\(excerpt)”") }
        return lines.joined(separator: "\n")
    }
}

import JSONWriting
import MarkdownReading
import Postgres

extension Notifications {
    /// What a reader does with notifications: reading, removing, choosing. Telling, mails and upkeep stand in
    /// `Notifications+Store+….swift`.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// The reader's notifications, newest first.
        package func list(
            of reader: ID<Accounts.Account>, _ filter: Filter = .all, page: PageRequest<Key> = PageRequest()
        ) async throws -> Page<Item, Key> {
            let database = services.database
            return try await page.read(from: .highest, key: \.key) {
                try await database.all(Statements.List(viewer: reader, filter: filter, span: $0))
            }
        }

        /// How many the reader has not read.
        package func unread(of reader: ID<Accounts.Account>) async throws -> Int {
            try await services.database.first(Accounts.Statements.UnreadOf(reader: reader))?.notifications ?? 0
        }

        /// Reads one; twice is once. Throws `.notFound`.
        package func read(_ id: ID<Item>, by reader: ID<Accounts.Account>) async throws {
            try await read(Statements.Read(reader: reader, id: id, at: services.clock.now()), id, by: reader)
        }

        /// Reads one and all that stand after it in the list, those with nothing to show included. Throws `.notFound`.
        package func readAll(through id: ID<Item>, by reader: ID<Accounts.Account>) async throws {
            try await read(
                Statements.ReadThrough(reader: reader, through: id, at: services.clock.now()), id, by: reader)
        }

        /// Reads all, those with nothing to show included.
        package func readAll(by reader: ID<Accounts.Account>) async throws {
            try await services.database.transaction { transaction in
                let count = try await transaction.run(Statements.ReadEvery(reader: reader, at: services.clock.now()))
                guard count > 0 else { return }
                try transaction.atCommit { batch in
                    batch.run(Accounts.AddToTally(of: reader, unreadNotifications: -Int32(clamping: count)))
                }
            }
        }

        private func read(_ statement: some Statement, _ id: ID<Item>, by reader: ID<Accounts.Account>) async throws {
            try await services.database.transaction { transaction in
                let count = try await transaction.run(statement)
                guard count > 0 else {
                    guard try await transaction.one(Statements.HasOne(reader: reader, id: id)) else {
                        throw Failure.notFound("notification \(id)")
                    }
                    return
                }
                try transaction.atCommit { batch in
                    batch.run(Accounts.AddToTally(of: reader, unreadNotifications: -Int32(clamping: count)))
                }
            }
        }

        /// The reader has seen the list; what is not read stays unread.
        package func see(by reader: ID<Accounts.Account>) async throws {
            try await services.database.run(Statements.See(reader: reader, at: services.clock.now()))
        }

        /// Takes one away. Throws `.notFound`.
        package func remove(_ id: ID<Item>, by reader: ID<Accounts.Account>) async throws {
            try await services.database.transaction { transaction in
                guard let wasUnread = try await transaction.first(Statements.Remove(reader: reader, id: id)) else {
                    throw Failure.notFound("notification \(id)")
                }
                guard wasUnread else { return }
                try transaction.atCommit { batch in batch.run(Accounts.AddToTally(of: reader, unreadNotifications: -1))
                }
            }
        }

        /// What the reader wants to be told of, every kind.
        package func settings(of reader: ID<Accounts.Account>) async throws -> Settings {
            Settings(chosen: try await services.database.all(Statements.SettingsOf(reader: reader)))
        }

        /// Changes that for some kinds; gives all. What was told before stays. A frozen reader may, too. Throws
        /// `.unauthenticated` once the account is deleted.
        package func change(
            _ changes: [Kind: SettingChange], of reader: ID<Accounts.Account>
        ) async throws -> Settings {
            try await services.database.transaction { transaction in
                // Two changes at once, each of one channel, are both kept.
                guard try await transaction.first(Accounts.Statements.LockState(reader: reader)) != nil else {
                    throw Failure.unauthenticated()
                }
                var settings = Settings(chosen: try await transaction.all(Statements.SettingsOf(reader: reader)))
                for (kind, change) in changes {
                    let old = settings[kind]
                    let new = Channels(inbox: change.inbox ?? old.inbox, mail: change.mail ?? old.mail)
                    guard new != old else { continue }
                    settings[kind] = new
                    let put = Statements.PutSetting(reader: reader, kind: kind, channels: new)
                    guard try await transaction.run(put) == 1 else { throw Failure.unauthenticated() }
                }
                return settings
            }
        }
    }

    /// What a reader wants to be told of, kind by kind.
    package struct Settings: Hashable, Sendable, JSONForm {
        /// Only what is not as usual.
        private var chosen: [Kind: Channels] = [:]

        init(chosen: [(kind: Kind, channels: Channels)] = []) {
            for (kind, channels) in chosen { self.chosen[kind] = channels }
        }

        package subscript(kind: Kind) -> Channels {
            get { chosen[kind] ?? kind.usual }
            set { chosen[kind] = newValue }
        }

        /// An object with a member for every kind.
        package func put(into object: JSONObject) {
            for kind in Kind.allCases { object.put(named: kind.rawValue, self[kind]) }
        }
    }

    /// What is `nil` stays.
    package struct SettingChange: Hashable, Sendable {
        package let inbox: Bool?
        package let mail: Bool?

        package init(inbox: Bool? = nil, mail: Bool? = nil) {
            self.inbox = inbox
            self.mail = mail
        }
    }

    /// The beginning of a text in one line, without marks and inline spoilers; `body`: without what inline spoilers
    /// say.
    static func excerpt(_ body: String) -> String {
        let words = Markdown.render(body).plain.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard words.count > Limits.notifications.excerpt else { return words }
        return words.prefix(Limits.notifications.excerpt - 1) + "…"
    }
}

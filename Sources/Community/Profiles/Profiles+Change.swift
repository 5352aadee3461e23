import PlainText
import Postgres

extension Profiles {
    /// What a reader makes of the profile; what is `nil` or kept stays.
    package struct Change: Hashable, Sendable {
        package let username: String?
        package let name: FieldChange<String>
        package let bio: FieldChange<String>

        /// Spaces around name and bio go, lines end in a line feed.
        package init(username: String? = nil, name: FieldChange<String> = .keep, bio: FieldChange<String> = .keep) {
            self.username = username
            self.name = Self.trimmed(name)
            self.bio = Self.trimmed(bio)
        }

        private static func trimmed(_ change: FieldChange<String>) -> FieldChange<String> {
            guard let sent = change.value else { return change }
            return .set(sent.replacing("\r\n", with: "\n").trimmed())
        }

        /// Every fault that can be seen without the database: codes as at sign-up.
        package func faults() -> [Failure.Fault] {
            var faults = Faults()
            if let username { Accounts.Username.check(username, into: &faults) }
            if let name = name.value { Accounts.Name.check(name, into: &faults) }
            if let bio = bio.value { Accounts.Bio.check(bio, into: &faults) }
            return faults.all
        }

        func applied(to old: Accounts.Facts, at now: Timestamp) -> Accounts.Facts {
            var new = old
            new.username = username ?? old.username
            new.name = name.applied(to: old.name)
            new.bio = bio.applied(to: old.bio)
            if new.isRenamed(from: old) { new.renamedAt = now }
            return new
        }
    }

    /// A profile as its reader sees it.
    package struct Own: Sendable {
        package let account: Accounts.Account
        package let picture: Media.Shown?
        /// The first of them in the reader's order, at most `Limits.profiles.favourites`.
        package let favourites: [Praise.Mark]
    }
}

extension Accounts.Facts {
    /// Whether the username is another, not only written otherwise.
    func isRenamed(from old: Accounts.Facts) -> Bool {
        Accounts.Username.fold(username) != Accounts.Username.fold(old.username)
    }
}

extension Profiles.Store {
    /// A profile as its reader sees it. Throws `.notFound` once the account is deleted.
    package func own(_ reader: ID<Accounts.Account>) async throws -> Profiles.Own {
        async let picture = services.database.all(Media.Statements.ProfileOf(account: reader)).shown
        async let marks = services.database.all(favourites(of: reader))
        return Profiles.Own(
            account: try await accounts.own(reader), picture: try await picture, favourites: try await marks)
    }

    func favourites(of reader: ID<Accounts.Account>) -> Praise.Statements.Marks {
        Praise.Statements.Marks(
            viewer: .reader(reader), reader: reader, kind: .favourite,
            span: Span(place: .lowest, direction: .onward, limit: Limits.profiles.favourites))
    }

    /// Changes a profile, and whatever still tells of it: one transaction.
    ///
    /// `isCurrent` is asked about what there was, when no other change of it can come between; what it throws ends the
    /// call. Throws `.invalid` with every fault (a name that somebody has or had lately: `taken`), `.forbidden`
    /// (`account_frozen`), `.conflict` (`renamed_lately`) for a second username within `Limits.profiles.renameDays`,
    /// `.limited` beyond `Limits.profiles.namesPerDay`.
    @discardableResult
    package func change(
        _ change: Profiles.Change, of reader: ID<Accounts.Account>,
        ifCurrent isCurrent: @Sendable (Profiles.Own) throws -> Void = { _ in }
    ) async throws -> Profiles.Own {
        let faults = change.faults()
        guard faults.isEmpty else { throw Failure.invalid(faults) }
        return try await Failure.mapping(["account_username_key": .invalid("/username", .taken, "is taken")]) {
            try await services.database.transaction { transaction in
                guard let old = try await transaction.first(Accounts.Statements.LockProfile(account: reader)) else {
                    throw Failure.unauthenticated()
                }
                try isCurrent(try await own(reader))
                try old.state.mayWrite()
                let new = change.applied(to: old, at: services.clock.now())
                guard new != old else { return try await own(reader) }
                if new.isRenamed(from: old) { try await rename(old, to: new, in: transaction) }
                let before = try await told(of: reader, in: transaction)
                try await transaction.run(Accounts.Statements.PutProfile(account: reader, facts: new))
                let after = try await tellAnew(before, in: transaction)
                try await Profiles.Event.readerChanged(after).append(in: transaction, services: services)
                return try await own(reader)
            }
        }
    }

    /// The old username is nobody's for a while, as that of an account that ended.
    private func rename(_ old: Accounts.Facts, to new: Accounts.Facts, in transaction: Transaction) async throws {
        let now = services.clock.now()
        if let last = old.renamedAt, now - last < .seconds(Limits.profiles.renameDays * 86_400) {
            throw Failure.conflict(
                code: .renamedLately, "a username changes once in \(Limits.profiles.renameDays) days")
        }
        let taken = try await transaction.one(
            Accounts.Statements.Taken(
                username: Accounts.Username.fold(new.username), email: "", retired: accounts.retired(new.username),
                now: now))
        guard !taken.username else { throw Failure.invalid("/username", .taken, "is taken") }
        try await transaction.run(
            Accounts.Statements.Retire(
                digest: accounts.retired(old.username), until: now + .seconds(Limits.accounts.retiredDays * 86_400)))
    }

    /// The reader's username, and the name as far as it is told.
    func told(of reader: ID<Accounts.Account>, in transaction: Transaction) async throws -> Accounts.Reader {
        try await transaction.one(Friends.Statements.ReaderOf(account: reader))
    }

    /// Puts what is told of a reader now wherever the log names the reader, for a replay; nothing is written where that
    /// is `before`. The account is locked. Throws `.limited` beyond `Limits.profiles.namesPerDay`; to take the name
    /// away or to hide it is always possible.
    @discardableResult
    func tellAnew(_ before: Accounts.Reader, in transaction: Transaction) async throws -> Accounts.Reader {
        let now = try await told(of: before.id, in: transaction)
        guard now != before else { return now }
        let isNamed = now.username != before.username || now.name != before.name && now.name != nil
        if services.settings.limitsRates, isNamed {
            // Inside the transaction: what is refused for another reason is no change of name.
            try await accounts.throttle.count(
                .namesPerAccount, of: before.id.text, upTo: Int64(Limits.profiles.namesPerDay))
        }
        try await Profiles.Event.replaceReader(now, in: transaction)
        return now
    }

    /// Tells of the picture that a reader, whose account is locked, shows now, wherever the reader is told of.
    @Sendable package func tellPicture(_ reader: ID<Accounts.Account>, in transaction: Transaction) async throws {
        try await Profiles.tellPicture(of: reader, in: transaction, services: services)
    }
}

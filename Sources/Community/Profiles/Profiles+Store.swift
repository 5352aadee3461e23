import Postgres

extension Profiles {
    /// What readers do with what they show of themselves.
    package struct Store: Sendable {
        let services: Services
        let accounts: Accounts.Store
        let topBooks: TopBooks

        package init(_ services: Services, accounts: Accounts.Store) {
            self.services = services
            self.accounts = accounts
            topBooks = TopBooks(age: services.settings.topBooksAge)
        }

        /// Who sees what of a reader.
        package func privacy(of reader: ID<Accounts.Account>) async throws -> Privacy {
            try await services.database.first(Statements.PrivacyOf(reader: reader)) ?? Privacy()
        }

        /// Puts a reader's days into a time zone, UTC for nothing. Throws `.invalid` for a name that is none.
        package func put(timeZone zone: String?, of reader: ID<Accounts.Account>) async throws {
            guard try await services.database.run(Statements.PutTimeZone(reader: reader, zone: zone)) == 1 else {
                throw Failure.invalid(
                    "/time_zone", .unknown, "must be a name of the IANA database, such as Europe/Berlin")
            }
        }

        /// Whether a reader keeps from the viewer what there is of a kind and has no level of its own. False for readers of
        /// whom the viewer may see nothing at all: that there is one is not told then.
        package func isPrivate(_ kind: Privacy.Kind, of username: String, for viewer: Viewer) async throws -> Bool {
            let folded = Accounts.Username.fold(username)
            guard
                let seen = try await services.database.first(Statements.LeastSeen(viewer: viewer, folded: folded)),
                let least = seen.least
            else { return false }
            return try await privacy(of: seen.reader)[kind] < least
        }

        /// Changes that for the kinds in `change`; the others stay. What others see follows at once, what is counted of
        /// it too, and friends are told to read again, in one transaction.
        ///
        /// `isCurrent` is asked about what there was, when no other change of it can come between; what it throws ends
        /// the call. Throws `.forbidden`: `account_frozen` where a frozen reader would show more, `email_unverified`
        /// where one whose address is not proven would show reviews beyond friends; `.limited` where the name is shown
        /// again beyond `Limits.profiles.namesPerDay`.
        @discardableResult
        package func change(
            _ change: [Privacy.Kind: Visibility], for reader: ID<Accounts.Account>,
            ifCurrent isCurrent: @Sendable (Privacy) throws -> Void = { _ in }
        ) async throws -> Privacy {
            try await services.database.transaction { transaction in
                guard let state = try await transaction.first(Accounts.Statements.LockState(reader: reader)) else {
                    throw Failure.unauthenticated()
                }
                let old = try await transaction.first(Statements.PrivacyOf(reader: reader)) ?? Privacy()
                try isCurrent(old)
                var new = old
                for (kind, level) in change { new[kind] = level }
                let kinds = new.differences(from: old)
                guard !kinds.isEmpty else { return old }
                if state != .frozen || kinds.contains(where: { new[$0] > old[$0] }) { try state.mayWrite() }
                let isWidened = [Privacy.Kind.reviews, .notes, .photos].contains { new[$0] > max(old[$0], .friends) }
                if isWidened, try await !accounts.own(reader).isVerified { throw Failure.unverified }
                let before = try await told(of: reader, in: transaction)
                try await transaction.run(Statements.PutPrivacy(reader: reader, privacy: new))
                try await tellAnew(before, in: transaction)
                if kinds.contains(.reviews) {
                    try await Reviews.Store(services).follow(new[.reviews], of: reader, in: transaction)
                }
                if kinds.contains(.notes) {
                    try await Notebook.Store(services).follow(new[.notes], of: reader, in: transaction)
                }
                if kinds.contains(.shelves) || kinds.contains(.reviews) {
                    try await Library.Store(services).countEntries(of: reader, in: transaction)
                }
                try await Event.visibilityChanged(reader: reader, kinds: kinds).append(
                    in: transaction, services: services)
                return new
            }
        }
    }
}

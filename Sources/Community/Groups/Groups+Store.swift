import EventLog
import MarkdownReading
import Postgres

extension Groups {
    /// What readers do with groups: coming and going in `Groups+Store+Join.swift`, invitations in `…+Invite.swift`,
    /// what owners and moderators do to members in `…+Lead.swift`, lists in `…+Read.swift`.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// Makes a group, whose owner and first member is who makes it.
        ///
        /// Throws `.invalid` (`/book_id` `unknown` among others), `.forbidden` (`account_frozen`, `email_unverified`,
        /// `account_new` in an account's first day), `.conflict` (`too_many_groups`).
        package func make(_ new: NewGroup, by maker: ID<Accounts.Account>) async throws -> Group {
            try new.validate()
            let text = new.about.map(Markdown.render)
            return try await services.database.transaction { transaction in
                let now = services.clock.now()
                let (writers, counts, books) = try await services.database.pipeline(
                    Accounts.Statements.LockWriter(account: maker),
                    Statements.CountsOf(reader: maker, dayAgo: now - .seconds(86_400)),
                    Catalog.HoldBook(work: new.book ?? .min))
                guard let writer = writers.first else { throw Failure.unauthenticated() }
                try writer.mayPost(on: services)
                guard !services.settings.limitsRates || !services.isNew(bornAt: writer.bornAt) else {
                    throw Failure.forbidden(
                        code: .accountNew,
                        "new accounts make groups after \(services.settings.newAccountHours) hours")
                }
                try counts.first?.mayMake()
                let book = try book(new.book, found: books.first)
                let id: ID<Group> = try services.ids.make()
                let control = try Event.membershipChanged([maker]).row(in: services)
                let insert = Statements.InsertGroup(id: id, group: new, text: text, maker: maker, book: book, at: now)
                try await transaction.batch { batch in
                    batch.run(insert)
                    batch.run(Statements.InsertMember(group: id, reader: maker, role: .owner, at: now))
                    batch.run(EventLog.Statements.Append(event: control))
                }
                try transaction.atCommit { $0.run(Accounts.AddToTally(of: maker, groups: 1)) }
                return try await transaction.one(Statements.One(viewer: .reader(maker), group: id))
            }
        }

        /// Changes what is said about a group. For owners. What is so already changes nothing.
        ///
        /// Throws `.invalid`, `.notFound`, `.forbidden` (`account_frozen`, `email_unverified`, `not_a_member`,
        /// `role_too_low`), `.preconditionFailed`.
        package func change(
            _ id: ID<Group>, _ change: Change, by owner: ID<Accounts.Account>, ifVersion version: Precondition = .none
        ) async throws -> Group {
            try change.validate()
            let about = change.about.value.map(Markdown.render)
            return try await services.database.transaction { transaction in
                let (writer, books) = try await writer(owner, and: change.book.value, in: transaction)
                try writer.mayPost(on: services)
                let standing = try await lock(id, for: owner, in: transaction)
                try standing.mustBe(.owner, of: id)
                try version.check(standing.version)
                let old = try await transaction.one(Statements.One(viewer: .reader(owner), group: id))
                let named = try book(change.book.value, found: books.first)
                let text: (body: String, html: String)? =
                    switch change.about {
                    case .keep: old.about.flatMap { body in old.html.map { (body, $0) } }
                    case .set: about.map { ($0.body, $0.html) }
                    }
                let next = Statements.ChangeGroup(
                    id: id, name: change.name ?? old.name, text: text, joining: change.joining ?? old.joining,
                    book: change.book == .keep ? old.book?.id : named)
                guard next.isChange(of: old) else { return old }
                try await transaction.run(next)
                try await Event.changed(
                    id, name: next.name, joining: next.joining, version: standing.version + 1
                ).append(in: transaction, services: services)
                return try await transaction.one(Statements.One(viewer: .reader(owner), group: id))
            }
        }

        /// Closes a group for good: its memberships end, and nobody sees what was written there but who wrote it. For
        /// owners.
        ///
        /// Throws `.notFound`, `.forbidden` (`account_frozen`, `not_a_member`, `role_too_low`), `.preconditionFailed`.
        package func close(
            _ id: ID<Group>, by owner: ID<Accounts.Account>, ifVersion version: Precondition = .none
        ) async throws {
            try await services.database.transaction { transaction in
                let (writer, _) = try await writer(owner, in: transaction)
                try writer.state.mayWrite()
                let standing = try await lock(id, for: owner, in: transaction)
                try standing.mustBe(.owner, of: id)
                try version.check(standing.version)
                try await end(id, in: transaction)
            }
        }

        // MARK: Under the locks

        /// Who acts, locked, and the book that is named, held. Throws `.unauthenticated`.
        func writer(
            _ account: ID<Accounts.Account>, and book: ID<Catalog.Work>? = nil, in transaction: Transaction
        ) async throws -> (Accounts.Writer, books: [ID<Catalog.Work>]) {
            let (writers, books) = try await services.database.pipeline(
                Accounts.Statements.LockWriter(account: account), Catalog.HoldBook(work: book ?? .min))
            guard let writer = writers.first else { throw Failure.unauthenticated() }
            return (writer, books)
        }

        /// Locks a group and reads what it is and what `reader` is to it. Throws `.notFound` for one that is not there.
        func lock(
            _ group: ID<Group>, for reader: ID<Accounts.Account>, in transaction: Transaction
        ) async throws -> Standing {
            let (_, standings) = try await services.database.pipeline(
                Statements.LockGroup(group: group), Statements.StandingIn(group: group, reader: reader))
            guard let standing = standings.first else { throw Failure.notFound("group \(group)") }
            return standing
        }

        /// Ends a group whose row is locked: no member, nothing that waits, and nobody follows it.
        func end(_ id: ID<Group>, in transaction: Transaction) async throws {
            let gone = try await transaction.all(Statements.DropMembers(group: id))
            try await transaction.batch { batch in
                batch.run(Statements.DropWaiting(group: id))
                batch.run(Statements.CloseGroup(group: id, at: services.clock.now()))
            }
            try await showOut(of: id, in: transaction)
            try transaction.atCommit { $0.run(Statements.Uncount(readers: gone)) }
        }

        /// Shuts every socket that follows a group, or a thread in it.
        func showOut(of id: ID<Group>, in transaction: Transaction) async throws {
            try await Groups.close(.group(id.rawValue), to: nil, in: transaction, services: services)
            var after = ID<Boards.Thread>.min
            let portion = 500
            while true {
                let threads = try await transaction.all(Statements.ThreadsOf(group: id, after: after, limit: portion))
                for thread in threads {
                    try await Groups.close(.thread(thread.rawValue), to: nil, in: transaction, services: services)
                }
                guard threads.count == portion, let last = threads.last else { break }
                after = last
            }
        }

        private func book(_ wanted: ID<Catalog.Work>?, found: ID<Catalog.Work>?) throws(Failure) -> ID<Catalog.Work>? {
            guard wanted != nil else { return nil }
            guard let found else { throw .invalid("/book_id", .unknown, "there is no such book") }
            return found
        }
    }
}

extension Groups.Statements.ChangeGroup {
    /// Whether anything is to be other than it was.
    fileprivate func isChange(of old: Groups.Group) -> Bool {
        name != old.name || text?.body != old.about || joining != old.joining || book != old.book?.id
    }
}

extension Groups.Counts {
    /// Throws `.conflict` (`too_many_groups`).
    fileprivate func mayMake() throws(Failure) {
        guard made < Limits.groups.made else {
            throw .conflict(code: .tooManyGroups, "one reader makes at most \(Limits.groups.made) groups")
        }
        try mayEnter()
    }

    /// Throws `.conflict` (`too_many_groups`).
    func mayEnter() throws(Failure) {
        guard memberships < Limits.groups.memberships else {
            throw .conflict(code: .tooManyGroups, "one reader is in at most \(Limits.groups.memberships) groups")
        }
    }
}

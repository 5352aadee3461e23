import EventLog
import Postgres

extension Lending {
    /// What readers do with shared libraries. Members, copies, checkouts and loans stand in `Lending+Store+….swift`.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// Makes a library for several readers. Throws `.invalid`, `.forbidden` (`account_frozen`, and
        /// `email_unverified` for what more than friends see), `.conflict` (`too_many_libraries`).
        package func make(_ new: NewLibrary, by identity: Accounts.Identity) async throws -> SharedLibrary {
            try new.validate(.group)
            try identity.mayShow(new.visibility ?? .friends)
            return try await services.database.transaction { transaction in
                try await lock(identity.account, in: transaction)
                let id: ID<SharedLibrary> = try services.ids.make()
                try await requireRoom(of: identity.account, in: id, transaction)
                let now = services.clock.now()
                try await transaction.run(Statements.InsertLibrary(id: id, new: new, at: now))
                try await transaction.run(Statements.Found(library: id, reader: identity.account, at: now))
                return try await library(id, for: .reader(identity.account), in: transaction)
            }
        }

        /// A library, where the viewer may see it. Throws `.notFound`.
        package func library(_ id: ID<SharedLibrary>, for viewer: Viewer) async throws -> SharedLibrary {
            try await library(id, for: viewer, in: services.database)
        }

        func library(
            _ id: ID<SharedLibrary>, for viewer: Viewer, in queryable: some Queryable
        ) async throws -> SharedLibrary {
            guard let library = try await queryable.first(Statements.OneLibrary(viewer: viewer, library: id)) else {
                throw Failure.notFound("library \(id)")
            }
            return library
        }

        /// The libraries that a reader belongs to or is invited to: the server's, the reader's own, then the oldest
        /// first.
        package func libraries(
            of reader: ID<Accounts.Account>, page: PageRequest<ID<SharedLibrary>>
        ) async throws -> Page<SharedLibrary, ID<SharedLibrary>> {
            let database = services.database
            return try await page.read(from: .lowest, key: \.id) {
                try await database.all(Statements.Mine(viewer: reader, span: $0))
            }
        }

        /// The libraries that a reader owns and the viewer may see. Throws `.notFound` for a reader whom the viewer may
        /// not see.
        package func libraries(
            of username: String, for viewer: Viewer, page: PageRequest<ID<SharedLibrary>>
        ) async throws -> Page<SharedLibrary, ID<SharedLibrary>> {
            let reader = try await Library.Store(services).reader(username, for: viewer)
            let database = services.database
            return try await page.read(from: .lowest, key: \.id) {
                try await database.all(Statements.OfReader(viewer: viewer, reader: reader.id, span: $0))
            }
        }

        /// Changes what is said about a library. For its owners. Throws as `make`, `.notFound`, `.forbidden`
        /// (`not_owner`).
        package func change(
            _ id: ID<SharedLibrary>, _ change: LibraryChange, by identity: Accounts.Identity
        ) async throws -> SharedLibrary {
            try await services.database.transaction { transaction in
                let (_, row) = try await lock(id, by: identity, as: .owner, in: transaction)
                let new = change.applied(to: row.said)
                try new.validate(row.kind)
                if let level = new.visibility, level != row.said.visibility { try identity.mayShow(level) }
                if new != row.said {
                    try await transaction.run(Statements.UpdateLibrary(library: id, new: new, at: services.clock.now()))
                }
                return try await library(id, for: .reader(identity.account), in: transaction)
            }
        }

        /// Ends a library with its copies. For its owners. Throws `.notFound`, `.forbidden` (`not_owner`,
        /// `account_frozen`), `.conflict` (`permanent` for an own library and the server's, `copies_out`).
        package func remove(_ id: ID<SharedLibrary>, by identity: Accounts.Identity) async throws {
            try await services.database.transaction { transaction in
                let (_, row) = try await lock(id, by: identity, as: .owner, in: transaction)
                guard row.kind == .group else {
                    throw Failure.conflict(code: .permanent, "this library is always there")
                }
                guard try await !transaction.one(Statements.CopiesOut(library: id)) else {
                    throw Failure.conflict(code: .copiesOut, "some of its copies are out: have them returned first")
                }
                try await end([id], in: transaction)
            }
        }

        /// Ends libraries, whatever is out of them.
        func end(_ libraries: [ID<SharedLibrary>], in transaction: Transaction) async throws {
            guard !libraries.isEmpty else { return }
            let now = services.clock.now()
            try await transaction.run(Statements.CloseLoans(libraries: libraries, at: now))
            try await transaction.run(Statements.CloseCheckouts(libraries: libraries, at: now))
            try await transaction.run(Statements.DeleteLibrary(libraries: libraries))
        }

        // MARK: Links

        /// Makes a link by which anybody sees what a library holds; the one before no longer opens anything. For its
        /// owners. Throws `.notFound`, `.forbidden`, `.conflict` (`permanent`) for the server's, which needs none.
        package func share(_ id: ID<SharedLibrary>, by identity: Accounts.Identity) async throws -> Token {
            try identity.mayPost()
            let token = Token.make(.share, from: services.random)
            try await services.database.transaction { transaction in
                let (_, row) = try await lock(id, by: identity, as: .owner, in: transaction)
                guard row.kind != .server else {
                    throw Failure.conflict(code: .permanent, "the server's library needs no link")
                }
                try await transaction.run(
                    Statements.Share(
                        library: id, reader: identity.account, digest: Bytes(token.digest), at: services.clock.now()))
            }
            return token
        }

        /// Revokes the reader's link to a library, at once, where there is one; a frozen owner may, too. Throws `.notFound`
        /// for a library that the reader does not see, `.forbidden` (`not_owner`).
        package func unshare(_ id: ID<SharedLibrary>, by reader: ID<Accounts.Account>) async throws {
            guard try await services.database.run(Statements.Unshare(library: id, reader: reader)) == 0 else { return }
            try await library(id, for: .reader(reader)).require(.owner)
        }

        /// The library that a link opens, and who made the link; `nil` for one that was revoked, for what is no link to
        /// a library, and where who made it may not be seen by the viewer at all.
        package func linked(
            _ token: String, for viewer: Viewer
        ) async throws -> (library: SharedLibrary, reader: Accounts.Reader)? {
            guard let token = Token(.share, text: token),
                let link = try await services.database.first(
                    Statements.LinkOf(viewer: viewer, digest: Bytes(token.digest))),
                let library = try await services.database.first(
                    Statements.OneLibrary(viewer: viewer, library: link.library, isShared: true))
            else { return nil }
            return (library, link.reader)
        }

        // MARK: Who may

        /// Locks the account, so that one reader's writers take turns. Throws `.forbidden` (`account_frozen`) where it
        /// may not write, and `.unauthenticated` where it is gone.
        func lock(_ reader: ID<Accounts.Account>, in transaction: Transaction) async throws {
            try await Library.Store(services).lock(reader, in: transaction)
        }

        /// Locks the account, then the library. Throws `.notFound` where the reader does not see it, `.forbidden` where
        /// the reader is less in it than `role`: `not_owner`, `not_contributor`, `not_a_member`.
        func lock(
            _ id: ID<SharedLibrary>, by identity: Accounts.Identity, as role: Role, in transaction: Transaction
        ) async throws -> (seen: SharedLibrary, row: Statements.LockLibrary.Output) {
            try await lock(identity.account, in: transaction)
            guard let row = try await transaction.first(Statements.LockLibrary(library: id)) else {
                throw Failure.notFound("library \(id)")
            }
            // Under the lock: who has just been removed is not.
            let seen = try await library(id, for: .reader(identity.account), in: transaction)
            try seen.require(role)
            return (seen, row)
        }
    }
}

extension Lending.SharedLibrary {
    /// Throws `.forbidden` where the viewer is less in it than `role`.
    func require(_ role: Lending.Role) throws(Failure) {
        if let joined, joined >= role { return }
        switch role {
        case .reader: throw .forbidden(code: .notAMember, "only members of this library may do that")
        case .contributor: throw .forbidden(code: .notContributor, "only contributors and owners may do that")
        case .owner: throw .forbidden(code: .notOwner, "only owners of this library may do that")
        }
    }
}

import Postgres

extension Library {
    /// What a link opens.
    package enum Shared: Hashable, Sendable {
        case shelf(Status, of: Accounts.Reader)
        /// Every shelf.
        case library(of: Accounts.Reader)
        case list(List)
    }
}

extension Library.Store {
    /// Makes a link by which anybody reads one shelf of the reader, or all (`nil`); the one before no longer opens
    /// anything. Throws `.forbidden`.
    ///
    /// It shows the books without a level of their own and those for members and wider: what was hidden one by one
    /// stays hidden.
    package func share(_ shelf: Library.Status?, by identity: Accounts.Identity) async throws -> Token {
        try identity.mayPost()
        let token = Token.make(.share, from: services.random)
        try await services.database.transaction { transaction in
            try await lock(identity.account, in: transaction)
            try await transaction.run(
                Library.Statements.ShareShelf(
                    id: services.ids.make(), reader: identity.account, digest: Bytes(token.digest), shelf: shelf,
                    at: services.clock.now()))
        }
        return token
    }

    /// The same for one of the reader's lists, whatever its level. Throws `.notFound`, `.forbidden`.
    package func share(_ list: ID<Library.List>, by identity: Accounts.Identity) async throws -> Token {
        try identity.mayPost()
        let token = Token.make(.share, from: services.random)
        try await services.database.transaction { transaction in
            try await lock(identity.account, in: transaction)
            let made = try await transaction.run(
                Library.Statements.ShareList(
                    id: services.ids.make(), reader: identity.account, digest: Bytes(token.digest), list: list,
                    at: services.clock.now()))
            guard made == 1 else { throw Failure.notFound("list \(list)") }
        }
        return token
    }

    /// Revokes the link to a shelf, or to the whole library (`nil`), at once, where there is one; a frozen reader may,
    /// too.
    package func unshare(_ shelf: Library.Status?, by reader: ID<Accounts.Account>) async throws {
        try await services.database.run(Library.Statements.UnshareShelf(reader: reader, shelf: shelf))
    }

    /// Revokes the link to a list, at once, where there is one; a frozen reader may, too. Throws `.notFound` for a list
    /// that is not the reader's.
    package func unshare(_ list: ID<Library.List>, by reader: ID<Accounts.Account>) async throws {
        guard try await services.database.run(Library.Statements.UnshareList(reader: reader, list: list)) == 0 else {
            return
        }
        let found = try await services.database.first(
            Library.Statements.OneList(viewer: .reader(reader), list: list, isShared: false))
        guard found?.author.id == reader else { throw Failure.notFound("list \(list)") }
    }

    /// What a link opens. Throws `.notFound` for one that was revoked, for what is no link, and where the reader's
    /// things may not be seen by the viewer at all.
    package func shared(_ token: String, for viewer: Viewer) async throws -> Library.Shared {
        guard let token = Token(.share, text: token),
            let link = try await services.database.first(
                Library.Statements.LinkOf(viewer: viewer, digest: Bytes(token.digest)))
        else { throw Failure.notFound("link like this") }
        if let shelf = link.shelf { return .shelf(shelf, of: link.reader) }
        guard let id = link.list else { return .library(of: link.reader) }
        guard
            let list = try await services.database.first(
                Library.Statements.OneList(viewer: viewer, list: id, isShared: true))
        else { throw Failure.notFound("link like this") }
        return .list(list)
    }

    /// The books that a link to a shelf shows; `asked` says which one of a whole library, all of them where it is left
    /// out. Throws `.notFound` as `shared` does, and for a link to a list.
    package func shelf(
        sharedAs token: String, _ asked: Library.Shelf? = nil, for viewer: Viewer, sort: Library.Sort = .added,
        filter: Library.Filter = Library.Filter(), page: PageRequest<Library.ShelfKey>
    ) async throws -> Library.ShelfPage {
        let (shelf, reader) = try await sharedShelf(token, asked, for: viewer)
        let query = Library.ShelfQuery(
            viewer: viewer, reader: reader.id, shelf: shelf, filter: filter, isShared: true)
        let sieve = try await sieve(of: filter)
        return Library.ShelfPage(reader: reader, page: try await self.page(query, sieve, sort, page))
    }

    /// The shelf that a link opens, and whose it is. Throws as `shelf(sharedAs:)`.
    package func sharedShelf(
        _ token: String, _ asked: Library.Shelf?, for viewer: Viewer
    ) async throws -> (shelf: Library.Shelf, reader: Accounts.Reader) {
        switch try await shared(token, for: viewer) {
        case .shelf(let shelf, let reader):
            guard asked == nil || asked?.status == shelf else { throw Failure.notFound("link to this shelf") }
            return (Library.Shelf(shelf), reader)
        case .library(let reader): return (asked ?? .all, reader)
        case .list: throw Failure.notFound("link to this shelf")
        }
    }

    /// The books that a link to a list shows. Throws `.notFound` as `shared` does, and for a link to a shelf.
    package func books(
        sharedAs token: String, for viewer: Viewer, page: PageRequest<Library.ListKey>
    ) async throws -> Page<Library.ListItem, Library.ListKey> {
        guard case .list(let list) = try await shared(token, for: viewer) else {
            throw Failure.notFound("link to this list")
        }
        return try await items(of: list.id, page: page)
    }
}

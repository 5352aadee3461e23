import Postgres

extension Notebook {
    /// A theme that a reader makes.
    package struct NewTheme: Hashable, Sendable {
        package var name: String
        /// `#rrggbb`, in either case.
        package var color: String?

        package init(name: String, color: String? = nil) {
            self.name = name
            self.color = color?.lowercased()
        }

        /// Throws `.invalid` with every fault.
        func validate() throws(Failure) {
            var faults = Faults()
            check(at: "", into: &faults)
            try faults.check()
        }

        func check(at pointer: String, into faults: inout Faults) {
            Notebook.check(name: name, at: pointer + "/name", into: &faults)
            faults.require(
                color?.wholeMatch(of: /#[0-9a-f]{6}/) != nil || color == nil, pointer + "/color", .badFormat,
                "must be a color like #4a90d9")
        }
    }
}

extension Notebook.Store {
    /// Makes a theme for a book. Throws `.invalid`, `.notFound` for the book, `.forbidden` (`account_frozen`), `.conflict`
    /// (`theme_exists`, `too_many_themes`).
    package func make(
        _ new: Notebook.NewTheme, for work: ID<Catalog.Work>, by reader: ID<Accounts.Account>
    ) async throws -> Notebook.Theme {
        try new.validate()
        return try await services.database.transaction { transaction in
            let (work, basis) = try await basis(of: reader, in: work, in: transaction)
            let key = Notebook.key(of: new.name)
            try await mustBeFree(key, of: reader, in: work, in: transaction)
            guard basis.themes < Limits.notebook.themes else { throw Self.tooManyThemes }
            let id = try await make(new, key, for: work, by: reader, in: transaction)
            return try await theme(id, of: reader, in: transaction)
        }
    }

    func make(
        _ new: Notebook.NewTheme, _ key: String, for work: ID<Catalog.Work>, by reader: ID<Accounts.Account>,
        in transaction: Transaction
    ) async throws -> ID<Notebook.Theme> {
        let (id, now): (ID<Notebook.Theme>, Timestamp) = (try services.ids.make(), services.clock.now())
        try await transaction.batch { batch in
            batch.run(Notebook.Statements.Count(reader: reader, work: work, at: now, themes: 1))
            batch.run(
                Notebook.Statements.InsertTheme(
                    id: id, reader: reader, work: work, name: new.name, key: key, color: new.color, at: now))
        }
        return id
    }

    static let tooManyThemes = Failure.conflict(
        code: .tooManyThemes, "you may keep at most \(Limits.notebook.themes) themes about one book")

    /// Throws `.conflict` (`theme_exists`) where the notebook has a theme of that name, other than `theme`.
    private func mustBeFree(
        _ key: String, of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>,
        exceptFor theme: ID<Notebook.Theme>? = nil, in transaction: Transaction
    ) async throws {
        let named = try await transaction.first(
            Notebook.Statements.ThemesNamed(reader: reader, work: work, ids: [], keys: [key]))
        guard named == nil || named?.id == theme else {
            throw Failure.conflict(code: .themeExists, "this book already has a theme of that name")
        }
    }

    /// The themes that a note is to have: those that were named by ids must be there, those by names are made. Throws
    /// `.invalid`, `.conflict` (`too_many_themes`).
    func themes(
        _ chosen: Notebook.Chosen, of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>,
        _ basis: Notebook.Basis, in transaction: Transaction
    ) async throws -> [ID<Notebook.Theme>] {
        if chosen == Notebook.Chosen() { return [] }
        let keys = chosen.names.map(Notebook.key)
        let found = try await transaction.all(
            Notebook.Statements.ThemesNamed(reader: reader, work: work, ids: chosen.ids, keys: keys))
        let known = Set(found.map(\.id))
        if let index = chosen.ids.firstIndex(where: { !known.contains($0) }) {
            throw Failure.invalid("/theme_ids/\(index)", .unknown, "must be a theme of this book")
        }
        var byKey = Dictionary(found.map { ($0.key, $0.id) }) { first, _ in first }
        var (themes, made) = (chosen.ids, 0)
        for (name, key) in zip(chosen.names, keys) {
            if byKey[key] == nil {
                guard basis.themes + made < Limits.notebook.themes else { throw Self.tooManyThemes }
                byKey[key] = try await make(.init(name: name), key, for: work, by: reader, in: transaction)
                made += 1
            }
            if let theme = byKey[key] { themes.append(theme) }
        }
        return Set(themes).sorted()
    }

    /// A reader's own theme. Throws `.notFound`.
    package func theme(_ id: ID<Notebook.Theme>, of reader: ID<Accounts.Account>) async throws -> Notebook.Theme {
        try await theme(id, of: reader, in: services.database)
    }

    private func theme(
        _ id: ID<Notebook.Theme>, of reader: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws -> Notebook.Theme {
        guard let theme = try await queryable.first(Notebook.Statements.OneTheme(theme: id, reader: reader)) else {
            throw Failure.notFound("theme \(id)")
        }
        return theme
    }

    /// A reader's themes for a book, by name.
    package func themes(
        for work: ID<Catalog.Work>, of reader: ID<Accounts.Account>,
        page: PageRequest<Notebook.NameKey<Notebook.Theme>>
    ) async throws -> Page<Notebook.Theme, Notebook.NameKey<Notebook.Theme>> {
        let database = services.database
        return try await page.read(from: .lowest, key: \.key) {
            try await database.all(Notebook.Statements.Themes(reader: reader, work: work, span: $0))
        }
    }

    /// Gives a theme another name or color. Throws as `make`, `.notFound`, `.preconditionFailed`.
    package func change(
        _ id: ID<Notebook.Theme>, name: String?, color: FieldChange<String>, by reader: ID<Accounts.Account>,
        ifVersion version: Precondition = .none
    ) async throws -> Notebook.Theme {
        try await services.database.transaction { transaction in
            let old = try await lock(id, of: reader, version, in: transaction)
            let new = Notebook.NewTheme(name: name ?? old.name, color: color.applied(to: old.color))
            try new.validate()
            guard new != Notebook.NewTheme(name: old.name, color: old.color) else { return old }
            let key = Notebook.key(of: new.name)
            try await mustBeFree(key, of: reader, in: old.book, exceptFor: id, in: transaction)
            let now = services.clock.now()
            try await transaction.batch { batch in
                batch.run(
                    Notebook.Statements.UpdateTheme(theme: id, name: new.name, key: key, color: new.color, at: now))
                batch.run(Notebook.Statements.Count(reader: reader, work: old.book, at: now))
            }
            return try await theme(id, of: reader, in: transaction)
        }
    }

    /// Puts `other` in the place of a theme on all its notes; the theme is gone then. Throws `.notFound`, `.invalid`
    /// (`/into_id`) for one that is none of the same book or the theme itself, `.forbidden` (`account_frozen`),
    /// `.preconditionFailed`.
    package func merge(
        _ id: ID<Notebook.Theme>, into other: ID<Notebook.Theme>, by reader: ID<Accounts.Account>,
        ifVersion version: Precondition = .none
    ) async throws -> Notebook.Theme {
        try await services.database.transaction { transaction in
            let old = try await lock(id, of: reader, version, in: transaction)
            let kept = try await transaction.first(Notebook.Statements.OneTheme(theme: other, reader: reader))
            guard let kept, kept.id != id, kept.book == old.book else {
                throw Failure.invalid("/into_id", .unknown, "must be another theme of this book")
            }
            let now = services.clock.now()
            try await transaction.batch { batch in
                batch.run(Notebook.Statements.TakeOver(from: id, into: other, at: now))
                batch.run(Notebook.Statements.DeleteTheme(theme: id, at: now))
                batch.run(Notebook.Statements.Count(reader: reader, work: old.book, at: now, themes: -1))
            }
            return try await theme(other, of: reader, in: transaction)
        }
    }

    /// Deletes a theme; its notes stay. Throws `.notFound`, `.forbidden` (`account_frozen`), `.preconditionFailed`.
    package func remove(
        _ id: ID<Notebook.Theme>, by reader: ID<Accounts.Account>, ifVersion version: Precondition = .none
    ) async throws {
        try await services.database.transaction { transaction in
            let old = try await lock(id, of: reader, version, in: transaction)
            let now = services.clock.now()
            try await transaction.batch { batch in
                batch.run(Notebook.Statements.DeleteTheme(theme: id, at: now))
                batch.run(Notebook.Statements.Count(reader: reader, work: old.book, at: now, themes: -1))
            }
        }
    }

    /// Locks the account: writers of one reader take turns.
    private func lock(
        _ id: ID<Notebook.Theme>, of reader: ID<Accounts.Account>, _ version: Precondition,
        in transaction: Transaction
    ) async throws -> Notebook.Theme {
        try await library.lock(reader, in: transaction)
        let theme = try await theme(id, of: reader, in: transaction)
        try version.check(theme.version)
        return theme
    }
}

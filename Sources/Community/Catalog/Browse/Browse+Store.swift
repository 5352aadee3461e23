import Postgres

extension Catalog.Store {
    /// Listed books in an order, of a filter. A genre, an author or whatever else nobody knows has none.
    ///
    /// A page of a combination that few books meet may be shorter than asked for and still lead on: see
    /// `Catalog.Browse`.
    package func browse(
        _ order: Catalog.Browse.Order, _ filter: Catalog.Browse.Filter, _ request: PageRequest<Catalog.Browse.Place>
    ) async throws -> Page<Catalog.BookItem, Catalog.Browse.Place> {
        guard let (scope, conditions) = try await scope(of: filter) else {
            return Page(items: [], next: nil, previous: nil)
        }
        let places =
            switch order {
            case .popularity: try await walk(Catalog.Browse.ByPopularity.self, scope, conditions, request)
            case .rating: try await walk(Catalog.Browse.ByRating.self, scope, conditions, request)
            case .newest: try await walk(Catalog.Browse.ByNewest.self, scope, conditions, request)
            case .title: try await walk(Catalog.Browse.ByTitle.self, scope, conditions, request)
            case .author: try await walk(Catalog.Browse.ByAuthor.self, scope, conditions, request)
            case .length: try await walk(Catalog.Browse.ByLength.self, scope, conditions, request)
            }
        return places.with(try await items(places.items.map(\.work)))
    }

    /// The smallest scope that the filter names, and what is left to look at; `nil` where a named scope has no book.
    private func scope(
        of filter: Catalog.Browse.Filter
    ) async throws -> (Catalog.Browse.FoundScope, Catalog.Browse.Conditions)? {
        var conditions = Catalog.Browse.Conditions()
        if let years = filter.years {
            conditions.years = Int16(clamping: years.lowerBound)...Int16(clamping: years.upperBound)
        }
        if let pages = filter.pages {
            conditions.pages = Int32(clamping: pages.lowerBound)...Int32(clamping: pages.upperBound)
        }
        var filter = filter
        if let author = filter.author {
            filter.author = try await house.database.first(Catalog.CurrentAuthor(author: author)) ?? author
        }
        let wanted = Array(Set(filter.scopes))
        guard !wanted.isEmpty else {
            let all = Catalog.Browse.FoundScope(id: 0, scope: .all, members: .max, isBig: true)
            return (all, conditions)
        }
        let found = try await house.database.all(Catalog.Browse.FindScopes(scopes: wanted))
            .filter { $0.members > 0 }
            .sorted { ($0.members, $0.id) < ($1.members, $1.id) }
        guard found.count == wanted.count, let smallest = found.first else { return nil }
        conditions.scopes = found.dropFirst().map(\.id)
        return (smallest, conditions)
    }

    private func walk<Column: Catalog.Browse.BrowseColumn>(
        _: Column.Type, _ scope: Catalog.Browse.FoundScope, _ conditions: Catalog.Browse.Conditions,
        _ request: PageRequest<Catalog.Browse.Place>
    ) async throws -> Page<Catalog.Browse.Place, Catalog.Browse.Place> {
        typealias Browse = Catalog.Browse
        let first =
            Column.descends
            ? Browse.Place(number: .max, text: Browse.beyond, work: .max)
            : Browse.Place(number: .min, text: "", work: .min)
        guard !conditions.isEmpty else {
            return try await request.read(
                from: first, key: \.self,
                after: { try await entries(Column.self, Onward.self, scope, from: $0, limit: $1) },
                before: { try await entries(Column.self, Back.self, scope, from: $0, limit: $1) })
        }
        var end: Browse.Place?
        let page = try await request.read(
            from: first, key: \.self,
            after: {
                let sieved = try await sieve(Column.self, Onward.self, scope, conditions, from: $0, limit: $1)
                end = sieved.end
                return sieved.met
            },
            before: {
                let sieved = try await sieve(Column.self, Back.self, scope, conditions, from: $0, limit: $1)
                end = sieved.end
                return sieved.met
            })
        // Not full, and the scope goes on: lead on from the last entry that was looked at.
        guard let end else { return page }
        if case .before(let place) = request.start {
            return Page(items: page.items, next: page.items.last ?? place, previous: end)
        }
        return Page(items: page.items, next: end, previous: page.previous)
    }

    private func entries<Column: Catalog.Browse.BrowseColumn, Way: OldDirection>(
        _: Column.Type, _: Way.Type, _ scope: Catalog.Browse.FoundScope, from start: Catalog.Browse.Place, limit: Int
    ) async throws -> [Catalog.Browse.Place] {
        typealias Browse = Catalog.Browse
        return scope.isBig
            ? try await house.database.all(
                Browse.Walk<Column, Way, Browse.Big>(scope: scope.id, from: start, limit: limit))
            : try await house.database.all(
                Browse.Walk<Column, Way, Browse.Small>(scope: scope.id, from: start, limit: limit))
    }

    /// The entries that meet the conditions, in the direction of travel; `end` is the last entry that was looked at,
    /// where there are fewer than `limit` and the scope goes on.
    private func sieve<Column: Catalog.Browse.BrowseColumn, Way: OldDirection>(
        _: Column.Type, _: Way.Type, _ scope: Catalog.Browse.FoundScope, _ conditions: Catalog.Browse.Conditions,
        from start: Catalog.Browse.Place, limit: Int
    ) async throws -> (met: [Catalog.Browse.Place], end: Catalog.Browse.Place?) {
        typealias Browse = Catalog.Browse
        var met: [Browse.Place] = []
        var from = start
        for _ in 0..<Limits.Browse.walks {
            let wanted = limit - met.count
            let rows =
                scope.isBig
                ? try await house.database.all(
                    Browse.Sieve<Column, Way, Browse.Big>(
                        scope: scope.id, from: from, limit: wanted, conditions: conditions))
                : try await house.database.all(
                    Browse.Sieve<Column, Way, Browse.Small>(
                        scope: scope.id, from: from, limit: wanted, conditions: conditions))
            met += rows.filter(\.isMet).map(\.place)
            // Full, or at the end of the scope.
            guard met.count < limit, let end = rows.first(where: { !$0.isMet })?.place else { return (met, nil) }
            from = end
        }
        return (met, from)
    }
}

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
        let places = try await walk(order, scope, conditions, request)
        return places.with(try await items(places.items.map(\.work)))
    }

    /// All that the filter asks of a book; `nil` where a named scope has none. Years stay a range: the
    /// scope of their decade is left out.
    func conditions(of filter: Catalog.Browse.Filter) async throws -> Catalog.Browse.Conditions? {
        guard let (scope, conditions) = try await scope(of: filter, besides: .decade) else { return nil }
        var all = conditions
        if scope.scope != .all {
            all.scopes.append(scope.id)
            all.smallest = scope
        }
        return all
    }

    /// Those of at most a few works that meet a filter, in their order.
    func meeting(
        _ filter: Catalog.Browse.Filter, _ works: [ID<Catalog.Work>]
    ) async throws -> [ID<Catalog.Work>] {
        guard !filter.isEmpty, !works.isEmpty else { return works }
        guard let conditions = try await conditions(of: filter) else { return [] }
        return try await services.database.all(Catalog.Browse.Meeting(works: works, conditions: conditions))
    }

    /// The first `count` books of each genre, those that are read most first, by the genre's slug.
    package func first(_ count: Int, of genres: [Catalog.GenreCount]) async throws -> [String: [ID<Catalog.Work>]] {
        let order = Catalog.Browse.Order.popularity
        let scopes = genres.map { Catalog.Browse.Scope(.genre, $0.slug) }
        var works: [String: [ID<Catalog.Work>]] = [:]
        for found in try await services.database.all(Catalog.Browse.FindScopes(scopes: scopes)) {
            let page = try await walk(order, found, Catalog.Browse.Conditions(), PageRequest(limit: count))
            works[found.scope.key] = page.items.map(\.work)
        }
        return works
    }

    /// The smallest scope that the filter names, and what is left to look at; `nil` where a named scope has no book.
    private func scope(
        of filter: Catalog.Browse.Filter, besides kind: Catalog.Browse.Scope.Kind? = nil
    ) async throws -> (Catalog.Browse.FoundScope, Catalog.Browse.Conditions)? {
        var conditions = Catalog.Browse.Conditions()
        if let years = filter.years { conditions.years = years.clamped(to: conditions.years) }
        if let pages = filter.pages { conditions.pages = pages.clamped(to: conditions.pages) }
        var filter = filter
        if let author = filter.author {
            filter.author = try await services.database.first(Catalog.CurrentAuthor(author: author)) ?? author
        }
        conditions.isBook = filter.kind == .book
        let wanted = Array(Set(filter.scopes.filter { $0.kind != kind }))
        guard !wanted.isEmpty else {
            let all = Catalog.Browse.FoundScope(id: 0, scope: .all, members: .max, isBig: true)
            return (all, conditions)
        }
        let found = try await services.database.all(Catalog.Browse.FindScopes(scopes: wanted))
            .filter { $0.members > 0 }
            .sorted { ($0.members, $0.id) < ($1.members, $1.id) }
        guard found.count == wanted.count, let smallest = found.first else { return nil }
        conditions.scopes = found.dropFirst().map(\.id)
        return (smallest, conditions)
    }

    private func walk(
        _ order: Catalog.Browse.Order, _ scope: Catalog.Browse.FoundScope, _ conditions: Catalog.Browse.Conditions,
        _ request: PageRequest<Catalog.Browse.Place>
    ) async throws -> Page<Catalog.Browse.Place, Catalog.Browse.Place> {
        typealias Browse = Catalog.Browse
        guard !conditions.isEmpty else {
            return try await request.read(in: order, key: \.self) {
                try await services.database.all(
                    Browse.Walk(stretch: Browse.Stretch(order: order, scope: scope, span: $0)))
            }
        }
        var end: Browse.Place?
        let page = try await request.read(in: order, key: \.self) {
            let sieved = try await sieve(Browse.Stretch(order: order, scope: scope, span: $0), conditions)
            end = sieved.end
            return sieved.met
        }
        // Not full, and the scope goes on: lead on from the last entry that was looked at.
        guard let end else { return page }
        if case .before(let place) = request.start {
            return Page(items: page.items, next: page.items.last ?? place, previous: end)
        }
        return Page(items: page.items, next: end, previous: page.previous)
    }

    /// The entries that meet the conditions, in the direction of travel; `end` is the last entry that was looked at,
    /// where there are fewer than the stretch's limit and the scope goes on.
    private func sieve(
        _ stretch: Catalog.Browse.Stretch, _ conditions: Catalog.Browse.Conditions
    ) async throws -> (met: [Catalog.Browse.Place], end: Catalog.Browse.Place?) {
        let (direction, limit) = (stretch.span.direction, stretch.span.limit)
        var met: [Catalog.Browse.Place] = []
        var stretch = stretch
        for _ in 0..<Limits.browse.walked / Limits.browse.walk {
            let rows = try await services.database.all(Catalog.Browse.Sieve(stretch: stretch, conditions: conditions))
            met += rows.filter(\.isMet).map(\.place)
            // Full, or at the end of the scope.
            guard met.count < limit, let end = rows.first(where: { !$0.isMet })?.place else { return (met, nil) }
            stretch.span = Span(place: end, direction: direction, limit: limit - met.count)
        }
        return (met, stretch.span.place)
    }
}

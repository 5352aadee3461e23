import Postgres

// A page of a scope in one order. The order, the direction and the size of the scope decide the text.

extension Catalog.Browse {
    /// Which index serves a scope.
    enum Size: String, Variation {
        /// That of the order.
        case big
        /// The primary key; then the whole of it is sorted.
        case small

        var column: Fragment { self == .big ? "entry.big_scope" : "entry.scope_id" }
    }

    /// A part of a scope in one order.
    struct Stretch: Sendable {
        let order: Order
        let scope: FoundScope
        var span: Span<Place>

        typealias Variation = Both<Both<Order, Direction>, Size>
        var variation: Variation { Both(Both(order, span.direction), scope.isBig ? .big : .small) }

        /// Entries that one statement looks at for filters that no scope answers.
        private var walk: Int { scope.isBig ? Limits.browse.walk : .max }
        static var walk: SQL<Self> { "\(\.walk, "walk")" }

        static func keyset(_ variation: Variation) -> Keyset<Self> {
            let (order, direction, size) = (variation.first.first, variation.first.second, variation.second)
            guard order == .newest else { return order.keyset(at: \.span.place, direction) }
            // The scope is part of what is compared and ordered by, so that no index of books alone can serve it.
            return Keyset(
                [size.column, "entry.work_id"], ["\(\.scope.id)", "\(\.span.place.work)"],
                isAscending: order.isAscending, direction)
        }

        /// Its entries in order, as far as `limit` says.
        static func entries(_ variation: Variation, columns: Fragment, limit: SQL<Self>) -> SQL<Self> {
            let (order, direction, size) = (variation.first.first, variation.first.second, variation.second)
            let keyset = keyset(variation)
            let falls = order.isAscending == (direction == .back)
            let scope: SQL<Self> =
                order == .newest
                ? """
                \(size.column) is not null
                   and (\(size.column), entry.work_id) \(falls ? ">" : "<" as Fragment) (\(\.scope.id), \(falls ? "0" : "9223372036854775807" as Fragment))
                """
                : "\(size.column) = \(\.scope.id)"
            return """
                select entry.work_id, \(columns)
                  from browse_entry entry
                 where \(scope)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 \(limit)
                """
        }
    }

    /// A page without conditions but the scope.
    struct Walk: VariedStatement {
        static func sql(_ variation: Stretch.Variation) -> SQL<Self> {
            Stretch.entries(variation, columns: variation.first.first.key, limit: "limit \(\.span.limit)")
                .of(\.stretch)
        }
        let stretch: Stretch
        var variation: Stretch.Variation { stretch.variation }
        typealias Output = Place
    }

    /// A page with further conditions: looks at so many entries at most and gives those that meet them; in a big scope,
    /// where they are fewer than `span.limit` and the walk was not at its end, then the last entry that it looked at.
    ///
    /// The conditions are held against one entry after the other, in their order, and no further than until the page is
    /// full.
    struct Sieve: VariedStatement {
        static func sql(_ variation: Stretch.Variation) -> SQL<Self> {
            let (order, size) = (variation.first.first, variation.second)
            let way: Fragment = order.isAscending == (variation.first.second == .onward) ? "" : " desc"
            // What the index orders by, so that what comes out of the walk need not be sorted again.
            let first = order == .newest ? size.column : order.columns[0]
            let walked = Stretch.entries(
                variation, columns: "\(order.key), \(first) as place, entry.pages as length, entry.year",
                limit: "limit \(Stretch.walk)")
            let met: SQL<Self> = """
                select work_id, number, text, true as is_met
                      from (\(walked.of(\Self.stretch))) walked
                     where year between \(\.conditions.years.lowerBound, "years.lowerBound") and \(\.conditions.years.upperBound, "years.upperBound")
                       and length between \(\.conditions.pages.lowerBound, "pages.lowerBound") and \(\.conditions.pages.upperBound, "pages.upperBound")
                       and \(Conditions.scopesHold(of: "walked.work_id").of(\Self.conditions))
                     order by place\(way), work_id\(way)
                     limit \(\.stretch.span.limit)
                """
            guard size == .big else { return met }
            let last = Stretch.entries(variation, columns: order.key, limit: "limit 1 offset \(Stretch.walk) - 1")
            return """
                with met as materialized (
                    \(met))
                select work_id, number, text, is_met from met
                 union all
                select work_id, number, text, false
                  from (\(last.of(\Self.stretch))) last
                 where (select count(*) from met) < \(\.stretch.span.limit)
                """
        }
        let stretch: Stretch, conditions: Conditions
        var variation: Stretch.Variation { stretch.variation }

        static func decode(_ columns: inout Columns) throws -> (place: Place, isMet: Bool) {
            (try Place(&columns), try columns("is_met"))
        }
    }

    /// What is left of a filter beside the scope that is walked.
    struct Conditions: Sendable {
        var years = Self.anyYear
        var pages = Self.anyLength
        /// All of these.
        var scopes: [Int64] = []
        /// Of the kind `book`, which has no scope: nearly all works are.
        var isBook = false
        /// The smallest of `scopes`.
        var smallest: FoundScope?

        /// The smallest of `scopes`, where it is not big: its works can be read at once.
        var few: Int64? { smallest.flatMap { $0.isBig ? nil : $0.id } }
        var asksYears: Bool { years != Self.anyYear }
        var asksLength: Bool { pages != Self.anyLength }
        private var asksMeasures: Bool { asksYears || asksLength }
        var isEmpty: Bool { !asksYears && !asksLength && scopes.isEmpty && !isBook }

        // Each `offset 0` has the planner ask an index for every work. Of many works it would read the whole table first.

        /// SQL: whether a work meets all of it. By primary keys.
        static func hold(of work: Fragment) -> SQL<Self> {
            """
            (not \(\.asksMeasures, "asksMeasures") or \(measuresHold(of: work)))
               and \(scopesHold(of: work))
            """
        }

        /// SQL: whether a work stands in all of `scopes`, and is a book where it must be one. By primary keys.
        static func scopesHold(of work: Fragment) -> SQL<Self> {
            """
            not exists (select 1
                          from unnest(\(\.scopes)::bigint[]) as wanted (scope_id)
                         where not exists (select 1
                                             from browse_entry other
                                            where other.scope_id = wanted.scope_id
                                              and other.work_id = \(work)
                                           offset 0))
               and (not \(\.isBook)
                    or exists (select 1 from work book where book.id = \(work) and book.kind = 'book' offset 0))
            """
        }

        /// SQL: whether a work is of these years and of this length.
        static func measuresHold(of work: Fragment) -> SQL<Self> {
            """
            exists (select 1
                      from browse_entry entry
                     where entry.scope_id = 0
                       and entry.work_id = \(work)
                       and entry.year between \(\.years.lowerBound, "years.lowerBound") and \(\.years.upperBound, "years.upperBound")
                       and entry.pages between \(\.pages.lowerBound, "pages.lowerBound") and \(\.pages.upperBound, "pages.upperBound")
                    offset 0)
            """
        }

        private static let anyYear = Int(Int16.min)...Int(Int16.max)
        private static let anyLength = Int(Int32.min)...Int(Int32.max)
    }

    /// Those of these works that meet conditions, in their order.
    struct Meeting: Statement {
        static let sql: SQL<Self> = """
            select given.work_id
              from unnest(\(\.works)::bigint[]) with ordinality as given (work_id, place)
             where \(Conditions.hold(of: "given.work_id").of(\Self.conditions))
             order by given.place
            """
        let works: [ID<Catalog.Work>], conditions: Conditions
        typealias Output = ID<Catalog.Work>
    }

    struct FoundScope: Sendable {
        let id: Int64
        let scope: Scope
        let members: Int
        let isBig: Bool
    }

    struct FindScopes: Statement {
        static let sql: SQL<Self> = """
            select scope.kind, scope.id, scope.key, scope.members, scope.is_big
              from unnest(\(\.scopes, each: \.kind.rawValue, "scopes.kind")::text[], \(\.scopes, each: \.key)::text[]) as wanted (kind, key)
              join browse_scope scope on scope.kind = wanted.kind and scope.key = wanted.key
            """
        let scopes: [Scope]

        static func decode(_ columns: inout Columns) throws -> FoundScope {
            let kind: Scope.Kind = try columns("kind")
            return FoundScope(
                id: try columns("id"), scope: Scope(kind, try columns("key")), members: try columns("members"),
                isBig: try columns("is_big"))
        }
    }
}

extension Catalog.Browse.Order: ListOrder {
    private var column: Fragment {
        switch self {
        case .popularity: "popularity"
        case .rating: "rating"
        case .newest: "work_id"
        case .title: "title"
        case .author: "author"
        case .length: "pages"
        }
    }

    private var isOfTexts: Bool { self == .title || self == .author }
    var isAscending: Bool { isOfTexts || self == .length }
    var first: Catalog.Browse.Place { isAscending ? .lowest : .highest }
    var last: Catalog.Browse.Place { isAscending ? .highest : .lowest }

    var columns: [Fragment] { ["entry.\(column)", "entry.work_id"] }
    var parameters: [SQL<Catalog.Browse.Place>] { [isOfTexts ? "\(\.text)" : "\(\.number)", "\(\.work)"] }

    /// The columns that `Place` is read from, behind the work's.
    fileprivate var key: Fragment {
        isOfTexts
            ? "0::bigint as number, entry.\(column)::text as text"
            : "entry.\(column)::bigint as number, ''::text as text"
    }
}

extension Catalog.Browse.Place: SortKey {
    package static var lowest: Self { Self(number: .min, text: "", work: .min) }
    package static var highest: Self { Self(number: .max, text: Catalog.Browse.beyond, work: .max) }
}

extension Catalog.Browse.Place: RowReadable {
    package init(_ columns: inout Columns) throws {
        work = try columns("work_id")
        number = try columns("number")
        text = try columns("text")
    }
}

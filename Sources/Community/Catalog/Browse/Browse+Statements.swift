import Postgres

// A page of a scope in one order. The order, the direction and the size of the scope decide the text, so each
// combination is a statement of its own, made of the same parts.

extension Catalog.Browse {
    static let walkStatements: [any Statement.Type] =
        statements(by: ByPopularity.self) + statements(by: ByRating.self) + statements(by: ByNewest.self)
        + statements(by: ByTitle.self) + statements(by: ByAuthor.self) + statements(by: ByLength.self)
        + [FindScopes.self]

    private static func statements<Column: BrowseColumn>(by _: Column.Type) -> [any Statement.Type] {
        [
            Walk<Column, Onward, Big>.self, Walk<Column, Back, Big>.self, Walk<Column, Onward, Small>.self,
            Walk<Column, Back, Small>.self, Sieve<Column, Onward, Big>.self, Sieve<Column, Back, Big>.self,
            Sieve<Column, Onward, Small>.self, Sieve<Column, Back, Small>.self,
        ]
    }

    /// What an order compares.
    protocol BrowseColumn: Sendable {
        associatedtype Key: PostgresValue
        static var column: String { get }
        static var descends: Bool { get }
        static func key(of place: Place) -> Key
        static func place(_ key: Key, _ work: ID<Catalog.Work>) -> Place
    }

    protocol NumberColumn: BrowseColumn where Key == Int64 {}
    protocol TextColumn: BrowseColumn where Key == String {}

    enum ByPopularity: NumberColumn { static let column = "popularity", descends = true }
    enum ByRating: NumberColumn { static let column = "rating", descends = true }
    enum ByNewest: NumberColumn { static let column = "work_id", descends = true }
    enum ByLength: NumberColumn { static let column = "pages", descends = false }
    enum ByTitle: TextColumn { static let column = "title", descends = false }
    enum ByAuthor: TextColumn { static let column = "author", descends = false }

    protocol Size: Sendable {
        static var name: String { get }
        static var column: String { get }
        /// Entries that one statement looks at for filters that no scope answers.
        static var walk: Int { get }
    }

    /// Served by the index of the order.
    enum Big: Size { static let name = "big", column = "big_scope", walk = Limits.Browse.walk }
    /// Served by the primary key, then sorted: the whole of it.
    enum Small: Size { static let name = "small", column = "scope_id", walk = Int.max }

    /// The entries of scope `$1` beyond the place `$2`, `$3`, in order, as far as `limit` says.
    private static func entries<Column: BrowseColumn, Way: OldDirection, Extent: Size>(
        _: Column.Type, _: Way.Type, _: Extent.Type, columns: String, limit: String
    ) -> String {
        let falls = Column.descends != Way.reverses
        let order = falls ? " desc" : ""
        guard Column.column != "work_id" else {
            // The scope is part of what is compared and ordered by, so that no index of books alone can serve it. Both
            // parameters of the place hold the id.
            let (beyond, last) =
                falls ? ("least($2::bigint, $3)", "0") : ("greatest($2::bigint, $3)", "9223372036854775807")
            return """
                select \(columns)
                  from browse_entry entry
                 where \(Extent.column) is not null
                   and (\(Extent.column), work_id) \(falls ? "<" : ">") ($1, \(beyond))
                   and (\(Extent.column), work_id) \(falls ? ">" : "<") ($1, \(last))
                 order by entry.\(Extent.column)\(order), entry.work_id\(order)
                 \(limit)
                """
        }
        // Qualified: the bare name would mean the cast column of the select list, which no index has.
        return """
            select \(columns)
              from browse_entry entry
             where \(Extent.column) = $1
               and (\(Column.column), work_id) \(falls ? "<" : ">") ($2, $3)
             order by entry.\(Column.column)\(order), entry.work_id\(order)
             \(limit)
            """
    }

    /// A page without conditions but the scope.
    struct Walk<Column: BrowseColumn, Way: OldDirection, Extent: Size>: PositionalStatement {
        static var name: String { "catalog.walk_\(Column.column)_\(Way.name)_\(Extent.name)" }
        static var sql: String {
            entries(
                Column.self, Way.self, Extent.self, columns: "work_id, \(Column.column)::\(Column.Key.postgresName)",
                limit: "limit $4")
        }
        let scope: Int64
        let from: Place
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(scope)
            parameters.append(Column.key(of: from))
            parameters.append(from.work)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Place { Column.place(try row[1], try row[0]) }
    }

    /// A page with further conditions: looks at `$5` entries at most and gives those that meet them; in a big scope,
    /// where they are fewer than `$4` and the walk was not at its end, then the last entry that it looked at.
    ///
    /// The conditions are held against one entry after the other, in their order, and no further than until the page is
    /// full.
    struct Sieve<Column: BrowseColumn, Way: OldDirection, Extent: Size>: PositionalStatement {
        static var name: String { "catalog.sieve_\(Column.column)_\(Way.name)_\(Extent.name)" }
        static var sql: String {
            let order = Column.descends != Way.reverses ? " desc" : ""
            // What the index orders by, so that what comes out of the walk need not be sorted again.
            let first = Column.column == "work_id" ? Extent.column : Column.column
            let key = "\(Column.column)::\(Column.Key.postgresName) as key"
            let walked = entries(
                Column.self, Way.self, Extent.self,
                columns: "work_id, \(key), entry.\(first) as place, entry.pages as length, year", limit: "limit $5")
            let met = """
                select work_id, key, true as is_met
                      from (\(walked)) walked
                     where year between $6 and $7
                       and length between $8 and $9
                       and not exists (select 1
                                         from unnest($10::bigint[]) as wanted (scope_id)
                                        where not exists (select 1 from browse_entry other
                                                           where other.scope_id = wanted.scope_id
                                                             and other.work_id = walked.work_id))
                     order by place\(order), work_id\(order)
                     limit $4
                """
            guard Extent.walk < .max else { return met }
            let last = entries(
                Column.self, Way.self, Extent.self, columns: "work_id, \(key)", limit: "limit 1 offset $5 - 1")
            return """
                with met as materialized (
                    \(met))
                select work_id, key, is_met from met
                 union all
                select work_id, key, false
                  from (\(last)) last
                 where (select count(*) from met) < $4
                """
        }
        let scope: Int64
        let from: Place
        let limit: Int
        let conditions: Conditions

        func bind(to parameters: inout Parameters) {
            parameters.append(scope)
            parameters.append(Column.key(of: from))
            parameters.append(from.work)
            parameters.append(limit)
            parameters.append(Extent.walk)
            parameters.append(Int(conditions.years.lowerBound))
            parameters.append(Int(conditions.years.upperBound))
            parameters.append(Int(conditions.pages.lowerBound))
            parameters.append(Int(conditions.pages.upperBound))
            parameters.append(conditions.scopes)
        }

        static func decode(_ row: borrowing Row) throws -> (place: Place, isMet: Bool) {
            (Column.place(try row[1], try row[0]), try row[2])
        }
    }

    /// What is left of a filter beside the scope that is walked.
    struct Conditions: Sendable {
        var years = Self.anyYear
        var pages = Self.anyLength
        /// All of these.
        var scopes: [Int64] = []

        var isEmpty: Bool { years == Self.anyYear && pages == Self.anyLength && scopes.isEmpty }

        private static let anyYear = Int16.min...Int16.max
        private static let anyLength = Int32.min...Int32.max
    }

    struct FoundScope: Sendable {
        let id: Int64
        let scope: Scope
        let members: Int
        let isBig: Bool
    }

    struct FindScopes: Statement {
        static let name = "catalog.find_scopes"
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

extension Catalog.Browse.NumberColumn {
    static func key(of place: Catalog.Browse.Place) -> Int64 { place.number }
    static func place(_ key: Int64, _ work: ID<Catalog.Work>) -> Catalog.Browse.Place {
        Catalog.Browse.Place(number: key, text: "", work: work)
    }
}

extension Catalog.Browse.TextColumn {
    static func key(of place: Catalog.Browse.Place) -> String { place.text }
    static func place(_ key: String, _ work: ID<Catalog.Work>) -> Catalog.Browse.Place {
        Catalog.Browse.Place(number: 0, text: key, work: work)
    }
}

extension PostgresValue {
    /// The type's name in a cast, for the two that keys have.
    fileprivate static var postgresName: String { postgresType == .text ? "text" : "bigint" }
}

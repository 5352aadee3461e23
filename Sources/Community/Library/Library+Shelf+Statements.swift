import Postgres

extension Library {
    /// One reader's shelf as one viewer asks for it.
    struct ShelfQuery: Sendable {
        let viewer: Viewer
        let reader: ID<Accounts.Account>
        let shelf: Shelf
        let filter: Filter
        /// Asked for by a link, which shows what has no level of its own whatever the reader's setting says.
        var isShared = false

        var readsAgain: Bool { shelf.status == .read }
        // Folded words hold letters and digits only: nothing in them means anything to `like`.
        var pattern: String? { filter.words.map { "%" + Search.Normaliser.fold($0) + "%" } }
    }

    /// One way to sort a shelf. Each has an index with the same columns behind `reader_id, status`.
    protocol ShelfOrder: Sendable {
        static var name: String { get }
        /// What comes before the id, and the parts of a key that those are compared with.
        static var columns: [Fragment] { get }
        static var parameters: [SQL<ShelfKey>] { get }
        static var isAscending: Bool { get }
        /// Beyond the first entry.
        static var first: ShelfKey { get }
        /// What a key remembers beside title, author and id.
        static var number: Fragment { get }
        static func key(_ key: ShelfKey) -> ShelfKey
    }

    enum ByAdded: ShelfOrder {
        static let name = "added"
        static let columns: [Fragment] = []
        static let parameters: [SQL<ShelfKey>] = []
        static let isAscending = false
        static let first = ShelfKey(id: .max)
        static let number: Fragment = "0::smallint"
        static func key(_ key: ShelfKey) -> ShelfKey { ShelfKey(id: key.id) }
    }

    enum ByTitle: ShelfOrder {
        static let name = "title"
        static let columns: [Fragment] = ["shelf_entry.title_key"]
        static let parameters: [SQL<ShelfKey>] = ["\(\.title)"]
        static let isAscending = true
        static let first = ShelfKey(id: .min)
        static let number: Fragment = "0::smallint"
        static func key(_ key: ShelfKey) -> ShelfKey { ShelfKey(title: key.title, id: key.id) }
    }

    enum ByAuthor: ShelfOrder {
        static let name = "author"
        static let columns: [Fragment] = ["shelf_entry.author_key", "shelf_entry.title_key"]
        static let parameters: [SQL<ShelfKey>] = ["\(\.author)", "\(\.title)"]
        static let isAscending = true
        static let first = ShelfKey(id: .min)
        static let number: Fragment = "0::smallint"
        static func key(_ key: ShelfKey) -> ShelfKey { key }
    }

    /// The order of a number, greatest first.
    protocol ByNumber: ShelfOrder {}

    enum ByRating: ByNumber {
        static let name = "rating"
        static let number: Fragment = "coalesce(shelf_entry.rating, 0::smallint)"
    }

    enum ByOpenRating: ByNumber {
        static let name = "open_rating"
        static let number: Fragment =
            "(case when shelf_entry.rating_level = 3 then shelf_entry.rating else 0::smallint end)"
    }

    enum ByProgress: ByNumber {
        static let name = "progress"
        static let number: Fragment = "coalesce(shelf_entry.position, -1::smallint)"
    }
}

extension Library.ByNumber {
    static var columns: [Fragment] { [number] }
    static var parameters: [SQL<Library.ShelfKey>] { ["\(\.number)::smallint"] }
    static var isAscending: Bool { false }
    static var first: Library.ShelfKey { Library.ShelfKey(number: .max, id: .max) }
    static func key(_ key: Library.ShelfKey) -> Library.ShelfKey { Library.ShelfKey(number: key.number, id: key.id) }
}

extension Library.Statements {
    /// A shelf after a place, in the order `Order`; served by that order's index, whatever the depth.
    struct ShelfAfter<Order: Library.ShelfOrder>: Statement, ForViewer {
        static var name: String { "library.shelf_by_\(Order.name)" }
        static var sql: SQL<Self> { shelf(by: Order.self, isForward: true, \.query, \.key, limit: "\(\.limit)") }
        let query: Library.ShelfQuery
        var viewer: Viewer { query.viewer }
        let key: Library.ShelfKey
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Library.Placed { try placed(row, Order.self) }
    }

    /// The same the other way: the page before.
    struct ShelfBefore<Order: Library.ShelfOrder>: Statement, ForViewer {
        static var name: String { "library.shelf_before_by_\(Order.name)" }
        static var sql: SQL<Self> { shelf(by: Order.self, isForward: false, \.query, \.key, limit: "\(\.limit)") }
        let query: Library.ShelfQuery
        var viewer: Viewer { query.viewer }
        let key: Library.ShelfKey
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Library.Placed { try placed(row, Order.self) }
    }

    private static func placed<Order: Library.ShelfOrder>(
        _ row: borrowing Row, _: Order.Type
    ) throws -> Library.Placed {
        let entry = try asEntry(row)
        let whole = Library.ShelfKey(
            number: try row[columnCount], title: try row[columnCount + 1], author: try row[columnCount + 2],
            id: entry.id)
        return Library.Placed(entry: entry, key: Order.key(whole))
    }

    /// The lowest level of the reader's things that the viewer sees, here (`least`) and anywhere (`clear`, which ratings go by),
    /// and the level of entries that have none of their own. All entries of a shelf have one owner, so the predicate is asked four
    /// times for a page and not once for each entry. `isShared`: by a link, which shows what members see and whatever has no level of
    /// its own, to whoever may see anything public of the reader.
    static func seen<S: ForViewer>(of reader: SQL<S>, isShared: SQL<S>) -> SQL<S> {
        """
        seen as materialized (
            select case when min(level) > 2 and \(isShared) then 2 else min(level) end::smallint as least,
                   min(level)::smallint as clear,
                   case when \(isShared) then 3
                        else coalesce((select privacy.shelves from privacy where privacy.reader_id = \(reader)), 2)
                   end::smallint as usual
              from generate_series(0, 3) level
             where \(Visibility.predicate(viewer: .viewer, owner: reader, level: "level"))
        )
        """
    }

    /// Each status is read by its own index range, as far as one page needs, and the ranges are merged. What stands on "read" although its
    /// status is another comes from an index of its own.
    private static func shelf<S: ForViewer, Order: Library.ShelfOrder>(
        by _: Order.Type, isForward: Bool, _ query: any KeyPath<S, Library.ShelfQuery> & Sendable,
        _ key: any KeyPath<S, Library.ShelfKey> & Sendable, limit: SQL<S>
    ) -> SQL<S> {
        let isAscending = Order.isAscending == isForward
        let (comparison, direction): (Fragment, Fragment) = isAscending ? (">", "asc") : ("<", "desc")
        let keys = Order.columns + ["shelf_entry.id"]
        let limits = (Order.parameters + ["\(\.id)"]).map { $0.of(key) }
        let order: Fragment = keys.map { "\($0) \(direction)" as Fragment }.joined(separator: ", ")
        let outer: Fragment = keys.indices.map { "place.key_\($0) \(direction)" as Fragment }.joined(separator: ", ")
        let selected: Fragment = keys.enumerated().map { "\($1) as key_\($0)" as Fragment }.joined(separator: ", ")
        let places: Fragment = keys.indices.map { "place.key_\($0)" as Fragment }.joined(separator: ", ")
        let filter: SQL<Library.ShelfQuery> = """
            (\(\.filter.genre)::text is null or exists (
                                    select 1 from work_genre join genre on genre.id = work_genre.genre_id
                                     where work_genre.work_id = shelf_entry.work_id and genre.slug = \(\.filter.genre)))
                               and (\(\.pattern, "pattern")::text is null or shelf_entry.title_key like \(\.pattern, "pattern") or shelf_entry.author_key like \(\.pattern, "pattern"))
                               and (\(\.filter.isRated)::boolean is null
                                    or \(\.filter.isRated) = (coalesce(shelf_entry.rating_level, -1) >= (select clear from seen)))
            """
        let asked: (reader: SQL<S>, isShared: SQL<S>, statuses: SQL<S>, readsAgain: SQL<S>) = (
            ("\(\.reader)" as SQL<Library.ShelfQuery>).of(query),
            ("\(\.isShared)" as SQL<Library.ShelfQuery>).of(query),
            ("\(\.shelf.statuses, "statuses")" as SQL<Library.ShelfQuery>).of(query),
            ("\(\.readsAgain, "readsAgain")" as SQL<Library.ShelfQuery>).of(query)
        )
        let wanted: SQL<S> = """
            (\(keys.joined(separator: ", "))) \(comparison) (\(limits.joined(separator: ", ")))
                               and coalesce(shelf_entry.visibility, (select usual from seen)) >= (select least from seen)
                               and \(filter.of(query))
                             order by \(order)
                             limit \(limit)
            """
        return """
            with \(seen(of: asked.reader, isShared: asked.isShared))
            select \(columns(isOwn: "\(.viewer) = \(asked.reader)", least: "(select clear from seen)")),
                   \(Order.number), shelf_entry.title_key, shelf_entry.author_key
              from (select place.id, \(places)
                      from (select found.*
                              from unnest(\(asked.statuses)::text[]) shelf (status)
                             cross join lateral (
                                   select \(selected), shelf_entry.id
                                     from shelf_entry
                                    where shelf_entry.reader_id = \(asked.reader)
                                      and shelf_entry.status = shelf.status
                                      and \(wanted)) found
                            union all
                            (select \(selected), shelf_entry.id
                               from shelf_entry
                              where \(asked.readsAgain)
                                and shelf_entry.reader_id = \(asked.reader)
                                and shelf_entry.times_read > 0
                                and shelf_entry.status <> 'read'
                                and \(wanted))) place
                     order by \(outer)
                     limit \(limit)) place
              join shelf_entry on shelf_entry.id = place.id
              join account reader on reader.id = shelf_entry.reader_id
              join work on work.id = shelf_entry.work_id
              \(lastReading)
             order by \(outer)
            """
    }

    /// The reader with this name, where the viewer may see that there is one.
    struct ReaderNamed: Statement, ForViewer {
        static let name = "library.reader_named"
        static let sql: SQL<Self> = """
            select account.id, account.username, \(Privacy.shown("account.name", .name, viewer: .viewer, owner: "account.id"))
              from account
             where account.username_folded = \(\.folded)
               and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "3"))
            """
        let viewer: Viewer
        let folded: String

        static func decode(_ row: borrowing Row) throws -> Accounts.Reader { try asReader(row) }
        private static func asReader(_ row: borrowing Row) throws -> Accounts.Reader {
            try Reviews.Statements.asReader(row, from: 0)
        }
    }

    /// How many books of each shelf the viewer may see.
    struct CountsOf: Statement, ForViewer {
        static let name = "library.counts_of"
        static let sql: SQL<Self> = """
            with \(seen(of: "\(\.reader)", isShared: "false"))
            select shelf, sum(n)::bigint as n
              from shelf_tally
             where reader_id = \(\.reader)
               and case when level < 0 then (select usual from seen) else level end >= (select least from seen)
             group by shelf
            """
        let viewer: Viewer
        let reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (shelf: String, n: Int) {
            (try columns("shelf"), try columns("n"))
        }
    }
}

extension Library {
    static let shelfStatements: [any Statement.Type] = [
        Statements.ShelfAfter<ByAdded>.self, Statements.ShelfBefore<ByAdded>.self,
        Statements.ShelfAfter<ByTitle>.self, Statements.ShelfBefore<ByTitle>.self,
        Statements.ShelfAfter<ByAuthor>.self, Statements.ShelfBefore<ByAuthor>.self,
        Statements.ShelfAfter<ByRating>.self, Statements.ShelfBefore<ByRating>.self,
        Statements.ShelfAfter<ByOpenRating>.self, Statements.ShelfBefore<ByOpenRating>.self,
        Statements.ShelfAfter<ByProgress>.self, Statements.ShelfBefore<ByProgress>.self,
        Statements.ReaderNamed.self, Statements.CountsOf.self,
    ]
}

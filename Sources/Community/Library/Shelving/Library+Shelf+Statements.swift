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
        /// What `filter.books` asks of a book.
        var sieve = Catalog.Browse.Conditions()

        var sifting: Sifting { sieve.few != nil ? .few : sieve.isEmpty ? .none : .walk }
        var readsAgain: Bool { shelf.status == .read }
        // Folded words hold letters and digits only: nothing in them means anything to `like`.
        var pattern: String? { filter.words.map { "%" + Normaliser.fold($0) + "%" } }
    }

    /// How a shelf is held against a sieve.
    enum Sifting: String, Variation {
        case none
        /// Each entry in its order, until the page is full.
        case walk
        /// The books of a scope with few are looked for on the shelf, and held against the rest.
        case few
    }

    /// One way to sort a shelf. Each has an index with the same columns behind `reader_id, status`.
    enum ShelfOrder: String, ListOrder {
        case added, title, author, rating, progress
        /// By the ratings that everybody may see.
        case openRating = "open_rating"

        var columns: [Fragment] {
            switch self {
            case .added: ["shelf_entry.id"]
            case .title: ["shelf_entry.title_key", "shelf_entry.id"]
            case .author: ["shelf_entry.author_key", "shelf_entry.title_key", "shelf_entry.id"]
            case .rating, .openRating, .progress: [number, "shelf_entry.id"]
            }
        }

        var parameters: [SQL<ShelfKey>] {
            switch self {
            case .added: ["\(\.id)"]
            case .title: ["\(\.title)", "\(\.id)"]
            case .author: ["\(\.author)", "\(\.title)", "\(\.id)"]
            case .rating, .openRating, .progress: ["\(\.number)::smallint", "\(\.id)"]
            }
        }

        var isAscending: Bool { self == .title || self == .author }
        var first: ShelfKey { isAscending ? ShelfKey(id: .min) : key(ShelfKey(number: .max, id: .max)) }
        var last: ShelfKey {
            let end = Catalog.Browse.beyond
            return isAscending
                ? key(ShelfKey(title: end, author: end, id: .max)) : key(ShelfKey(number: .min, id: .min))
        }

        /// What a key remembers beside title, author and id.
        var number: Fragment {
            switch self {
            case .added, .title, .author: "0::smallint"
            case .rating: "coalesce(shelf_entry.rating, 0::smallint)"
            case .openRating: "(case when shelf_entry.rating_level = 3 then shelf_entry.rating else 0::smallint end)"
            case .progress: "coalesce(shelf_entry.position, -1::smallint)"
            }
        }

        /// What it needs of the whole key.
        func key(_ whole: ShelfKey) -> ShelfKey {
            switch self {
            case .added: ShelfKey(id: whole.id)
            case .title: ShelfKey(title: whole.title, id: whole.id)
            case .author: whole
            case .rating, .openRating, .progress: ShelfKey(number: whole.number, id: whole.id)
            }
        }
    }
}

extension Library.Statements {
    /// The lowest level of the reader's things that the viewer sees, here (`least`) and anywhere (`clear`, which
    /// ratings go by), and the level of entries that have none of their own. All entries of a shelf have one owner, so
    /// the predicate is asked four times for a page and not once for each entry. `isShared`: by a link, which shows
    /// what members see, and entries without a level of their own, to viewers who may see anything public of the
    /// reader.
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

    /// SQL: whether the viewer sees an entry, in a statement with `seen`.
    static func isSeen(_ entry: Fragment) -> Fragment {
        "coalesce(\(entry).visibility, (select usual from seen)) >= (select least from seen)"
    }

    /// SQL: the same of an entry that is known by its id alone. Only entries with a level of their own are read, once for
    /// all rows: by `shelf_entry_leveled`.
    static func isSeen<S>(id: SQL<S>, of reader: SQL<S>) -> SQL<S> {
        """
        (select usual >= least from seen) <> (\(id) in (
               select leveled.id
                 from shelf_entry leveled
                where leveled.reader_id = \(reader)
                  and leveled.visibility is not null
                  and (leveled.visibility >= (select least from seen)) <> (select usual >= least from seen)))
        """
    }

    /// A part of a shelf, served by the index of its order, whatever the depth. Each status is read by its own index
    /// range, as far as one page needs, and the ranges are merged. What stands on "read" although its status is another
    /// comes from an index of its own. Of a scope with few books these are looked for on the shelf instead.
    struct ShelfBy: ListStatement, ForViewer {
        typealias Variation = Both<Both<Library.ShelfOrder, Direction>, Library.Sifting>
        /// Its plan is made of 30 tables: that takes longer than a page.
        static let isPlannedOnce = true

        static func sql(_ variation: Variation) -> SQL<Self> {
            let (order, direction) = (variation.first.first, variation.first.second)
            let places = order.columns.indices.map { "place.key_\($0)" as Fragment }
            let end: Fragment = order.isAscending == (direction == .onward) ? "" : " desc"
            let outer: Fragment = places.map { "\($0)\(end)" as Fragment }.joined(separator: ", ")
            return """
                with \(seen(of: "\(\.query.reader)", isShared: "\(\.query.isShared)"))
                select \(columns(isOwn: "\(.viewer) = \(\.query.reader)", least: "(select clear from seen)")),
                       \(order.number) as number, shelf_entry.title_key, shelf_entry.author_key
                  from (select place.id, \(places.joined(separator: ", ") as Fragment)
                          from (\(found(order, direction, variation.second))) place
                         order by \(outer)
                         limit \(\.span.limit)) place
                  join shelf_entry on shelf_entry.id = place.id
                  join work on work.id = shelf_entry.work_id
                  \(lastReading)
                 order by \(outer)
                """
        }

        private static func found(
            _ order: Library.ShelfOrder, _ direction: Direction, _ sifting: Library.Sifting
        ) -> SQL<Self> {
            let keyset = order.keyset(at: \Self.span.place, direction)
            let keys: Fragment = order.columns.enumerated().map { "\($1) as key_\($0)" as Fragment }
                .joined(separator: ", ")
            let wanted: SQL<Self> = """
                \(keyset.condition)
                                   and \(isSeen("shelf_entry"))
                                   and \(filter)\(sifting == .none ? "" : sieve)
                                 order by \(keyset.order)
                                 limit \(\.span.limit)
                """
            if sifting == .few {
                return """
                    select \(keys), shelf_entry.id
                                  from browse_entry few
                                 cross join lateral (
                                       select *
                                         from shelf_entry
                                        where shelf_entry.reader_id = \(\.query.reader)
                                          and shelf_entry.work_id = few.work_id
                                       offset 0) shelf_entry
                                 where few.scope_id = \(\.query.sieve.few, "query.few")
                                   and (shelf_entry.status = any(\(\.query.shelf.statuses, "query.statuses")::text[])
                                        or \(\.query.readsAgain, "query.readsAgain") and shelf_entry.times_read > 0)
                                   and \(wanted)
                    """
            }
            return """
                select found.*
                                  from unnest(\(\.query.shelf.statuses, "query.statuses")::text[]) shelf (status)
                                 cross join lateral (
                                       select \(keys), shelf_entry.id
                                         from shelf_entry
                                        where shelf_entry.reader_id = \(\.query.reader)
                                          and shelf_entry.status = shelf.status
                                          and \(wanted)) found
                                union all
                                (select \(keys), shelf_entry.id
                                   from shelf_entry
                                  where \(\.query.readsAgain, "query.readsAgain")
                                    and shelf_entry.reader_id = \(\.query.reader)
                                    and shelf_entry.times_read > 0
                                    and shelf_entry.status <> 'read'
                                    and \(wanted))
                """
        }

        private static let filter: SQL<Self> = """
            (\(\.query.filter.genre)::text is null or exists (
                                    select 1 from work_genre join genre on genre.id = work_genre.genre_id
                                     where work_genre.work_id = shelf_entry.work_id and genre.slug = \(\.query.filter.genre)))
                               and (\(\.query.pattern, "query.pattern")::text is null or shelf_entry.title_key like \(\.query.pattern, "query.pattern")
                                    or shelf_entry.author_key like \(\.query.pattern, "query.pattern"))
                               and (\(\.query.filter.isRated)::boolean is null
                                    or \(\.query.filter.isRated) = (coalesce(shelf_entry.rating_level, -1) >= (select clear from seen)))
            """

        private static let sieve: SQL<Self> = """

                                   and (not \(\.query.sieve.asksYears, "query.asksYears")
                                        or shelf_entry.year between \(\.query.sieve.years.lowerBound, "query.sieve.years.lowerBound") and \(\.query.sieve.years.upperBound, "query.sieve.years.upperBound"))
                                   and (not \(\.query.sieve.asksLength, "query.asksLength")
                                        or \(Catalog.Browse.Conditions.measuresHold(of: "shelf_entry.work_id").of(\Self.query.sieve)))
                                   and \(Catalog.Browse.Conditions.scopesHold(of: "shelf_entry.work_id").of(\Self.query.sieve))
            """

        let query: Library.ShelfQuery, order: Library.ShelfOrder, span: Span<Library.ShelfKey>
        var viewer: Viewer { query.viewer }
        var variation: Variation { Both(Both(order, span.direction), query.sifting) }

        /// The key is whole, whatever the order.
        static func decode(_ columns: inout Columns) throws -> Library.Placed {
            let entry = try Library.Entry(&columns)
            return Library.Placed(
                entry: entry,
                key: Library.ShelfKey(
                    number: try columns("number"), title: try columns("title_key"), author: try columns("author_key"),
                    id: entry.id))
        }
    }

    /// The reader with this name, where the viewer may see that there is one.
    struct ReaderNamed: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(Accounts.Reader.columns(of: "account"))
              from account
             where account.username_folded = \(\.folded)
               and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "3"))
            """
        let viewer: Viewer, folded: String
        typealias Output = Accounts.Reader
    }

    /// How many books of each shelf the viewer may see.
    struct CountsOf: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with \(seen(of: "\(\.reader)", isShared: "false"))
            select shelf, sum(n)::bigint as n
              from shelf_tally
             where reader_id = \(\.reader)
               and case when level < 0 then (select usual from seen) else level end >= (select least from seen)
             group by shelf
            """
        let viewer: Viewer, reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (shelf: String, n: Int) {
            (try columns("shelf"), try columns("n"))
        }
    }

    /// The same of the reader's own shelves. Nothing is weighed, so one plan serves every call.
    struct OwnCounts: Statement {
        static let sql: SQL<Self> =
            "select shelf, sum(n)::bigint as n from shelf_tally where reader_id = \(\.reader) group by shelf"
        let reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (shelf: String, n: Int) {
            try CountsOf.decode(&columns)
        }
    }
}

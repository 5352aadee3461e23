import JSONWriting
import Postgres

// One list of what a reader has at hand: owned, borrowed and bookmarked books.
extension Lending {
    /// Which of one's books are wanted.
    package enum MyBooks: String, Variation {
        case all, owned, borrowed, bookmarked
    }

    /// A book of a reader's, and what it is to them.
    package struct MyBook: Hashable, Sendable {
        package let book: Catalog.Book
        /// Whether a copy stands in the reader's own library.
        package let isOwned: Bool
        /// Whether the reader has the book out of a library.
        package let isBorrowed: Bool
        /// When the first of those is due; `nil`: never, or none is out.
        package let dueAt: Timestamp?
        /// The reader's bookmarks in it.
        package let bookmarks: Int
        package let key: MyBookKey
    }

    /// Where a book stands in that list.
    package struct MyBookKey: SortKey, Codable {
        let title: String
        let id: ID<Catalog.Work>

        package static let lowest = MyBookKey(title: "", id: .min)
        package static let highest = MyBookKey(title: Catalog.Browse.beyond, id: .max)

        private enum CodingKeys: String, CodingKey {
            case title = "t"
            case id = "i"
        }
    }
}

extension Lending.Store {
    /// The books that a reader owns, has borrowed or has bookmarks in, each once, by title. `words`: in the title.
    package func books(
        _ which: Lending.MyBooks, words: String? = nil, of reader: ID<Accounts.Account>,
        page: PageRequest<Lending.MyBookKey>
    ) async throws -> Page<Lending.MyBook, Lending.MyBookKey> {
        let (database, pattern) = (services.database, words.map { "%" + Normaliser.fold($0) + "%" })
        return try await page.read(from: .lowest, key: \.key) {
            try await database.all(Lending.Statements.MyBooks(which, of: reader, pattern: pattern, span: $0))
        }
    }
}

extension Lending.Statements {
    /// A reader's books by title. Indexes `copy_title`, `checkout_of_reader` and `bookmark_in_book` give those of one reader,
    /// who has some thousands at most.
    struct MyBooks: ListStatement {
        /// A title nearly as `Normaliser` folds it, for a book that stands on no shelf.
        private static let folded: Fragment =
            """
            left(btrim(regexp_replace(regexp_replace(normalize(lower(work.title), nfkd), '[\\u0300-\\u036f''`’]', '', 'g'),
                                                         '[^[:alnum:]]+', ' ', 'g')), 80)
            """

        static func sql(_ variation: Both<Lending.MyBooks, Direction>) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["mine.title_key", "mine.work_id"], ["\(\.span.place.title)", "\(\.span.place.id)"],
                isAscending: true, variation.second)
            let condition: Fragment =
                switch variation.first {
                case .all: "true"
                case .owned: "mine.is_owned"
                case .borrowed: "mine.is_borrowed"
                case .bookmarked: "mine.bookmarks > 0"
                }
            return """
                select \(Catalog.Book.columns), mine.is_owned, mine.is_borrowed, mine.due_at, mine.bookmarks, mine.title_key, mine.work_id
                  from (select part.work_id, min(part.title_key) as title_key, bool_or(part.is_owned) as is_owned,
                               bool_or(part.is_borrowed) as is_borrowed, min(part.due_at) as due_at, sum(part.bookmarks)::integer as bookmarks
                          from (select copy.work_id, copy.title_key, true as is_owned, false as is_borrowed, null::timestamptz as due_at, 0 as bookmarks
                                  from copy
                                 where copy.library_id = \(\.reader)
                                 union all
                                select checkout.work_id, checkout.title_key, false, true, checkout.due_at, 0
                                  from checkout
                                 where checkout.reader_id = \(\.reader)
                                   and checkout.returned_at is null
                                 union all
                                select marked.work_id, coalesce(entry.title_key, \(folded)), false, false, null, marked.bookmarks
                                  from (select work_id, count(*)::integer as bookmarks
                                          from bookmark
                                         where reader_id = \(\.reader)
                                         group by work_id) marked
                                  join work on work.id = marked.work_id
                                  left join shelf_entry entry on entry.reader_id = \(\.reader) and entry.work_id = marked.work_id) part
                         where (\(\.pattern)::text is null or part.title_key like \(\.pattern))
                         group by part.work_id) mine
                  join work on work.id = mine.work_id
                 where \(condition)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }

        let which: Lending.MyBooks, reader: ID<Accounts.Account>, pattern: String?, span: Span<Lending.MyBookKey>
        var variation: Both<Lending.MyBooks, Direction> { Both(which, span.direction) }

        init(
            _ which: Lending.MyBooks, of reader: ID<Accounts.Account>, pattern: String?, span: Span<Lending.MyBookKey>
        ) {
            (self.which, self.reader, self.pattern, self.span) = (which, reader, pattern, span)
        }

        static func decode(_ columns: inout Columns) throws -> Lending.MyBook {
            Lending.MyBook(
                book: try Catalog.Book(&columns), isOwned: try columns("is_owned"),
                isBorrowed: try columns("is_borrowed"),
                dueAt: try columns("due_at"), bookmarks: try columns("bookmarks"),
                key: Lending.MyBookKey(title: try columns("title_key"), id: try columns("work_id")))
        }
    }
}

extension Lending.MyBook: JSONForm {
    package func put(into object: JSONObject) {
        object.put("book", book)
        object.put("is_owned", isOwned)
        object.put("is_borrowed", isBorrowed)
        object.put("due_at", dueAt)
        object.put("bookmark_count", bookmarks)
    }
}

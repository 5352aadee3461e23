import Postgres

extension Statistics.Statements {
    /// A reader's goal of a year, with the books of its list that were read, as far as the viewer sees both. No row
    /// where nothing is set out that the viewer sees.
    struct GoalOf: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with \(Library.Statements.seen(of: "\(\.reader)", isShared: "false"))
            select goal.books, goal.pages, book_list.id, book_list.title, book_list.books as list_books,
                   (select count(*)
                      from book_list_item item
                      join shelf_entry mine on mine.reader_id = goal.reader_id and mine.work_id = item.work_id
                     where item.list_id = book_list.id
                       and mine.times_read > 0
                       and \(Library.Statements.isSeen("mine"))) as done,
                   goal.is_announced, goal.reached_at, goal.stale_at
              from goal
              left join privacy on privacy.reader_id = goal.reader_id
              left join book_list on book_list.id = goal.list_id and \(Library.List.isSeen())
             where goal.reader_id = \(\.reader)
               and goal.year = \(\.year, as: Int32.self)
               and num_nonnulls(goal.books, goal.pages, book_list.id) > 0
            """
        let viewer: Viewer, reader: ID<Accounts.Account>, year: Int

        static func decode(_ columns: inout Columns) throws -> Statistics.Kept {
            let (books, pages): (Int?, Int?) = (try columns("books"), try columns("pages"))
            let (id, title): (ID<Library.List>?, String?) = (try columns("id"), try columns("title"))
            let (listed, done): (Int?, Int) = (try columns("list_books"), try columns("done"))
            var list: (id: ID<Library.List>, title: String, books: Int, done: Int)?
            if let id, let title, let listed { list = (id, title, listed, done) }
            return Statistics.Kept(
                books: books, pages: pages, list: list, isAnnounced: try columns("is_announced"),
                reachedAt: try columns("reached_at"), mark: try columns("stale_at"))
        }
    }

    /// How many books a list holds, where it is the reader's own.
    struct BooksOfOwnList: Statement {
        static let sql: SQL<Self> =
            "select books from book_list where id = \(\.list) and reader_id = \(\.reader) for key share"
        let reader: ID<Accounts.Account>, list: ID<Library.List>
        typealias Output = Int
    }

    /// Gives whether the year had none. What is set out anew is another goal, which may be told again.
    struct PutGoal: Statement {
        static let sql: SQL<Self> = """
            insert into goal (id, reader_id, year, books, pages, list_id, is_announced, created_at)
            values (\(\.id), \(\.reader), \(\.year, as: Int32.self), \(\.new.books, as: Int32.self), \(\.new.pages, as: Int32.self), \(\.new.list), \(\.new.isAnnounced), \(\.at))
                on conflict (reader_id, year) do update
               set id = case when (goal.books, goal.pages, goal.list_id) is distinct from (excluded.books, excluded.pages, excluded.list_id)
                             then excluded.id else goal.id end,
                   books = excluded.books,
                   pages = excluded.pages,
                   list_id = excluded.list_id,
                   is_announced = excluded.is_announced
            returning xmax = 0 as is_new
            """
        let id: ID<Statistics.Goal>, reader: ID<Accounts.Account>, year: Int, new: Statistics.NewGoal, at: Timestamp
        typealias Output = Bool
    }

    /// Writes down that it was looked at; gives its id, and since when it is kept. A mark that came meanwhile stays.
    struct MarkGoal: Statement {
        static let sql: SQL<Self> = """
            update goal
               set reached_at = \(\.reachedAt),
                   stale_at = case when stale_at is distinct from \(\.mark) then stale_at end
             where reader_id = \(\.reader)
               and year = \(\.year, as: Int32.self)
            returning id, created_at
            """
        let reader: ID<Accounts.Account>, year: Int, reachedAt: Timestamp?
        /// The mark that it had when it was counted.
        let mark: Timestamp?

        static func decode(_ columns: inout Columns) throws -> (id: Int64, since: Timestamp) {
            (try columns("id"), try columns("created_at"))
        }
    }

    /// The goal that is set out otherwise by `new`; no row where there is none or it stays.
    struct Replaced: Statement {
        static let sql: SQL<Self> = """
            select id, created_at
              from goal
             where reader_id = \(\.reader)
               and year = \(\.year, as: Int32.self)
               and (books, pages, list_id) is distinct from (\(\.new.books, as: Int32.self)::integer, \(\.new.pages, as: Int32.self)::integer, \(\.new.list)::bigint)
            """
        let reader: ID<Accounts.Account>, year: Int, new: Statistics.NewGoal

        static func decode(_ columns: inout Columns) throws -> (id: Int64, since: Timestamp) {
            (try columns("id"), try columns("created_at"))
        }
    }

    /// Gives its id, and since when it was kept.
    struct DropGoal: Statement {
        static let sql: SQL<Self> =
            "delete from goal where reader_id = \(\.reader) and year = \(\.year, as: Int32.self) returning id, created_at"
        let reader: ID<Accounts.Account>, year: Int

        static func decode(_ columns: inout Columns) throws -> (id: Int64, since: Timestamp) {
            (try columns("id"), try columns("created_at"))
        }
    }

    /// Marks the goals of a year, and of later ones, that are not marked.
    struct MarkAll: Statement {
        static let sql: SQL<Self> = """
            update goal
               set stale_at = \(\.now)
             where year >= \(\.year, as: Int32.self)
               and stale_at is null
            """
        let year: Int, now: Timestamp
    }

    /// Goals to be looked at again, those first that wait longest. Index `goal_stale`.
    struct Stale: Statement {
        static let sql: SQL<Self> = """
            select reader_id, year from goal where stale_at is not null order by stale_at limit \(\.limit)
            """
        let limit: Int

        static func decode(_ columns: inout Columns) throws -> (reader: ID<Accounts.Account>, year: Int) {
            (try columns("reader_id"), try columns("year"))
        }
    }

    /// For the end of an account.
    struct RemoveGoals: Statement {
        static let sql: SQL<Self> = "delete from goal where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}

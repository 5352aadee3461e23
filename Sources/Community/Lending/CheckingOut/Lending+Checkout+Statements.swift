import Postgres

extension Lending {
    /// What decides who has a say in a checkout.
    struct Whereabouts: Sendable {
        let reader: ID<Accounts.Account>
        let library: ID<SharedLibrary>?
        let copy: ID<Copy>?
    }

    /// Whose open checkouts a list shows; each has an index with `title_key, id` behind its column.
    enum CheckoutScope: String, Variation {
        case reader = "of_reader"
        case library = "of_library"

        var column: Fragment {
            switch self {
            case .reader: "checkout.reader_id"
            case .library: "checkout.library_id"
            }
        }
    }
}

extension Lending.Statements {
    /// Keeps a reader a member of a library, and the library there, until the transaction ends: a transaction that
    /// removes one of them waits. The library comes first, as where it ends. No row for readers who are no members, and
    /// in the server's, which has no list of them.
    struct HoldMembership: Statement {
        static let sql: SQL<Self> = """
            with held as materialized (
                select id from library where id = \(\.library) for key share
            )
            select library_member.reader_id
              from held
              join library_member on library_member.library_id = held.id
             where library_member.reader_id = \(\.reader)
               for share of library_member
            """
        let library: ID<Lending.SharedLibrary>, reader: ID<Accounts.Account>
    }

    /// What a reader has of a book from a library, which is one, but after two books were merged; else what the reader
    /// had last.
    struct HadOf: Statement {
        static let sql: SQL<Self> = """
            select id, returned_at is null as is_out
              from checkout
             where reader_id = \(\.reader)
               and work_id = \(Catalog.resolved("\(\.work)"))
               and library_id = \(\.library)
             order by returned_at is null desc, id desc
             limit 1
            """
        let reader: ID<Accounts.Account>, library: ID<Lending.SharedLibrary>, work: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> (checkout: ID<Lending.Checkout>, isOut: Bool) {
            (try columns("id"), try columns("is_out"))
        }
    }

    /// How many books a reader has out, counted up to `limit`.
    struct CountOpen: Statement {
        static let sql: SQL<Self> = """
            select count(*) from (select 1 from checkout where reader_id = \(\.reader) and returned_at is null limit \(\.limit)) open
            """
        let reader: ID<Accounts.Account>, limit: Int
        typealias Output = Int
    }

    /// Takes the first copy of a book that is in, for a reader, of an edition with an e-book before others. Who waits for a copy that somebody else then has takes
    /// the next one; no row where there is none. Index `copy_of_work`.
    struct ClaimAny: Statement {
        static let sql: SQL<Self> = """
            update copy
               set holder_id = \(\.reader)
             where id = (select id
                           from copy
                          where library_id = \(\.library)
                            and work_id = \(\.work)
                            and holder_id is null
                          order by copy.edition_id is null or \(Ebooks.isLent(with: "copy.edition_id")) desc, id
                          limit 1
                            for update)
            returning id
            """
        let library: ID<Lending.SharedLibrary>, work: ID<Catalog.Work>, reader: ID<Accounts.Account>
        typealias Output = ID<Lending.Copy>
    }

    /// Takes one copy; touches no row where somebody has it.
    struct Claim: Statement {
        static let sql: SQL<Self> = "update copy set holder_id = \(\.reader) where id = \(\.copy) and holder_id is null"
        let copy: ID<Lending.Copy>, reader: ID<Accounts.Account>
    }

    struct HasCopies: Statement {
        static let sql: SQL<Self> =
            "select exists (select 1 from copy where library_id = \(\.library) and work_id = \(\.work))"
        let library: ID<Lending.SharedLibrary>, work: ID<Catalog.Work>
        typealias Output = Bool
    }

    struct InsertCheckout: Statement {
        static let sql: SQL<Self> = """
            insert into checkout (id, library_id, work_id, copy_id, reader_id, day, out_at, due_at, title_key)
            values (\(\.id), \(\.library), \(\.book.id), \(\.copy), \(\.reader), \(\.at.day, "at.day"), \(\.at), \(\.dueAt), \(\.book.titleKey, "book.titleKey"))
            """
        let id: ID<Lending.Checkout>, library: ID<Lending.SharedLibrary>, book: Catalog.Book, copy: ID<Lending.Copy>?
        let reader: ID<Accounts.Account>, at: Timestamp, dueAt: Timestamp?
    }

    /// The columns that a checkout is read from; those of `checkoutJoins` must be in scope.
    private static func checkoutColumns<S: ForViewer>() -> SQL<S> {
        """
        checkout.id, \(Catalog.Book.columns), library.id, \(called) as called, copy.id, copy.label,
               \(Accounts.Reader.columns(of: "holder")), checkout.out_at, checkout.due_at, checkout.returned_at,
               checkout.renewals, checkout.title_key
        """
    }

    /// `isInformed`: whether the viewer may know who has the copies.
    private static func checkoutJoins<S: ForViewer>(isInformed: SQL<S>) -> SQL<S> {
        """
        checkout
          join work on work.id = checkout.work_id
          left join library on library.id = checkout.library_id and \(seen())
          left join account person on person.id = library.reader_id
          left join copy on copy.id = checkout.copy_id
          left join account holder on holder.id = checkout.reader_id
           and (holder.id = \(.viewer)
                or \(isInformed)::boolean
                   and checkout.copy_id is not null
                   and \(Visibility.predicate(viewer: .viewer, owner: "checkout.reader_id", level: "2")))
        """
    }

    /// One checkout that the viewer is known to have a say in.
    struct OneCheckout: Statement, ForViewer {
        static let sql: SQL<Self> =
            "select \(checkoutColumns()) from \(checkoutJoins(isInformed: "\(\.isInformed)")) where checkout.id = \(\.checkout)"
        let viewer: Viewer, isInformed: Bool, checkout: ID<Lending.Checkout>
        typealias Output = Lending.Checkout
    }

    /// Who has it or had it, from where.
    struct WhereaboutsOf: Statement {
        static let sql: SQL<Self> = "select reader_id, library_id, copy_id from checkout where id = \(\.checkout)"
        let checkout: ID<Lending.Checkout>

        static func decode(_ columns: inout Columns) throws -> Lending.Whereabouts {
            Lending.Whereabouts(
                reader: try columns("reader_id"), library: try columns("library_id"), copy: try columns("copy_id"))
        }
    }

    /// What returning and renewing decide on, locked.
    struct LockCheckout: Statement {
        static let sql: SQL<Self> = """
            select reader_id, library_id, copy_id, due_at, returned_at, renewals,
                   exists (select 1 from loan where loan.checkout_id = checkout.id) as is_loan
              from checkout
             where id = \(\.checkout)
               for update
            """
        let checkout: ID<Lending.Checkout>

        struct Output: Sendable {
            let reader: ID<Accounts.Account>
            let library: ID<Lending.SharedLibrary>?
            let copy: ID<Lending.Copy>?
            let dueAt: Timestamp?
            let returnedAt: Timestamp?
            let renewals: Int
            let isLoan: Bool

            var whereabouts: Lending.Whereabouts { Lending.Whereabouts(reader: reader, library: library, copy: copy) }
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(
                reader: try columns("reader_id"), library: try columns("library_id"), copy: try columns("copy_id"),
                dueAt: try columns("due_at"), returnedAt: try columns("returned_at"),
                renewals: try columns("renewals"), isLoan: try columns("is_loan"))
        }
    }

    /// Its copy is in again.
    struct Close: Statement {
        static let sql: SQL<Self> = """
            with closed as (
                update checkout set returned_at = \(\.at) where id = \(\.checkout) and returned_at is null returning copy_id
            )
            update copy set holder_id = null from closed where copy.id = closed.copy_id
            """
        let checkout: ID<Lending.Checkout>, at: Timestamp
    }

    /// Whether librarians lend an e-book with the copy of a checkout.
    struct LendsEbook: Statement {
        static let sql: SQL<Self> = """
            select exists (select 1
                             from checkout
                             join copy on copy.id = checkout.copy_id
                             join library on library.id = checkout.library_id and library.kind = 'server'
                             join ebook on ebook.work_id = checkout.work_id and ebook.audience = 'on_loan'
                            where checkout.id = \(\.checkout)
                              and coalesce(copy.edition_id, ebook.edition_id) = ebook.edition_id)
            """
        let checkout: ID<Lending.Checkout>
        typealias Output = Bool
    }

    /// What was told of the old date is told of the new one again.
    struct Renew: Statement {
        static let sql: SQL<Self> =
            "update checkout set due_at = \(\.dueAt), renewals = renewals + 1, notice = 0 where id = \(\.checkout)"
        let checkout: ID<Lending.Checkout>, dueAt: Timestamp
    }

    /// What is out, by title. Served by the scope's index.
    struct Checkouts: ListStatement, ForViewer {
        static func sql(_ variation: Both<Lending.CheckoutScope, Direction>) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["checkout.title_key", "checkout.id"], ["\(\.span.place.title)", "\(\.span.place.id)"],
                isAscending: true, variation.second)
            return """
                select \(checkoutColumns())
                  from \(checkoutJoins(isInformed: "\(\.isInformed)"))
                 where \(variation.first.column) = \(\.owner)
                   and checkout.returned_at is null
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }

        let viewer: Viewer, isInformed: Bool, scope: Lending.CheckoutScope
        /// Which reader or library.
        let owner: Int64, span: Span<Lending.CheckoutKey>
        var variation: Both<Lending.CheckoutScope, Direction> { Both(scope, span.direction) }
        typealias Output = Lending.Checkout
    }
}

extension Lending.Checkout: RowReadable {
    /// Reads the columns of `checkoutColumns`.
    package init(_ columns: inout Columns) throws {
        let id: ID<Lending.Checkout> = try columns("id")
        self.init(
            id: id, book: try Catalog.Book(&columns),
            library: try columns.part(through: "called") { Place(id: try $0("id"), name: try $0("called") ?? "") },
            copy: try columns.part(through: "label") { Item(id: try $0("id"), label: try $0("label")) },
            reader: try columns.part(through: "shown", Accounts.Reader.init), outAt: try columns("out_at"),
            dueAt: try columns("due_at"), returnedAt: try columns("returned_at"), renewals: try columns("renewals"),
            key: Lending.CheckoutKey(title: try columns("title_key"), id: id))
    }
}

import Postgres

/// Each has an index with `id desc` behind its column.
extension Lending.Loan.Direction: Variation {
    package var label: String {
        switch self {
        case .in: "borrowed"
        case .out: "lent"
        }
    }

    fileprivate var column: Fragment {
        switch self {
        case .in: "loan.borrower_id"
        case .out: "loan.lender_id"
        }
    }
}

extension Lending.Statements {
    /// What a reader asks for or has of a copy.
    struct OpenLoan: Statement {
        static let sql: SQL<Self> = """
            select id from loan where copy_id = \(\.copy) and borrower_id = \(\.borrower) and state in ('asked', 'agreed', 'out')
            """
        let copy: ID<Lending.Copy>, borrower: ID<Accounts.Account>
        typealias Output = ID<Lending.Loan>
    }

    /// Questions of a reader that wait or are accepted, and all of the last day, each counted up to `limit`.
    struct CountAsked: Statement {
        static let sql: SQL<Self> = """
            select (select count(*) from (select 1 from loan
                                           where borrower_id = \(\.borrower) and state in ('asked', 'agreed') limit \(\.limit)) open) as open,
                   (select count(*) from (select 1 from loan where borrower_id = \(\.borrower) and asked_at > \(\.since) limit \(\.limit)) lately) as lately
            """
        let borrower: ID<Accounts.Account>, since: Timestamp, limit: Int

        static func decode(_ columns: inout Columns) throws -> (open: Int, lately: Int) {
            (try columns("open"), try columns("lately"))
        }
    }

    struct InsertLoan: Statement {
        static let sql: SQL<Self> = """
            insert into loan (id, copy_id, work_id, lender_id, borrower_id, state, asked_at, changed_at)
            values (\(\.id), \(\.copy), \(\.work), \(\.lender), \(\.borrower), 'asked', \(\.at), \(\.at))
            """
        let id: ID<Lending.Loan>, copy: ID<Lending.Copy>, work: ID<Catalog.Work>, lender: ID<Accounts.Account>
        let borrower: ID<Accounts.Account>, at: Timestamp
    }

    /// The two of a loan, for one of them.
    struct PartiesOf: Statement {
        static let sql: SQL<Self> =
            "select lender_id, borrower_id from loan where id = \(\.loan) and \(\.reader) in (lender_id, borrower_id)"
        let loan: ID<Lending.Loan>, reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (
            lender: ID<Accounts.Account>, borrower: ID<Accounts.Account>
        ) {
            (try columns("lender_id"), try columns("borrower_id"))
        }
    }

    struct LockLoan: Statement {
        static let sql: SQL<Self> =
            "select state, copy_id, work_id, due, checkout_id from loan where id = \(\.loan) for update"
        let loan: ID<Lending.Loan>

        struct Output: Sendable {
            let state: Lending.Loan.State
            let copy: ID<Lending.Copy>?
            let work: ID<Catalog.Work>
            let due: CalendarDate?
            let checkout: ID<Lending.Checkout>?
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(
                state: try columns("state"), copy: try columns("copy_id"), work: try columns("work_id"),
                due: try columns("due"), checkout: try columns("checkout_id"))
        }
    }

    struct MoveLoan: Statement {
        static let sql: SQL<Self> =
            "update loan set state = \(\.state), due = \(\.due), changed_at = \(\.at) where id = \(\.loan)"
        let loan: ID<Lending.Loan>, state: Lending.Loan.State, due: CalendarDate?, at: Timestamp
    }

    struct HandOver: Statement {
        static let sql: SQL<Self> =
            "update loan set state = 'out', due = \(\.due), checkout_id = \(\.checkout), changed_at = \(\.at) where id = \(\.loan)"
        let loan: ID<Lending.Loan>, checkout: ID<Lending.Checkout>, due: CalendarDate?, at: Timestamp
    }

    /// The loan that a checkout was, now that it has come back. Index `loan_checkout`.
    struct LoanReturned: Statement {
        static let sql: SQL<Self> = """
            update loan
               set state = 'returned',
                   changed_at = \(\.at)
             where checkout_id = \(\.checkout)
               and state = 'out'
            returning id, lender_id, borrower_id
            """
        let checkout: ID<Lending.Checkout>, at: Timestamp

        struct Output: Sendable {
            let loan: ID<Lending.Loan>
            let lender: ID<Accounts.Account>
            let borrower: ID<Accounts.Account>
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(loan: try columns("id"), lender: try columns("lender_id"), borrower: try columns("borrower_id"))
        }
    }

    /// The columns that a loan is read from; those of `loanJoins` must be in scope.
    private static func loanColumns<S: ForViewer>() -> SQL<S> {
        """
        loan.id, loan.lender_id = \(.viewer) as is_lender, loan.state, \(Catalog.Book.columns), loan.copy_id, copy.label,
               \(Accounts.Reader.columns(of: "other")), loan.due, loan.checkout_id, loan.asked_at, loan.changed_at
        """
    }

    /// The viewer is one of the two; `other` is the other, where that one may be seen.
    private static func loanJoins<S: ForViewer>() -> SQL<S> {
        """
        loan
          join work on work.id = loan.work_id
          left join copy on copy.id = loan.copy_id
          left join account other on other.id = loan.lender_id + loan.borrower_id - \(.viewer)
           and \(Visibility.predicate(viewer: .viewer, owner: "other.id", level: "2"))
        """
    }

    /// A loan, for one of the two.
    struct OneLoan: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(loanColumns()) from \(loanJoins()) where loan.id = \(\.loan) and \(\.viewer) in (loan.lender_id, loan.borrower_id)
            """
        let viewer: ID<Accounts.Account>, loan: ID<Lending.Loan>
        typealias Output = Lending.Loan
    }

    /// The loans of a reader in one direction, newest first. Served by that direction's index.
    struct Loans: ListStatement, ForViewer {
        static func sql(_ variation: Both<Lending.Loan.Direction, Direction>) -> SQL<Self> {
            let keyset = Keyset<Self>("loan.id", "\(\.span.place)", variation.second)
            return """
                select \(loanColumns())
                  from \(loanJoins())
                 where \(variation.first.column) = \(.viewer)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, direction: Lending.Loan.Direction, span: Span<ID<Lending.Loan>>
        var variation: Both<Lending.Loan.Direction, Direction> { Both(direction, span.direction) }
        typealias Output = Lending.Loan
    }
}

extension Lending.Loan: RowReadable {
    /// Reads the columns of `loanColumns`.
    package init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), direction: try columns("is_lender") ? .out : .in, state: try columns("state"),
            book: try Catalog.Book(&columns), copy: try columns("copy_id"), label: try columns("label"),
            reader: try columns.part(through: "shown", Accounts.Reader.init), due: try columns("due"),
            checkout: try columns("checkout_id"), askedAt: try columns("asked_at"),
            changedAt: try columns("changed_at"))
    }
}

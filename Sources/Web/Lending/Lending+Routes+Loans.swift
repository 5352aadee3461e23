import Community
import HTTPTypes
import Hummingbird
import Postgres

extension Lending.Routes {
    func addLoans(to routes: inout RouteTable) {
        routes.post(
            "/copies/{copy}/loans", summary: "Ask a friend to lend you a copy; twice is once.", reply: Self.loan, ask)
        routes.get(
            "/me/loans", access: .reader, summary: "What you asked friends for, or were asked for, newest first.",
            query: [
                QueryParameter("is_lent", .boolean, "You lend (`true`), or you borrow (where it is left out).")
            ] + QueryParameter.paging, reply: .page(Self.loan), loans)
        routes.get("/loans/{loan}", access: .reader, summary: "A loan of yours.", reply: Self.loan, oneLoan)
        routes.post(
            "/loans/{loan}/accept", access: .reader, summary: "Accept to lend, perhaps until a day.", body: Self.newDue,
            status: .ok, reply: Self.loan, accept)
        routes.post(
            "/loans/{loan}/decline", access: .reader, summary: "Decline to lend.", status: .ok, reply: Self.loan,
            decline)
        routes.post(
            "/loans/{loan}/withdraw", access: .reader, summary: "Take your question back.", status: .ok,
            reply: Self.loan, withdraw)
        routes.post(
            "/loans/{loan}/hand-over", access: .reader, summary: "Say that you have handed your copy over.",
            status: .ok, reply: Self.loan, handOver)
        routes.post(
            "/loans/{loan}/return", access: .reader, summary: "Say that the copy is back.", status: .ok,
            reply: Self.loan, returned)
    }

    /// `POST /copies/{copy}/loans` → 201 with the loan, also where you have asked already; 403 `not_friends`, `account_frozen`,
    /// `email_unverified`, 404, 409 `your_own`, `too_many_loans`, 429.
    @Sendable private func ask(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let copy = try Self.copy(context)
        return try await context.write(
            request,
            again: { done in
                try Reply.json(.ok, try await store.loan(try done.made(Lending.Loan.self), of: identity.account))
            }
        ) {
            let loan = try await store.ask(for: copy, by: identity)
            return try Reply.created(loan, location: "/loans/\(loan.id)")
        }
    }

    /// `GET /me/loans?is_lent` → 200 with a page; 422.
    @Sendable private func loans(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let isLent = try context.query().boolean("is_lent") ?? false
        let direction: Lending.Loan.Direction = isLent ? .out : .in
        let filter = [reader.text, direction.rawValue].joined(separator: "\u{0}")
        let page = try context.page(list: "loans", filter: filter, key: ID<Lending.Loan>.self)
        return try Reply.page(
            try await store.loans(direction, of: reader, page: page), list: "loans", filter: filter, context: context)
    }

    /// `GET /loans/{loan}` → 200; 404 for readers who are none of the two.
    @Sendable private func oneLoan(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        return try Reply.json(.ok, try await store.loan(try Self.loan(context), of: reader))
    }

    /// `POST /loans/{loan}/accept` `{due?}` → 200; 403 `account_frozen`, 404, 409 `loan_over`, `already_out`, 422.
    @Sendable private func accept(_ request: Request, context: SiteContext) async throws -> Reply {
        let lender = try context.signedIn().account
        let id = try Self.loan(context)
        var form = try context.form(request)
        let due = form.optionalDate("due")
        try form.check()
        return try await step(id, by: lender, request, context) {
            try await store.accept(id, until: due, by: lender)
        }
    }

    /// `POST /loans/{loan}/decline` → 200; 403 `account_frozen`, 404, 409 `loan_over`, `already_out`.
    @Sendable private func decline(_ request: Request, context: SiteContext) async throws -> Reply {
        let lender = try context.signedIn().account
        let id = try Self.loan(context)
        return try await step(id, by: lender, request, context) { try await store.decline(id, by: lender) }
    }

    /// `POST /loans/{loan}/withdraw` → 200; 403 `account_frozen`, 404, 409 `loan_over`, `already_out`.
    @Sendable private func withdraw(_ request: Request, context: SiteContext) async throws -> Reply {
        let borrower = try context.signedIn().account
        let id = try Self.loan(context)
        return try await step(id, by: borrower, request, context) { try await store.withdraw(id, by: borrower) }
    }

    /// `POST /loans/{loan}/hand-over` → 200; 403 `account_frozen`, 404, 409 `loan_over`, `copy_out`, `too_many_checkouts`.
    @Sendable private func handOver(_ request: Request, context: SiteContext) async throws -> Reply {
        let lender = try context.signedIn().account
        let id = try Self.loan(context)
        return try await step(id, by: lender, request, context) { try await store.handOver(id, by: lender) }
    }

    /// `POST /loans/{loan}/return` → 200; 404, 409 `not_out`.
    @Sendable private func returned(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try Self.loan(context)
        return try await step(id, by: reader, request, context) { try await store.giveBack(id, by: reader) }
    }

    /// A step of a loan; made again with its key, the loan as it is by then.
    private func step(
        _ id: ID<Lending.Loan>, by reader: ID<Accounts.Account>, _ request: Request, _ context: SiteContext,
        _ take: @escaping @Sendable () async throws -> Lending.Loan
    ) async throws -> Reply {
        try await context.write(
            request, again: { _ in try Reply.json(.ok, try await store.loan(id, of: reader)) }
        ) {
            try Reply.json(.ok, try await take())
        }
    }

    private static func loan(_ context: SiteContext) throws(Failure) -> ID<Lending.Loan> {
        try context.id("loan", as: Lending.Loan.self)
    }
}

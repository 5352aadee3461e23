import Postgres
import TestSupport
import Testing

@testable import Community

/// What is read of a large community's libraries goes by index, and a page costs a page, however deep.
@Suite(.database(.filled(Rows.sql)))
struct LendingPlansTests {
    @Test func `every order of a library and of what is out reads one page of its own index`() async throws {
        try await withWorld { world in
            let deep = "title: 'title 5', id: 10000"
            let copies = "viewer: 0, library: 1, isInformed: false, limit: 21, pattern: null"
            let checkouts = "viewer: 0, isInformed: false, owner: 1, limit: 21, \(deep)"
            typealias Statements = Lending.Statements
            let pages: [(PreparedText, String, String)] = [
                (Statements.CopiesBy.prepared(Both(.added, .onward)), "copy_added", "\(copies), id: 9000"),
                (Statements.CopiesBy.prepared(Both(.added, .back)), "copy_added", "\(copies), id: 9000"),
                (Statements.CopiesBy.prepared(Both(.title, .onward)), "copy_title", "\(copies), \(deep)"),
                (Statements.CopiesBy.prepared(Both(.title, .back)), "copy_title", "\(copies), \(deep)"),
                (
                    Statements.CopiesBy.prepared(Both(.author, .onward)), "copy_author",
                    "\(copies), author: 'author 5', \(deep)"
                ),
                (
                    Statements.CopiesBy.prepared(Both(.author, .back)), "copy_author",
                    "\(copies), author: 'author 5', \(deep)"
                ),
                (Statements.Checkouts.prepared(Both(.library, .onward)), "checkout_of_library", checkouts),
                (Statements.Checkouts.prepared(Both(.library, .back)), "checkout_of_library", checkouts),
                (
                    Statements.Checkouts.prepared(Both(.reader, .onward)), "checkout_of_reader",
                    "viewer: 11, isInformed: false, owner: 11, limit: 21, title: '', id: 0"
                ),
            ]
            for (statement, index, arguments) in pages {
                let plan = try await world.executed(statement, arguments)
                #expect(plan.rows(through: index).map { $0 <= 21 } == true, "\(statement.name):\n\(plan)")
                let scans = plan.scans(of: ["copy", "checkout", "work", "account"])
                #expect(scans.isEmpty, "\(statement.name):\n\(plan)")
            }
        }
    }

    @Test func `no request reads a whole table`() async throws {
        try await withWorld { world in
            let tables = ["account", "work", "library", "library_member", "copy", "checkout", "work_checkout", "loan"]
            for statement in StatementTypes.of(Lending.self).flatMap({ $0.prepared }) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: tables).isEmpty, "\(statement.name):\n\(plan)")
            }
        }
    }
}

/// The server's library with 20,000 copies, half of them out, and 2,000 readers with some of their own.
private enum Rows {
    static let sql = """
        insert into account (id, username, username_folded, email, email_folded, password_hash)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
          from generate_series(10, 2009) n;
        insert into work (id, title) select n, 'Title ' || n % 977 from generate_series(1, 10000) n;
        insert into library (id, kind, reader_id, visibility, members, created_at, changed_at)
        select n, 'own', n, 1, 1, now(), now() from generate_series(10, 2009) n;
        insert into library_member (library_id, reader_id, role, invited_at, joined_at)
        select n, n, 'owner', now(), now() from generate_series(10, 2009) n;
        insert into copy (id, library_id, work_id, holder_id, title_key, author_key, added_at)
        select n, case when n <= 20000 then 1 else n % 2000 + 10 end, n % 10000 + 1,
               case when n <= 10000 then n % 2000 + 10 end, 'title ' || n % 977, 'author ' || n % 89, now()
          from generate_series(1, 40000) n;
        insert into checkout (id, library_id, work_id, copy_id, reader_id, day, out_at, due_at, returned_at, title_key)
        select 100000 + n, case when n <= 20000 then 1 else n % 2000 + 10 end, n % 10000 + 1,
               case when n <= 10000 then n end, n % 2000 + 10, current_date, now(), now() + n * interval '1 hour', case when n > 10000 then now() end, 'title ' || n % 977
          from generate_series(1, 40000) n;
        insert into work_checkout select n, 4 from generate_series(1, 10000) n;
        insert into loan (id, work_id, lender_id, borrower_id, state, asked_at, changed_at)
        select n, n % 10000 + 1, n % 2000 + 10, (n + 7) % 2000 + 10, 'returned', now(), now() from generate_series(10000, 30000) n;
        analyze
        """
}

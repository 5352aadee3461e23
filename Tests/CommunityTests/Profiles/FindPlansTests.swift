import Postgres
import TestSupport
import Testing

@testable import Community

/// Readers are found by index, and a search looks at so many and no more, however common its words are.
@Suite(.database(.filled(Rows.sql)))
struct FindPlansTests {
    @Test(arguments: ["a", "reader", "miller 12", "milller", "reader_17"])
    func `readers are found by index`(query: String) async throws {
        try await withWorld { world in
            for spelling in Profiles.Spelling.allCases {
                for (direction, rank) in [(Direction.onward, 2_147_483_647), (.onward, 3), (.back, 0)] {
                    let plan = try await world.executed(
                        Profiles.Statements.Sought.prepared(Both(spelling, direction)),
                        "viewer: 5, query: '\(query)', rank: \(rank), id: 9223372036854775807, limit: 21")
                    #expect(plan.scans(of: ["account", "friendship", "block", "privacy"]).isEmpty, "\(plan)")
                    #expect(plan.uses("account_sought"), "\(plan)")
                }
            }
        }
    }
}

/// What the tests of plans find in the database.
private enum Rows {
    static let sql = """
        insert into account (id, username, username_folded, email, email_folded, password_hash, name)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$',
               (array['Ann', 'Miller', 'Virginia', 'Émile'])[1 + n % 4] || ' ' || n
          from generate_series(1, 8000) n;
        insert into privacy (reader_id, name) select n, n % 4 from generate_series(1, 8000, 3) n;
        insert into friendship (reader_id, friend_id, since)
        select n, 1 + (n + k) % 8000, now() from generate_series(1, 8000) n, generate_series(1, 3) k;
        insert into block (blocker_id, blocked_id, at) select n, 1 + (n + 7) % 8000, now() from generate_series(1, 8000) n;
        analyze
        """
}

import Postgres
import TestSupport
import Testing

@testable import Community

/// What requests ask of a large community goes by index: no statement of accounts and friends reads a whole table.
@Suite(.database(.fresh))
struct AccountsPlansTests {
    @Test func `no request reads all accounts, sessions, friendships, requests or blocks`() async throws {
        try await withWorld { world in
            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash)
                select n, 'r' || n, 'r' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
                  from generate_series(1000, 21000) n;
                insert into session select n, n, sha256(n::text::bytea), now(), now(), now() + interval '1 day' from generate_series(1000, 21000) n;
                insert into friendship select n, m, now() - m * interval '1 second'
                  from generate_series(1000, 21000, 100) n, generate_series(1000, 21000, 40) m where n <> m;
                insert into friend_request (id, sender_id, recipient_id, created_at)
                select n * 100000 + m, n, m, now() from generate_series(1003, 21000, 200) n, generate_series(1001, 21000, 80) m where n <> m;
                insert into block select n, m, now() from generate_series(1000, 21000, 200) n, generate_series(1007, 21000, 80) m where n <> m;
                analyze account, session, friendship, friend_request, block
                """)
            let readers: [any Statement.Type] = [
                Accounts.Statements.Identify.self, Accounts.Statements.Own.self, Accounts.Statements.Profile.self,
                Accounts.Statements.FindLogin.self, Accounts.Statements.Taken.self, Accounts.Statements.Sessions.self,
                Accounts.Statements.TrimSessions.self, Accounts.Statements.Waiting.self,
                Friends.Statements.FindReader.self,
                Friends.Statements.LockPair.self, Friends.Statements.StandingOf.self, Friends.Statements.RequestOf.self,
                Friends.Statements.OfViewer.self, Friends.Statements.Requests.self, Friends.Statements.Blocks.self,
                Friends.Statements.CountBlocks.self, Friends.Statements.FindBlocked.self,
                Friends.Statements.WithdrawBetween.self, Friends.Statements.Part.self, Friends.Statements.PartAll.self,
                Friends.Statements.WithdrawAll.self, Friends.Statements.UnblockAll.self,
            ]
            for statement in readers.flatMap({ $0.prepared }) {
                let plan = try await world.genericPlan(of: statement)
                let tables = ["account", "session", "friendship", "friend_request", "block"]
                #expect(plan.scans(of: tables).isEmpty, "\(statement.name):\n\(plan)")
            }
        }
    }
}

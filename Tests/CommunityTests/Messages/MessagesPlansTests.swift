import Postgres
import TestSupport
import Testing

@testable import Community

/// What is read of many messages goes by index, and a page costs a page, however deep.
@Suite(.database(.filled(Rows.sql)))
struct MessagesPlansTests {
    @Test func `a page of a conversation, and of the list of them, reads a page of its index`() async throws {
        try await withWorld { world in
            let pages: [(PreparedText, String, String)] = [
                (
                    Messages.Statements.Pages.prepared(.onward), "message_seq_key",
                    "viewer: 10, conversation: 11, span.place: 9223372036854775807, span.limit: 21"
                ),
                (
                    Messages.Statements.Pages.prepared(.onward), "message_seq_key",
                    "viewer: 10, conversation: 11, span.place: 50000, span.limit: 21"
                ),
                (
                    Messages.Statements.Pages.prepared(.back), "message_seq_key",
                    "viewer: 10, conversation: 11, span.place: 50000, span.limit: 21"
                ),
                (
                    Messages.Statements.List.prepared(.onward), "conversation_reader_list",
                    "viewer: 10, isArchived: false, at: '9999-01-01', id: 9223372036854775807, limit: 21"
                ),
                (
                    Messages.Statements.List.prepared(.onward), "conversation_reader_list",
                    "viewer: 10, isArchived: false, at: now() - interval '900 minutes', id: 900, limit: 21"
                ),
                (
                    Messages.Statements.List.prepared(.back), "conversation_reader_list",
                    "viewer: 10, isArchived: false, at: now() - interval '900 minutes', id: 900, limit: 21"
                ),
                (
                    Messages.Statements.StandingIn.prepared[0], "message_of_sender",
                    "viewer: 10, conversation: 11, since: now() - interval '2 days'"
                ),
                (
                    Messages.Statements.MarkRead.prepared[0], "message_seq_key",
                    "reader: 10, conversation: 11, seq: 99990"
                ),
            ]
            for (statement, index, arguments) in pages {
                let plan = try await world.executed(statement, arguments)
                #expect(plan.rows(through: index).map { $0 <= 61 } == true, "\(statement.name):\n\(plan)")
            }
        }
    }

    @Test func `no request reads a whole table`() async throws {
        try await withWorld { world in
            let tables = ["account", "work", "friendship", "conversation", "conversation_reader", "message"]
            for statement in StatementTypes.of(Messages.self).flatMap({ $0.prepared }) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: tables).isEmpty, "\(statement.name):\n\(plan)")
            }
        }
    }
}

/// A reader, 10, with 2,000 friends and conversations; 100,000 messages in the one with 11, ten in each other.
/// Others have 19,500 among themselves.
private enum Rows {
    static let sql = """
        insert into account (id, username, username_folded, email, email_folded, password_hash, approved_at)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$', now()
          from generate_series(10, 3009) n;
        insert into work (id, title) select n, 'Title ' || n from generate_series(1, 5000) n;
        insert into friendship
        select pair.a, pair.b, now()
          from generate_series(11, 2010) n cross join lateral (values (10, n), (n, 10)) pair (a, b);
        insert into conversation (id, opener_id, partner_id, created_at, last_seq)
        select n, n, 10, now(), case when n = 11 then 100000 else 10 end from generate_series(11, 2010) n;
        insert into conversation_reader (conversation_id, reader_id, active_at)
        select n, side.reader, now() - n * interval '1 minute'
          from generate_series(11, 2010) n cross join lateral (values (10), (n)) side (reader);
        insert into conversation (id, opener_id, partner_id, created_at)
        select 100000 + i * 130 + j, 2011 + i, 2200 + j, now()
          from generate_series(0, 149) i cross join generate_series(0, 129) j;
        insert into conversation_reader (conversation_id, reader_id, active_at)
        select id, side.reader, created_at
          from conversation cross join lateral (values (opener_id), (partner_id)) side (reader)
         where id >= 100000;
        insert into message (id, conversation_id, seq, sender_id, text_id, body, work_id, created_at)
        select n, 11, n, 10 + n % 2, n, 'words', case when n % 10 = 0 then n % 5000 + 1 end, now() - (200000 - n) * interval '1 second'
          from generate_series(1, 100000) n;
        insert into message (id, conversation_id, seq, sender_id, text_id, body, created_at)
        select 1000000 + n * 10 + s, n, s, n, 1000000 + n * 10 + s, 'words', now() - interval '1 day'
          from generate_series(12, 2010) n, generate_series(1, 10) s;
        analyze
        """
}

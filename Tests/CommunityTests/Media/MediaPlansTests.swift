import Postgres
import TestSupport
import Testing

@testable import Community

/// What is asked of many pictures goes by index: no statement but those of the daily sweep reads a whole table.
@Suite(.database(.fresh)) struct MediaPlansTests {
    @Test func `no page, cover or upload reads a whole table`() async throws {
        try await withWorld { world in
            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash)
                select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
                  from generate_series(1, 10000) n;
                insert into work (id, title) select n, 'Title ' || n from generate_series(1, 20000) n;
                insert into author (id, name) select n, 'Author ' || n from generate_series(1, 20000) n;
                insert into work_author (work_id, position, author_id) select n, 1, n from generate_series(1, 20000) n;
                insert into edition (id, work_id) select n, n from generate_series(1, 20000) n;
                insert into picture (id, kind, owner_id, added_by, width, height, size, created_at)
                select n, case when n > 20000 then 'profile' else 'cover' end, case when n > 20000 then n - 20000 end,
                       n % 10000 + 1, 100, 100, 1000, now()
                  from generate_series(1, 30000) n;
                insert into edition_cover (edition_id, picture_id) select n, n from generate_series(1, 20000) n;
                insert into account_picture (account_id, picture_id) select n, 20000 + n from generate_series(1, 10000) n;
                insert into media_file (hash, size, type, created_at)
                select sha256(n::text::bytea), 1000, 'image/jpeg', now() from generate_series(1, 30000) n;
                insert into picture_variant (picture_id, width, hash)
                select n, 80, sha256(n::text::bytea) from generate_series(1, 30000) n;
                insert into media_tally (account_id, bytes, pictures) select n, 1000, 1 from generate_series(1, 10000) n;
                analyze
                """)
            let tables = [
                "account", "work", "author", "work_author", "edition", "picture", "edition_cover", "account_picture",
                "media_file", "picture_variant", "media_tally",
            ]
            let sweep: [any Statement.Type] = [Media.Statements.RemoveUnshown.self, Media.Statements.Unused.self]
            for statement in StatementTypes.of(Media.self).flatMap({ $0.prepared })
            where !sweep.contains(where: { $0.name == statement.name }) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: tables).isEmpty, "\(statement.name):\n\(plan)")
                #expect(plan.cost < 2_000, "\(statement.name):\n\(plan)")
            }
        }
    }
}

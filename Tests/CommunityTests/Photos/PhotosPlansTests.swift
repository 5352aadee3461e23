import Postgres
import TestSupport
import Testing

@testable import Community

/// What is read of photographs goes by index, and a page of what one may see costs a page.
@Suite(.database(.filled(Photographed.rows)))
struct PhotosPlansTests {
    private static let tables = [
        "account", "photo", "picture", "picture_variant", "media_file", "shelf_entry", "friendship", "block", "privacy",
        "gate_setting", "reveal", "own_words", "moderation_case",
    ]
    private static let last = "9223372036854775807"

    @Test func `a page of a book's or a reader's photographs costs a page, and none is read from end to end`()
        async throws
    {
        try await withWorld { world in
            for place in [Self.last, "6000100"] {
                for direction in Direction.allCases where direction == .onward || place != Self.last {
                    let arguments = "viewer: 1, work: 900001, place: \(place), limit: 21"
                    func text(_ whose: Photos.Whose) -> PreparedText {
                        Photos.Statements.OfBook.prepared(Both(whose, direction))
                    }
                    // Photographs that are public: nobody is kept from any.
                    try expectPage(try await world.executed(text(.all), arguments), "photo_of_work")
                    for whose in [Photos.Whose.me, .friends] {
                        let plan = try await world.executed(text(whose), arguments)
                        #expect(plan.scans(of: Self.tables).isEmpty, "\(plan)")
                    }
                    let mine = Photos.Statements.OfReader.prepared(direction)
                    try expectPage(
                        try await world.executed(mine, "viewer: 2, reader: 1, place: \(place), limit: 21"),
                        "photo_of_reader")
                }
            }
        }
    }

    @Test func `one photograph, its file, what is held and what ends goes by index`() async throws {
        try await withWorld { world in
            let plans = [
                try await world.executed(Photos.Statements.One.self, "viewer: 2, photo: 5000001"),
                try await world.executed(
                    Photos.Statements.These.self, "viewer: 2, photos: array[5000001, 5000002]::bigint[]"),
                try await world.executed(
                    Photos.Statements.FileOf.self, "photo: 5000001, width: 320, viewer: 2, moderates: true"),
                try await world.executed(Photos.Statements.CountIn.self, "reader: 1, work: 900001"),
                try await world.executed(Photos.Statements.Own.self, "photo: 5000001, reader: 1"),
                try await world.executed(Photos.Statements.Lock.self, "photo: 5000001, reader: 1"),
                try await world.executed(Photos.Statements.RemoveAll.self, "reader: 17"),
            ]
            for plan in plans { #expect(plan.scans(of: Self.tables).isEmpty, "\(plan)") }
        }
    }

    private func expectPage(_ plan: QueryPlan, _ index: String) throws {
        #expect(plan.scans(of: Self.tables).isEmpty, "\(plan)")
        let rows = try #require(plan.rows(through: index), "\(plan)")
        #expect(rows <= 63, "\(rows)\n\(plan)")
    }
}

/// 4,000 readers photographed the one book, the first of them two hundred times more, and each two others.
private enum Photographed {
    static let rows = """
        insert into account (id, username, username_folded, email, email_folded, password_hash)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
          from generate_series(1, 4000) n;
        insert into work (id, title) select 900000 + n, 'Title ' || n from generate_series(1, 4000) n;
        insert into friendship (reader_id, friend_id, since)
        select n, 1 + (n + k) % 4000, now() from generate_series(1, 4000) n, generate_series(1, 5) k;
        insert into block (blocker_id, blocked_id, at) select n, 1 + (n + 7) % 4000, now() from generate_series(1, 4000) n;
        insert into privacy (reader_id) select n from generate_series(1, 4000) n;
        insert into gate_setting (reader_id, is_off, at) select n, false, now() from generate_series(1, 4000) n;
        insert into shelf_entry (id, reader_id, work_id, status, times_read, position, title_key, author_key, counted,
                                 added_at, moved_at)
        select n * 10 + k, n, 900000 + 1 + (n + k - 1) % 4000, 'reading', 0, 4000, 't', 'a', true, now(), now()
          from generate_series(1, 4000) n, generate_series(0, 4) k;
        set session_replication_role = replica;
        insert into reveal (id, reader_id, work_id, at) select n, n, 900001 + n % 4000, now() from generate_series(1, 4000) n;
        insert into picture (id, kind, owner_id, width, height, size, created_at)
        select 5000000 + n, 'photo', 1 + (n - 1) % 4000, 100, 100, 10, now() from generate_series(1, 12000) n;
        insert into media_file (hash, size, type, created_at)
        select decode(lpad(to_hex(n), 64, '0'), 'hex'), 5, 'image/jpeg', now() from generate_series(1, 12000) n;
        insert into picture_variant (picture_id, width, hash)
        select 5000000 + n, width, decode(lpad(to_hex(n), 64, '0'), 'hex')
          from generate_series(1, 12000) n, unnest(array[0, 320]) width;
        insert into account_picture (account_id, picture_id) select n, 5000000 + n from generate_series(1, 4000) n;
        insert into photo (id, reader_id, work_id, picture_id, scope, visibility, created_at, changed_at)
        select 5000000 + n, 1 + (n - 1) % 4000, case when n <= 4000 then 900001 else 900002 + n % 3900 end, 5000000 + n,
               0, 3, now(), now()
          from generate_series(1, 12000) n;
        insert into photo (id, reader_id, work_id, picture_id, scope, visibility, created_at, changed_at)
        select 6000000 + n, 1, 900001, 6000000 + n, 0, 3, now(), now() from generate_series(1, 200) n;
        insert into picture (id, kind, owner_id, width, height, size, created_at)
        select 6000000 + n, 'photo', 1, 100, 100, 10, now() from generate_series(1, 200) n;
        insert into own_words (kind, id, reader_id, work_id, words)
        select 'photo', id, reader_id, work_id, 'word'::tsvector from photo;
        insert into moderation_case (id, subject_kind, subject_id, state, category, reports, reporters, trust, opened_at, changed_at)
        select n, 'photo', 5000000 + n, 'open', 'spam', 1, 1, 1, now(), now() from generate_series(1, 4000) n;
        set session_replication_role = origin;
        analyze
        """
}

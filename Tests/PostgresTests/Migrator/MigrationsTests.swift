import Foundation
import Migrations
import Postgres
import TestSupport
import Testing

@Suite struct MigrationsTests {
    /// The folder `Migrations/sql` of this checkout.
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Migrations/sql")

    @Test func `the list in the program is the folder, in order`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(Migrations.all.map { $0.name + ".sql" } == files)
        for migration in Migrations.all {
            let text = try String(contentsOf: Self.folder.appending(path: migration.name + ".sql"), encoding: .utf8)
            #expect(migration.sql == text, "\(migration.name) holds another file's text")
        }
    }

    @Test func `numbers rise and none is used twice`() {
        let numbers = Migrations.all.map(\.number)
        #expect(numbers == Set(numbers).sorted())
    }
}

@Suite(.database) struct SchemaTests {
    @Test func `every table and column is commented`() async throws {
        try await withWorld { world in
            let silent = try await world.asSuperuser(
                """
                select c.relname || coalesce('.' || a.attname, '')
                  from pg_class c
                  left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                 where c.relnamespace = 'public'::regnamespace
                   and c.relkind in ('r', 'p')
                   and not c.relispartition
                   and (obj_description(c.oid, 'pg_class') is null
                        or a.attnum is not null and col_description(c.oid, a.attnum) is null)
                 order by 1
                """)
            #expect(silent.compactMap { $0[0] } == [])
        }
    }
    @Test func `posts that did not say of which book they are say so`() async throws {
        try await withWorld { world in
            let (book, reader) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: reader)
            _ = try await world.given.post(in: thread.id, by: reader)
            try await world.asSuperuser("update post set work_id = null where number = 2")
            let fill = try #require(Migrations.all.first { $0.name == "0036_fill_post_works" })
            for _ in 0..<2 {
                try await world.asSuperuser(fill.sql)
                let works = try await world.asSuperuser("select distinct work_id from post")
                #expect(works == [["\(book)"]])
            }
        }
    }
}

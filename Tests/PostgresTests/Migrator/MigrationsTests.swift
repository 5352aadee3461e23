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

    @Test func `every index, function and trigger is commented, but for the indexes of constraints`() async throws {
        try await withWorld { world in
            let silent = try await world.asSuperuser(
                """
                select 'index ' || c.relname
                  from pg_index i
                  join pg_class c on c.oid = i.indexrelid
                 where c.relnamespace = 'public'::regnamespace
                   and not c.relispartition
                   and not exists (select 1 from pg_constraint k where k.conindid = c.oid)
                   and obj_description(c.oid, 'pg_class') is null
                 union all
                select 'function ' || p.proname
                  from pg_proc p
                 where p.pronamespace = 'public'::regnamespace
                   and not exists (select 1 from pg_depend d
                                    where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
                   and obj_description(p.oid, 'pg_proc') is null
                 union all
                select 'trigger ' || t.tgname
                  from pg_trigger t
                 where not t.tgisinternal
                   and t.tgparentid = 0
                   and obj_description(t.oid, 'pg_trigger') is null
                 order by 1
                """)
            #expect(silent.compactMap { $0[0] } == [])
        }
    }
}

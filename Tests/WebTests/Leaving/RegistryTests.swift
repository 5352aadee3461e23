import Community
import Postgres
import TestSupport
import Testing
import Web

/// Every table says whose its rows are, by the database's own catalogue.
@Suite(.database)
struct RegistryTests {
    /// A column as the database describes it.
    struct Column: Hashable {
        let table: String
        let name: String
        let holdsText: Bool
        let namesReader: Bool
    }

    /// Every column of every table of ours; partitions are their parents' own.
    static func columns(in world: World) async throws -> [Column] {
        try await world.asSuperuser(
            #"""
            select relation.relname, attribute.attname,
                   attribute.atttypid in ('text'::regtype, 'jsonb'::regtype, 'bytea'::regtype, 'text[]'::regtype),
                   attribute.atttypid = 'bigint'::regtype and attribute.attname ~ '^(reader|account|owner|sender|recipient|blocker|blocked|friend|member|borrower|lender|asker|giver|actor)(_id)?$'
                   or attribute.atttypid = 'bigint'::regtype and attribute.attname ~ '(_reader|_account|_by|_owner|_member)(_id)?$'
                   or exists (select from pg_constraint link
                               where link.conrelid = relation.oid
                                 and link.contype = 'f'
                                 and link.confrelid = 'account'::regclass
                                 and attribute.attnum = any (link.conkey))
              from pg_class relation
              join pg_attribute attribute on attribute.attrelid = relation.oid
             where relation.relnamespace = 'public'::regnamespace
               and relation.relkind in ('r', 'p')
               and not relation.relispartition
               and attribute.attnum > 0
               and not attribute.attisdropped
             order by 1, attribute.attnum
            """#
        ).map {
            Column(table: $0[0] ?? "", name: $0[1] ?? "", holdsText: $0[2] == "t", namesReader: $0[3] == "t")
        }
    }

    static let personal = Community.personalTables + Idempotency.personalTables

    @Test func `every table is in the registry once: as readers' own, or as nobody's`() async throws {
        try await withWorld { world in
            let tables = Set(try await Self.columns(in: world).map(\.table))
            let personal = Set(Self.personal.map(\.table.text))
            let impersonal = Leaving.impersonalTables.map(\.table)
            for table in tables.subtracting(personal).subtracting(impersonal).sorted() {
                Issue.record(
                    "\(table) is in no domain's export and farewell: add a PersonalTable, or say why it is nobody's")
            }
            #expect(personal.union(impersonal).subtracting(tables).sorted() == [], "there are no such tables")
            #expect(Set(impersonal).count == impersonal.count && personal.isDisjoint(with: impersonal))
            #expect(Set(Self.personal.map { $0.name }).count == Self.personal.count)
            #expect(Leaving.impersonalTables.allSatisfy { !$0.why.isEmpty })
        }
    }

    @Test func `every column that names a reader is some table's owner, or goes with whom it names`() async throws {
        try await withWorld { world in
            let columns = try await Self.columns(in: world)
            for column in columns where column.namesReader {
                let named = Self.personal.filter { $0.table.text == column.table }
                    .flatMap { [$0.owner] + $0.others }.map(\.text)
                let impersonal = Leaving.impersonalTables.first { $0.table == column.table }
                let isKnown = named.contains("t." + column.name) || impersonal?.readers.contains(column.name) == true
                #expect(isKnown, "\(column.table).\(column.name) names a reader, and nothing says what becomes of it")
            }
        }
    }

    @Test func `every text of a table that is nobody's is known to be no reader's`() async throws {
        try await withWorld { world in
            let columns = Dictionary(grouping: try await Self.columns(in: world), by: \.table)
            for table in Leaving.impersonalTables {
                let found = columns[table.table, default: []]
                let texts = Set(found.filter(\.holdsText).map(\.name))
                #expect(texts.symmetricDifference(table.texts).sorted() == [], "in \(table.table)")
                let readers = Set(found.filter(\.namesReader).map(\.name))
                #expect(readers.symmetricDifference(table.readers).sorted() == [], "in \(table.table)")
            }
        }
    }

    @Test func `what an export leaves out is a secret, or is made of what it holds`() async throws {
        try await withWorld { world in
            let bytes = try await world.asSuperuser(
                """
                select table_name || '.' || column_name from information_schema.columns
                 where table_schema = 'public' and data_type = 'bytea'
                """
            ).compactMap { $0[0] }
            let made: Set = [
                "account.username_folded", "account.email_folded", "account.password_hash", "account.reach",
                "account.invitation_id", "recent_search.folded", "shelf_entry.title_key", "shelf_entry.author_key",
                "shelf_entry.year",
                "copy.title_key", "copy.author_key", "checkout.title_key", "theme.name_key", "note_folder.name_key",
                // Who has a copy is for the owners of its library, whose export has it.
                "copy.holder_id",
                // Of the identifiers of what a post answers.
                "post.path",
            ]
            for table in Self.personal where table.unexported == nil {
                for column in table.hidden {
                    let name = table.table.text + "." + column
                    #expect(bytes.contains(name) || made.contains(name), "\(name)")
                }
            }
        }
    }
}

import Postgres
import TestSupport
import Testing

@testable import Community

/// A column that a statement forgets to write gets its default, and no other test need notice.
@Suite(.database)
struct WrittenColumnsTests {
    @Test func `what writes a post or a review writes every column that is not left out on purpose`() async throws {
        try await withWorld { world in
            for writing in Self.writings {
                let columns = Set(try await world.database.all(ColumnsOf(table: writing.table)))
                #expect(!columns.isEmpty && columns.isSuperset(of: writing.left), "\(writing.statement)")
                let forgotten = columns.subtracting(writing.left).subtracting(writing.written)
                #expect(forgotten == [], "\(writing.statement) of \(writing.table)")
            }
        }
    }

    private struct Writing {
        let statement: String
        let table: String
        /// Between the brackets of an insert, or what an update sets.
        let written: Set<String>
        /// What keeps its default, or what it has.
        let left: Set<String>

        init<S: Statement>(_ statement: S.Type, _ table: String, leaves left: Set<String>) {
            self.init(S.name, S.sql.text, table, leaves: left)
        }

        init(_ statement: String, _ text: String, _ table: String, leaves left: Set<String>) {
            self.statement = statement
            self.table = table
            self.left = left
            let listed = text.firstRange(of: "insert into \(table) (").map {
                text[$0.upperBound...].prefix { $0 != ")" }
            }
            let part = listed ?? Self.set(in: text)
            let words = listed == nil ? part.matches(of: #/\b([a-z_]+) = /#) : part.matches(of: #/([a-z_]+)/#)
            written = Set(words.map { String($0.output.1) })
        }

        /// What an update sets.
        private static func set(in text: String) -> Substring {
            text.firstMatch(of: #/\bset\b([\s\S]*?)\n\s*(?:from|where)\b/#)?.output.1 ?? ""
        }
    }

    /// What counts or dates something that a new row has none of.
    private static let counters: Set = ["replies", "reactions", "version", "edited_at"]
    private static let hiding = ["hidden_at", "hidden_level"]
    private static let writings = [
        Writing(
            Boards.Statements.InsertFirst.self, "post",
            leaves: counters.union(["deleted_at", "hidden_at", "parent_id", "answers_id", "quoted_id"])),
        Writing(Boards.Statements.InsertReply.self, "post", leaves: counters.union(["deleted_at", "hidden_at"])),
        // An edit changes what its author says, and leaves where it stands and what others did to it.
        Writing(
            Boards.Statements.ChangePost.self, "post",
            leaves: [
                "id", "thread_id", "work_id", "number", "author_id", "parent_id", "answers_id", "depth", "path",
                "quoted_id",
                "also_work_id", "also_scope", "replies", "reactions", "created_at", "deleted_at", "hidden_at",
            ]),
        Writing(Reviews.Statements.Insert.self, "review", leaves: counters.union(["reply_numbers"] + hiding)),
        Writing(
            Reviews.Statements.Update.self, "review",
            leaves: ["id", "reader_id", "work_id", "created_at", "reply_numbers", "replies", "reactions", "hidden_at"]),
        // Shelves that are brought along have stars alone.
        Writing(
            Library.Statements.InsertPast.self, "review",
            leaves: counters.union(["reply_numbers", "body", "text_id", "spoilers"] + hiding)),
        Writing(
            Photos.Statements.Insert.self, "photo",
            leaves: ["words_state", "words", "confidence", "version", "hidden_at", "hidden_level"]),
        Writing(
            Photos.Statements.Update.self, "photo",
            leaves: ["id", "reader_id", "work_id", "edition_id", "created_at", "hidden_at"]),
        // Reactions are counted behind it, in `CountJoinedReactions`.
        Writing(
            "merge", Reviews.workMerge.first { $0.name == "join_reviews" }?.sql.text ?? "", "review",
            leaves: ["id", "reader_id", "work_id", "reactions"]),
    ]
}

private struct ColumnsOf: Statement {
    static let name = "test.columns_of"
    static let sql: SQL<Self> = """
        select attname::text from pg_attribute
         where attrelid = \(\.table)::text::regclass and attnum > 0 and not attisdropped
        """
    let table: String
    typealias Output = String
}

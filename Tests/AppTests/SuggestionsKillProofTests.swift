import Community
import Postgres
import TestSupport
import Testing

/// `kill -9` of the process that works out neighbours: the last good ones stay, and the next run leaves nothing over.
@Suite(.serialized, .database(.fresh)) struct SuggestionsKillProofTests {
    /// Where a run stands still until its process is gone.
    private static let traps = """
        create trigger trap_1 after insert on related_generation for each row execute function wait_in_trap(1);
        create trigger trap_2 after insert on related_work for each statement execute function wait_in_trap(2);
        create trigger trap_3 before update on related_generation for each row execute function wait_in_trap(3);
        create trigger trap_4 before update on related_current for each row execute function wait_in_trap(4);
        create trigger trap_5 after delete on related_work for each statement execute function wait_in_trap(5);
        """

    @Test(.long) func `a run that is killed at any point leaves lists whole, with their time`() async throws {
        try await withWorld(leaving: [.outbox, .jobs, .leases]) { world in
            let books = [try await world.given.book("One", by: "Ann"), try await world.given.book("Two", by: "Tom")]
            for _ in 0..<3 {
                let reader = try await world.given.reader()
                for book in books { try await world.given.shelved(book, .read, by: reader) }
            }
            let store = world.community.suggestions
            try await store.refresh()
            try await world.asSuperuser(Traps.table + Self.traps)
            try await withProgram(["COMMONPLACE_UNSAFE_DATABASE": "1"]) { program in
                let environment = ["DATABASE_URL": Traps.conninfo(of: world)]
                for point in 1...5 {
                    let before = try #require(try await store.generation())
                    try await world.asSuperuser("insert into trap values (\(point))")
                    let run = try program.start(["ranking", "recompute"], environment: environment)
                    try await Traps.kill(run, in: world)
                    let after = try #require(try await store.generation())
                    // The database does the statement to its end in which the process was lost: the third and fourth show it.
                    #expect((after.id == before.id) == ![3, 4].contains(point), "\(point)")
                    let list = try await store.related(to: books[0])
                    #expect(list.items.map(\.book.id) == [books[1]] && list.asOf == after.asOf, "\(point)")
                    #expect(try await world.database.differences(of: Suggestions.self) == [], "\(point)")
                }
                let whole = try await program.run("ranking", "recompute", environment: environment)
                #expect(whole.status == 0, "\(whole.errors)")
                let why = try await program.run(
                    "ranking", "explain", "--reader", "nobody_here", "book:\(books[0])", environment: environment)
                #expect(why.status == 3, "\(why.errors)")
                let reader = try await world.given.account("mia")
                try await world.given.shelved(books[0], .read, by: reader.id)
                for (options, text) in [([], "One"), (["--json"], "\"\(books[1])\"")] {
                    let told = try await program.run(
                        ["ranking", "explain", "--reader", "mia", "book:\(books[1])"] + options,
                        environment: environment)
                    #expect(told.status == 0 && told.output.contains(text), "\(told.output) \(told.errors)")
                }
            }
            let left = try await world.asSuperuser(
                "select count(*), (select count(distinct generation_id) from related_work) from related_generation")
            #expect(left == [["1", "1"]])
        }
    }
}

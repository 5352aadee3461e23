import Foundation
import Postgres
import TestSupport
import Testing

@testable import Community

/// What a source deleted and redirected, in whatever order its lines come.
extension CatalogImportTests {
    /// An ISBN-13 of its own for each number below 1,000.
    private func code(_ number: Int) -> String {
        let digits = [9, 7, 8, 0, 0, 0, 0, 0, 0] + [number / 100, number / 10 % 10, number % 10]
        return digits.map(String.init).joined() + String(ISBN.checkOfThirteen(digits))
    }

    /// Dumps of several dates in one: records, newer records, deletions and redirects of what is described, of what is not, and of each other.
    private var history: [String] {
        var lines = (1...8).map { author($0, "Author \($0)") }
        lines += [deletion("/authors/OL5A"), redirect("/authors/OL6A", to: "/authors/OL1A")]
        for number in 1...12 {
            lines.append(work(number, "Title \(number)", by: [number % 8 + 1, 6, 1], revision: 2))
            lines.append(edition(number, "Printing \(number)", of: number, isbn: code(number)))
        }
        lines += [
            deletion("/works/OL3W"),
            // Deleted once, and back again.
            deletion("/works/OL4W", revision: 3), work(4, "Risen", by: [1], revision: 5),
            // A chain, and one that ends at what was deleted.
            redirect("/works/OL5W", to: "/works/OL6W"), redirect("/works/OL6W", to: "/works/OL7W"),
            redirect("/works/OL9W", to: "/works/OL3W"),
            // Known through an edition alone.
            redirect("/works/OL20W", to: "/works/OL1W"), edition(20, "Borrowed", of: 20, isbn: code(20)),
            work(8, "Revised", by: [2, 6, 1], revision: 4),
            // Editions: a part of another, a chain of two, deleted, deleted with the work that it stood for.
            edition(30, "Part", of: 1, isbn: code(30), revision: 2), redirect("/books/OL30M", to: "/books/OL1M"),
            edition(31, "First", of: 2, isbn: code(31), revision: 2), redirect("/books/OL31M", to: "/books/OL32M"),
            redirect("/books/OL32M", to: "/books/OL33M"), edition(33, "Last", of: 2, isbn: code(33)),
            edition(34, "Deleted", of: 2, isbn: code(34), revision: 3), deletion("/books/OL34M"),
            edition(35, "Nowhere", of: 40, isbn: code(35)), deletion("/books/OL35M"),
            edition(36, "Elsewhere", of: 41, isbn: code(36)), redirect("/books/OL36M", to: "/books/OL2M"),
            edition(37, "Alone", of: nil, isbn: code(37)),
            edition(38, "Alone and gone", of: nil), deletion("/books/OL38M"),
            edition(39, "Moved", of: 42, isbn: code(39)), edition(39, "Moved", of: 2, isbn: code(39), revision: 2),
            // Nobody describes these.
            redirect("/works/OL90W", to: "/works/OL91W"), redirect("/books/OL90M", to: "/books/OL91M"),
            redirect("/authors/OL90A", to: "/authors/OL91A"), deletion("/works/OL99W"), deletion("/books/OL99M"),
            deletion("/authors/OL99A"),
        ]
        return lines
    }

    /// What readers see: listed works with their authors and editions, and what searches find them by. Without identifiers.
    private func seen(_ world: World) async throws -> [[String?]] {
        _ = try await world.community.search.refresh()
        try await world.community.catalog.refreshBrowse()
        return try await world.asSuperuser(
            """
            select w.title, s.title, s.author, (select string_agg(lexeme, ' ' order by lexeme) from unnest(s.words)),
                   (select string_agg(a.name, ',' order by wa.position)
                      from work_author wa join author a on a.id = wa.author_id
                     where wa.work_id = w.id and a.withdrawn_at is null),
                   (select string_agg(e.title || '=' || coalesce((select string_agg(i.isbn::text, '+' order by i.isbn)
                                                                    from edition_isbn i where i.edition_id = e.id), ''),
                                      ',' order by e.title)
                      from edition e where e.work_id = w.id and e.withdrawn_at is null)
              from work w
              join work_popularity p on p.work_id = w.id and p.listed
              left join work_search s on s.work_id = w.id
             order by w.title
            """)
    }

    /// An empty catalogue; for databases of one's own.
    func clear(_ world: World) async throws {
        _ = try await world.asSuperuser(
            """
            truncate author, series, genre, subject, import_run, work, absent_record, work_search, browse_entry, browse_mark
             cascade
            """)
        _ = try await world.asSuperuser("update browse_scope set members = 0")
    }

    private func differences(_ world: World) async throws -> [String] {
        try await world.database.differences(of: [Catalog.self, Search.self])
    }

    @Test(.long, .database(.fresh)) func `in any order redirects and deletions end in the same catalogue`() async throws
    {
        try await withWorld { world in
            try await load(world, text: history.joined(separator: "\n"))
            let straight = try await seen(world)
            let titles = straight.map { $0[0] ?? "" }
            #expect(
                titles == [
                    "Alone", "Revised", "Risen", "Title 1", "Title 10", "Title 11", "Title 12", "Title 2", "Title 7",
                ])
            // What hung on what is no more hangs on what it became.
            let two = try #require(straight.first { $0[0] == "Title 2" }?[5])
            #expect(two.contains("Last=\(code(31))+\(code(33))") && two.contains("Moved=\(code(39))"))
            #expect(two.contains("Printing 2=\(code(2))+\(code(36))") && !two.contains("Deleted"))
            let seven = try #require(straight.first { $0[0] == "Title 7" }?[5])
            #expect(seven.contains("Printing 5") && seven.contains("Printing 6") && seven.contains("Printing 7"))
            #expect(try await differences(world).isEmpty)

            for round in 1...12 {
                try await clear(world)
                var generator = TestRandom(for: "order \(round)").fork()
                let shuffled = history.shuffled(using: &generator)
                // In batches of their own.
                let cut = Int.random(in: 1..<shuffled.count, using: &generator)
                for part in [shuffled.prefix(cut), shuffled.dropFirst(cut)] {
                    try await load(world, text: part.joined(separator: "\n"))
                }
                #expect(try await seen(world) == straight, "round \(round)")
                #expect(try await differences(world).isEmpty, "round \(round)")

                let before = try await checksum(world)
                let again = try await load(world, text: history.shuffled(using: &generator).joined(separator: "\n"))
                #expect(again.outcome.added == 0 && again.outcome.changed == 0, "round \(round)")
                #expect(try await checksum(world) == before, "round \(round)")
            }
        }
    }

    @Test(.database(.fresh)) func `an interrupted import of a compressed dump ends in the same catalogue`() async throws
    {
        try await withWorld { world in
            try await load(world, text: history.joined(separator: "\n"))
            let straight = try await seen(world)
            try await clear(world)

            var generator = TestRandom(for: "interrupted").fork()
            let foreign = (0..<9_000).map { "/type/page\t/about/\($0)\t1\tx\t{}" }
            let lines = (history + foreign).shuffled(using: &generator)
            let file = try world.given.file("dump.txt", lines.joined(separator: "\n"))
            let process = try Process.run(URL(filePath: "/bin/gzip"), arguments: [file.path])
            process.waitUntilExit()
            let path = file.path + ".gz"
            let importing = Task {
                try await Catalog.Importer(world.services).run(
                    path, format: .openLibrary, rejectsPath: path + ".rejects.tsv"
                ) { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            await #expect(throws: (any Error).self) { try await importing.value }
            let report = try await load(world, path)
            #expect(report.resumedAfter == 5_000 && report.lines == Int64(lines.count))
            #expect(try await seen(world) == straight)
        }
    }

    @Test func `what its source deleted is not taken in later, unless it came back`() async throws {
        try await withWorld { world in
            let deletions = [deletion("/works/OL1W"), deletion("/books/OL1M"), deletion("/authors/OL1A")]
            try await load(world, text: deletions.joined(separator: "\n"))
            let lines = [
                work(1, "Gone", by: [1]), edition(1, "Gone", of: 2, isbn: code(1)), author(1, "Nobody"),
                work(2, "Here", by: [1]),
            ]
            let report = try await load(world, text: lines.joined(separator: "\n"))
            #expect(report.outcome.added == 1 && report.outcome.unchanged == 3)
            #expect(try await world.found("gone").isEmpty)
            let here = try #require(try await world.found("here").first)
            #expect(here.authors.isEmpty)
            #expect(try await world.found(code(1)).isEmpty)

            let back = [
                work(1, "Back", by: [1], revision: 10), edition(1, "Back", of: 1, isbn: code(1), revision: 10),
                author(1, "Somebody", revision: 10),
            ]
            try await load(world, text: back.joined(separator: "\n"))
            #expect(try await world.found(code(1)).map(\.title) == ["Back"])
            #expect(try await world.found("somebody").count == 2)
            #expect(try await world.asSuperuser("select count(*) from absent_record") == [["0"]])
        }
    }

    @Test func `an old deletion does not touch a newer record`() async throws {
        try await withWorld { world in
            let lines = [
                work(1, "Here", by: [1], revision: 4), edition(1, "Here", of: 1, isbn: code(1), revision: 4),
                author(1, "Somebody", revision: 4),
            ]
            try await load(world, text: lines.joined(separator: "\n"))
            let deletions = ["/works/OL1W", "/books/OL1M", "/authors/OL1A"].map { deletion($0, revision: 3) }
            let report = try await load(world, text: deletions.joined(separator: "\n"))
            #expect(report.outcome.changed == 0 && report.outcome.unchanged == 3)
            #expect(try await world.found("somebody here").count == 1)
            #expect(try await world.found(code(1)).count == 1)
        }
    }

    @Test func `a newer record of what was redirected is left out, and the report says so`() async throws {
        try await withWorld { world in
            let lines = [work(1, "One", by: []), work(2, "Two", by: []), redirect("/works/OL1W", to: "/works/OL2W")]
            try await load(world, text: lines.joined(separator: "\n"))
            let report = try await load(world, text: work(1, "Three", by: [], revision: 10))
            #expect(report.outcome == Catalog.IntakeOutcome(unchanged: 1, redirected: 1))
            #expect(try await world.found("three").isEmpty)
        }
    }

    @Test func `a book that readers hang on stays when its source deletes it, and the report says so`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            try await load(world, text: work(1, "Loved", by: []))
            let loved = try #require(try await world.found("loved").first?.id)
            try await world.given.shelved(loved, .want, by: try await world.given.reader())
            let report = try await load(world, text: deletion("/works/OL1W"))
            #expect(report.outcome == Catalog.IntakeOutcome(changed: 1, kept: 1))
            #expect(try await world.community.catalog.book(loved).id == loved)
        }
    }
}

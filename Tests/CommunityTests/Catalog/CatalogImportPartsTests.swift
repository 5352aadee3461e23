import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Community

/// Batches that two hands take in at once.
extension CatalogImportTests {
    /// New records: works of several authors, with subjects that they share, and editions, some of works that nobody describes.
    private var news: [String] {
        var lines = (1...20).map { author($0, "Author \($0)") }
        for number in 1...60 {
            let shared = work(number, "Title \(number)", by: [number % 20 + 1, number % 31 + 1])
            lines.append(
                shared.replacing(#""revision":"#, with: #""subjects":["Fiction","Shelf \#(number % 9)"],"revision":"#))
            lines.append(edition(number, "Printing \(number)", of: number % 50 + 1, isbn: "0439023483"))
            lines.append(edition(100 + number, "Lone \(number)", of: number % 3 == 0 ? nil : 100 + number % 7))
        }
        return lines
    }

    /// What readers would see, without identifiers, and every number that is stored.
    private func seen(_ world: World) async throws -> [[String?]] {
        _ = try await world.community.search.refresh(hands: 2)
        try await world.community.catalog.refreshBrowse()
        return try await world.asSuperuser(
            """
            select w.title, p.listed::text, s.author, (select string_agg(lexeme, ' ' order by lexeme) from unnest(s.words)),
                   (select string_agg(a.name, ',' order by wa.position)
                      from work_author wa join author a on a.id = wa.author_id where wa.work_id = w.id),
                   (select string_agg(u.name, ',' order by u.name)
                      from work_subject wu join subject u on u.id = wu.subject_id where wu.work_id = w.id),
                   (select string_agg(e.title || coalesce((select string_agg(i.isbn::text, '+' order by i.isbn) from edition_isbn i
                                                            where i.edition_id = e.id), ''), ',' order by e.title)
                      from edition e where e.work_id = w.id),
                   (select string_agg(key, ',' order by key) from work_source k where k.work_id = w.id)
              from work w
              left join work_search s on s.work_id = w.id
              join work_popularity p on p.work_id = w.id
             order by w.title, s.author
            """)
            + world.asSuperuser("select slug, work_count::text from genre where work_count > 0 order by slug")
            + world.asSuperuser(
                "select kind, key, members::text from browse_scope where kind <> 'author' order by 1, 2")
    }

    private func entries(_ world: World, _ lines: [String]) async throws -> Catalog.Entries {
        let file = try world.given.file("batch.txt", lines.joined(separator: "\n"))
        let batch = try await BatchReader(file.path, format: .openLibrary, from: 0, line: 0).next()
        return try #require(withExtendedLifetime(file) { batch }).entries
    }

    private func divided(_ world: World, _ lines: [String]) async throws -> Catalog.Intake.Parts? {
        let entries = try await entries(world, lines)
        return try await world.database.transaction { transaction in
            var intake = Catalog.Intake(transaction: transaction, services: world.services)
            return try await intake.divide(entries, among: 2)
        }
    }

    @Test(.database(.fresh))
    func `a batch taken in by several hands ends as one transaction does, also where a hand was cut off`() async throws
    {
        try await withWorld { world in
            try await clear(world)
            let entries = try await entries(world, news)
            _ = try await world.database.transaction { transaction in
                var intake = Catalog.Intake(transaction: transaction, services: world.services)
                return try await intake.apply(entries)
            }
            let whole = try await seen(world)

            try await clear(world)
            let report = try await load(world, text: news.joined(separator: "\n"))
            #expect(report.outcome == Catalog.IntakeOutcome(added: 200) && report.rejected == 0)
            #expect(try await seen(world) == whole)

            try await clear(world)
            let parts = try #require(try await divided(world, news))
            let cut = try #require(parts.parts.last)
            let done = try await world.database.transaction { transaction in
                var intake = parts.known.continued(in: transaction)
                return try await intake.apply(cut)
            }
            let rest = try await load(world, text: news.joined(separator: "\n"))
            #expect(rest.outcome == Catalog.IntakeOutcome(added: 180 - done.added, unchanged: 20 + done.added))
            #expect(done.added > 20 && rest.outcome.added > 20)
            #expect(try await seen(world) == whole)
        }
    }

    @Test(.database(.fresh)) func `a work and its editions are in one part`() async throws {
        try await withWorld { world in
            try await clear(world)
            let parts = try #require(try await divided(world, news)).parts
            let works = parts.map { Set($0.works.map(\.key)).union($0.editions.map(\.work)) }
            #expect(works.count == 2 && works[0].isDisjoint(with: works[1]) && works.allSatisfy { $0.count > 20 })
        }
    }

    @Test(.database(.fresh))
    func `what only one transaction can take in is not divided, and leaves nothing behind`() async throws {
        try await withWorld { world in
            try await clear(world)
            try await load(
                world, text: [work(1, "Title", by: []), edition(1, "Printing", of: 1)].joined(separator: "\n"))
            try await load(world, text: deletion("/works/OL9W"))
            let before = try await checksum(world)
            let batches = [
                [author(1, "Author"), redirect("/works/OL1W", to: "/works/OL2W")],
                [author(1, "Author"), deletion("/works/OL1W")],
                [author(1, "Author"), work(9, "Deleted", by: [1])],
                [author(1, "Author"), edition(1, "Printing", of: 2, revision: 2)],
            ]
            for batch in batches {
                let parts = try await divided(world, batch)?.parts.count
                #expect(parts == nil, "\(batch)")
            }
            #expect(try await checksum(world) == before)
        }
    }

    @Test func `a merge waits for the batch that has looked its books up, and leads all of it on`() async throws {
        try await withWorld(leaving: [.jobs]) { world in
            let catalog = world.community.catalog
            let old = [author(1, "Ann"), work(1, "Old", by: [1]), work(2, "New", by: [1])]
            try await load(world, text: old.joined(separator: "\n"))
            let known = try await world.database.all(
                Catalog.FindWorks(keys: ["ol:OL1W", "ol:OL2W"]))
            let works = Dictionary(known.map { ($0.0, $0.1.id) }, uniquingKeysWith: { first, _ in first })
            let (from, into) = (try #require(works["ol:OL1W"]), try #require(works["ol:OL2W"]))
            try await world.database.session { turns in
                let hasEnded = Mutex(false)
                try await turns.run(Catalog.TakeImportTurn())
                let news = [work(1, "Old", by: [1], revision: 2), edition(1, "Printing", of: 1)]
                let divided = try #require(try await divided(world, news))
                async let merged: Void = {
                    defer { hasEnded.withLock { $0 = true } }
                    try await catalog.merge(.book(from), into: .book(into), by: Catalog.Helper(World.terminal))
                }()
                try await eventually {
                    if hasEnded.withLock({ $0 }) { return true }
                    return try await world.waiting() > 0
                }
                for part in divided.parts {
                    _ = try await world.database.transaction { transaction in
                        var intake = divided.known.continued(in: transaction)
                        return try await intake.apply(part)
                    }
                }
                try await turns.run(Catalog.EndImportTurn())
                try await merged
            }
            #expect(try await world.asSuperuser("select merged_into from work where id = \(from)") == [[into.text]])
            #expect(try await world.asSuperuser("select distinct work_id from edition") == [[into.text]])
            #expect(
                try await world.asSuperuser("select work_id, is_alias from work_source where key = 'ol:OL1W'")
                    == [[into.text, "t"]])
        }
    }

    @Test(.database(.fresh)) func `a process that slept while another read the file on writes nothing`() async throws {
        try await withWorld { world in
            try await clear(world)
            let file = try world.given.file("dump.txt", news.joined(separator: "\n"))
            let path = file.path
            try await world.database.session { turns in
                try await turns.run(Catalog.TakeImportTurn())
                async let report = load(world, path)
                try await eventually { try await world.waiting() > 0 }
                try await world.asSuperuser("update import_run set position = position + 1")
                try await turns.run(Catalog.EndImportTurn())
                do {
                    _ = try await report
                    Issue.record("not refused")
                } catch Failure.conflict(let code, _) {
                    #expect(code == .importRunning)
                }
            }
            for table in ["work", "author", "subject", "import_run where position > 1"] {
                #expect(try await world.asSuperuser("select count(*) from \(table)") == [["0"]], "\(table)")
            }
            withExtendedLifetime(file) {}
        }
    }
}

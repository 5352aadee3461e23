import Postgres
import TestSupport
import Testing

@testable import Community

/// Nothing that names a thing of the catalogue is forgotten where that is merged or deleted by its source.
@Suite(.database) struct MergeTablesTests {
    /// What readers hang on works; steps of merges move it, and a source's deletion leaves such a work.
    private static let ofReaders: Set = [
        "board_moderator", "board_reader", "book_list_item", "bookmark", "checkout", "copy", "ebook", "follow", "loan",
        "message", "notebook", "photo", "post",
        "praise", "reading_group", "reveal", "review", "shelf_entry", "thread",
    ]

    /// Who adds a table that names works, editions or authors says here what becomes of its rows, and tests it with the others.
    @Test func `each table that names a work, an edition or an author is known to merges`() async throws {
        try await withWorld { world in
            func naming(_ table: String) async throws -> Set<String> {
                let rows = try await world.asSuperuser(
                    """
                    select distinct conrelid::regclass::text
                      from pg_constraint
                     where contype = 'f' and conparentid = 0 and confrelid = '\(table)'::regclass
                    """)
                return Set(rows.compactMap { $0.first ?? nil })
            }
            let catalogue: Set = [
                "work", "work_author", "work_series", "work_genre", "work_subject", "work_source", "edition",
                "imported_rating", "work_popularity",
            ]
            let counters: Set = ["activity", "work_rating", "work_shelf", "work_checkout", "board_scope", "own_words"]
            // Moved by a merge, and gone with a book that its source deletes.
            let moved: Set = ["ranking_hold", "rating_hold", "dismissed_book"]
            let (ofWork, ofEdition) = (try await naming("work"), try await naming("edition"))
            #expect(ofWork == Self.ofReaders.union(catalogue).union(counters).union(moved))
            let ofEditions: Set = [
                "edition", "edition_isbn", "edition_source", "edition_cover", "edition_chapter", "edition_contributor",
                "shelf_entry", "copy",
                "source_record", "photo", "ebook",
            ]
            #expect(ofEdition == ofEditions)
            #expect(
                try await naming("author") == [
                    "author", "author_source", "edition_contributor", "follow", "work_author",
                ])
            for table in Self.ofReaders {
                #expect((Catalog.hasReaders("1") as Fragment).text.contains("from \(table) where"), "\(table)")
            }
        }
    }

    @Test(arguments: Said.allCases)
    func `a book of which a reader says anything stays when its source deletes it`(said: Said) async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let reader = try await world.given.account()
            world.clock.advance(by: .seconds(100 * 3600))
            func load(_ line: String) async throws -> Catalog.Importer.Report {
                let file = try world.given.file("dump.txt", line)
                let report = try await Catalog.Importer(world.services).run(
                    file.path, format: .openLibrary, rejectsPath: file.path + ".rejects.tsv")
                return withExtendedLifetime(file) { report }
            }
            _ = try await load(#"{"type":{"key":"/type/work"},"key":"/works/OL1W","title":"Loved","revision":1}"#)
            let work = try #require(try await world.found("loved").first?.id)
            try await said.say(of: work, by: reader, in: world)
            let report = try await load(#"{"type":{"key":"/type/delete"},"key":"/works/OL1W","revision":9}"#)
            #expect(report.outcome == Catalog.IntakeOutcome(changed: 1, kept: 1))
            #expect(try await world.community.catalog.book(work).id == work)
            #expect(try await world.found("loved").map(\.id) == [work])
        }
    }
}

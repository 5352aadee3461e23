import Foundation
import Postgres
import TestSupport
import Testing

@testable import Community

/// Books of a file that another source has already: one book, whichever came first.
@Suite(.database) struct ImportJoiningTests {
    private func goodbooks(_ rows: [String]) -> String {
        let header =
            "work_id,goodreads_book_id,book_id,title,authors,isbn,isbn13,original_publication_year,language_code,ratings_1,ratings_2,ratings_3,ratings_4,ratings_5"
        return ([header] + rows).joined(separator: "\n")
    }

    private var rows: [String] {
        [
            #"1,10,1,"The Hunger Games (The Hunger Games, #1)",Suzanne Collins,439023483,,2008.0,eng,1,2,3,4,5"#,
            #"2,11,2,"Catching Fire (The Hunger Games, #2)",Suzanne Collins,439023491,,2009.0,eng,1,1,1,1,1"#,
            #"3,12,3,Emma,Jane Austen,,,1815.0,eng,1,1,1,1,1"#,
            // Another book under a number that is not its own.
            #"4,13,4,Baking,Bea Baker,141439580,,1990.0,eng,1,1,1,1,1"#,
        ]
    }

    private func demonstration() throws -> [Catalog.NewBook] {
        var hunger = Catalog.NewBook(
            key: "9780439023481", title: "The Hunger Games", authors: ["Suzanne Collins"], year: 2008)
        hunger.isbns = [try ISBN("9780439023481")]
        hunger.genres = ["young adult"]
        hunger.pages = 374
        hunger.description = "A girl takes her sister's place."
        var emma = Catalog.NewBook(key: "9780141439587", title: "Emma", authors: ["Jane Austen"], year: 1815)
        emma.isbns = [try ISBN("9780141439587")]
        emma.genres = ["classics"]
        return [hunger, emma]
    }

    private func load(_ world: World) async throws -> Catalog.Importer.Report {
        let file = try world.given.file("books.csv", goodbooks(rows))
        let report = try await Catalog.Importer(world.services, joining: "demo").run(
            file.path, format: .csv(.goodbooks, genres: [:]), rejectsPath: file.path + ".rejects.tsv")
        // As the command does it: titles are compared as the search knows them.
        _ = try await world.community.search.refresh()
        return withExtendedLifetime(file) { report }
    }

    /// Listed titles, with authors, genres, series and the numbers of editions and imported ratings.
    private func facts(_ world: World) async throws -> [[String?]] {
        try await world.asSuperuser(
            """
            select w.title, w.year::text, w.description, p.imported::text,
                   (select string_agg(a.name, ',' order by wa.position)
                      from work_author wa join author a on a.id = wa.author_id where wa.work_id = w.id),
                   (select string_agg(g.slug, ',' order by g.slug)
                      from work_genre wg join genre g on g.id = wg.genre_id where wg.work_id = w.id),
                   (select string_agg(s.name, ',' order by s.name)
                      from work_series ws join series s on s.id = ws.series_id where ws.work_id = w.id)
              from work w
              join work_popularity p on p.work_id = w.id and p.listed
             order by w.title
            """)
    }

    private let expected: [[String?]] = [
        ["Baking", "1990", nil, "5", "Bea Baker", nil, nil],
        ["Catching Fire", "2009", nil, "5", "Suzanne Collins", nil, "The Hunger Games"],
        ["Emma", "1815", nil, "5", "Jane Austen", "classics", nil],
        [
            "The Hunger Games", "2008", "A girl takes her sister's place.", "15", "Suzanne Collins", "young-adult",
            "The Hunger Games",
        ],
    ]

    private func expectOneOfEach(_ world: World) async throws {
        #expect(try await facts(world) == expected)
        let names = try await world.asSuperuser("select name from author where merged_into is null order by name")
        #expect(names == [["Bea Baker"], ["Jane Austen"], ["Suzanne Collins"]], "an author stands twice")
        #expect(try await world.database.differences(of: Catalog.self).isEmpty)
    }

    @Test func `an imported file joins books that another source brought first, again without a change`() async throws {
        try await withWorld { world in
            let works = try await world.community.catalog.add(try demonstration(), from: "demo")
            let report = try await load(world)
            #expect(report.joined == 2 && report.accepted == 4 && report.rejected == 0)
            try await expectOneOfEach(world)
            let found = try await world.community.catalog.works(of: try ISBN("0439023483"), limit: 5)
            #expect(found == [works[0]])

            let again = try await load(world)
            #expect(again.joined == 0 && again.outcome.added == 0 && again.outcome.changed == 0)
            try await expectOneOfEach(world)
        }
    }

    @Test func `a source that comes after an import joins its books, and leaves them when it goes`() async throws {
        try await withWorld { world in
            _ = try await load(world)
            let finds = try demonstration().compactMap { Catalog.Find($0, from: "demo") }
            let adopted = try await world.community.catalog.adopt(finds, areTrusted: true)
            #expect(adopted.count == 2)
            try await expectOneOfEach(world)
            _ = try await world.community.catalog.adopt(finds, areTrusted: true)
            _ = try await load(world)
            try await expectOneOfEach(world)

            let gone = try await world.community.catalog.remove(from: "demo")
            #expect(gone.removed == 0 && gone.kept == 0)
            try await expectOneOfEach(world)
        }
    }
}

import Foundation
import TestSupport
import Testing

@testable import Community

/// On data that lies beside the project; skipped where it is absent.
@Suite(.database(.fresh)) struct CatalogRealDataTests {
    private func load(_ world: World, _ path: String, _ format: ImportFormat) async throws -> (
        Catalog.Importer.Report, rejects: String
    ) {
        let folder = try TemporaryFile("rejects", [])
        let rejects = folder.folder + "/lines.tsv"
        let report = try await Catalog.Importer(world.services).run(path, format: format, rejectsPath: rejects)
        return (report, (try? String(contentsOfFile: rejects, encoding: .utf8)) ?? "")
    }

    @Test(.sharedData("openlibrary")) func `all of the Open Library samples are taken in`() async throws {
        let folder = SharedData.path("openlibrary")
        try await withWorld { world in
            let samples = try FileManager.default.contentsOfDirectory(atPath: folder + "/dump-samples").sorted()
            let paths = [folder + "/dev_db_as_dump.txt"] + samples.map { folder + "/dump-samples/" + $0 }
            var lines: Int64 = 0
            for path in paths {
                let (report, rejects) = try await load(world, path, .openLibrary)
                #expect(report.rejected == 0, "\(path): \(rejects)")
                lines += report.accepted
            }
            #expect(lines == 5370)
            #expect(
                try await world.asSuperuser(
                    "select count(*) > 1000, count(*) filter (where listed) > 1000 from work_popularity") == [
                        ["t", "t"]
                    ])
            // Once more: nothing changes.
            for path in paths {
                let (report, _) = try await load(world, path, .openLibrary)
                #expect(report.outcome.added == 0 && report.outcome.changed == 0, "\(path)")
            }
        }
    }

    @Test(.sharedData("goodbooks/books.csv"))
    func `all ten thousand books of goodbooks are taken in, their series split off`() async throws {
        let path = SharedData.path("goodbooks/books.csv")
        try await withWorld { world in
            let (report, rejects) = try await load(world, path, .csv(.goodbooks, genres: [:]))
            #expect(report.accepted == 10_000 && report.rejected == 0, "\(rejects)")
            #expect(try await world.asSuperuser("select count(distinct work_id) from work_series") == [["4439"]])
            #expect(try await world.asSuperuser("select count(*) from imported_rating") == [["10000"]])
            #expect(try await world.community.catalog.books(PageRequest()).items.first?.title == "The Hunger Games")
            for query in ["0439023483", "978-0-439-02348-1", "hunger games collins", "the hunger gam"] {
                let titles = try await world.found(query).map(\.title)
                #expect(titles.first == "The Hunger Games", "\(query): \(titles)")
            }
            for query in ["It", "1984", "Les Misérables", "les miserables hugo"] {
                #expect(try await world.found(query).isEmpty == false, "\(query)")
            }
            let (again, _) = try await load(world, path, .csv(.goodbooks, genres: [:]))
            #expect(again.outcome.added == 0 && again.outcome.changed == 0)
        }
    }
}

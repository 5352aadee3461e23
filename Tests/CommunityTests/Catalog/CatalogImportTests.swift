import Foundation
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database) struct CatalogImportTests {
    /// Every row of the catalogue, hashed.
    func checksum(_ world: World) async throws -> [String] {
        var sums: [String] = []
        for table in [
            "author", "work", "work_author", "series", "work_series", "genre", "work_genre", "subject", "work_subject",
            "edition",
            "edition_isbn", "author_source", "work_source", "edition_source", "imported_rating", "work_popularity",
            "work_search", "absent_record",
        ] {
            let rows = try await world.asSuperuser(
                "select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from \(table) t")
            sums.append(table + " " + ((rows.first?.first ?? nil) ?? "none"))
        }
        return sums
    }

    /// What readers would see: titles with authors, editions and ISBNs, without identifiers.
    private func facts(_ world: World) async throws -> [[String?]] {
        try await world.asSuperuser(
            """
            select w.title, w.subtitle, w.year::text, s.author, s.words::text, p.listed::text,
                   (select string_agg(a.name, ',' order by wa.position) from work_author wa join author a on a.id = wa.author_id
                     where wa.work_id = w.id),
                   (select string_agg(e.title || coalesce((select string_agg(i.isbn::text, '+' order by i.isbn) from edition_isbn i
                                                            where i.edition_id = e.id), ''), ',' order by e.title)
                      from edition e where e.work_id = w.id)
              from work w
              left join work_search s on s.work_id = w.id
              join work_popularity p on p.work_id = w.id
             where w.merged_into is null
             order by w.title, w.subtitle, s.author
            """)
    }

    @discardableResult
    func load(_ world: World, _ path: String, _ format: ImportFormat = .openLibrary) async throws
        -> Catalog.Importer.Report
    {
        try await Catalog.Importer(world.services).run(path, format: format, rejectsPath: path + ".rejects.tsv")
    }

    @discardableResult
    func load(_ world: World, text: String) async throws -> Catalog.Importer.Report {
        let file = try world.given.file("dump.txt", text)
        let report = try await load(world, file.path)
        return withExtendedLifetime(file) { report }
    }

    func author(_ number: Int, _ name: String, revision: Int = 1) -> String {
        "/type/author\t/authors/OL\(number)A\t\(revision)\t2020-01-01T00:00:00\t"
            + #"{"type":{"key":"/type/author"},"key":"/authors/OL\#(number)A","name":"\#(name)","revision":\#(revision)}"#
    }

    func work(_ number: Int, _ title: String, by authors: [Int], revision: Int = 1) -> String {
        let list = authors.map { #"{"author":{"key":"/authors/OL\#($0)A"}}"# }.joined(separator: ",")
        return "/type/work\t/works/OL\(number)W\t\(revision)\t2020-01-01T00:00:00\t"
            + #"{"type":{"key":"/type/work"},"key":"/works/OL\#(number)W","title":"\#(title)","authors":[\#(list)],"revision":\#(revision)}"#
    }

    func edition(_ number: Int, _ title: String, of work: Int?, isbn: String = "", revision: Int = 1) -> String {
        let works = work.map { #""works":[{"key":"/works/OL\#($0)W"}],"# } ?? ""
        return "/type/edition\t/books/OL\(number)M\t\(revision)\t2020-01-01T00:00:00\t"
            + #"{"type":{"key":"/type/edition"},"key":"/books/OL\#(number)M","title":"\#(title)",\#(works)"isbn_10":["\#(isbn)"],"revision":\#(revision)}"#
    }

    func redirect(_ from: String, to: String, revision: Int = 9) -> String {
        "/type/redirect\t\(from)\t\(revision)\t2020\t"
            + #"{"type":{"key":"/type/redirect"},"key":"\#(from)","location":"\#(to)","revision":\#(revision)}"#
    }

    func deletion(_ key: String, revision: Int = 9) -> String {
        "/type/delete\t\(key)\t\(revision)\t2020\t"
            + #"{"type":{"key":"/type/delete"},"key":"\#(key)","revision":\#(revision)}"#
    }

    private var library: [String] {
        var lines: [String] = []
        for number in 1...40 {
            lines.append(author(number, "Author \(number)"))
            lines.append(work(number, "Title \(number)", by: [number, number % 7 + 1]))
            lines.append(edition(number, "Edition \(number)", of: number, isbn: "0439023483"))
            lines.append(edition(100 + number, "Lone \(number)", of: nil))
        }
        return lines
    }

    @Test func `a dump can be read again and nothing changes`() async throws {
        try await withWorld { world in
            let file = try world.given.file("dump.txt", library.joined(separator: "\n"))
            let first = try await load(world, file.path)
            #expect(first.lines == 160 && first.accepted == 160 && first.rejected == 0 && first.outcome.added == 160)
            let before = try await checksum(world)
            let second = try await load(world, file.path)
            #expect(second.outcome == Catalog.IntakeOutcome(unchanged: 160))
            #expect(try await checksum(world) == before)
            #expect(!FileManager.default.fileExists(atPath: file.path + ".rejects.tsv"))
        }
    }

    @Test(.database(.fresh), arguments: [1, 2, 3])
    func `the order of lines and files does not matter`(round: Int) async throws {
        let random = TestRandom(for: "order \(round)")
        let straight = try await withWorld { world in
            let file = try world.given.file("dump.txt", library.joined(separator: "\n"))
            try await load(world, file.path)
            return try await facts(world)
        }
        try await withWorld { world in
            try await world.asSuperuser("truncate author, series, genre, subject, import_run, work cascade")
            let keys = library.map { _ in random.bytes(4).map(String.init).joined(separator: ".") }
            let shuffled = zip(keys, library).sorted { $0.0 < $1.0 }.map(\.1)
            for part in [shuffled.prefix(50), shuffled.dropFirst(50).prefix(50), shuffled.dropFirst(100)] {
                let file = try world.given.file("part.txt", part.joined(separator: "\n"))
                try await load(world, file.path)
            }
            #expect(try await facts(world) == straight)
        }
    }

    @Test func `an older revision never replaces a newer one`() async throws {
        try await withWorld { world in
            try await load(world, text: work(1, "New", by: [], revision: 5))
            try await load(world, text: work(1, "Old", by: [], revision: 4))
            #expect(try await world.found("new").count == 1)
            try await load(world, text: work(1, "Newest", by: [], revision: 6))
            #expect(try await world.found("newest").count == 1)
            #expect(try await world.found("new").count == 1)
        }
    }

    @Test func `an author's late name reaches pages that were built before`() async throws {
        try await withWorld { world in
            try await load(world, text: work(1, "Orphan", by: [1]))
            let id = try #require(try await world.found("orphan").first?.id)
            let before = try await world.community.catalog.book(id)
            try await load(world, text: author(1, "Late Name"))
            let after = try await world.community.catalog.book(id)
            #expect(after.version > before.version)
            #expect(String(decoding: after.document, as: UTF8.self).contains("Late Name"))
            #expect(try await world.found("late orphan").map(\.id) == [id])
        }
    }

    @Test func `a new edition reaches a page that was built before`() async throws {
        try await withWorld { world in
            try await load(world, text: work(1, "Grows", by: []))
            let id = try #require(try await world.found("grows").first?.id)
            let before = try await world.community.catalog.book(id)
            try await load(world, text: edition(1, "A second printing", of: 1))
            let after = try await world.community.catalog.book(id)
            #expect(after.version > before.version)
            #expect(String(decoding: after.document, as: UTF8.self).contains("A second printing"))
        }
    }

    @Test func `bad lines are reported with number and reason and never stop the rest`() async throws {
        try await withWorld { world in
            let lines = [
                work(1, "One", by: []), "garbage", work(2, "Tw\\u0000o", by: []), "", work(3, "Thr\\ud800ee", by: []),
                "/type/work\t/works/OL4W\t1\tx\t{", work(5, "Five", by: []), "/type/page\t/about\t1\tx\t{}",
            ]
            let file = try world.given.file("dump.txt", lines.joined(separator: "\n"))
            let report = try await load(world, file.path)
            #expect(report.lines == 8 && report.accepted == 2 && report.rejected == 4 && report.foreign == 2)
            let rejects = try String(contentsOfFile: file.path + ".rejects.tsv", encoding: .utf8)
            let told = rejects.split(separator: "\n").map { $0.split(separator: "\t").prefix(2).joined(separator: " ") }
            #expect(told == ["2 columns", "3 nul", "5 lone_surrogate", "6 bad_json"])
            try await load(world, file.path)
            #expect(try String(contentsOfFile: file.path + ".rejects.tsv", encoding: .utf8) == rejects)
        }
    }

    @Test func `an interrupted import goes on behind its last batch`() async throws {
        try await withWorld { world in
            var lines = (1...12_000).map { work($0, "Work \($0)", by: [$0 % 50 + 1]) }
            lines[10] = "bad early"
            lines[11_000] = "bad late"
            let file = try world.given.file("dump.txt", lines.joined(separator: "\n"))
            let rejects = file.path + ".rejects.tsv"
            let importing = Task {
                try await Catalog.Importer(world.services).run(file.path, format: .openLibrary, rejectsPath: rejects) {
                    progress in
                    if progress.lines >= 5000 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            await #expect(throws: (any Error).self) { try await importing.value }
            // As after a crash between the writing of the file and the commit.
            let handle = try #require(FileHandle(forWritingAtPath: rejects))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("11001\tcolumns\tnot committed\n".utf8))
            try handle.close()

            let report = try await load(world, file.path)
            #expect(report.resumedAfter == 5000)
            #expect(report.lines == 12_000 && report.accepted == 11_998 && report.rejected == 2)
            let told = try String(contentsOfFile: rejects, encoding: .utf8).split(separator: "\n").map {
                $0.split(separator: "\t")[0]
            }
            #expect(told == ["11", "11001"])
            #expect(try await world.asSuperuser("select count(*) from work") == [["11998"]])
        }
    }

    @Test func `a compressed file of several members is read as one, and resumed inside`() async throws {
        try await withWorld { world in
            let one = try world.given.file(
                "one", (1...4000).map { work($0, "Work \($0)", by: []) }.joined(separator: "\n") + "\n")
            let two = try world.given.file(
                "two", (4001...9000).map { work($0, "Work \($0)", by: []) }.joined(separator: "\n"))
            let script =
                "gzip -c '\(one.path)' > '\(one.folder)/all.gz' && gzip -c '\(two.path)' >> '\(one.folder)/all.gz'"
            let process = try Process.run(URL(filePath: "/bin/sh"), arguments: ["-c", script])
            process.waitUntilExit()
            let path = one.folder + "/all.gz"
            let importing = Task {
                try await Catalog.Importer(world.services).run(
                    path, format: .openLibrary, rejectsPath: path + ".rejects.tsv"
                ) { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            _ = try? await importing.value
            let report = try await load(world, path)
            #expect(report.resumedAfter == 5000 && report.lines == 9000 && report.accepted == 9000)
            #expect(try await world.asSuperuser("select count(*) from work") == [["9000"]])

            let damaged = try TemporaryFile("cut.gz", Array(try Data(contentsOf: URL(filePath: path)).dropLast(100)))
            await #expect(throws: Catalog.Reject.self) { try await load(world, damaged.path) }
        }
    }

    @Test func `redirects lead to the other record and everything moves with them`() async throws {
        try await withWorld { world in
            let first = [
                author(1, "Wrong"), author(2, "Right"), work(1, "Double", by: [1]), work(2, "Real", by: [2]),
                edition(1, "Printing", of: 1),
                edition(2, "Same", of: 2, isbn: "0439023483"), edition(3, "Again", of: 2, isbn: "080442957X"),
            ]
            try await load(world, text: first.joined(separator: "\n"))
            let double = try #require(try await world.found("double").first?.id)
            let second = [
                redirect("/works/OL1W", to: "/works/OL2W"), redirect("/authors/OL2A", to: "/authors/OL1A"),
                redirect("/books/OL3M", to: "/books/OL2M"), redirect("/works/OL7W", to: "/works/OL8W"),
            ]
            let file = try world.given.file("b", second.joined(separator: "\n"))
            try await load(world, file.path)

            #expect(try await world.found("double").isEmpty)
            let page = try await world.community.catalog.book(double)
            let text = String(decoding: page.document, as: UTF8.self)
            #expect(page.id != double && text.contains("Real") && text.contains("Printing"))
            #expect(text.contains("\"Wrong\"") && !text.contains("\"Right\""))
            #expect(text.contains("9780804429573") && !text.contains("Again"))
            let before = try await checksum(world)
            try await load(world, file.path)
            // What was redirected stays so, even when an old dump is read again.
            try await load(world, text: first.joined(separator: "\n") + "\n")
            #expect(try await checksum(world) == before)
        }
    }

    @Test func `deletions take things out of lists, but nothing that our readers hang on`() async throws {
        try await withWorld { world in
            let lines = [
                work(1, "Gone", by: [1]), work(2, "Loved", by: [1]), author(1, "Nobody"),
                edition(1, "Bad", of: 2, isbn: "0439023483"),
            ]
            try await load(world, text: lines.joined(separator: "\n"))
            let gone = try #require(try await world.found("gone").first?.id)
            let loved = try #require(try await world.found("loved").first?.id)
            try await world.database.run(Catalog.BumpReaders(work: loved, by: 1))
            let deletions = ["/works/OL1W", "/works/OL2W", "/authors/OL1A", "/books/OL1M", "/works/OL99W"].map {
                deletion($0)
            }
            try await load(world, text: deletions.joined(separator: "\n"))

            await #expect(throws: Failure.notFound("book \(gone)")) { try await world.community.catalog.book(gone) }
            #expect(try await world.community.catalog.books(PageRequest()).items.map(\.id) == [loved])
            let text = String(decoding: try await world.community.catalog.book(loved).document, as: UTF8.self)
            #expect(text.contains("Loved") && !text.contains("Nobody") && !text.contains("Bad"))
            #expect(try await world.found("0439023483").isEmpty)
            #expect(try await world.found("nobody").isEmpty)
        }
    }

    @Test func `an edition that finds its work leaves no shadow behind`() async throws {
        try await withWorld { world in
            try await load(world, text: edition(1, "Shadow", of: nil))
            let shadow = try #require(try await world.found("shadow").first?.id)
            let lines = [work(1, "Real", by: []), edition(1, "Shadow", of: 1, revision: 2)]
            try await load(world, text: lines.joined(separator: "\n"))
            // By its edition's title.
            #expect(try await world.found("shadow").map(\.title) == ["Real"])
            let page = try await world.community.catalog.book(shadow)
            #expect(String(decoding: page.document, as: UTF8.self).contains("Real"))
        }
    }

    @Test func `a CSV file is imported by its mapping, again without a change`() async throws {
        try await withWorld { world in
            let text = """
                work_id,goodreads_book_id,book_id,title,authors,isbn,isbn13,original_publication_year,language_code,ratings_1,ratings_2,ratings_3,ratings_4,ratings_5
                1,10,1,"The Hunger Games (The Hunger Games, #1)",Suzanne Collins,439023483,9.78043902348e+12,2008.0,eng,1,2,3,4,5
                2,11,2,"Broken "record",X,,,,,,,,,
                3,12,3,Short,row
                4,13,4,Catching Fire,"Suzanne Collins, Someone Else",123,,2009.0,mul,,,,,
                """
            let file = try world.given.file("books.csv", text)
            let format = ImportFormat.csv(.goodbooks, genres: ["1": ["ya", "to-read"]])
            let report = try await load(world, file.path, format)
            #expect(report.accepted == 2 && report.rejected == 2 && report.notes == ["bad_isbn": 1])
            let rejects = try String(contentsOfFile: file.path + ".rejects.tsv", encoding: .utf8)
            #expect(
                rejects.split(separator: "\n").map { $0.split(separator: "\t").prefix(2).joined(separator: " ") } == [
                    "3 csv", "4 columns",
                ])
            let id = try #require(try await world.found("0439023483").first?.id)
            let page = try await world.community.catalog.book(id)
            let json = String(decoding: page.document, as: UTF8.self)
            #expect(json.contains("\"title\":\"The Hunger Games\"") && json.contains("young-adult"))
            // The source's ratings are kept, apart from our readers'.
            #expect(page.rating.count == 0 && page.readers == 0)
            #expect(try await world.asSuperuser("select source, count from imported_rating") == [["goodreads", "15"]])
            let before = try await checksum(world)
            try await load(world, file.path, format)
            #expect(try await checksum(world) == before)
        }
    }

    @Test func `lines beyond the limit are passed over in constant memory`() throws {
        let text = "short\n" + String(repeating: "x", count: 50_000) + "\nnext\n" + String(repeating: "y", count: 3000)
        let file = try TemporaryFile("long", Array(text.utf8))
        var reader = try LineReader(file.path, limit: 1000)
        var seen: [String] = []
        var last: Int64 = 0
        while let line = try reader.next() {
            seen.append(line.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "too long \(line.number)")
            last = line.end
        }
        #expect(seen == ["short", "too long 2", "next", "too long 4"])
        #expect(last == Int64(text.utf8.count))
    }
}

import ArgumentParser
import Community
import FoundationEssentials
import Glibc
import PlainText
import Postgres

/// `commonplace bench catalogue-fill N`: beside the books that are there, N works whose titles, authors and publishers
/// are recombined from theirs, each with an edition and nobody who has read it; then the search index of all of them,
/// and their keys in every order.
struct BenchCatalogueFill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue-fill", abstract: "Add N works recombined from those that are there, and index all.",
        shouldDisplay: false)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "Works: 1,000 to 10 million.")
    var count: Int

    @Option(help: "The same seed makes the same works.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (1_000...10_000_000).contains(count) else { throw ValidationError("1,000 to 10,000,000 works.") }
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace-bench", statementTimeout: .seconds(600)) { runtime in
            let start = ContinuousClock.now
            let words = try await Words(runtime.database)
            let authors = try await addAuthors(count / 8, words, runtime)
            var made = 0
            while made < count {
                try await addWorks(made..<min(made + 20_000, count), words, authors, runtime)
                made += 20_000
            }
            try await addShortTitles(runtime)
            let filled = ContinuousClock.now
            print("filled \(count) works in \(text(filled - start)) s")
            try await runtime.community.search.rebuild { done in
                if done % 100_000 < 2_000 { StandardError.write("\(done) works indexed\n") }
            }
            let seconds = (ContinuousClock.now - filled) / .seconds(1)
            print("indexed_per_second \(Int(Double(count) / seconds))")
            let indexed = ContinuousClock.now
            _ = try await runtime.community.catalog.markAllForBrowse()
            try await runtime.community.catalog.refreshBrowse()
            print("keyed_per_second \(Int(Double(count) / ((ContinuousClock.now - indexed) / .seconds(1))))")
        }
    }

    private func text(_ duration: Duration) -> String { String(format: "%.0f", duration / .seconds(1)) }

    // MARK: Rows

    /// Titles that searches elsewhere lose to stop words and short words.
    static let shortTitles = ["It", "We", "There There", "1984"]

    /// The one of them that goodbooks-10k, which ends in 2017, does not have.
    static let thereThere = Catalog.NewBook(key: "there-there", title: "There There", authors: ["Tommy Orange"])

    /// Books called by the short titles, by nobody whom anybody reads, and the one that is meant where the real books
    /// lack it.
    private func addShortTitles(_ runtime: Runtime) async throws {
        let decoys = Self.shortTitles.map { Catalog.NewBook(key: $0, title: $0, authors: ["Nobody Known"]) }
        _ = try await runtime.community.catalog.add(decoys + [Self.thereThere], from: "bench")
    }

    private func addAuthors(_ count: Int, _ words: Words, _ runtime: Runtime) async throws -> [ID<Catalog.Author>] {
        let ids = try (0..<count).map { _ in try runtime.community.services.ids.make(Catalog.Author.self) }
        var random = SplitMix(state: seed ^ 0xA0)
        let authors = ids.map { ($0, words.name(&random)) }
        try await runtime.database.transaction { transaction in
            try await transaction.copyIn(into: "author (id, name)", each: authors) { author, row in
                row.append(author.0)
                row.append(author.1)
            }
        }
        return ids
    }

    private func addWorks(
        _ range: Range<Int>, _ words: Words, _ authors: [ID<Catalog.Author>], _ runtime: Runtime
    ) async throws {
        var random = SplitMix(state: seed &+ UInt64(range.lowerBound) &* 0x9E37)
        let works = try range.map { number in
            Work(
                id: try runtime.community.services.ids.make(), edition: try runtime.community.services.ids.make(),
                title: words.title(&random),
                author: authors[Int(random.next() % UInt64(authors.count))], isbn: Self.isbn(number),
                publisher: words.publisher(&random), subject: words.subject(&random),
                year: Int16(1900 + random.next() % 124))
        }
        try await runtime.database.transaction { transaction in
            try await write(works, in: transaction)
            try await writeEditions(of: works, in: transaction)
        }
    }

    private func write(_ works: [Work], in transaction: Transaction) async throws {
        try await transaction.copyIn(into: "work (id, kind, title, year)", each: works) { work, row in
            row.append(work.id)
            row.append(work.isFilm ? "film" : "book")
            row.append(work.title)
            row.append(work.year)
        }
        try await transaction.copyIn(into: "work_popularity (work_id, listed)", each: works) { work, row in
            row.append(work.id)
            row.append(true)
        }
        try await transaction.copyIn(into: "work_author (work_id, position, author_id, role)", each: works) {
            work, row in
            row.append(work.id)
            row.append(Int16(1))
            row.append(work.author)
            row.append(work.isFilm ? "director" : String?.none)
        }
        let treating = works.compactMap { work in work.subject.map { (work.id, $0) } }
        try await transaction.copyIn(into: "work_subject (work_id, subject_id)", each: treating) { line, row in
            row.append(line.0)
            row.append(line.1)
        }
    }

    private func writeEditions(of works: [Work], in transaction: Transaction) async throws {
        try await transaction.copyIn(into: "edition (id, work_id, publisher, year)", each: works) { work, row in
            row.append(work.edition)
            row.append(work.id)
            row.append(work.publisher)
            row.append(work.year)
        }
        let narrated = works.filter { $0.year % 20 == 1 }
        try await transaction.copyIn(
            into: "edition_contributor (edition_id, position, author_id, role)", each: narrated
        ) { work, row in
            row.append(work.edition)
            row.append(Int16(1))
            row.append(work.author)
            row.append("narrator")
        }
        try await transaction.copyIn(into: "edition_isbn (isbn, edition_id)", each: works) { work, row in
            row.append(work.isbn)
            row.append(work.edition)
        }
    }

    private struct Work: Sendable {
        let id: ID<Catalog.Work>
        let edition: ID<Catalog.Edition>
        let title: String
        let author: ID<Catalog.Author>
        let isbn: ISBN
        let publisher: String
        let subject: ID<Catalog.Subject>?
        let year: Int16
        /// One of twenty.
        var isFilm: Bool { year % 20 == 0 }
    }

    /// From the 979-8 range, which the real books hardly have.
    private static func isbn(_ number: Int) -> ISBN {
        let twelve = "9798" + String(100_000_000 + number % 100_000_000).dropFirst()
        let sum = twelve.utf8.enumerated().reduce(0) { $0 + (Int($1.element) - 48) * ($1.offset % 2 == 0 ? 1 : 3) }
        return ISBN(value: (Int64(twelve) ?? 0) * 10 + Int64((10 - sum % 10) % 10))
    }
}

extension Transaction {
    /// Loads one row for each element.
    fileprivate func copyIn<Element: Sendable>(
        into target: String, each elements: [Element], _ bind: (Element, inout Parameters) -> Void
    ) async throws {
        try await copyIn(into: target) { writer in
            for element in elements { try await writer.row { bind(element, &$0) } }
        }
    }
}

/// Words of the books that are there, as often as they have them.
private struct Words: Sendable {
    let titles: [[Substring]]
    let names: [[Substring]]
    let publishers: [String]
    let subjects: [ID<Catalog.Subject>]

    init(_ database: Database) async throws {
        let rows = try await database.all(Bench.Titles())
        titles = rows.map { $0.split(separator: " ") }.filter { !$0.isEmpty }
        names = try await database.all(Bench.Names()).map { $0.split(separator: " ") }.filter { $0.count > 1 }
        publishers = [
            "Harbour", "Lantern", "Northgate", "Orchard", "Quill", "Riverside", "Summit", "Tern", "Vellum", "Wren",
        ]
        subjects = try await database.all(Bench.SubjectIDs())
        guard !titles.isEmpty, !names.isEmpty else {
            throw CommandError(.failure, "there are no books to recombine; import some first")
        }
    }

    /// The beginning of one real title and words of others: one to seven words.
    func title(_ random: inout SplitMix) -> String {
        let first = element(of: titles, &random)
        let kept = 1 + Int(random.next() % UInt64(max(1, first.count - 1)))
        var words = Array(first.prefix(min(kept, 4)))
        for _ in 0...Int(random.next() % 3) {
            let other = element(of: titles, &random)
            words.append(other[Int(random.next() % UInt64(other.count))])
        }
        return words.joined(separator: " ")
    }

    func name(_ random: inout SplitMix) -> String {
        let first = element(of: names, &random)[0]
        let last = element(of: names, &random)
        return "\(first) \(last[last.count - 1])"
    }

    func publisher(_ random: inout SplitMix) -> String {
        element(of: publishers, &random) + " " + ["Press", "Books", "Services"][Int(random.next() % 3)]
    }

    func subject(_ random: inout SplitMix) -> ID<Catalog.Subject>? {
        subjects.isEmpty || random.next() % 2 == 0 ? nil : element(of: subjects, &random)
    }

    private func element<Element>(of list: [Element], _ random: inout SplitMix) -> Element {
        list[Int(random.next() % UInt64(list.count))]
    }
}

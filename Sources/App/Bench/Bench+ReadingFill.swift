import Community
import EPUB
import FoundationEssentials
import Postgres

/// Fills a database with made-up e-books: one of each book, of which the first is the longest and has the board that is
/// talked on; a quarter each is its reader's own, lent, everybody's and members'.
struct BenchReadingFill: Sendable {
    let ebooks: Int
    /// Of the longest.
    let words: Int
    /// On its board.
    let posts: Int

    /// The book of the longest.
    static let discussed = ID<Catalog.Work>(rawValue: 1)

    /// As many books as e-books, and a board.
    private var boards: BenchDiscussionFill { BenchDiscussionFill(posts: posts + ebooks * 100, onOne: posts) }
    /// So many turn pages.
    private static let turning = 101..<301

    /// Runs on an empty database. `longest`: where the longest e-book is written.
    func run(on runtime: Runtime, longest path: String) async throws {
        let (database, owner) = (runtime.database, runtime.ownerConninfo)
        try await boards.run(on: database, owner: owner)
        try Self.longest(words: words).write(to: path)
        let longest = try await give(path, runtime.community.ebooks)
        try await database.run(Bench.InsertEbooks(count: ebooks, longest: longest.id))
        try await database.run(Bench.InsertEbookChapters(count: ebooks))
        try await database.run(Bench.InsertEbookLoans(readers: boards.readers, count: ebooks))
        try await Bench.BareTables.during(["ebook_page", "ebook_words"], owner: owner) {
            // Two at once, as many as there are processors on a small machine.
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await database.run(
                        Bench.InsertEbookPages(count: ebooks, longest: longest.id, pages: longest.pages))
                }
                group.addTask {
                    try await database.run(
                        Bench.InsertEbookWords(count: ebooks, longest: longest.id, pages: longest.pages))
                }
                try await group.waitForAll()
            }
        }
    }

    /// Has the file read, and gives it to everybody.
    private func give(_ path: String, _ store: Ebooks.Store) async throws -> Ebooks.Ebook {
        let prepared = try await store.prepare(fileAt: path)
        let new = Ebooks.NewEbook(rights: .publicDomain, audience: .everybody)
        return try await store.give(new, prepared, at: ID(rawValue: Self.discussed.rawValue)).ebook.ebook
    }

    /// Chapters of 200 paragraphs, each of five passages that come again and again.
    private static func longest(words: Int) -> EPUB.Draft {
        let passages = BenchNotebookTexts().passages.texts
        var (chapters, written, next): ([EPUB.Draft.Chapter], Int, Int) = ([], 0, 0)
        while written < words {
            var paragraphs: [String] = []
            while paragraphs.count < 200, written < words {
                let said = (next..<next + 5).map { passages[$0 * 7919 % passages.count] }.joined(separator: " ")
                written += said.split(separator: " ").count
                next += 5
                paragraphs.append(said)
            }
            chapters.append(EPUB.Draft.Chapter("Chapter \(chapters.count + 1)", paragraphs))
        }
        return EPUB.Draft(
            title: "The Longest", creator: "Nobody", identifier: "urn:commonplace:longest", chapters: chapters)
    }

    // MARK: Who reads what

    /// One of those that everybody reads, beside the longest.
    func open(_ number: Int) -> ID<Ebooks.Ebook> { ID(rawValue: Int64(number * 7919 % (ebooks / 4 - 1) * 4 + 5)) }

    func own(_ number: Int) -> (ebook: ID<Ebooks.Ebook>, reader: ID<Accounts.Account>) {
        let reader = Int64(number * 7919 % (ebooks / 4) * 4 + 3)
        return (ID(rawValue: reader), ID(rawValue: reader))
    }

    /// As `Bench.InsertEbookLoans` lends them.
    func lent(_ number: Int) -> (ebook: ID<Ebooks.Ebook>, reader: ID<Accounts.Account>) {
        let reader = number * 7919 % boards.readers + 1
        return (ID(rawValue: Int64((reader % (ebooks / 4) + 1) * 4)), ID(rawValue: Int64(reader)))
    }

    /// Writes `readers` (tokens), `page` (the address of a page in the middle of the longest) and `pages` (addresses of
    /// pages that everybody reads, half of them of the longest).
    func prepare(in folder: String, longest: Ebooks.Ebook, _ runtime: Runtime) async throws {
        let load = BenchLoad(folder: folder)
        let tokens = try await load.signIn(Array(Self.turning), runtime)
        try load.write(Self.turning.compactMap { tokens[$0]?.text }.joined(separator: "\n"), "readers")
        func address(_ ebook: ID<Ebooks.Ebook>, _ page: Int) -> String { "/api/v1/ebooks/\(ebook)/pages/\(page)?v=1" }
        try load.write(address(longest.id, longest.pages / 2), "page")
        let pages = (0..<1_000).flatMap { number in
            [address(longest.id, number * 7919 % longest.pages + 1), address(open(number), number % 250 + 1)]
        }
        try load.write(pages.joined(separator: "\n"), "pages")
    }
}

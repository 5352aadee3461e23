import FoundationEssentials
import Postgres

/// Fills a database with made-up notebooks: notes in themes and folders, what they say, the words that they are found
/// by, and all counters.
struct BenchNotebookFill: Sendable {
    /// Of all readers but the first two, 50 each.
    let notes: Int

    /// Reader 1 has 5,000 notes about book 1, in 300 folders up to eight deep, and 100 themes. Reader 2 has 20,000 about
    /// books 1 to 5. Each of the others has ten about each of five books.
    var readers: Int { notes / 50 }
    var works: Int { min(readers, 100_000) }

    static let firstWriter = 101
    /// So many write over HTTP, and the next as many by `pgbench`.
    static let writers = 32
    /// What they write about.
    var noted: Int { works }

    private static let tables = [
        "notebook", "note", "note_item", "note_theme", "note_folder", "theme", "own_words",
    ]

    /// Runs on an empty database. `owner` owns its tables.
    func run(on database: Database, owner: String) async throws {
        try await Bench.BareTables.during(Self.tables, owner: owner) {
            try await database.run(Bench.InsertReaders(count: readers))
            try await database.run(Bench.InsertWorks(count: works))
            let texts = BenchNotebookTexts()
            for from in stride(from: 1, to: Bench.NotePart.parts, by: 5) {
                try await fill(part(from, from + 4), texts, database)
            }
            // Two at once, as many as there are processors on a small machine.
            let all = part(1, Bench.NotePart.parts)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await database.run(Bench.InsertNoteThemes(part: all))
                    try await database.run(Bench.InsertThemes(readers: readers, works: works))
                }
                group.addTask {
                    try await database.run(Bench.InsertNoteFolders(readers: readers, works: works))
                    try await database.run(Bench.InsertNotebooks())
                }
                try await group.waitForAll()
            }
        }
    }

    private func part(_ from: Int, _ to: Int) -> Bench.NotePart {
        Bench.NotePart(from: from, to: to, readers: readers, works: works)
    }

    /// The notes of a part, and what they say.
    private func fill(_ part: Bench.NotePart, _ texts: BenchNotebookTexts, _ database: Database) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await database.run(
                    Bench.InsertNotes(part: part, titles: texts.titles.texts, texts: texts.passages.texts))
                try await database.run(Bench.InsertNoteItems(part: part, texts: texts.passages.texts))
            }
            group.addTask {
                try await database.run(
                    Bench.InsertNoteWords(part: part, titles: texts.titles.words, words: texts.passages.words))
            }
            try await group.waitForAll()
        }
    }
}

import Community
import Postgres

// What is no printed book. It comes from the demonstration's source, so that it goes with the rest. A librarian corrects what a
// source cannot say.
extension DemoLoader {
    /// Adds films and shows, and gives a book its audiobook. Gives the films and shows.
    func addMedia(_ data: DemoData, _ progress: Progress) async throws -> [ID<Catalog.Work>] {
        let films = data.films
        let made = try await add(films.map(\.new), progress)
        for (film, work) in zip(films, made) {
            let facts: Catalog.Facts = [.kind: .text(film.kind), .authors: .parts(film.people)]
            try await correct(work, facts, edition: [.minutes: .number(film.minutes)])
        }
        if var audiobook = data.books.first(where: { $0.isbn.text == Self.readAloud })?.new {
            audiobook.editionKey += "-audiobook"
            (audiobook.isbns, audiobook.pages) = ([], nil)
            (audiobook.publisher, audiobook.language, audiobook.format) = ("LibriVox", "en", "audiobook")
            for work in try await community.catalog.add([audiobook], from: Self.source) {
                try await correct(work, [:], edition: Self.audiobook)
            }
        }
        return made
    }

    /// Corrects a work, and the edition that was added last.
    private func correct(
        _ work: ID<Catalog.Work>, _ facts: Catalog.Facts, edition: Catalog.Facts
    ) async throws {
        let (catalog, helper) = (community.catalog, Catalog.Helper(.system))
        if !facts.isEmpty { _ = try await catalog.correct(.book(work), facts, by: helper) }
        guard let last = try await catalog.editions(of: .book(work)).last else { return }
        _ = try await catalog.correct(.edition(last), edition, by: helper)
    }

    /// Pride and Prejudice.
    private static let readAloud = "9780141439518"

    private static let audiobook: Catalog.Facts = [
        .minutes: .number(695), .contributors: .parts([Catalog.Fact.Part(name: "Karen Savage", role: "narrator")]),
        .accessModes: .texts(["auditory"]), .accessibilityFeatures: .texts(["tableOfContents"]),
        .accessibilityHazards: .texts(["noFlashingHazard"]),
        .accessibilitySummary: .text("Read aloud, a file for each chapter."),
    ]
}

extension DemoData.Film {
    /// As the catalogue takes it.
    fileprivate var new: Catalog.NewBook {
        var new = Catalog.NewBook(
            key: "\(kind)-\(title)", title: title, authors: people.compactMap(\.name), year: year)
        (new.genres, new.description) = (genres, description)
        return new
    }
}

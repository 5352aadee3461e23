import Community
import Postgres

// What is no printed book.
extension DemoLoader {
    /// Adds films and shows, and gives a book its audiobook.
    func addMedia(_ films: [DemoData.Film], to works: [ISBN: ID<Catalog.Work>]) async throws -> [ID<Catalog.Work>] {
        let helper = Catalog.Helper(.system)
        var made: [ID<Catalog.Work>] = []
        for film in films {
            let new = Catalog.AddedBook(
                book: [
                    .kind: .text(film.kind), .title: .text(film.title), .year: .number(film.year),
                    .authors: .parts(film.people), .genres: .texts(film.genres), .description: .text(film.description),
                ], edition: [.minutes: .number(film.minutes)], isConfirmed: true)
            made.append(try await community.catalog.add(new, by: helper))
        }
        if let read = try works[ISBN(Self.readAloud)] {
            _ = try await community.catalog.addEdition(Self.audiobook, to: read, by: helper)
        }
        return made
    }

    /// Pride and Prejudice.
    private static let readAloud = "9780141439518"

    private static let audiobook: Catalog.Facts = [
        .format: .text("audiobook"), .publisher: .text("LibriVox"), .language: .text("en"), .minutes: .number(695),
        .contributors: .parts([Catalog.Fact.Part(name: "Karen Savage", role: "narrator")]),
        .accessModes: .texts(["auditory"]), .accessibilityFeatures: .texts(["tableOfContents"]),
        .accessibilityHazards: .texts(["noFlashingHazard"]),
        .accessibilitySummary: .text("Read aloud, a file for each chapter."),
    ]
}

import Community
import EPUB
import FoundationEssentials

/// A short e-book of the project's own, so that the demonstration has something to read. The program makes the file itself.
struct DemoGuide {
    static let title = "How to Read in Company"
    static let author = "Commonplace"

    static let book: Catalog.NewBook = {
        var book = Catalog.NewBook(key: "guide", title: title, authors: [author], year: 2026)
        book.description = "What a reader can do here, told in five short chapters."
        return book
    }()

    /// `# TITLE` begins a chapter; each line after it is a paragraph.
    static let draft = EPUB.Draft(
        title: title, creator: author, identifier: "urn:commonplace:guide",
        chapters: String(decoding: PackageResources.guide_txt, as: UTF8.self).split(separator: "# ").map { part in
            let lines = part.split(separator: "\n").map(String.init)
            return EPUB.Draft.Chapter(lines[0], Array(lines.dropFirst()))
        })

    /// Gives it to everybody; without effect where e-books are not read here.
    static func give(in community: Community, of work: ID<Catalog.Work>) async throws {
        let store = community.ebooks
        let folder = FileManager.default.temporaryDirectory.path + "/commonplace-guide-\(UUID().uuidString)"
        let files = FileManager.default
        try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? files.removeItem(atPath: folder) }
        try draft.write(to: folder + "/guide.epub")
        do {
            let prepared = try await store.prepare(fileAt: folder + "/guide.epub")
            guard let edition = try await community.catalog.editions(of: .book(work)).first else { return }
            _ = try await store.give(
                Ebooks.NewEbook(rights: .granted, audience: .everybody), prepared, at: edition)
        } catch Ebooks.Refusal.off {
            return
        }
    }

    /// Takes it back, so that its book can go.
    static func takeBack(in community: Community) async throws {
        for ebook in try await community.ebooks.given(limit: 10_000)
        where ebook.title == title && ebook.creators == [author] {
            try await community.ebooks.takeBack(ebook.id)
        }
    }
}

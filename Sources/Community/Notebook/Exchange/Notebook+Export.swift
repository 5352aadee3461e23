import JSONWriting
import Postgres

extension Notebook {
    /// A form in which a reader takes notebooks along.
    package enum ExportFormat: String, Sendable, CaseIterable {
        /// Ours, which an import reads. The images of photographs are not in it.
        case json
        /// Markdown with front matter, for a vault of notes.
        case markdown = "md"
        /// A row for each item, for a table.
        case csv

        package var type: String {
            switch self {
            case .json: "application/json"
            case .markdown: "text/markdown; charset=utf-8"
            case .csv: "text/csv; charset=utf-8"
            }
        }
    }
}

extension Notebook.Store {
    /// Writes what a reader keeps about one book, or about all (`nil`), piece by piece: a book with its themes and
    /// folders, then its notes, oldest first.
    package func export(
        _ format: Notebook.ExportFormat, about work: ID<Catalog.Work>?, of reader: ID<Accounts.Account>,
        to write: (String) async throws -> Void
    ) async throws {
        let database = services.database
        var writer = Notebook.Exporter(format, at: services.clock.now())
        try await write(writer.begin())
        var after = ID<Catalog.Work>.min
        while let book = try await database.first(
            Notebook.Statements.BooksToExport(reader: reader, work: work, after: after))
        {
            after = book.id
            let themes = try await whole { try await self.themes(for: book.id, of: reader, page: $0) }
            let folders = try await whole { try await self.folders(for: book.id, .all, of: reader, page: $0) }
            try await write(try writer.begin(book, themes: themes, folders: folders))
            var last = ID<Notebook.Note>.min
            while true {
                let notes = try await notes(of: reader, about: book.id, after: last)
                for note in notes { try await write(try writer.put(note)) }
                guard let end = notes.last?.id else { break }
                last = end
            }
            try await write(writer.endBook())
        }
        try await write(writer.end())
    }

    private func whole<Item: Sendable, Key: Codable & Sendable>(
        _ read: (PageRequest<Key>) async throws -> Page<Item, Key>
    ) async throws -> [Item] {
        var (items, start): ([Item], PageRequest<Key>.Start?) = ([], .first)
        while let place = start {
            let page = try await read(PageRequest(place, limit: Limits.page.upperBound))
            items += page.items
            start = page.next.map { .after($0) }
        }
        return items
    }

    /// The next notes with their items.
    private func notes(
        of reader: ID<Accounts.Account>, about work: ID<Catalog.Work>, after: ID<Notebook.Note>
    ) async throws -> [Notebook.ExportedNote] {
        let notes = try await services.database.all(
            Notebook.Statements.NotesToExport(
                reader: reader, work: work, after: after, limit: Limits.notebook.exported))
        let items = try await services.database.all(Notebook.Statements.ItemsToExport(notes: notes.map(\.id)))
        let byNote = Dictionary(grouping: items, by: \.note)
        return notes.map { note in
            var note = note
            note.items = byNote[note.id] ?? []
            return note
        }
    }
}

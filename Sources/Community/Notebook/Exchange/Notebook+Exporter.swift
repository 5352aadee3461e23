import JSONWriting
import Postgres

extension Notebook {
    /// Puts notebooks into one of the forms.
    struct Exporter: Sendable {
        private let format: ExportFormat
        private let now: Timestamp
        private var books = 0
        private var notes = 0
        private var book: ExportedBook?
        /// The names of folders with those in which they stand.
        private var paths: [ID<Folder>: String] = [:]

        init(_ format: ExportFormat, at now: Timestamp) {
            self.format = format
            self.now = now
        }

        func begin() -> String {
            switch format {
            case .json:
                "{\"format\":\"\(Archive.format)\",\"version\":\(Archive.version),\"exported_at\":\"\(now.text)\",\"books\":["
            case .markdown: ""
            case .csv:
                Self.row([
                    "book_id", "title", "authors", "note_id", "note_title", "folder", "themes", "percent", "page",
                    "kind",
                    "text", "photo_id", "photo_words", "created_at",
                ])
            }
        }

        mutating func begin(_ book: ExportedBook, themes: [Theme], folders: [Folder]) throws -> String {
            self.book = book
            paths = Self.paths(of: folders)
            notes = 0
            books += 1
            switch format {
            case .json:
                let head = try JSONWriter.object {
                    $0.put("book_id", book.id)
                    $0.put("title", book.title)
                    $0.put("authors", book.authors)
                    $0.put("isbns", book.isbns)
                    $0.put("themes", themes.map { ["name": $0.name, "color": $0.color] })
                    $0.put("folders", folders.map { FolderBody(folder: $0) })
                }
                return (books > 1 ? "," : "") + String(decoding: head.dropLast(), as: UTF8.self) + ",\"notes\":["
            case .markdown:
                return """
                    ---
                    title: \(Self.quoted(book.title))
                    authors: [\(book.authors.map(Self.quoted).joined(separator: ", "))]
                    isbn: [\(book.isbns.map(Self.quoted).joined(separator: ", "))]
                    themes: [\(themes.map { Self.quoted($0.name) }.joined(separator: ", "))]
                    exported: \(now.text)
                    ---

                    # \(Self.line(book.title))


                    """
            case .csv: return ""
            }
        }

        func endBook() -> String { format == .json ? "]}" : "" }

        func end() -> String { format == .json ? "]}\n" : "" }

        mutating func put(_ note: ExportedNote) throws -> String {
            notes += 1
            switch format {
            case .json:
                let bytes = try JSONWriter.bytes(NoteBody(note: note))
                return (notes > 1 ? "," : "") + String(decoding: bytes, as: UTF8.self)
            case .markdown: return markdown(note)
            case .csv: return csv(note)
            }
        }

        // MARK: JSON

        private struct FolderBody: JSONForm {
            let folder: Folder

            func put(into object: JSONObject) {
                object.put("id", folder.id)
                object.put("parent_id", folder.parent)
                object.put("name", folder.name)
            }
        }

        private struct NoteBody: JSONForm {
            let note: ExportedNote

            func put(into object: JSONObject) {
                object.put("id", note.id)
                object.put("title", note.title)
                object.put("place", note.spot)
                object.put("folder_id", note.folder)
                object.put("themes", note.themes)
                object.put("visibility", note.visibility)
                object.put("scope", Int(note.scope.position))
                object.put("created_at", note.createdAt)
                object.put("changed_at", note.changedAt)
                object.put("items", note.items.map(ItemBody.init))
            }
        }

        private struct ItemBody: JSONForm {
            let item: ExportedItem

            func put(into object: JSONObject) {
                object.put("kind", item.kind.rawValue)
                if item.kind == .picture {
                    object.put("photo_id", item.photo)
                    object.put("comment", item.body.isEmpty ? nil : item.body)
                    object.put("alt", item.alt)
                    object.put("words", item.words)
                } else {
                    object.put("body", item.body)
                }
                if item.kind == .quote { object.put("place", item.spot) }
                object.put("created_at", item.createdAt)
            }
        }

        // MARK: Markdown

        private func markdown(_ note: ExportedNote) -> String {
            var text = "## \(Self.line(note.title ?? note.createdAt.text.prefix(10).description))\n\n"
            var facts: [String] = []
            if let folder = note.folder.flatMap({ paths[$0] }) { facts.append("Folder: \(Self.line(folder))") }
            if let spot = note.spot { facts.append(Self.place(spot)) }
            if !note.themes.isEmpty { facts.append("Themes: " + note.themes.map(Self.line).joined(separator: ", ")) }
            if !facts.isEmpty { text += facts.joined(separator: " · ") + "\n\n" }
            for item in note.items { text += Self.markdown(item) + "\n\n" }
            return text
        }

        private static func markdown(_ item: ExportedItem) -> String {
            switch item.kind {
            case .text: return item.body
            case .quote: return Notebook.quoted(item.body, from: item.spot.map(place))
            case .picture:
                let name = item.photo.map { "photo-\($0).jpg" } ?? "photo-gone"
                let words = item.words.map {
                    "\n\n" + $0.split(separator: "\n").map { "> \($0)" }.joined(separator: "\n")
                }
                return "![\(line(item.alt ?? item.body))](\(name))" + (words ?? "")
            }
        }

        private static func place(_ spot: Spot) -> String {
            let percent = "\(Double(spot.position) / 100) %"
            return spot.page.map { "Page \($0) (\(percent))" } ?? percent
        }

        /// The text in one line, of which Markdown makes no element and no link.
        private static func line(_ text: String) -> String {
            text.split(whereSeparator: \.isNewline).joined(separator: " ").replacing(#/[\\<\[]/#) { "\\" + $0.0 }
        }

        /// A string of YAML, which reads those of JSON.
        private static func quoted(_ text: String) -> String {
            (try? String(decoding: JSONWriter.bytes(text), as: UTF8.self)) ?? "\"\""
        }

        // MARK: CSV

        private func csv(_ note: ExportedNote) -> String {
            let ahead = [
                book?.id.text ?? "", book?.title ?? "", book?.authors.joined(separator: "; ") ?? "", note.id.text,
                note.title ?? "", note.folder.flatMap { paths[$0] } ?? "", note.themes.joined(separator: "; "),
            ]
            if note.items.isEmpty {
                return Self.row(ahead + Self.place(note.spot) + ["", "", "", "", note.createdAt.text])
            }
            return note.items.map { item in
                Self.row(
                    ahead + Self.place(item.spot ?? note.spot)
                        + [
                            item.kind.rawValue, item.body, item.photo?.text ?? "", item.words ?? "",
                            item.createdAt.text,
                        ])
            }.joined()
        }

        private static func place(_ spot: Spot?) -> [String] {
            [spot.map { "\(Double($0.position) / 100)" } ?? "", spot?.page.map(String.init) ?? ""]
        }

        /// RFC 4180.
        private static func row(_ fields: [String]) -> String {
            fields.map { field in
                // A table takes what begins so for a formula, and others write titles.
                let field = "=+-@\t\r".contains(field.first ?? " ") ? "'" + field : field
                guard field.contains(where: { "\",\r\n".contains($0) || $0 == "\r\n" }) else { return field }
                return "\"" + field.replacing("\"", with: "\"\"") + "\""
            }.joined(separator: ",") + "\r\n"
        }

        private static func paths(of folders: [Folder]) -> [ID<Folder>: String] {
            let byID = Dictionary(folders.map { ($0.id, $0) }) { first, _ in first }
            return byID.mapValues { folder in
                var (names, above) = ([folder.name], folder.parent)
                while let parent = above.flatMap({ byID[$0] }), names.count < Limits.notebook.depth {
                    names.insert(parent.name, at: 0)
                    above = parent.parent
                }
                return names.joined(separator: " / ")
            }
        }
    }
}

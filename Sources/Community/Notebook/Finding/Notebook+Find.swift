import JSONWriting
import Postgres

extension Notebook {
    /// What a reader looks for in what the reader keeps.
    package struct Sought: Sendable {
        package let query: Boards.WordQuery
        package let work: ID<Catalog.Work>?
        package let theme: ID<Theme>?
        package let kinds: [OwnWords.Kind]

        package init(
            _ query: Boards.WordQuery, work: ID<Catalog.Work>? = nil, theme: ID<Theme>? = nil,
            kinds: [OwnWords.Kind] = OwnWords.Kind.allCases
        ) {
            self.query = query
            self.work = work
            self.theme = theme
            self.kinds = kinds
        }

        /// What a cursor is bound to.
        package var identity: String {
            "\(query.identity) \(work?.text ?? "-") \(theme?.text ?? "-") \(kinds.map(\.rawValue).joined(separator: "+"))"
        }
    }

    /// Where something that was found stands: the newest first.
    package struct HitKey: SortKey, Codable {
        package let id: Int64
        package let kind: String
        /// Whether misspelt words were looked for, too.
        package var isNear = false

        package static let lowest = HitKey(id: .min, kind: "")
        package static let highest = HitKey(id: .max, kind: "~")

        private enum CodingKeys: String, CodingKey {
            case id = "i"
            case kind = "k"
            case isNear = "n"
        }
    }

    /// A row with the words.
    struct Found: Sendable, RowReadable {
        let kind: OwnWords.Kind
        let id: Int64
        let note: ID<Note>?
        let book: Catalog.Book
        let said: String
        let spot: Spot?
        let createdAt: Timestamp

        init(_ columns: inout Columns) throws {
            (kind, id, note) = (try columns("kind"), try columns("id"), try columns("note_id"))
            book = try Catalog.Book(&columns)
            said = try columns("said")
            spot = try Spot(columns: &columns)
            createdAt = try columns("created_at")
        }
    }

    /// Something of a reader's own that has the words that were looked for.
    package struct Hit: Sendable {
        let found: Found
        /// A part of what it says, with the first of the words.
        let excerpt: String
        /// The same as HTML, with the words in `mark`.
        let html: String
        package let key: HitKey
    }
}

extension Notebook.Store {
    /// What of a reader's own has the words of a query, newest first: notes, their texts and quotes, photographs and
    /// bookmarks. Where nothing has them, words with one wrong letter are found, too.
    package func find(
        _ sought: Notebook.Sought, of reader: ID<Accounts.Account>, page: PageRequest<Notebook.HitKey>
    ) async throws -> Page<Notebook.Hit, Notebook.HitKey> {
        let found = try await find(sought, isNear: page.start.isNear, of: reader, page)
        guard found.items.isEmpty, case .first = page.start, !sought.query.near.isEmpty else { return found }
        return try await find(sought, isNear: true, of: reader, page)
    }

    private func find(
        _ sought: Notebook.Sought, isNear: Bool, of reader: ID<Accounts.Account>, _ page: PageRequest<Notebook.HitKey>
    ) async throws -> Page<Notebook.Hit, Notebook.HitKey> {
        let query = sought.query
        let database = services.database
        return try await page.read(from: .highest, key: \.key) { span in
            func rows(_ plan: Notebook.Plan, _ queries: [String]) async throws -> [Notebook.Found] {
                let words = queries.map { "'#\(reader)' & \($0)" }
                return try await database.all(
                    Notebook.Statements.Find(
                        viewer: reader, words: words, plan: plan, span: span, work: sought.work, theme: sought.theme,
                        kinds: sought.kinds.map(\.rawValue)))
            }
            // Comparing many words with each row of a walk takes longer than asking the index.
            var found = isNear ? [] : try await rows(.walk, [query.exact])
            if found.count < span.limit { found = try await rows(.index, isNear ? query.near : query.exactInIndex) }
            return found.map { Notebook.Hit($0, by: query, isNear: isNear) }
        }
    }
}

extension PageRequest<Notebook.HitKey>.Start {
    fileprivate var isNear: Bool {
        switch self {
        case .first: false
        case .after(let key), .before(let key): key.isNear
        }
    }
}

extension Notebook.Hit {
    fileprivate init(_ found: Notebook.Found, by query: Boards.WordQuery, isNear: Bool) {
        self.found = found
        excerpt = query.excerpt(of: String(found.said.prefix(Limits.notebook.excerpted)), isNear: isNear)
        html = excerpt.split(separator: " ").map { word in
            let escaped = String(word).escapedForHTML
            return query.isIn(word, isNear: isNear) ? "<mark>\(escaped)</mark>" : escaped
        }.joined(separator: " ")
        key = Notebook.HitKey(id: found.id, kind: found.kind.rawValue, isNear: isNear)
    }
}

extension String {
    fileprivate var escapedForHTML: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

extension Notebook.Hit: JSONForm {
    package func put(into object: JSONObject) {
        object.put("kind", found.kind.rawValue)
        object.put("id", String(found.id))
        object.put("note_id", found.note)
        object.put("book", found.book)
        object.put("place", found.spot)
        object.put("excerpt", excerpt)
        object.put("html", html)
        object.put("is_near", key.isNear)
        object.put("created_at", found.createdAt)
    }
}

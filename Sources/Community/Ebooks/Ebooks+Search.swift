import JSONWriting
import Postgres

extension Ebooks {
    /// A page on which all words that were asked for stand.
    package struct Hit: Hashable, Sendable {
        package let page: Int
        package let position: Int
        package let chapter: String?
        /// At most 12 words before the match. Empty, as is `match`, where no single word matches; `after` then has the
        /// first 24 of the page.
        package let before: String
        package let match: String
        package let after: String

        var key: HitKey { HitKey(page: page) }
    }

    /// Where a hit stands among those of its e-book.
    package struct HitKey: SortKey, Codable {
        package let page: Int

        package static let lowest = HitKey(page: 0)
        package static let highest = HitKey(page: Int(Int32.max))

        private enum CodingKeys: String, CodingKey {
            case page = "p"
        }
    }

    /// Words that somebody looks for in a text.
    struct Question: Sendable {
        /// Folded.
        let words: [String]

        /// The first ten words of `text`. Throws `.invalid` where there is none.
        init(_ text: String) throws(Failure) {
            words = Normaliser.fold(text[...]).split(separator: " ").prefix(Self.most).map {
                String($0).bounded(to: Limits.search.word)
            }
            guard !words.isEmpty else { throw .invalid("?q", .tooShort, "has no word to look for") }
        }

        private static let most = 10

        /// As a `tsquery`: all words, the last as a beginning.
        var query: String {
            // Folded words hold letters and digits alone: nothing in them can end the quotes.
            words.map { "'\($0)'" }.joined(separator: " & ") + ":*"
        }

        /// The first word of `text` that is looked for, with what stands around it.
        func around(_ text: String) -> (before: String, match: String, after: String) {
            let pieces = text.split(whereSeparator: \.isWhitespace)
            let found = pieces.firstIndex { piece in
                Normaliser.fold(piece).split(separator: " ").contains { word in
                    words.dropLast().contains { $0 == word } || words.last.map(word.hasPrefix) == true
                }
            }
            guard let found else { return ("", "", pieces.prefix(2 * Self.width).joined(separator: " ")) }
            let before = pieces[max(0, found - Self.width)..<found]
            let after = pieces[(found + 1)...].prefix(Self.width)
            return (before.joined(separator: " "), String(pieces[found]), after.joined(separator: " "))
        }

        /// Words on each side.
        private static let width = 12
    }
}

extension Ebooks.Store {
    /// The pages of an e-book on which all words of `text` stand, up to where the viewer is in the book.
    ///
    /// Throws `.invalid` for a text without words, `.notFound`, `.unauthenticated`, `.forbidden` as for pages.
    package func search(
        _ text: String, in id: ID<Ebooks.Ebook>, for viewer: Viewer, page: PageRequest<Ebooks.HitKey>
    ) async throws -> Page<Ebooks.Hit, Ebooks.HitKey> {
        let question = try Ebooks.Question(text)
        try await opened(id, for: viewer).ebook.access.check()
        let database = services.database
        return try await page.read(from: .lowest, key: \.key) { span in
            let asked = Ebooks.Statements.Search(viewer: viewer, ebook: id, query: question.query, span: span)
            return try await database.all(asked).map { row in
                let (before, match, after) = question.around(row.text)
                return Ebooks.Hit(
                    page: row.page, position: row.position, chapter: row.chapter, before: before, match: match,
                    after: after)
            }
        }
    }
}

extension Ebooks.Statements {
    /// Pages of an e-book on which some words stand, up to the viewer's gate. The primary key of `ebook_words` gives those
    /// of one file.
    struct Search: ListStatement, ForViewer {
        static let name = "ebooks.search"
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["words.page"], ["\(\.span.place.page, as: Int32.self)"], isAscending: true, direction)
            // Scalar subselects: of a join the planner does not know that it is one file, and sorts all hits before the first.
            return """
                select page.number, page.position, chapter.title, page.body
                  from ebook_words words
                  join ebook_page page on page.file_id = words.file_id and page.number = words.page
                  left join ebook_chapter chapter on chapter.file_id = page.file_id and chapter.number = page.chapter
                 where words.file_id = (select file_id from ebook where id = \(\.ebook))
                   and words.page <= (select last.number
                                        from ebook_page last
                                       where last.file_id = (select file_id from ebook where id = \(\.ebook))
                                         and last.position <= (select \(Gate.level(viewer: .viewer, work: "ebook.work_id"))
                                                                 from ebook
                                                                where ebook.id = \(\.ebook))
                                       order by last.position desc, last.number desc
                                       limit 1)
                   and words.words @@ \(\.query)::text::tsquery
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, ebook: ID<Ebooks.Ebook>, query: String, span: Span<Ebooks.HitKey>

        static func decode(
            _ columns: inout Columns
        ) throws -> (page: Int, position: Int, chapter: String?, text: String) {
            (try columns("number"), try columns("position"), try columns("title"), try columns("body"))
        }
    }
}

extension Ebooks.Hit: JSONForm {
    package func put(into object: JSONObject) {
        object.put("page", page)
        object.put("position", position)
        object.put("chapter", chapter)
        object.put("before", before)
        object.put("match", match)
        object.put("after", after)
    }
}

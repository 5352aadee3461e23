import Community

/// The catalogue in the form of Google Books' read API (`/books/v1/volumes`), so that an app made for that one works
/// here by another host name.
///
/// A volume is a book: its `id` is the one that the rest of the API knows, and one edition stands for it. **Every field
/// that apps decode is always there**: empty where nothing is known, `[]`, `""`, `0`, never left out and never null.
/// Covers are ours. There is nothing to buy or to read here, and `saleInfo` and `accessInfo` say so.
///
/// `startIndex` is the one offset in the program: it moves within the first `Limits.volumes.depth` results, and beyond
/// them a page is empty. Faults come in Google's form.
///
/// **Limits**: `Limits.Volumes`. **Tables**, **events**, **jobs**: none; it reads what catalogue, search and pictures
/// have.
package enum Volumes {
    /// Google's names for the fixed widths of covers, ascending as those are.
    static let covers = zip(
        ["smallThumbnail", "thumbnail", "small", "medium", "large", "extraLarge"], Media.Kind.cover.widths)

    /// What `q` asks for.
    package struct Question: Hashable, Sendable {
        /// Where a term is looked for, by the prefix that names it.
        package enum Field: String, CaseIterable, Sendable {
            case any = ""
            case title = "intitle"
            case author = "inauthor"
            case publisher = "inpublisher"
            case subject, isbn, lccn, oclc

            /// What the search calls it; `nil` for numbers.
            var searched: Search.Field? {
                switch self {
                case .any: .any
                case .title: .title
                case .author: .author
                case .publisher: .publisher
                case .subject: .subject
                case .isbn, .lccn, .oclc: nil
                }
            }

            /// The field whose name and colon `text` begins with, in any case.
            init(beginning text: Substring) {
                let start = text.prefix("inpublisher:".count).lowercased()
                self = Self.allCases.first { $0 != .any && start.hasPrefix($0.rawValue + ":") } ?? .any
            }
        }

        /// One word or phrase of a query.
        package struct Term: Hashable, Sendable {
            package let field: Field
            /// A word or a phrase, without its quotes.
            package let text: String
            /// `-word`: what has it is left out.
            package let isExcluded: Bool
        }

        /// As they were written, at most as many as fit into `Limits.catalog.query` bytes.
        package let terms: [Term]

        /// Reads words, `"phrases"`, `-word` and `field:word` or `field:"phrase"`; an unknown field is a word like any
        /// other.
        package init(_ text: String) {
            var terms: [Term] = []
            var rest = text[...]
            while let first = rest.first {
                if first.isWhitespace {
                    rest.removeFirst()
                    continue
                }
                let isExcluded = first == "-" && rest.dropFirst().first?.isWhitespace == false
                if isExcluded { rest.removeFirst() }
                let field = Field(beginning: rest)
                if field != .any { rest = rest.dropFirst(field.rawValue.count + 1) }
                let text: Substring
                if rest.first == "\"" {
                    let inside = rest.dropFirst()
                    text = inside.prefix { $0 != "\"" }
                    rest = inside.dropFirst(text.count + 1)
                } else {
                    text = rest.prefix { !$0.isWhitespace }
                    rest = rest.dropFirst(text.count)
                }
                if !text.isEmpty { terms.append(Term(field: field, text: String(text), isExcluded: isExcluded)) }
            }
            self.terms = terms
        }

        func texts(of field: Field) -> [String] {
            terms.filter { $0.field == field && !$0.isExcluded }.map(\.text)
        }
    }

    /// What else a call says.
    struct Choice: Sendable {
        enum Order: String, CaseIterable { case relevance, newest }

        let question: Question
        let start: Int
        let count: Int
        let order: Order
        /// A language's first part, such as `en`.
        let language: String?
        /// `printType=magazines`, and filters by e-books: there are none here.
        let wantsWhatIsNotHere: Bool
        let isLite: Bool
    }
}

import Postgres

/// Finding books: any book at once, as it is typed, misspelt or scanned.
///
/// **What is looked at**: one row of `work_search` a listed work, made of folded words (`Normaliser`): titles of the
/// work and its editions (weight A), authors with aliases (B), series (C), genres and subjects (D), and, apart from the
/// text, publishers (`p/…`) and genres (`g/…`). No stop words.
///
/// **How a query is answered** (`Store.search`): an ISBN in any form or an Open Library key leads straight to its work.
/// Else the query becomes words, the last one a beginning unless a space or sign follows it. `search_word` tells how
/// many works hold each. A word that no work holds is corrected (`Spelling`): none up to 4 letters, one edit for 5 to
/// 8, two from 9, a swap of neighbours being one; never one with a digit. Where all words occur but never together,
/// misspelt ones are looked for among them; where that fails too, the rarest word is left out and named.
///
/// **Two plans**, chosen by us from the word counts (`Plan`), never by the planner, which guesses the same for every
/// prefix: the words' own index, or a walk down the most popular works when matches are so many that 200 of them come
/// early. The walk gives up after `Limits.search.walk` works and the other plan answers: both give the same works.
///
/// **A filter** (`Catalog.Browse.Filter`) is held against each match, also of those that an ISBN or a key names. A third plan then
/// begins at the smallest scope that the filter names, where that has fewer works than the rarest word.
///
/// **Order**: tier (4: the title is the query; 3: it begins with its two or more words, or all of the title is in the
/// query; 2: all words are in the title; else 1), then .6 × text rank + .4 × popularity on a logarithmic scale. Ranked,
/// whatever the order, are the 200 most popular matches and at most 150 others whose title is or begins with the query:
/// the list ends there. Popularity = readers + 3 × recommendations + editions / 3 + ln(1 + imported ratings).
///
/// **In step with the catalogue**: a change of a work calls `Search.index(_:in:)` in its transaction, or
/// `Search.mark` for many; the job `Refresh` indexes what is marked, every ten seconds and at the end of an import.
/// `commonplace check` finds rows that are not what the catalogue says.
///
/// **Remembered**: a reader's latest 50 searches, each whole, with its fields, filters and order of books. The order
/// does not tell two apart, nor does the spelling of words.
///
/// **Limits**: `Limits.Search`. **Tables**: work_search, search_word, search_word_count, search_stale, search_state,
/// recent_search.
/// **Jobs**: `Refresh` (every 10 s), `Upkeep` (daily: word counts, popularity). **Events**: none.
package enum Search {
    /// What an `ID<Search.Recent>` names: a search that a reader made lately.
    package enum RecentSearch {}

    /// Of the rows of `work_search`. Raise it when they are made in another way: the job then makes all of them anew.
    static let format: Int32 = 1

    /// Which part of a book a word is looked for in.
    package enum Field: String, CaseIterable, Sendable {
        /// Title, authors, series, genres and subjects.
        case any = "q"
        case title, author, subject, publisher, genre

        /// Stands before the words that are kept apart from the text.
        var tag: String {
            switch self {
            case .publisher: "p/"
            case .genre: "g/"
            default: ""
            }
        }

        /// The weights of `work_search.words` that the field is; empty for all.
        var weights: String {
            switch self {
            case .title: "A"
            case .author: "B"
            case .subject: "D"
            default: ""
            }
        }
    }

    /// What results are ordered by: how well they match, or as books are browsed.
    package enum Sort: Hashable, Sendable {
        case relevance
        case by(Catalog.Browse.Order)
    }

    /// One book that was found.
    package struct Hit: Sendable {
        package let book: Catalog.BookItem
    }

    /// Where a hit stands: a keyset key.
    package struct Place: Hashable, Sendable, Codable {
        /// Ascending; empty where books are ordered by a number.
        let label: String
        /// Descending.
        let number: Int64
        let id: ID<Catalog.Work>

        static let first = Place(label: "", number: .max, id: .max)
    }

    /// What a search found.
    package struct Answer: Sendable {
        package internal(set) var page: Page<Hit, Place>
        /// The query that these are results for, where it is not the one that was asked.
        package let corrected: String?
        /// Words of the query that were left out because no book has them beside the others.
        package let ignored: [String]
        /// What is wrong with an ISBN that was searched for, or with a query without words.
        package let notice: String?

        static func nothing(_ notice: String?) -> Answer {
            Answer(page: Page(items: [], next: nil, previous: nil), corrected: nil, ignored: [], notice: notice)
        }
    }
}

extension Search.Sort: RawRepresentable, CaseIterable {
    package static var allCases: [Self] { [.relevance] + Catalog.Browse.Order.allCases.map(Self.by) }

    /// `relevance`, or the order's own name.
    package var rawValue: String {
        switch self {
        case .relevance: "relevance"
        case .by(let order): order.rawValue
        }
    }

    package init?(rawValue: String) {
        if rawValue == "relevance" {
            self = .relevance
        } else if let order = Catalog.Browse.Order(rawValue: rawValue) {
            self = .by(order)
        } else {
            return nil
        }
    }
}

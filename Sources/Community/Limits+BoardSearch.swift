extension Limits {
    /// The limits of searching boards; their lines are in `Limits.table`.
    package enum BoardSearch {
        /// Characters of a query, and words of it that count.
        package static let query = 2...100
        package static let words = 12
        /// Characters that the last word must have for words that go on to be found, too.
        package static let openWord = 3
        /// Characters of an excerpt, and of it before the first word that was found.
        package static let excerpt = 200
        package static let excerptLead = 60
        /// Newest posts that are looked at for the words before the index of words is asked.
        package static let walk = 2_000
        /// Posts with the words that the index may give; of more than these the newest posts are looked at, so many.
        package static let hits = 5_000
        package static let depth = 10_000
    }

    static let boardSearch = [
        Line("board_search.query", BoardSearch.query, "characters"),
        Line("board_search.words", BoardSearch.words, "per_query"),
        Line("board_search.open_word", BoardSearch.openWord, "characters"),
        Line("board_search.excerpt", BoardSearch.excerpt, "characters"),
        Line("board_search.excerpt_lead", BoardSearch.excerptLead, "characters"),
        Line("board_search.walk", BoardSearch.walk, "posts"),
        Line("board_search.hits", BoardSearch.hits, "posts"),
        Line("board_search.depth", BoardSearch.depth, "posts"),
    ]
}

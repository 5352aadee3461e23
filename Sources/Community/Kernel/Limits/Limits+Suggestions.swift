/// The limits of suggestions and related books.
extension Limits {
    package struct Suggestions: Sendable {
        /// Books of the list of related ones, and of suggestions.
        @Limit("suggestions.related", "items") package var related = 20
        @Limit("suggestions.books", "items") package var books = 40
        /// Books of one author in either list.
        package let ofAuthor = 2
        /// Candidates that are ranked before those of one author are thinned out.
        package let candidates = 60
        /// Neighbours that are kept of a work, and those that are summed while the server has fewer readers than
        /// `grown`.
        package let neighbours = 100
        package let summed = 20
        package let grown = 5_000
        /// Books of a reader's own that suggestions are made of, the last ones.
        package let history = 100
        /// Every so many suggestions one is not made of the reader's shelves.
        package let exploring = 10
        /// Suggestions that the feed of books begins with.
        package let beginning = 10
        /// Scopes of a work that its content is compared by, the rarest ones, and works of each, the most popular.
        package let scopes = 8
        package let ofScope = 40
        /// Readers of a work for whom what they read says as much as what the catalogue says.
        package let known = 10
        /// Friends who are looked at, recommendations of each, and books on each one's shelf of what they read.
        package let friends = 150
        package let recommendationsOfFriend = 20
        package let readOfFriend = 30
        /// Books that one reader can say not to suggest again.
        @Limit("suggestions.dismissed", "per_account") package var dismissals = 10_000
        /// Pairs of a reader and a work that are read at a time, and works whose neighbours are worked out at a time.
        package let pairsAtOnce = 10_000
        package let worksAtOnce = 100
        /// Rows that are written or deleted in one transaction.
        package let rowsAtOnce = 2_000
        /// Where a generation has fewer readers it is made anew each hour, else each day.
        package let young = 1_000
    }
    package static let suggestions = Suggestions()
}

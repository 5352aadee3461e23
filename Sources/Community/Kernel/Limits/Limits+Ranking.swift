/// The limits of rankings.
extension Limits {
    /// What counts in rankings, and how many books are in them.
    package struct Ranking: Sendable {
        /// A reader's weight for a work is new once in so many days, the day itself among them.
        @Limit("ranking.new_again", "days") package var newAgainDays = 28
        /// Works of which a reader's acts count in one UTC day.
        @Limit("ranking.works_per_day", "per_account") package var worksPerDay = 30
        /// A reading that ended longer ago counts nothing.
        package let endedDays = 2
        /// Days that sums by day are kept, and further days that sums by hour are.
        package let keptDays = 400
        package let keptHourDays = 3
        /// Marks that are folded in one transaction.
        package let marksAtOnce = 10_000
        /// Days of which all works are summed at once.
        package let daysSummedAtOnce = 100
        /// Friends that `GET /trending?of=friends` looks at, those who did something last, and acts of each.
        package let friends = 300
        package let actsOfFriend = 200
        /// Books of the list of all books, and of a genre.
        @Limit("ranking.books", "items") package var books = 500
        @Limit("ranking.books_of_genre", "items") package var booksOfGenre = 100
        package let booksOfFriends = 100
        /// Boards in the list of hot ones, the days of which it tells, and the hottest threads of each among which one
        /// that the viewer sees is looked for.
        @Limit("ranking.boards", "items") package var boards = 100
        package let boardDays: Int64 = 7
        package let threadsLookedAt = 50
        /// Books that a reader is shown to discover, and of one source; a book is new within so many days of its first
        /// act.
        @Limit("ranking.suggestions", "items") package var suggestions = 100
        package let perSource = 40
        package let newDays = 14
        @Limit("ranking.genres", "per_account") package var genresOfReader = 20
        /// Where fewer books are unusual, a list is filled up to so many.
        package let filledTo = 20
        /// Below so many readers a number is not told.
        package let few = 3
        /// Of weekly readers, so many in a thousand must read a book; at least and at most so many (a month:
        /// `mostOfMonth`).
        package let perMille = 5
        package let least = 2
        package let most = 5
        package let mostOfMonth = 8
        /// How long a generation stays after it was replaced: a page cursor names it.
        package let generationStays = Duration.seconds(3600)
        /// Days ahead to which a book may be held out of rankings, and days of which a place is explained.
        @Limit("ranking.hold", "days") package var holdDays: Int64 = 366
        package let explainedDays = 30
        /// The pseudo-count k of the score.
        package let damping = 4
    }
    package static let ranking = Ranking()
}

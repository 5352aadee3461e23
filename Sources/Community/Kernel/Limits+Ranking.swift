/// The limits of rankings; their lines are in `Limits.table`.
extension Limits {
    /// What counts in rankings, and how many books are in them.
    package enum Ranking {
        /// A reader's weight for a work is new once in so many days, the day itself among them.
        package static let newAgainDays = 28
        /// Works of which a reader's acts count in one UTC day.
        package static let worksPerDay = 30
        /// A reading that ended longer ago counts nothing.
        package static let endedDays = 2
        /// Days that sums by day are kept, and further days that sums by hour are.
        package static let keptDays = 400
        package static let keptHourDays = 3
        /// Marks that are folded in one transaction.
        package static let marksAtOnce = 10_000
        /// Days of which all works are summed at once.
        package static let daysSummedAtOnce = 100
        /// Friends that `GET /trending?of=friends` looks at, those who did something last, and acts of each.
        package static let friends = 300
        package static let actsOfFriend = 200
        /// Books of the list of all books, and of a genre.
        package static let books = 500
        package static let booksOfGenre = 100
        package static let booksOfFriends = 100
        /// Boards in the list of hot ones, the days of which it tells, and the hottest threads of each among which one
        /// that the viewer sees is looked for.
        package static let boards = 100
        package static let boardDays: Int64 = 7
        package static let threadsLookedAt = 50
        /// Books that a reader is shown to discover, and of one source; a book is new within so many days of its first
        /// act.
        package static let suggestions = 100
        package static let perSource = 40
        package static let newDays = 14
        package static let genresOfReader = 20
        /// Where fewer books are unusual, a list is filled up to so many.
        package static let filledTo = 20
        /// Below so many readers a number is not told.
        package static let few = 3
        /// Of weekly readers, so many in a thousand must read a book; at least and at most so many (a month:
        /// `mostOfMonth`).
        package static let perMille = 5
        package static let least = 2
        package static let most = 5
        package static let mostOfMonth = 8
        /// How long a generation stays after it was replaced: a page cursor names it.
        package static let generationStays = Duration.seconds(3600)
        /// Days ahead to which a book may be held out of rankings, and days of which a place is explained.
        package static let holdDays: Int64 = 366
        package static let explainedDays = 30
        /// The pseudo-count k of the score.
        package static let damping = 4
    }

    static let ranking = [
        Line("ranking.new_again", Ranking.newAgainDays, "days"),
        Line("ranking.works_per_day", Ranking.worksPerDay, "per_account"),
        Line("ranking.books", Ranking.books, "items"),
        Line("ranking.books_of_genre", Ranking.booksOfGenre, "items"),
        Line("ranking.boards", Ranking.boards, "items"),
        Line("ranking.suggestions", Ranking.suggestions, "items"),
        Line("ranking.genres", Ranking.genresOfReader, "per_account"),
        Line("ranking.hold", Ranking.holdDays, "days"),
    ]
}

/// The limits of statistics and goals.
extension Limits {
    package struct Statistics: Sendable {
        /// Years of statistics.
        package let years = 1000...9999
        /// Years of goals: they bound how many a reader has.
        @Limit("goal.year", "years") package var goalYears = 1900...2200
        /// Authors, and genres, of a year that are named.
        @Limit("statistics.named", "items") package var named = 10
        /// What a goal sets out at most.
        @Limit("goal.books", "items") package var books = 1...10_000
        @Limit("goal.pages", "pages") package var pages = 1...10_000_000
        /// Goals that are looked at in one run of the job.
        package let goalsAtOnce = 1_000
    }
    package static let statistics = Statistics()
}

extension Limits {
    /// Of what one reader reveals and marks, and of what is told when a gate opens.
    package struct Gate: Sendable {
        /// Posts, threads and books that one reader has revealed.
        @Limit("reveal.reveals", "per_account") package var reveals = 10_000
        /// Posts of which one reader says in a day that they spoil more.
        @Limit("spoiler_mark.marks", "per_day") package var marksPerDay = 50
        /// Posts that an event of what was unlocked counts, and those that it names.
        @Limit("gate.unlocked", "items") package var unlocked = 1_000
        @Limit("gate.unlocked_named", "items") package var unlockedNamed = 50
        /// Posts between two gates that are read for it, those nearest to the new one, and of those, newest first, how
        /// many are asked whether the reader may see them.
        @Limit("gate.unlocked_found", "items") package var unlockedFound = 100_000
        @Limit("gate.unlocked_looked", "items") package var unlockedLooked = 20_000
        /// Books of a library that are looked at in one go when a reader opens all gates, and how long it is until all
        /// are looked at again.
        package let openedBooks = 100
        package let openedAgain = Duration.seconds(3600)
        /// Readers whose gates a merge of two books looks at, to tell them of what it opened; and how many in one go.
        @Limit("gate.merged_readers", "items") package var mergedReaders = 100_000
        package let mergedAtOnce = 500
    }
    package static let gate = Gate()
}

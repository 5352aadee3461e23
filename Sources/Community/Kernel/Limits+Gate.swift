extension Limits {
    /// Of what one reader reveals and marks, and of what is told when a gate opens.
    package enum Gate {
        /// Posts, threads and books that one reader has revealed.
        package static let reveals = 10_000
        /// Posts of which one reader says in a day that they spoil more.
        package static let marksPerDay = 50
        /// Posts that an event of what was unlocked counts, and those that it names.
        package static let unlocked = 1_000
        package static let unlockedNamed = 50
        /// Posts between two gates that are read for it, those nearest to the new one, and of those, newest first, how
        /// many are asked whether the reader may see them.
        package static let unlockedFound = 100_000
        package static let unlockedLooked = 20_000
        /// Books of a library that are looked at in one go when a reader opens all gates, and how long it is until all
        /// are looked at again.
        package static let openedBooks = 100
        package static let openedAgain = Duration.seconds(3600)
        /// Readers whose gates a merge of two books looks at, to tell them of what it opened; and how many in one go.
        package static let mergedReaders = 100_000
        package static let mergedAtOnce = 500
    }

    static let gate = [
        Line("reveal.reveals", Gate.reveals, "per_account"),
        Line("spoiler_mark.marks", Gate.marksPerDay, "per_day"),
        Line("gate.unlocked", Gate.unlocked, "items"),
        Line("gate.unlocked_named", Gate.unlockedNamed, "items"),
        Line("gate.unlocked_found", Gate.unlockedFound, "items"),
        Line("gate.unlocked_looked", Gate.unlockedLooked, "items"),
        Line("gate.merged_readers", Gate.mergedReaders, "items"),
    ]
}

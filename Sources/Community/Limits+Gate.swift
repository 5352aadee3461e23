extension Limits {
    package enum Gate {
        /// Posts, threads and books that one reader has revealed.
        package static let reveals = 10_000
        /// Posts of which one reader says in a day that they spoil more.
        package static let marksPerDay = 50
        /// Posts that an event of what was unlocked counts, and those that it names.
        package static let unlocked = 1_000
        package static let unlockedNamed = 50
        /// Books of a library that are looked at when a reader opens all gates.
        package static let openedBooks = 200
    }

    static let gate = [
        Line("reveal.reveals", Gate.reveals, "per_account"),
        Line("spoiler_mark.marks", Gate.marksPerDay, "per_day"),
        Line("gate.unlocked", Gate.unlocked, "items"),
        Line("gate.unlocked_named", Gate.unlockedNamed, "items"),
        Line("gate.opened_books", Gate.openedBooks, "items"),
    ]
}

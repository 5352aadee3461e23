import Postgres

extension Gate {
    /// Every statement of the domain; a test prepares each one.
    package static let statements: [any Statement.Type] = Statements.all

    /// What `commonplace check` looks at.
    package static let recounts: [any Recount.Type] = [Recounts.Sources.self, Recounts.Works.self]

    /// What readers choose about the gate, what they reveal, and what they say of posts: `Gate+Setting.swift`,
    /// `…+Reveal.swift`, `…+Mark.swift`; where the gate stands: `Gate+Look.swift`.
    package struct Store: Sendable {
        let house: House

        package init(_ house: House) { self.house = house }
    }
}

extension Gate.Statements {
    static let all: [any Statement.Type] = [
        KnownOf.self, SettingOf.self, PutSetting.self, Shelved.self, SeenPost.self, SeenThread.self, SeenReview.self,
        LevelOf.self, IsRevealed.self, CountReveals.self, InsertReveal.self, DeleteReveal.self, Reveals.self,
        LookAt.self, LockThreadOf.self, GroundOf.self, PutMark.self,
        DeleteMark.self, SettleMarks.self, Agreed.self, LockThreadsBeyond.self, Raise.self, Lower.self,
        EnqueueUnlock.self, StandingOf.self, OpenedPosts.self, FurthestOf.self, ReadersOf.self, MergeLevels.self,
        MergedWorks.self, BookOf.self, RemoveAll.self,
    ]
}

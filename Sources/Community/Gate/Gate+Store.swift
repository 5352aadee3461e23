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

        /// What was revealed of one work is revealed of another, in the transaction that merges them.
        func move(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
            try await transaction.run(Statements.DropDoubleReveals(from: from, into: target))
            try await transaction.run(Statements.MoveReveals(from: from, into: target))
        }

        /// Deletes what a reader chose, revealed and said of posts, in `queryable`'s transaction: for the end of an
        /// account.
        package func removeAll(of reader: ID<Accounts.Account>, in queryable: some Queryable) async throws {
            try await queryable.run(Statements.RemoveAll(reader: reader))
        }
    }
}

extension Gate.Statements {
    static let all: [any Statement.Type] = [
        KnownOf.self, SettingOf.self, PutSetting.self, Shelved.self, SeenPost.self, SeenThread.self, SeenReview.self,
        LevelOf.self, IsRevealed.self, CountReveals.self, InsertReveal.self, DeleteReveal.self, Reveals.self,
        MoveReveals.self, DropDoubleReveals.self, LookAt.self, LockThreadOf.self, GroundOf.self, PutMark.self,
        DeleteMark.self, SettleMarks.self, Agreed.self, LockThreadsBeyond.self, Raise.self, Lower.self,
        EnqueueUnlock.self, StandingOf.self, OpenedPosts.self, FurthestOf.self, ReadersOf.self, MergeLevels.self,
        MergedWorks.self, BookOf.self, RemoveAll.self,
    ]
}

import Postgres

extension Boards {
    /// Every statement of the domain; a test prepares each one.
    package static let statements: [any Statement.Type] = Statements.all

    /// What `commonplace check` looks at.
    package static let recounts: [any Recount.Type] = countRecounts + searchRecounts

    /// What readers do on boards: reading in `Boards+Store+Read.swift`; writing in `…+Open.swift`, `…+Reply.swift`,
    /// `…+Edit.swift` and `…+Delete.swift`, with the scopes that they say in `…+Scope.swift`; reactions in
    /// `…+React.swift`, markers in `…+Mark.swift`, searching in `…+Search.swift`. What moderators do stands in
    /// `…+Moderate.swift`, the end of an account in `…+Leave.swift`.
    package struct Store: Sendable {
        let house: House

        package init(_ house: House) { self.house = house }
    }
}

extension Boards.Statements {
    static let all: [any Statement.Type] = [
        BoardOf.self, PinnedThreads.self, Threads.self, ThreadSeen.self, OneThread.self, HottestThreads.self,
        FirstPost.self, OnePost.self, SomePosts.self, Posts.self, PostsOf.self, CoolThreads.self, Replies.self,
        Recent.self, ChapterEnd.self, AlsoBook.self, InsertText.self, CountScope.self,
        MarkWritten.self, InsertThread.self, InsertFirst.self, ReplyGround.self, InsertReply.self,
        LockThreadOf.self, StandingPost.self, ChangePost.self, RetireText.self, DropOldTexts.self, Retitle.self,
        HiddenPost.self, Entomb.self, RemoveTexts.self, RemoveReactions.self, RemoveTally.self, Unanswer.self,
        Uncount.self, PostSeen.self, History.self, ThreadScene.self, MarkRead.self, MarkUnread.self, MarkBoard.self,
        WatchThread.self, UnwatchThread.self, CountWatchedThreads.self, HoldBoard.self, WatchBoard.self,
        UnwatchBoard.self, CountWatchedBoards.self, FollowedThreads.self, WatchGroupBoard.self, UnwatchGroupBoard.self,
        ReactionScene.self, InsertReaction.self, DeleteReaction.self, BumpThreadReactions.self, BumpPostReactions.self,
        AddToTally.self, TakeFromTally.self, DropFromTombstone.self, TellReactions.self, FindThreadOf.self,
        HoldPins.self, LockThreadToModerate.self, LockPostToModerate.self, CountPins.self, SetLocked.self,
        SetPinned.self, SetHidden.self, SetThreadHidden.self, BumpReplies.self, AddToScope.self, TakeFromScope.self,
        DropThreadScopes.self, AddThreadScopes.self, HasSaid.self, DropMarkers.self, DropBoardMarkers.self,
        DropBoardReads.self, PostsToBury.self, ReactionsToDrop.self, LockThreadsOf.self, LockPostsAndAnswered.self,
        UncountReplies.self, UncountThreadReplies.self, UncountScopes.self, Bury.self, DropTexts.self,
        DropReactionsTo.self, HideEmptied.self, ThreadsToClear.self, LockThreads.self, ClearThreads.self,
        LockThreadsOpened.self, DropReactions.self,
        SetWords.self,
        DropWords.self, BoardTarget.self, Indexed.self, Walked.self, FoundPosts.self, FoundThreads.self,
    ]
}

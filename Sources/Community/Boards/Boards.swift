import Postgres

/// Boards: what readers say to each other about a book.
///
/// - **Board**: every book has one from the start, without a row. **Thread**: a title, a kind, and posts. **Post**: the
///   first opens the thread, the others are replies, to it or to each other: nested to depth 6, flat beyond it, where
///   each still says which it answers.
/// - **Gate**: every post has a scope and is read through `Gate.opens`; a title is gated as its first post is.
///   **Visibility**: a post is seen at its author's level for discussions, through `Visibility.predicate`. A post that
///   may not be seen for that is left out, one that is gated is a placeholder, one that was deleted is a tombstone
///   which keeps the tree.
/// - **Gone**: a hidden post keeps its place only where it was answered. A thread whose first post is gone keeps its
///   answers, without title and author. A reader who may not see a thread finds of it what they wrote themselves, and
///   nothing else.
/// - **Text**: 1…10,000 characters of Markdown (`Markdown`), source and safe HTML given. An edit makes a new text; what
///   was before is the history of the post, which readers who may see the post may read: each text at the highest scope
///   that it stood under. Of more than `Limits.boards.texts` the first one and the newest are kept: an edit is never
///   refused for those before it. Deleting takes all texts and reactions away; a thread whose first post is deleted has
///   no title any more, and goes out of sight where no reply stands.
/// - **Scope of what is written**: as said (a position, page p of n, the end of a chapter), else what is usual
///   (`Gate.Usual`), and at least that of the parent (else the first post) and of the quoted post, whose other book it
///   takes over, too. Its author raises it; moderators lower it.
/// - **Who writes**: accounts that are active or limited, with a verified address (except on loopback), not in locked
///   threads (where one's own is still deleted), not where the author of the thread or of the parent has blocked them
///   or is blocked, and to nothing that the gate keeps from them.
/// - **Limits** of new accounts in their first day, and of all: `Limits.Boards`. A new reader also pauses after each
///   post and each thread, and nobody says the same twice within minutes on one board; the reviews of a book and their
///   replies are on its board here. All of it is counted under the account's lock (`Recent`), and off where rates are.
/// - **Moderators** lock, pin, announce, edit titles, raise and lower scopes, and hide; each act stands in
///   `moderation_action`.
/// - **Numbers**: posts of a thread are numbered densely in the order of commits, under the lock of the thread's row.
/// - **Sort** of threads: newest, oldest, active, hot (log10 of replies and reactions, over age + 2 h to the power of
///   1.8), most reactions; pinned ones first. Of posts: oldest, newest, tree, most reactions.
/// - **Unread**: a marker for each thread, which never goes back, and one for all that stood on a board when it was
///   marked: the further one holds. A reader who writes in a thread follows it. A reader of a board may follow or
///   mute it; a group's, its members, until they leave (`group_member.watching`).
/// - **Muted**: what a reader says whom the viewer has muted (`Friends.isMuted`) comes marked, for clients to fold.
/// - **Reactions**: any of six, each once, to posts of others that are open to the reader; they go with the post.
/// - **Hidden** by a moderator: told as deleted, and not shown to its author either; texts stay for the record. It can
///   be brought back until its author deletes it. The thread that it opens is hidden and comes back with it, even where
///   the post itself was deleted before or meanwhile: then under a tombstone, and only if a reply stands.
/// - **Search** for words in the texts and titles that posts have now, without inline spoilers, on a board, in a thread
///   or everywhere: posts that are shown whole, newest first; of anything else neither a place nor a count is told.
/// - **The end of an account** leaves its posts as tombstones and threads that others answered without a title: a
///   portion at a time, unseen from the beginning.
///
/// Tables: `thread`, `post`, `post_text`, `post_search`, `post_reaction`, `post_reaction_tally`, `board_scope`,
/// `thread_reader`, `board_reader`, `board_read`. Events (v1): to the thread, `thread:T`: `post.created`,
/// `post.reacted`; to its board, `book:W` on a book's own and `group:G` on a group's: `thread.opened`; to both:
/// `thread.changed`, `post.restored`, and `post.edited` and `post.deleted` where they change what the board lists, else
/// to the thread alone. `Event` says what each tells. Jobs: `Cool` (heat anew), `Forget` (the end of an account). Locks
/// are taken in the order account, thread, post, board_scope.
package enum Boards {
    enum Statements {}
}

extension Boards {
    /// What a thread is.
    package enum Kind: String, Sendable, CaseIterable, PostgresText {
        /// Talk: what it is where nothing else is said.
        case discussion
        /// Somebody wants to know something.
        case question
        /// It begins with words of the book.
        case quote
        /// Made by moderators.
        case announcement
    }

    /// What somebody wants to hear of a thread or a board: everything, or nothing.
    package enum Watching: String, Sendable, CaseIterable, PostgresText {
        case followed, muted
    }

    /// Another book that a post gives away: a later one of the series.
    package struct Also: Hashable, Sendable {
        package let book: ID<Catalog.Work>
        /// Never `free`.
        package let scope: Gate.Scope
    }

    package typealias Text = ShownText

    /// A post as one viewer sees it. What may not be seen at all is none.
    package enum Shown: Hashable, Sendable {
        case whole(Post)
        case gated(Gate.Placeholder)
        case tombstone(Tombstone)
    }

    /// A post that stands, as one viewer sees it: what its author says, and where it stands in the tree of its thread.
    package struct Post: Hashable, Sendable {
        package let id: ID<Post>
        package let thread: ID<Thread>
        /// Of its thread, from 1, in the order in which they were written; it never changes.
        package let number: Int
        /// Below which it stands; `nil`: the thread as a whole.
        package let parent: ID<Post>?
        /// What it answers: the parent, or beside it where that is as deep as posts nest.
        package let answers: ID<Post>?
        package let depth: Int
        package internal(set) var author: Accounts.Reader
        /// Of its thread, for the first post; `nil` for a reply.
        package let opens: Kind?
        package internal(set) var scope: Gate.Scope
        package let also: Also?
        package let quoted: ID<Post>?
        package internal(set) var text: Text
        package let createdAt: Timestamp
        // What is the same of every new post stands here.
        package internal(set) var replies = 0
        /// Without those that nobody gave.
        package internal(set) var reactions: [Reaction: Int] = [:]
        package internal(set) var ownReactions: Set<Reaction> = []
        package internal(set) var version = 1
        package internal(set) var editedAt: Timestamp?
        /// The viewer has muted its author; `nil` in events, which are written for all.
        package internal(set) var isMuted: Bool? = false
    }

    /// What is left of a deleted or hidden post: its place.
    package struct Tombstone: Hashable, Sendable {
        package let id: ID<Post>
        package let number: Int
        package let parent: ID<Post>?
        package let depth: Int
    }

    /// A thread as one viewer sees it on a board.
    package enum ShownThread: Hashable, Sendable {
        case whole(Thread)
        case gated(Gate.Placeholder)
    }

    /// A thread as one viewer sees it whose first post is open to them, or gone.
    package struct Thread: Hashable, Sendable {
        package let id: ID<Thread>
        /// `nil` on a group's board, where it is about no book.
        package let book: ID<Catalog.Work>?
        /// On whose board it stands; `nil`: on the book's own.
        package let group: ID<Groups.Group>?
        /// `nil` like the title once the post that opened it is deleted or hidden: the answers stay.
        package let author: Accounts.Reader?
        package let kind: Kind
        package let title: String?
        /// How the first post begins, in one line without marks; `nil` where it is gone, and where words of it are
        /// hidden from the viewer as a spoiler.
        package let excerpt: String?
        /// Of the first post.
        package let scope: Gate.Scope
        package let replies: Int
        /// To the first post.
        package let reactions: Int
        /// Numbers given to its posts so far: what a read marker is compared with.
        package let posts: Int
        /// Posts beyond the viewer's marker; `nil` for viewers who are not signed in or never opened it.
        package let unread: Int?
        package let watching: Watching?
        package let isLocked: Bool
        package let isPinned: Bool
        package let version: Int
        package let createdAt: Timestamp
        package let lastPostAt: Timestamp
        /// The viewer has muted its author.
        package let isMuted: Bool
    }
}

extension Boards.Post {
    /// The same for a program whose access token writes on boards and does not read them: all of its text is veiled.
    package var withoutWords: Boards.Post {
        var copy = self
        copy.text = Boards.Text(body: "", html: "", isVeiled: true)
        return copy
    }
}

import Postgres

extension Boards {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnThreads.self, OwnPosts.self, OwnTexts.self, OwnWords.self, OwnReactions.self, OwnMarkers.self,
        OwnBoards.self, OwnBoardMarkers.self,
    ]

    /// Threads that somebody opened. They stay for the answers of others, without a title: see `Recounts.Remains`.
    enum OwnThreads: Leaving.PersonalTable {
        static let table = "thread"
        static let owner = "t.author_id"
        static let work: String? = "t.work_id"
        static let isKept = true
    }

    /// Posts, whose rows stay as tombstones.
    enum OwnPosts: Leaving.PersonalTable {
        static let table = "post"
        static let owner = "t.author_id"
        static let hidden = ["path"]
        static let isKept = true
    }

    /// What they say, and said before. Taken away by a job (`Forget`), as reactions are.
    enum OwnTexts: Leaving.PersonalTable {
        static let table = "post_text"
        static let source = "post_text t join post on post.id = t.post_id"
        static let owner = "post.author_id"
        static let isKept = true
    }

    /// The same, as it is searched; gone with the texts.
    enum OwnWords: Leaving.PersonalTable {
        static let table = "post_search"
        static let source = "post_search t join post on post.id = t.post_id"
        static let owner = "post.author_id"
        static let unexported: String? = "Made of the texts, which are exported."
        static let isKept = true
    }

    enum OwnReactions: Leaving.PersonalTable {
        static let table = "post_reaction"
        /// A reader gives each of the six to a post at most once.
        static let key = (
            "t.post_id", "array_position(array['like', 'love', 'laugh', 'wow', 'sad', 'think'], t.name)::bigint"
        )
        static let isKept = true
    }

    /// How far threads were read, and which are followed or muted.
    enum OwnMarkers: Leaving.PersonalTable {
        static let table = "thread_reader"
        static let key = ("t.thread_id", "0::bigint")
    }

    /// How far all threads of boards were read.
    enum OwnBoardMarkers: Leaving.PersonalTable {
        static let table = "board_read"
        static let key = ("t.board_id", "0::bigint")
    }

    /// Boards that are followed or muted.
    enum OwnBoards: Leaving.PersonalTable {
        static let table = "board_reader"
        static let key = ("t.work_id", "0::bigint")
        static let work: String? = "t.work_id"
    }
}

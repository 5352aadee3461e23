import Postgres

extension Boards {
    /// One way to sort a board. Each has an index with the same columns behind `board_id`.
    protocol ThreadOrder: Sendable {
        static var name: String { get }
        /// What it is ordered by, and the parts of a key that those are compared with.
        static var columns: [Fragment] { get }
        static var parameters: [SQL<ThreadKey>] { get }
        static var isAscending: Bool { get }
        /// Before the first thread.
        static var first: ThreadKey { get }
        static func key(_ whole: WholeThreadKey) -> ThreadKey
    }

    /// All that threads are sorted by.
    struct WholeThreadKey: Sendable {
        let id: Int64
        let lastPost: Int64
        let hot: Double
        let reactions: Int32
    }

    enum ThreadsNewest: ThreadsByID {
        static let name = "newest"
        static let isAscending = false
    }

    enum ThreadsOldest: ThreadsByID {
        static let name = "oldest"
        static let isAscending = true
    }

    enum ThreadsActive: ThreadOrder {
        static let name = "active"
        static let columns: [Fragment] = ["thread.last_post_id"]
        static let parameters: [SQL<ThreadKey>] = ["\(\.id)"]
        static let isAscending = false
        static let first = ThreadKey(id: .max)
        static func key(_ whole: WholeThreadKey) -> ThreadKey { ThreadKey(id: whole.lastPost) }
    }

    enum ThreadsHot: ThreadOrder {
        static let name = "hot"
        static let columns: [Fragment] = ["thread.hot", "thread.id"]
        static let parameters: [SQL<ThreadKey>] = ["\(\.rank)", "\(\.id)"]
        static let isAscending = false
        static let first = ThreadKey(rank: 1e9, id: .max)
        static func key(_ whole: WholeThreadKey) -> ThreadKey { ThreadKey(rank: whole.hot, id: whole.id) }
    }

    enum ThreadsReacted: ThreadOrder {
        static let name = "reactions"
        static let columns: [Fragment] = ["thread.reactions", "thread.id"]
        static let parameters: [SQL<ThreadKey>] = ["\(\.reactions, "reactions")::integer", "\(\.id)"]
        static let isAscending = false
        static let first = ThreadKey(rank: Double(Int32.max), id: .max)
        static func key(_ whole: WholeThreadKey) -> ThreadKey {
            ThreadKey(rank: Double(whole.reactions), id: whole.id)
        }
    }

    /// The order in which threads were opened.
    protocol ThreadsByID: ThreadOrder {}
}

extension Boards.ThreadKey {
    /// The rank where it counts reactions.
    fileprivate var reactions: Int32 { Int32(exactly: rank) ?? .max }
}

extension Boards.ThreadsByID {
    static var columns: [Fragment] { ["thread.id"] }
    static var parameters: [SQL<Boards.ThreadKey>] { ["\(\.id)"] }
    static var first: Boards.ThreadKey { Boards.ThreadKey(id: isAscending ? 0 : .max) }
    static func key(_ whole: Boards.WholeThreadKey) -> Boards.ThreadKey { Boards.ThreadKey(id: whole.id) }
}

extension Boards {
    /// One way to sort a thread. Each has an index with the same columns behind `thread_id`.
    protocol PostOrder: Sendable {
        static var name: String { get }
        /// What it is ordered by, and the parts of a key that those are compared with.
        static var columns: [Fragment] { get }
        static var parameters: [SQL<PostKey>] { get }
        static var isAscending: Bool { get }
        /// Before the first post.
        static var first: PostKey { get }
        static func key(_ whole: PostKey) -> PostKey
    }

    enum PostsOldest: PostsByNumber {
        static let name = "oldest"
        static let isAscending = true
    }

    enum PostsNewest: PostsByNumber {
        static let name = "newest"
        static let isAscending = false
    }

    enum PostsTree: PostOrder {
        static let name = "tree"
        static let columns: [Fragment] = ["post.path"]
        static let parameters: [SQL<PostKey>] = ["\(\.path)"]
        static let isAscending = true
        static let first = PostKey()
        static func key(_ whole: PostKey) -> PostKey { PostKey(path: whole.path) }
    }

    enum PostsReacted: PostOrder {
        static let name = "reactions"
        static let columns: [Fragment] = ["post.reactions", "post.number"]
        static let parameters: [SQL<PostKey>] = [
            "\(\.rank, as: Int32.self)::integer", "\(\.number, as: Int32.self)::integer",
        ]
        static let isAscending = false
        static let first = PostKey(rank: Int(Int32.max), number: Int(Int32.max))
        static func key(_ whole: PostKey) -> PostKey { PostKey(rank: whole.rank, number: whole.number) }
    }

    /// The order in which posts were written.
    protocol PostsByNumber: PostOrder {}
}

extension Boards.PostsByNumber {
    static var columns: [Fragment] { ["post.number"] }
    static var parameters: [SQL<Boards.PostKey>] { ["\(\.number, as: Int32.self)::integer"] }
    static var first: Boards.PostKey { Boards.PostKey(number: isAscending ? 0 : Int(Int32.max)) }
    static func key(_ whole: Boards.PostKey) -> Boards.PostKey { Boards.PostKey(number: whole.number) }
}

import Postgres

extension Boards {
    /// One way to sort a board. Each has an index with the same columns behind `board_id`.
    protocol ThreadOrder: Sendable {
        static var name: String { get }
        /// SQL of what it is ordered by, and of the parameters ($5 …) that those are compared with.
        static var columns: [String] { get }
        static var parameters: [String] { get }
        static var isAscending: Bool { get }
        /// Before the first thread.
        static var first: ThreadKey { get }
        static func bind(_ key: ThreadKey, to parameters: inout Parameters)
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
        static let columns = ["thread.last_post_id"]
        static let parameters = ["$5"]
        static let isAscending = false
        static let first = ThreadKey(id: .max)
        static func bind(_ key: ThreadKey, to parameters: inout Parameters) { parameters.append(key.id) }
        static func key(_ whole: WholeThreadKey) -> ThreadKey { ThreadKey(id: whole.lastPost) }
    }

    enum ThreadsHot: ThreadOrder {
        static let name = "hot"
        static let columns = ["thread.hot", "thread.id"]
        static let parameters = ["$5", "$6"]
        static let isAscending = false
        static let first = ThreadKey(rank: 1e9, id: .max)
        static func bind(_ key: ThreadKey, to parameters: inout Parameters) {
            parameters.append(key.rank)
            parameters.append(key.id)
        }
        static func key(_ whole: WholeThreadKey) -> ThreadKey { ThreadKey(rank: whole.hot, id: whole.id) }
    }

    enum ThreadsReacted: ThreadOrder {
        static let name = "reactions"
        static let columns = ["thread.reactions", "thread.id"]
        static let parameters = ["$5::integer", "$6"]
        static let isAscending = false
        static let first = ThreadKey(rank: Double(Int32.max), id: .max)
        static func bind(_ key: ThreadKey, to parameters: inout Parameters) {
            parameters.append(Int32(exactly: key.rank) ?? .max)
            parameters.append(key.id)
        }
        static func key(_ whole: WholeThreadKey) -> ThreadKey {
            ThreadKey(rank: Double(whole.reactions), id: whole.id)
        }
    }

    /// The order in which threads were opened.
    protocol ThreadsByID: ThreadOrder {}
}

extension Boards.ThreadsByID {
    static var columns: [String] { ["thread.id"] }
    static var parameters: [String] { ["$5"] }
    static var first: Boards.ThreadKey { Boards.ThreadKey(id: isAscending ? 0 : .max) }
    static func bind(_ key: Boards.ThreadKey, to parameters: inout Parameters) { parameters.append(key.id) }
    static func key(_ whole: Boards.WholeThreadKey) -> Boards.ThreadKey { Boards.ThreadKey(id: whole.id) }
}

extension Boards {
    /// One way to sort a thread. Each has an index with the same columns behind `thread_id`.
    protocol PostOrder: Sendable {
        static var name: String { get }
        /// SQL of what it is ordered by, and of the parameters ($4 …) that those are compared with.
        static var columns: [String] { get }
        static var parameters: [String] { get }
        static var isAscending: Bool { get }
        /// Before the first post.
        static var first: PostKey { get }
        static func bind(_ key: PostKey, to parameters: inout Parameters)
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
        static let columns = ["post.path"]
        static let parameters = ["$4"]
        static let isAscending = true
        static let first = PostKey()
        static func bind(_ key: PostKey, to parameters: inout Parameters) { parameters.append(key.path) }
        static func key(_ whole: PostKey) -> PostKey { PostKey(path: whole.path) }
    }

    enum PostsReacted: PostOrder {
        static let name = "reactions"
        static let columns = ["post.reactions", "post.number"]
        static let parameters = ["$4::integer", "$5::integer"]
        static let isAscending = false
        static let first = PostKey(rank: Int(Int32.max), number: Int(Int32.max))
        static func bind(_ key: PostKey, to parameters: inout Parameters) {
            parameters.append(Int32(clamping: key.rank))
            parameters.append(Int32(clamping: key.number))
        }
        static func key(_ whole: PostKey) -> PostKey { PostKey(rank: whole.rank, number: whole.number) }
    }

    /// The order in which posts were written.
    protocol PostsByNumber: PostOrder {}
}

extension Boards.PostsByNumber {
    static var columns: [String] { ["post.number"] }
    static var parameters: [String] { ["$4::integer"] }
    static var first: Boards.PostKey { Boards.PostKey(number: isAscending ? 0 : Int(Int32.max)) }
    static func bind(_ key: Boards.PostKey, to parameters: inout Parameters) {
        parameters.append(Int32(clamping: key.number))
    }
    static func key(_ whole: Boards.PostKey) -> Boards.PostKey { Boards.PostKey(number: whole.number) }
}

/// The SQL of a keyset in an order, read onward or back.
struct Keyset {
    /// `(columns) < (parameters)`, or `>`.
    let condition: String
    /// What follows `order by`.
    let order: String

    init(_ columns: [String], _ parameters: [String], isAscending: Bool, _ way: (some Direction).Type) {
        let ascends = isAscending != way.reverses
        let sides = (columns.joined(separator: ", "), parameters.joined(separator: ", "))
        condition = "(\(sides.0)) \(ascends ? ">" : "<") (\(sides.1))"
        order = columns.map { $0 + (ascends ? "" : " desc") }.joined(separator: ", ")
    }
}

import Postgres

extension Boards {
    /// All that threads are sorted by.
    struct WholeThreadKey: Sendable {
        let id: Int64
        let lastPost: Int64
        let hot: Double
        let reactions: Int
    }
}

extension Boards.WholeThreadKey {
    init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), lastPost: try columns("last_post_id"), hot: try columns("hot"),
            reactions: try columns("reactions"))
    }
}

/// Each has an index with the same columns behind `board_id`.
extension Boards.ThreadSort: ListOrder {
    var columns: [Fragment] {
        switch self {
        case .newest, .oldest: ["thread.id"]
        case .active: ["thread.last_post_id"]
        case .hot: ["thread.hot", "thread.id"]
        case .reactions: ["thread.reactions", "thread.id"]
        }
    }

    var parameters: [SQL<Boards.ThreadKey>] {
        switch self {
        case .newest, .oldest, .active: ["\(\.id)"]
        case .hot: ["\(\.rank)", "\(\.id)"]
        case .reactions: ["\(\.reactions, "reactions")::integer", "\(\.id)"]
        }
    }

    var isAscending: Bool { self == .oldest }

    var first: Boards.ThreadKey {
        switch self {
        case .newest, .active: Boards.ThreadKey(id: .max)
        case .oldest: Boards.ThreadKey(id: 0)
        case .hot: Boards.ThreadKey(rank: 1e9, id: .max)
        case .reactions: Boards.ThreadKey(rank: Double(Int32.max), id: .max)
        }
    }

    var last: Boards.ThreadKey {
        switch self {
        case .newest, .active: Boards.ThreadKey(id: 0)
        case .oldest: Boards.ThreadKey(id: .max)
        case .hot, .reactions: Boards.ThreadKey(rank: -1e9, id: 0)
        }
    }

    /// What of `whole` this order goes by.
    func key(_ whole: Boards.WholeThreadKey) -> Boards.ThreadKey {
        switch self {
        case .newest, .oldest: Boards.ThreadKey(id: whole.id)
        case .active: Boards.ThreadKey(id: whole.lastPost)
        case .hot: Boards.ThreadKey(rank: whole.hot, id: whole.id)
        case .reactions: Boards.ThreadKey(rank: Double(whole.reactions), id: whole.id)
        }
    }
}

extension Boards.ThreadKey {
    /// The rank where it counts reactions.
    fileprivate var reactions: Int32 { Int32(exactly: rank) ?? (rank < 0 ? .min : .max) }
}

/// Each has an index with the same columns behind `thread_id`.
extension Boards.PostSort: ListOrder {
    var columns: [Fragment] {
        switch self {
        case .oldest, .newest: ["post.number"]
        case .tree: ["post.path"]
        case .reactions: ["post.reactions", "post.number"]
        }
    }

    var parameters: [SQL<Boards.PostKey>] {
        switch self {
        case .oldest, .newest: ["\(\.number, as: Int32.self)::integer"]
        case .tree: ["\(\.path)"]
        case .reactions: ["\(\.rank, as: Int32.self)::integer", "\(\.number, as: Int32.self)::integer"]
        }
    }

    var isAscending: Bool { self == .oldest || self == .tree }

    var first: Boards.PostKey {
        switch self {
        case .oldest, .tree: Boards.PostKey()
        case .newest: Boards.PostKey(number: Int(Int32.max))
        case .reactions: Boards.PostKey(rank: Int(Int32.max), number: Int(Int32.max))
        }
    }

    var last: Boards.PostKey {
        switch self {
        case .oldest: Boards.PostKey(number: Int(Int32.max))
        // Paths have digits and letters alone.
        case .tree: Boards.PostKey(path: "~")
        case .newest: Boards.PostKey()
        case .reactions: Boards.PostKey(rank: -1)
        }
    }

    /// What of `whole`, which has all that posts are sorted by, this order goes by.
    func key(_ whole: Boards.PostKey) -> Boards.PostKey {
        switch self {
        case .oldest, .newest: Boards.PostKey(number: whole.number)
        case .tree: Boards.PostKey(path: whole.path)
        case .reactions: Boards.PostKey(rank: whole.rank, number: whole.number)
        }
    }
}

extension Boards.PostKey {
    /// Reads all that posts are sorted by.
    init(_ columns: inout Columns) throws {
        self.init(rank: try columns("reactions"), path: try columns("path"), number: try columns("number"))
    }
}

extension Boards {
    /// How the threads of a board are sorted; pinned ones stand before all.
    package enum ThreadSort: String, Sendable, CaseIterable {
        case newest, oldest
        /// Last written in first.
        case active
        case hot
        /// Most reactions to the first post; among equals the newest.
        case reactions
    }

    /// How the posts of a thread are sorted.
    package enum PostSort: String, Sendable, CaseIterable {
        case oldest, newest
        /// Each post before its answers, those in the order in which they were written.
        case tree
        /// Most reactions; among equals the newest.
        case reactions
    }

    /// The place of a thread in one of the orders.
    package struct ThreadKey: Hashable, Sendable, Codable {
        /// Heat or reactions; 0 in other orders.
        package let rank: Double
        /// Of the thread, or of its newest post in the order `active`.
        package let id: Int64

        package init(rank: Double = 0, id: Int64) {
            self.rank = rank
            self.id = id
        }
    }

    /// The place of a post in one of the orders.
    package struct PostKey: Hashable, Sendable, Codable {
        /// Reactions; 0 in other orders.
        package let rank: Int
        /// In the order `tree`, else empty.
        package let path: String
        /// 0 in the order `tree`.
        package let number: Int

        package init(rank: Int = 0, path: String = "", number: Int = 0) {
            self.rank = rank
            self.path = path
            self.number = number
        }
    }
}

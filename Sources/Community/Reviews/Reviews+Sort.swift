import Postgres

extension Reviews {
    /// How the reviews of a book are sorted.
    package enum Sort: String, Sendable, CaseIterable {
        case newest
        /// Most reactions; among equals the newest.
        case reactions
    }

    /// The place of a review in one of the orders.
    package struct Place: Hashable, Sendable, Codable {
        /// Reactions; 0 in the order `newest`.
        package let rank: Int
        package let id: Int64

        package init(rank: Int = 0, id: Int64) {
            self.rank = rank
            self.id = id
        }
    }

    /// One way to sort the reviews of a book, all downward. Each has an index with the same columns behind `work_id`.
    protocol Order: Sendable {
        static var name: String { get }
        /// What it is ordered by, and the parts of a place that those are compared with.
        static var columns: [Fragment] { get }
        static var parameters: [SQL<Place>] { get }
        /// Before the first review.
        static var first: Place { get }
        static func key(_ whole: Place) -> Place
    }

    enum Newest: Order {
        static let name = "newest"
        static let columns: [Fragment] = ["review.id"]
        static let parameters: [SQL<Place>] = ["\(\.id)"]
        static let first = Place(id: .max)
        static func key(_ whole: Place) -> Place { Place(id: whole.id) }
    }

    enum Reacted: Order {
        static let name = "reactions"
        static let columns: [Fragment] = ["review.reactions", "review.id"]
        static let parameters: [SQL<Place>] = ["\(\.rank, as: Int32.self)::integer", "\(\.id)"]
        static let first = Place(rank: Int(Int32.max), id: .max)
        static func key(_ whole: Place) -> Place { whole }
    }
}

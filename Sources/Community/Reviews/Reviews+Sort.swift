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
        /// SQL of what it is ordered by, and of the parameters ($4 …) that those are compared with.
        static var columns: [String] { get }
        static var parameters: [String] { get }
        /// Before the first review.
        static var first: Place { get }
        static func bind(_ place: Place, to parameters: inout Parameters)
        static func key(_ whole: Place) -> Place
    }

    enum Newest: Order {
        static let name = "newest"
        static let columns = ["review.id"]
        static let parameters = ["$4"]
        static let first = Place(id: .max)
        static func bind(_ place: Place, to parameters: inout Parameters) { parameters.append(place.id) }
        static func key(_ whole: Place) -> Place { Place(id: whole.id) }
    }

    enum Reacted: Order {
        static let name = "reactions"
        static let columns = ["review.reactions", "review.id"]
        static let parameters = ["$4::integer", "$5"]
        static let first = Place(rank: Int(Int32.max), id: .max)
        static func bind(_ place: Place, to parameters: inout Parameters) {
            parameters.append(Int32(clamping: place.rank))
            parameters.append(place.id)
        }
        static func key(_ whole: Place) -> Place { whole }
    }
}

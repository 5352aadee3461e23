import Postgres

extension Reviews {
    /// How the reviews of a book are sorted.
    package enum Sort: String, Variation {
        case newest
        /// Most reactions; among equals the newest.
        case reactions
    }

    /// The place of a review in one of the orders.
    package struct Place: Hashable, Sendable, Codable {
        /// Reactions; 0 in the order `newest`.
        package var rank = 0
        package let id: Int64
    }
}

/// All downward. Each has an index with the same columns behind `work_id`.
extension Reviews.Sort: ListOrder {
    var columns: [Fragment] { self == .newest ? ["review.id"] : ["review.reactions", "review.id"] }

    var parameters: [SQL<Reviews.Place>] {
        self == .newest ? ["\(\.id)"] : ["\(\.rank, as: Int32.self)::integer", "\(\.id)"]
    }

    var isAscending: Bool { false }

    var first: Reviews.Place { Reviews.Place(rank: self == .newest ? 0 : Int(Int32.max), id: .max) }

    var last: Reviews.Place { Reviews.Place(rank: self == .newest ? 0 : -1, id: 0) }

    /// The place in this order of a review with so many reactions.
    func place(_ whole: Reviews.Place) -> Reviews.Place { self == .newest ? Reviews.Place(id: whole.id) : whole }
}

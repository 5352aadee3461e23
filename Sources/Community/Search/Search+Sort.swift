extension Search.Sort: RawRepresentable, CaseIterable {
    package static var allCases: [Self] { [.relevance] + Catalog.Browse.Order.allCases.map(Self.by) }

    /// `relevance`, or the order's own name.
    package var rawValue: String {
        switch self {
        case .relevance: "relevance"
        case .by(let order): order.rawValue
        }
    }

    package init?(rawValue: String) {
        if rawValue == "relevance" {
            self = .relevance
        } else if let order = Catalog.Browse.Order(rawValue: rawValue) {
            self = .by(order)
        } else {
            return nil
        }
    }
}

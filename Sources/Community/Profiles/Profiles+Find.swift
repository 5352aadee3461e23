import JSONWriting
import Postgres

extension Profiles {
    /// A reader who was found.
    package struct Found: Hashable, Sendable, JSONForm {
        package let reader: Accounts.Reader
        /// Of the one who asked.
        package let isFriend: Bool

        package func put(into object: JSONObject) {
            object.put("reader", reader)
            object.put("is_friend", isFriend)
        }
    }

    /// Where a reader stands among those who were found: a keyset key.
    package struct FoundPlace: Hashable, Sendable, Codable {
        /// Descending: 8 for whose username was asked for, 6 for whose name, 4 for whose username begins so, 2 for all
        /// others, 0 for those who are found only if a letter is wrong; friends have one more.
        let rank: Int
        /// Descending.
        let id: ID<Accounts.Account>

        static let first = FoundPlace(rank: Int(Int32.max), id: .max)

        /// Whether it is among readers who are found as it is spelt.
        var isSpelt: Bool { rank > 1 }
    }

    /// How what was asked for is taken.
    enum Spelling: String, Variation {
        case asAsked = "asked"
        /// One letter of one of its words is wrong, missing, too many, or changed places with the next.
        case mistyped
    }
}

extension Profiles.Store {
    /// Readers with words in username or name that begin with the words asked for, at most `Limits.profiles.foundWords`
    /// of these, best first; where there are none, readers with such a word but for one letter of a longer word.
    ///
    /// Who does not let `viewer` see the name is found by the whole username alone, and who is not there for `viewer`
    /// not at all. Of more than `Limits.profiles.found` readers with such words some are looked at.
    package func readers(
        matching query: String, for viewer: ID<Accounts.Account>, page: PageRequest<Profiles.FoundPlace>
    ) async throws -> Page<Profiles.Found, Profiles.FoundPlace> {
        let place: Profiles.FoundPlace =
            switch page.start {
            case .first: .first
            case .after(let place), .before(let place): place
            }
        if place.isSpelt {
            let found = try await readers(matching: query, .asAsked, for: viewer, page)
            guard found.items.isEmpty, place == .first else { return found }
        }
        return try await readers(matching: query, .mistyped, for: viewer, page)
    }

    private func readers(
        matching query: String, _ spelling: Profiles.Spelling, for viewer: ID<Accounts.Account>,
        _ page: PageRequest<Profiles.FoundPlace>
    ) async throws -> Page<Profiles.Found, Profiles.FoundPlace> {
        let found = try await page.readBest(from: .first, key: \.key) {
            try await services.database.all(
                Profiles.Statements.Sought(viewer: viewer, query: query, spelling: spelling, span: $0))
        }
        return found.map(\.item)
    }
}

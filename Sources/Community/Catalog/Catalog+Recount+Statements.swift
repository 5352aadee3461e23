import Postgres

extension Catalog {
    /// What `commonplace check` looks at; `work_popularity.readers` is looked at by the reviews.
    package static let recounts: [any Recount.Type] = [
        RecountGenres.self, RecountImported.self, Browse.RecountScopes.self, Browse.RecountEntries.self,
        Browse.RecountLeftEntries.self,
    ]
}

extension Catalog.RecountGenres: Recount {
    package static let rule = "The number of works of each genre is that of its works."

    package static func line(_ difference: (Int64, Int64, Int64)) -> String {
        "genre \(difference.0): stored \(difference.1) works, counted \(difference.2)"
    }
}

extension Catalog.RecountImported: Recount {
    package static let rule = "The number of imported ratings of each work is the sum over their sources."

    package static func line(_ difference: (Int64, Int64, Int64)) -> String {
        "book \(difference.0): stored \(difference.1) imported ratings, counted \(difference.2)"
    }
}

import Postgres

extension Catalog {
    /// A listed work as one volume: itself and the edition that stands for it.
    package struct Volume: Sendable {
        package let work: ID<Work>
        package let version: Int
        package let title: String
        package let subtitle: String?
        package let description: String?
        /// Of first publication.
        package let year: Int?
        /// Names, in the order of the title page, at most 10.
        package let authors: [String]
        package let genres: [String]
        package let rating: RatingSummary
        package let language: String?
        /// `nil` for a work without editions.
        package let edition: Edition?

        package struct Edition: Sendable {
            package let id: ID<Catalog.Edition>
            package let publisher: String?
            /// As the source says it.
            package let published: String?
            package let year: Int?
            package let pages: Int?
            package let language: String?
            package let isbns: [ISBN]
        }
    }
}

extension Catalog.Store {
    /// Volumes of these works, in their order; those that are not listed are left out. With `isbn`, the edition of that
    /// ISBN stands for its work.
    package func volumes(of works: [ID<Catalog.Work>], showing isbn: ISBN? = nil) async throws -> [Catalog.Volume] {
        guard !works.isEmpty else { return [] }
        return try await services.database.all(Catalog.VolumesOfWorks(works: works, isbn: isbn))
    }

    /// The volume of one work, or of the one that it was merged into. Throws `.notFound`.
    package func volume(of work: ID<Catalog.Work>) async throws -> Catalog.Volume {
        let page = try await book(work)
        guard let volume = try await volumes(of: [page.id]).first else { throw Failure.notFound("volume \(work)") }
        return volume
    }
}

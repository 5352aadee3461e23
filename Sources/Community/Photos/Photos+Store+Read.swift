import Postgres

// What may not be seen at all is left out or `.notFound`; what is ahead of the viewer is a placeholder.
extension Photos.Store {
    /// One photograph. Throws `.notFound`.
    package func photo(_ id: ID<Photos.Photo>, for viewer: Viewer) async throws -> Photos.Shown {
        guard let photo = try await services.database.first(Photos.Statements.One(viewer: viewer, photo: id)) else {
            throw Failure.notFound("photo \(id)")
        }
        return photo
    }

    /// Photographs of a work, or of what it was merged into, newest first. A work that is unknown has none.
    package func photos(
        of work: ID<Catalog.Work>, by whose: Photos.Whose = .all, for viewer: Viewer,
        page: PageRequest<ID<Photos.Photo>>
    ) async throws -> Page<Photos.Shown, ID<Photos.Photo>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Photos.Statements.OfBook(viewer: viewer, whose: whose, work: work, span: $0))
        }
    }

    /// A reader's photographs, newest first. Throws `.notFound` for a reader whom the viewer may not see.
    package func photos(
        of username: String, for viewer: Viewer, page: PageRequest<ID<Photos.Photo>>
    ) async throws -> Page<Photos.Shown, ID<Photos.Photo>> {
        let reader = try await Library.Store(services).reader(username, for: viewer)
        return try await photos(of: reader.id, for: viewer, page: page)
    }

    package func photos(
        of reader: ID<Accounts.Account>, for viewer: Viewer, page: PageRequest<ID<Photos.Photo>>
    ) async throws -> Page<Photos.Shown, ID<Photos.Photo>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Photos.Statements.OfReader(viewer: viewer, reader: reader, span: $0))
        }
    }

    /// The reader's own photographs of a work: how many, and the newest. The work is none that was merged into another.
    package func glance(at work: ID<Catalog.Work>, by reader: ID<Accounts.Account>) async throws -> Photos.Glance {
        let database = services.database
        let newest = Photos.Statements.OfBook(
            viewer: .reader(reader), whose: .me, work: work,
            span: Span(place: .highest, direction: .onward, limit: Limits.photos.onPage))
        let photos = try await database.all(newest).compactMap(\.photo)
        guard photos.count == Limits.photos.onPage else { return Photos.Glance(count: photos.count, newest: photos) }
        let count = try await database.one(Photos.Statements.CountIn(reader: reader, work: work))
        return Photos.Glance(count: count, newest: photos)
    }

    /// The file of a photograph in one of the fixed widths, and its tag. `moderates`: the viewer is a moderator, who
    /// sees what an open case is about.
    ///
    /// Throws `.notFound`, also for what is hidden from the viewer or ahead of them.
    package func file(
        of id: ID<Photos.Photo>, width: Int, for viewer: Viewer, moderates: Bool
    ) async throws -> (file: Media.File, tag: String) {
        let asked = Photos.Statements.FileOf(viewer: viewer, photo: id, width: width, moderates: moderates)
        guard Media.Kind.photo.widths.contains(width), let found = try await services.database.first(asked),
            let bytes = try await media.facilities.store.read(found.hash)
        else { throw Failure.notFound("photo \(id)") }
        return (Media.File(bytes: bytes, type: found.type), found.hash.tag)
    }
}

import Community
import Postgres

extension Given {
    /// `reader` is so far in `book`, says a device.
    @discardableResult
    package func position(
        _ said: Places.Said, in book: ID<Catalog.Work>, by reader: ID<Accounts.Account>, device: String = "phone",
        seen: Int? = nil, meant: Places.Meant? = nil
    ) async throws -> Places.Place {
        try await world.community.places.log(
            Places.Step(said, device: device, seen: seen, meant: meant), in: book, by: reader
        ).place
    }
}

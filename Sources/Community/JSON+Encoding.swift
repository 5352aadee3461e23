import FoundationEssentials
import Postgres

extension JSON {
    /// A small value, such as an event's payload.
    init(encoding value: some Encodable) throws {
        self.init(bytes: [UInt8](try JSONEncoder().encode(value)))
    }
}

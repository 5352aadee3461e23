import FoundationEssentials
import Postgres

extension JSON {
    /// A small value, such as an event's payload.
    init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        // The same bytes on every server.
        encoder.outputFormatting = .sortedKeys
        self.init(bytes: [UInt8](try encoder.encode(value)))
    }
}

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

    /// The payload of an event with as much of a text as there is room for: its HTML may be many times as long, and
    /// whatever is escaped, too.
    ///
    /// `payload` makes it with so many bytes of the text, of which there are `bytes` at most. Throws `.invalid`
    /// (`too_long`) where the rest alone is too large.
    static func fitting(_ bytes: Int, _ payload: (Int) throws -> some Encodable) throws -> JSON {
        for room in [bytes] + rooms where room <= bytes {
            let json = try JSON(encoding: payload(room))
            if json.bytes.count <= Limits.eventSize { return json }
        }
        throw Failure.invalid("/body", "too_long", "the event would be too large")
    }

    /// Bytes of a text that are tried one after the other.
    private static let rooms = [8_000, 3_000, 800, 200, 0]
}

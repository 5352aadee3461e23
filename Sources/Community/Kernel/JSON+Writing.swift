import JSONWriting
import Postgres

extension JSON {
    /// A small value. Throws `EncodingError` for a number that JSON does not have.
    init(encoding value: some Encodable) throws { self.init(bytes: try JSONWriter.bytes(value)) }

    /// An object, such as an event's payload, with the members that `put` puts. Throws as the other.
    static func object(_ put: (JSONObject) -> Void) throws -> JSON { JSON(bytes: try JSONWriter.object(put)) }

    /// The payload of an event with as much of a text as there is room for: its HTML may be many times as long, and
    /// whatever is escaped, too.
    ///
    /// `put` puts the members with so many bytes of the text, of which there are `bytes` at most. Throws `.invalid`
    /// (`too_long`) where the rest alone is too large.
    static func fitting(_ bytes: Int, _ put: (JSONObject, _ room: Int) -> Void) throws -> JSON {
        for room in [bytes] + rooms where room <= bytes {
            let json = try object { put($0, room) }
            // A slash counts as two bytes, as when it was escaped: the same text is cut at the same place.
            let slashes = json.bytes.count { $0 == UInt8(ascii: "/") }
            if json.bytes.count + slashes <= Limits.eventSize { return json }
        }
        throw Failure.invalid("/body", .tooLong, "the event would be too large")
    }

    /// Bytes of a text that are tried one after the other.
    private static let rooms = [8_000, 3_000, 800, 200, 0]
}

extension JSONObject {
    /// A thing of which nothing else is told: `{"id"}`, or null.
    func put<Thing>(_ key: StaticString, idOf thing: ID<Thing>?) {
        guard let thing else { return put(key, thing) }
        put(key) { $0.put("id", thing) }
    }
}

extension JSON: JSONWritable {
    package func write(to output: JSONOutput) { output.write(json: bytes) }
}

extension ID: JSONWritable {
    package func write(to output: JSONOutput) { output.write(quoted: rawValue) }
}

extension Timestamp: JSONWritable {
    package func write(to output: JSONOutput) { output.write(output.isExact ? exactText : text) }

    /// RFC 3339 with microseconds: what keyset cursors need, since Postgres compares all six digits.
    private var exactText: String {
        let below = microseconds - milliseconds * 1000
        let digits = String(below)
        return String(text.dropLast()) + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }
}

import Community
import Postgres

/// An object that is written member by member, without a container of Codable's. Keys are given as they stand in the
/// reply.
struct JSONObject {
    private let output: JSONOutput
    private let level: Int

    init(_ output: JSONOutput) {
        self.output = output
        level = output.begin(UInt8(ascii: "{"), UInt8(ascii: "}"))
    }

    private func place(_ key: StaticString) {
        output.separate(at: level)
        output.write(plain: key)
    }

    func put(_ key: StaticString, _ value: String?) {
        place(key)
        if let value { output.write(value) } else { output.writeNull() }
    }

    func put(_ key: StaticString, _ value: Int?) {
        place(key)
        if let value { output.write(value) } else { output.writeNull() }
    }

    func put<Entity>(_ key: StaticString, _ value: ID<Entity>?) {
        place(key)
        if let value { output.write(value) } else { output.writeNull() }
    }

    func put(_ key: StaticString, _ value: Timestamp) {
        place(key)
        output.write(value)
    }

    func put(_ key: StaticString, _ value: (some Encodable)?) throws {
        place(key)
        if let value { try output.write(value, at: level) } else { output.writeNull() }
    }

    func put(_ key: StaticString, _ values: [some JSONWritable]) throws {
        place(key)
        let inner = output.begin(UInt8(ascii: "["), UInt8(ascii: "]"))
        for value in values {
            output.separate(at: inner)
            try value.write(to: output)
        }
        output.close(to: level)
    }

    func end() { output.close(to: level - 1) }
}

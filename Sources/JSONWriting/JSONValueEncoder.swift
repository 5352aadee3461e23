/// The `Encoder` behind `JSONWriter`: one value's place in the output.
struct JSONValueEncoder: Encoder {
    let output: JSONOutput

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(
            JSONObjectContainer(output: output, level: output.begin(UInt8(ascii: "{"), UInt8(ascii: "}"))))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONArrayContainer(output: output, level: output.begin(UInt8(ascii: "["), UInt8(ascii: "]")))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingleContainer(output: output) }
}

private struct JSONObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: JSONOutput
    let level: Int

    var codingPath: [any CodingKey] { [] }

    private func place(_ key: some CodingKey) {
        output.separate(at: level)
        output.write(key: key.stringValue, isVerbatim: false)
    }

    mutating func encodeNil(forKey key: Key) {
        place(key)
        output.writeNull()
    }

    mutating func encode(_ value: Bool, forKey key: Key) {
        place(key)
        output.write(value)
    }

    mutating func encode(_ value: String, forKey key: Key) {
        place(key)
        output.write(value)
    }

    mutating func encode(_ value: Int, forKey key: Key) {
        place(key)
        output.write(value)
    }

    // Also of all other numbers.
    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) {
        place(key)
        output.write(value, at: level)
    }

    // Codable leaves `nil` out unless each of these says otherwise.
    mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) { optional(value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) { optional(value, key) }

    private mutating func optional(_ value: (some Encodable)?, _ key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        place(key)
        return JSONValueEncoder(output: output).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        place(key)
        return JSONValueEncoder(output: output).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        output.separate(at: level)
        output.write(key: "super", isVerbatim: true)
        return JSONValueEncoder(output: output)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        place(key)
        return JSONValueEncoder(output: output)
    }
}

private struct JSONArrayContainer: UnkeyedEncodingContainer {
    let output: JSONOutput
    let level: Int
    private(set) var count = 0

    init(output: JSONOutput, level: Int) {
        self.output = output
        self.level = level
    }

    var codingPath: [any CodingKey] { [] }

    private mutating func place() {
        output.separate(at: level)
        count += 1
    }

    mutating func encodeNil() {
        place()
        output.writeNull()
    }

    mutating func encode<Value: Encodable>(_ value: Value) {
        place()
        output.write(value, at: level)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        place()
        return JSONValueEncoder(output: output).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        place()
        return JSONValueEncoder(output: output).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        place()
        return JSONValueEncoder(output: output)
    }
}

private struct JSONSingleContainer: SingleValueEncodingContainer {
    let output: JSONOutput

    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil() { output.writeNull() }
    mutating func encode(_ value: Bool) { output.write(value) }
    mutating func encode(_ value: String) { output.write(value) }
    mutating func encode(_ value: Double) { output.write(value) }
    mutating func encode(_ value: Float) { output.write(Double(value)) }
    mutating func encode(_ value: Int) { output.write(value) }
    mutating func encode(_ value: Int8) { output.write(value) }
    mutating func encode(_ value: Int16) { output.write(value) }
    mutating func encode(_ value: Int32) { output.write(value) }
    mutating func encode(_ value: Int64) { output.write(value) }
    mutating func encode(_ value: UInt) { output.write(value) }
    mutating func encode(_ value: UInt8) { output.write(value) }
    mutating func encode(_ value: UInt16) { output.write(value) }
    mutating func encode(_ value: UInt32) { output.write(value) }
    mutating func encode(_ value: UInt64) { output.write(value) }
    mutating func encode<Value: Encodable>(_ value: Value) {
        output.writeSingle(value)
    }
}

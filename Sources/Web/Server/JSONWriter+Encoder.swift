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
        output.write(key: key.stringValue, isVerbatim: Key.self == VerbatimKey.self)
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

    mutating func encode(_ value: Double, forKey key: Key) throws {
        place(key)
        try output.write(value, path: [key])
    }

    mutating func encode(_ value: Float, forKey key: Key) throws {
        place(key)
        try output.write(Double(value), path: [key])
    }

    mutating func encode(_ value: Int, forKey key: Key) { integer(value, key) }
    mutating func encode(_ value: Int8, forKey key: Key) { integer(value, key) }
    mutating func encode(_ value: Int16, forKey key: Key) { integer(value, key) }
    mutating func encode(_ value: Int32, forKey key: Key) { integer(value, key) }
    mutating func encode(_ value: Int64, forKey key: Key) { integer(value, key) }
    mutating func encode(_ value: UInt, forKey key: Key) { integer(value, key) }
    mutating func encode(_ value: UInt8, forKey key: Key) { integer(value, key) }
    mutating func encode(_ value: UInt16, forKey key: Key) { integer(value, key) }
    mutating func encode(_ value: UInt32, forKey key: Key) { integer(value, key) }
    mutating func encode(_ value: UInt64, forKey key: Key) { integer(value, key) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        place(key)
        try output.write(value, at: level)
    }

    mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    mutating func encodeIfPresent(_ value: String?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

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

    private func integer(_ value: some BinaryInteger, _ key: Key) {
        place(key)
        output.write(value)
    }

    private func optional(_ value: (some BinaryInteger)?, _ key: Key) {
        place(key)
        if let value { output.write(value) } else { output.writeNull() }
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

    mutating func encode(_ value: Bool) {
        place()
        output.write(value)
    }

    mutating func encode(_ value: String) {
        place()
        output.write(value)
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        place()
        try output.write(value, at: level)
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
    mutating func encode(_ value: Double) throws { try output.write(value, path: []) }
    mutating func encode(_ value: Float) throws { try output.write(Double(value), path: []) }
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
    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try output.writeSingle(value)
    }
}

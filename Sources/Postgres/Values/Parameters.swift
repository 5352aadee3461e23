/// The bound values of one statement, in the order of `$1`, `$2`, …, in binary form.
package struct Parameters: Sendable {
    /// All values one after the other.
    package private(set) var bytes: [UInt8] = []
    /// Where each value ends up in `bytes`; `nil` for a null.
    package private(set) var ranges: [Range<Int>?] = []

    /// With room for `count` values.
    package init(count: Int = 0) { ranges.reserveCapacity(count) }

    package mutating func append<Value: PostgresValue>(_ value: Value) {
        let start = bytes.count
        value.encode(into: &bytes)
        ranges.append(start..<bytes.count)
    }

    mutating func append(element: some PostgresElement) {
        let start = bytes.count
        ranges.append(element.encodeElement(into: &bytes) ? start..<bytes.count : nil)
    }

    package mutating func append<Value: PostgresValue>(_ value: Value?) {
        guard let value else {
            ranges.append(nil)
            return
        }
        append(value)
    }
}

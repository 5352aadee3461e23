/// A value that writes itself, which takes a fifth of the time that the way through `Encodable` takes.
///
/// It is `Encodable` so that it may stand in any value, for `JSONWriter` alone: another encoder gets an error where the type has no
/// `encode(to:)` of its own.
package protocol JSONWritable: Encodable {
    func write(to output: JSONOutput)
}

/// A value that is an object in JSON, with a member for each `put`.
///
/// ```swift
/// extension Places.Logged: JSONForm {
///     package func put(into object: JSONObject) {
///         object.put("id", id)
///         object.put("page", page)                    // null without one
///         if let note { object.put("note", note) }    // left out without one
///     }
/// }
/// ```
package protocol JSONForm: JSONWritable {
    /// Puts its members, in the order in which they stand in JSON, into an object that may have others.
    func put(into object: JSONObject)
}

extension JSONForm {
    package func write(to output: JSONOutput) { output.object(put) }
}

extension JSONWritable {
    package func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? JSONValueEncoder else {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "it is written by JSONWriter alone"))
        }
        write(to: encoder.output)
    }
}

/// An object that is written member by member. Keys are given as they stand in JSON.
package struct JSONObject {
    let output: JSONOutput
    let level: Int

    private func place(_ key: StaticString) {
        output.separate(at: level)
        output.write(plain: key)
    }

    package func put(_ key: StaticString, _ value: (some JSONWritable)?) {
        place(key)
        if let value { value.write(to: output) } else { output.writeNull() }
    }

    package func put(_ key: StaticString, _ value: (some Encodable)?) {
        place(key)
        if let value { output.write(value, at: level) } else { output.writeNull() }
    }

    /// A key that is data.
    package func put(named key: String, _ value: some Encodable) {
        output.separate(at: level)
        output.write(key: key, isVerbatim: true)
        output.write(value, at: level)
    }

    /// An address on this server: `path`, which needs no escaping. Where blanks are left, the address of the server
    /// itself is one; elsewhere the path stands alone.
    package func put(_ key: StaticString, address path: String) {
        place(key)
        output.write(address: path)
    }

    /// The same under a key that is data.
    package func put(named key: String, address path: String) {
        output.separate(at: level)
        output.write(key: key, isVerbatim: true)
        output.write(address: path)
    }

    /// A member that is left blank for the thing of this number; it is left out where no blanks are left.
    package func put(_ key: StaticString, blankFor number: Int64) {
        guard output.leavesBlanks else { return }
        place(key)
        output.write(blankFor: number)
    }

    /// An array of values of any types.
    package func put(_ key: StaticString, all values: [any Encodable]) {
        place(key)
        let inner = output.begin(UInt8(ascii: "["), UInt8(ascii: "]"))
        for value in values {
            output.separate(at: inner)
            output.write(value, at: inner)
        }
    }

    /// An object with the members that `put` puts.
    package func put(_ key: StaticString, _ put: (JSONObject) -> Void) {
        place(key)
        output.object(put)
    }
}

extension JSONWritable where Self: BinaryInteger {
    package func write(to output: JSONOutput) { output.write(self) }
}

extension Int: JSONWritable {}
extension Int16: JSONWritable {}
extension Int32: JSONWritable {}
extension Int64: JSONWritable {}

extension String: JSONWritable {
    package func write(to output: JSONOutput) { output.write(self) }
}

extension Bool: JSONWritable {
    package func write(to output: JSONOutput) { output.write(self) }
}

extension Double: JSONWritable {
    package func write(to output: JSONOutput) { output.write(self) }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    package func write(to output: JSONOutput) {
        if let self { self.write(to: output) } else { output.writeNull() }
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    package func write(to output: JSONOutput) {
        let level = output.begin(UInt8(ascii: "["), UInt8(ascii: "]"))
        for element in self {
            output.separate(at: level)
            element.write(to: output)
        }
        output.close(to: level - 1)
    }
}

extension Dictionary: JSONWritable where Key == String, Value: Encodable {
    /// In the order of the keys, so that the same value always gives the same bytes.
    package func write(to output: JSONOutput) {
        output.object { object in
            for (key, value) in sorted(by: { $0.key < $1.key }) { object.put(named: key, value) }
        }
    }
}

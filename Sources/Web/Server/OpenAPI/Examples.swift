import Community

/// What a call sends and gets, as a test saw it: `examples.jsonl` has a line for each call, in order. `COMMONPLACE_EXAMPLES=write` has the
/// tests add those that are missing and replace those that fit no longer.
package enum Examples {
    package struct Example: Sendable {
        package let body: JSONValue?
        package let reply: JSONValue?
    }

    /// By the name of the call.
    package static let all: [String: Example] = read(PackageResources.examples_jsonl)

    package static func read(_ bytes: [UInt8]) -> [String: Example] {
        var examples: [String: Example] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard case .object(let members)? = try? JSONValue.parse(Array(line)).value,
                case .string(let call)? = members["call"]
            else { continue }
            examples[call] = Example(body: members["body"], reply: members["reply"])
        }
        return examples
    }
}

import Community
import Web

extension JSONValue {
    /// The member `name` of an object.
    package subscript(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The element at `index` of an array.
    package subscript(_ index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    /// The members of an object; none for anything else.
    package var members: [String: JSONValue] {
        if case .object(let members) = self { members } else { [:] }
    }

    /// The elements of an array; none for anything else.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var number: Double? {
        if case .number(let text) = self { Double(text) } else { nil }
    }

    package var flag: Bool? {
        if case .boolean(let flag) = self { flag } else { nil }
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }

    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .number(String(value)) }
    package init(floatLiteral value: Double) { self = .number(value.description) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(nilLiteral: ()) { self = .null }
}

extension Schema {
    /// What in `value` does not have this shape: one sentence for each place. Properties that the schema does not name count.
    package func mismatches(with value: JSONValue, at path: String = "") -> [String] {
        switch (self, value) {
        case (.any, _), (.boolean, .boolean): return []
        case (.orNull(let inner), _): return value == .null ? [] : inner.mismatches(with: value, at: path)
        case (.either(let schemas), _):
            let isOne = schemas.contains { $0.mismatches(with: value, at: path).isEmpty }
            return isOne ? [] : ["\(path) is none of what it may be"]
        case (.integer(let range), .number(let text)):
            guard let number = Int(text) else { return ["\(path) is \(text), not a whole number"] }
            return range.map { $0.contains(number) } ?? true ? [] : ["\(path) is \(number), out of range"]
        case (.number(let range), .number(let text)):
            guard let number = Double(text) else { return ["\(path) is no number"] }
            return range.map { $0.contains(number) } ?? true ? [] : ["\(path) is \(number), out of range"]
        case (.text(let format, let bytes), .string(let text)): return textMismatches(text, format, bytes, path)
        case (.choice(let names), .string(let text)):
            return names.contains(text) ? [] : ["\(path) is '\(text)', none of \(names)"]
        case (.array(let element, let count), .array(let elements)):
            let wrongCount = count.map { !$0.contains(elements.count) } ?? false
            return (wrongCount ? ["\(path) has \(elements.count) elements"] : [])
                + elements.enumerated().flatMap { element.mismatches(with: $1, at: "\(path)/\($0)") }
        case (.map(let element), .object(let members)):
            return members.flatMap { element.mismatches(with: $1, at: "\(path)/\($0)") }
        case (.record(_, let properties), .object(let members)):
            let known = Set(properties.map(\.name))
            return members.keys.filter { !known.contains($0) }.sorted().map { "\(path)/\($0) is not in the schema" }
                + properties.flatMap { property -> [String] in
                    guard let member = members[property.name] else {
                        return property.isRequired ? ["\(path)/\(property.name) is missing"] : []
                    }
                    return property.schema.mismatches(with: member, at: "\(path)/\(property.name)")
                }
        default: return ["\(path.isEmpty ? "the body" : path) is \(value.kind)"]
        }
    }

    private func textMismatches(_ text: String, _ format: String?, _ bytes: ClosedRange<Int>?, _ path: String)
        -> [String]
    {
        if let bytes, !bytes.contains(text.utf8.count) { return ["\(path) has \(text.utf8.count) bytes"] }
        switch format {
        case "id": return ID<Never>(text: text) == nil ? ["\(path) is '\(text)', no identifier"] : []
        case "date-time":
            return text.hasSuffix("Z") && text.utf8.count == 24 ? [] : ["\(path) is '\(text)', no time in milliseconds"]
        case "date": return text.utf8.count == 10 ? [] : ["\(path) is '\(text)', no date"]
        default: return []
        }
    }
}

extension JSONValue {
    /// Every `$ref` below.
    package var references: [String] {
        switch self {
        case .object(let members):
            members.flatMap { name, value in name == "$ref" ? [value.text].compactMap(\.self) : value.references }
        case .array(let elements): elements.flatMap(\.references)
        default: []
        }
    }
}

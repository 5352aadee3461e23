import Web

extension Sent {
    /// The body that a call of this shape takes. Dots in the name of a field stand for members, numbers for elements.
    /// An empty field is left out, unless `_null` names it: then it is null, or an empty array. A field that the shape
    /// does not name stands as text, so that the call refuses it.
    func body(_ shape: Schema, but others: Set<String>) -> JSONValue {
        let builder = Builder(fields: said.filter { !others.contains($0.name) }, nulls: Set(all("_null")))
        guard case .object(var members)? = builder.value(of: shape, at: "") else { return .object([:]) }
        let known = Set(shape.members.map(\.name))
        for (name, value) in builder.fields where !value.isEmpty {
            let first = name.split(separator: ".", maxSplits: 1).first.map { String($0) } ?? name
            if !known.contains(first), !known.contains(name) { members[name] = .string(value) }
        }
        return .object(members)
    }

    private struct Builder {
        let fields: [(name: String, value: String)]
        let nulls: Set<String>

        private func last(_ name: String) -> String? { fields.last { $0.name == name }?.value }
        private func has(below name: String) -> Bool {
            fields.contains { $0.name.hasPrefix(name + ".") && !$0.value.isEmpty }
        }

        /// What the fields say of the value at `name`; `nil` where they say nothing.
        func value(of schema: Schema, at name: String) -> JSONValue? {
            switch schema {
            case .orNull(let inner):
                if nulls.contains(name), last(name)?.isEmpty != false { return .null }
                return value(of: inner, at: name)
            case .record(_, let properties): return record(properties, at: name)
            case .map(let element): return map(element, at: name)
            case .array(let element, _): return array(element, at: name)
            case .either(let schemas): return either(schemas, at: name)
            case .boolean, .integer, .number, .text, .choice, .any:
                guard let text = last(name), !text.isEmpty else { return nil }
                return Self.scalar(text, schema)
            }
        }

        private static func scalar(_ text: String, _ schema: Schema) -> JSONValue {
            switch schema {
            case .boolean where text == "true" || text == "on": .boolean(true)
            case .boolean where text == "false": .boolean(false)
            case .integer, .number:
                // A comma is how many write the point.
                Double(text.replacing(",", with: ".")).map { $0.isFinite } == true
                    ? .number(text.replacing(",", with: ".")) : .string(text)
            case .text(format: "date-time", _) where text.utf8.count == 10: .string(text + "T23:59:59Z")
            default: .string(text)
            }
        }

        private func record(_ properties: [Schema.Property], at name: String) -> JSONValue? {
            var members: [String: JSONValue] = [:]
            for property in properties {
                members[property.name] = value(of: property.schema, at: Self.inner(property.name, of: name))
            }
            return members.isEmpty && !name.isEmpty ? nil : .object(members)
        }

        /// Its keys are what stands between the dot behind `name` and the last dot, or the end where an element is no object.
        private func map(_ element: Schema, at name: String) -> JSONValue? {
            var members: [String: JSONValue] = [:]
            let isDeep = !element.members.isEmpty
            for (field, _) in fields where field.hasPrefix(name + ".") {
                let rest = field.dropFirst(name.count + 1)
                let key = isDeep ? rest.lastIndex(of: ".").map { rest[..<$0] } ?? rest : rest
                members[String(key)] = value(of: element, at: name + "." + key)
            }
            return members.isEmpty ? nil : .object(members)
        }

        private func array(_ element: Schema, at name: String) -> JSONValue? {
            let elements: [JSONValue]
            if element.members.isEmpty {
                let said = fields.filter { Self.isElement($0.name, of: name) && !$0.value.isEmpty }
                elements = said.map { Self.scalar($0.value, element) }
            } else {
                elements = (0..<100).prefix { has(below: "\(name).\($0)") }
                    .compactMap { value(of: element, at: "\(name).\($0)") }
            }
            return elements.isEmpty && !nulls.contains(name) ? nil : .array(elements)
        }

        /// Whether a field says a text or number of an array: under the array's name, again and again, or numbered.
        private static func isElement(_ field: String, of array: String) -> Bool {
            field == array || field.hasPrefix(array + ".") && Int(field.dropFirst(array.count + 1)) != nil
        }

        /// A field that says the name of a member of one of the shapes stands for that member alone.
        private func either(_ schemas: [Schema], at name: String) -> JSONValue? {
            guard let said = last(name) else {
                return schemas.lazy.filter { !$0.members.isEmpty }.compactMap { value(of: $0, at: name) }.first
            }
            guard !said.isEmpty else { return nil }
            for schema in schemas {
                guard let member = schema.members.first(where: { $0.name == said }) else { continue }
                return value(of: member.schema, at: Self.inner(said, of: name)).map { .object([said: $0]) }
                    ?? .string(said)
            }
            let simple = schemas.first { $0.members.isEmpty } ?? .any
            return value(of: simple, at: name)
        }

        private static func inner(_ member: String, of name: String) -> String {
            name.isEmpty ? member : name + "." + member
        }
    }
}

extension Schema {
    /// The properties of an object; none of anything else.
    fileprivate var members: [Property] {
        switch self {
        case .record(_, let properties): properties
        case .orNull(let inner): inner.members
        default: []
        }
    }
}

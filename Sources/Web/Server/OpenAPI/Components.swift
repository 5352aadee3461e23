import JSONWriting

/// The named schemas that have been met so far.
struct Components {
    private(set) var schemas: [String: JSONValue] = [:]

    mutating func reference(to schema: Schema) -> JSONValue {
        switch schema {
        case .record(let name, let properties):
            if schemas[name] == nil {
                // Stands while the properties are read, for a schema that names itself.
                schemas[name] = .null
                schemas[name] = object(name, properties)
            }
            return Self.reference(name)
        case .choice(let values):
            guard let name = Enums.name(of: values) else { return Self.choice(values) }
            schemas[name] = Self.choice(values)
            return Self.reference(name)
        default: return json(schema)
        }
    }

    private static func reference(_ name: String) -> JSONValue {
        .object(["$ref": .string("#/components/schemas/" + name)])
    }

    private static func choice(_ values: [String]) -> JSONValue {
        let said: (String, JSONValue) =
            values.count == 1 ? ("const", .string(values[0])) : ("enum", .array(values.map { .string($0) }))
        return .object(["type": .string("string"), said.0: said.1])
    }

    private mutating func object(_ name: String, _ properties: [Schema.Property]) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for property in properties {
            members[property.name] = described(
                reference(to: property.schema), Sentences.of(property: property.name, in: name))
        }
        var object: [String: JSONValue] = ["type": .string("object"), "properties": .object(members)]
        let required = properties.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { object["required"] = .array(required) }
        return .object(object)
    }

    /// A schema with a sentence about it, before what is said of its length. Beside `$ref` a description may stand in OpenAPI 3.1.
    func described(_ schema: JSONValue, _ sentence: String?) -> JSONValue {
        guard let sentence, case .object(var members) = schema else { return schema }
        var text = sentence
        if case .string(let more)? = members["description"] { text += " " + more }
        members["description"] = .string(text)
        return .object(members)
    }

    private mutating func json(_ schema: Schema) -> JSONValue {
        switch schema {
        case .boolean: return .object(["type": .string("boolean")])
        case .integer(let range):
            var object: [String: JSONValue] = ["type": .string("integer")]
            if let range {
                object["minimum"] = .number("\(range.lowerBound)")
                object["maximum"] = .number("\(range.upperBound)")
            }
            return .object(object)
        case .number(let range):
            var object: [String: JSONValue] = ["type": .string("number")]
            if let range {
                object["minimum"] = .number("\(range.lowerBound)")
                object["maximum"] = .number("\(range.upperBound)")
            }
            return .object(object)
        case .text(let format, let bytes): return text(format, bytes)
        case .array(let element, let count):
            var object: [String: JSONValue] = ["type": .string("array"), "items": reference(to: element)]
            if let count {
                object["minItems"] = .number("\(count.lowerBound)")
                object["maxItems"] = .number("\(count.upperBound)")
            }
            return .object(object)
        case .map(let element):
            return .object(["type": .string("object"), "additionalProperties": reference(to: element)])
        case .record, .choice: return reference(to: schema)
        case .orNull(let inner):
            return .object(["anyOf": .array([reference(to: inner), .object(["type": .string("null")])])])
        case .either(let schemas): return union(schemas)
        case .any: return .object([:])
        }
    }

    /// Any of these. Objects that one constant tells apart have a discriminator.
    private mutating func union(_ schemas: [Schema]) -> JSONValue {
        var members: [String: JSONValue] = ["anyOf": .array(schemas.map { reference(to: $0) })]
        if let (name, constants) = Schema.discriminator(of: schemas) {
            members["oneOf"] = members.removeValue(forKey: "anyOf")
            let mapping = constants.map { ($0.value, JSONValue.string("#/components/schemas/" + $0.component)) }
            members["discriminator"] = .object([
                "propertyName": .string(name), "mapping": .object(Dictionary(uniqueKeysWithValues: mapping)),
            ])
        }
        return .object(members)
    }

    /// JSON Schema counts characters and we count bytes: both are the same for ASCII.
    private func text(_ format: String?, _ bytes: ClosedRange<Int>?) -> JSONValue {
        var object: [String: JSONValue] = ["type": .string("string")]
        switch format {
        case "id": object["pattern"] = .string("^[1-9][0-9]{0,18}$")
        case let format?: object["format"] = .string(format)
        case nil: break
        }
        if let bytes, format != "id" {
            if bytes.lowerBound > 0 { object["minLength"] = .number("\(bytes.lowerBound)") }
            object["maxLength"] = .number("\(bytes.upperBound)")
            object["description"] = .string("\(bytes.lowerBound) to \(bytes.upperBound) bytes of UTF-8.")
        }
        return .object(object)
    }
}

extension JSONValue {
    /// The schema of an object that takes no other members.
    var closed: JSONValue {
        guard case .object(var members) = self, members["properties"] != nil else { return self }
        members["additionalProperties"] = .boolean(false)
        return .object(members)
    }
}

extension Schema {
    /// The components that are in it, at any depth.
    var recordNames: [String] {
        switch self {
        case .record(let name, let properties): [name] + properties.flatMap(\.schema.recordNames)
        case .array(let inner, _), .map(let inner), .orNull(let inner): inner.recordNames
        case .either(let schemas): schemas.flatMap(\.recordNames)
        default: []
        }
    }

    /// The property whose constants tell these objects apart; `nil` where none does, or not all are objects.
    static func discriminator(of schemas: [Schema]) -> (name: String, constants: [(value: String, component: String)])?
    {
        guard schemas.count > 1, case .record(_, let first)? = schemas.first else { return nil }
        for property in first {
            let constants = schemas.compactMap { $0.constant(property.name) }
            if constants.count == schemas.count, Set(constants.map(\.value)).count == constants.count {
                return (property.name, constants)
            }
        }
        return nil
    }

    /// The one value that a required property of this object may have.
    private func constant(_ name: String) -> (value: String, component: String)? {
        guard case .record(let component, let properties) = self,
            let property = properties.first(where: { $0.name == name }), property.isRequired,
            case .choice(let values) = property.schema, values.count == 1
        else { return nil }
        return (values[0], component)
    }
}

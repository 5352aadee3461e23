import Community
import Hummingbird

extension Form {
    /// The fields among `fields` that were sent, as facts; `null` means none. Types are checked here, rules by the catalogue.
    mutating func facts(_ fields: [Catalog.Field], except ignored: Set<String> = []) -> Catalog.Facts {
        var facts: Catalog.Facts = [:]
        for field in fields where !ignored.contains(field.name) {
            guard let value = json(field.name) else { continue }
            facts[field.name] = fact(value, of: field)
        }
        return facts
    }

    private mutating func fact(_ value: JSONValue, of field: Catalog.Field) -> Catalog.Fact? {
        switch (value, field.rule) {
        case (.null, _): return Catalog.Fact.none
        case (.string(let text), .text), (.string(let text), .choice), (.string(let text), .language),
            (.string(let text), .book):
            return .text(text)
        case (.number(let text), .number):
            guard let number = Int(text) else {
                fault(field.name, "wrong_type", "must be a whole number")
                return nil
            }
            return .number(number)
        case (.array(let elements), .texts), (.array(let elements), .genres), (.array(let elements), .isbns),
            (.array(let elements), .fieldNames):
            return texts(elements, field.name).map(Catalog.Fact.texts)
        case (.array(let elements), .authors), (.array(let elements), .series), (.array(let elements), .subjects):
            return parts(elements, field.name).map(Catalog.Fact.parts)
        default:
            fault(field.name, "wrong_type", "is \(value.kind)")
            return nil
        }
    }

    private mutating func texts(_ elements: [JSONValue], _ name: String) -> [String]? {
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element else {
                fault("\(name)/\(index)", "wrong_type", "must be a string, is \(element.kind)")
                return nil
            }
            texts.append(text)
        }
        return texts
    }

    /// Objects with any of `id`, `name`, `position`, `kind`; a string alone is a name.
    private mutating func parts(_ elements: [JSONValue], _ name: String) -> [Catalog.Fact.Part]? {
        var parts: [Catalog.Fact.Part] = []
        for (index, element) in elements.enumerated() {
            switch element {
            case .string(let text): parts.append(Catalog.Fact.Part(name: text))
            case .object(let members):
                var part = Catalog.Fact.Part()
                for (key, path) in Self.partFields {
                    switch members[key] {
                    case nil, .null?: break
                    case .string(let text)?: part[keyPath: path] = text
                    case let other?:
                        fault("\(name)/\(index)/\(key)", "wrong_type", "must be a string, is \(other.kind)")
                        return nil
                    }
                }
                parts.append(part)
            default:
                fault("\(name)/\(index)", "wrong_type", "must be an object or a name, is \(element.kind)")
                return nil
            }
        }
        return parts
    }

    private static var partFields: [(String, WritableKeyPath<Catalog.Fact.Part, String?>)] {
        [("id", \.id), ("name", \.name), ("position", \.position), ("kind", \.kind)]
    }
}

extension Catalog.Field {
    /// What a request may send for it.
    var schema: Schema {
        let schema: Schema =
            switch rule {
            case .text(let bytes): .string(bytes)
            case .number(let range): .integer(range)
            case .choice(let names): .choice(names)
            case .language: .string(2...35)
            case .texts(let count, let bytes): .array(.string(bytes), count: 0...count)
            case .genres: .array(.string(1...100), count: 0...Limits.Catalog.genres)
            case .isbns: .array(.string(9...40), count: 0...Limits.Catalog.isbns)
            case .fieldNames: .array(.string(1...20), count: 0...20)
            case .authors: .array(.any, count: 0...Limits.Catalog.authors)
            case .series: .array(.any, count: 0...Limits.Catalog.series)
            case .subjects: .array(.any, count: 0...Limits.Catalog.subjects)
            case .book: .id
            }
        return isRequired ? schema : .orNull(schema)
    }

    /// A request body in which each of `fields` may be left out.
    static func body(_ name: String, _ fields: [Catalog.Field], also: [(String, Schema)] = []) -> Schema {
        .record(
            name: name,
            (fields.map { ($0.name, $0.schema) } + also).map {
                Schema.Property(name: $0.0, schema: $0.1, isRequired: false)
            })
    }
}

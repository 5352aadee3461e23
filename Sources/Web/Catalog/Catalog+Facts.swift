import Community
import Hummingbird

extension Form {
    /// The fields among `fields` that were sent, as facts; `null` means none. Types are checked here, rules by the catalogue.
    mutating func facts(_ fields: [Catalog.Field], except ignored: Set<Catalog.Field.Name> = []) -> Catalog.Facts {
        var facts: Catalog.Facts = [:]
        for field in fields where !ignored.contains(field.name) {
            guard let value = json(field.name.rawValue) else { continue }
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
                fault(field.name.rawValue, .wrongType, "must be a whole number")
                return nil
            }
            return .number(number)
        case (.array(let elements), .texts), (.array(let elements), .genres), (.array(let elements), .isbns),
            (.array(let elements), .fieldNames), (.array(let elements), .words):
            return texts(elements, field.name.rawValue).map(Catalog.Fact.texts)
        case (.array(let elements), .authors), (.array(let elements), .series), (.array(let elements), .subjects):
            return parts(elements, field.name.rawValue).map(Catalog.Fact.parts)
        default:
            fault(field.name.rawValue, .wrongType, "is \(value.kind)")
            return nil
        }
    }

    private mutating func texts(_ elements: [JSONValue], _ name: String) -> [String]? {
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element else {
                fault("\(name)/\(index)", .wrongType, "must be a string, is \(element.kind)")
                return nil
            }
            texts.append(text)
        }
        return texts
    }

    /// Objects with any of `id`, `name`, `position`, `kind`, `role`; a string alone is a name.
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
                        fault("\(name)/\(index)/\(key)", .wrongType, "must be a string, is \(other.kind)")
                        return nil
                    }
                }
                parts.append(part)
            default:
                fault("\(name)/\(index)", .wrongType, "must be an object or a name, is \(element.kind)")
                return nil
            }
        }
        return parts
    }

    private static var partFields: [(String, WritableKeyPath<Catalog.Fact.Part, String?>)] {
        [("id", \.id), ("name", \.name), ("position", \.position), ("kind", \.kind), ("role", \.role)]
    }
}

extension Catalog.Field {
    /// What a request may send for it.
    var schema: Schema {
        let schema: Schema =
            switch rule {
            // Where it may be missing, an empty text is as good as none.
            case .text(let bytes): .string(isRequired ? bytes : 0...bytes.upperBound)
            case .number(let range): .integer(range)
            case .choice(let names): .choice(names)
            case .language: .string(2...35)
            case .texts, .genres, .isbns, .fieldNames, .words: .array(element, count: 0...(rule.list?.count ?? 0))
            case .authors(needRole: false): .array(Catalog.Fact.Part.author, count: 0...Limits.catalog.authors)
            case .authors(needRole: true): .array(Catalog.Fact.Part.contributor, count: 0...Limits.catalog.authors)
            case .series: .array(Catalog.Fact.Part.series, count: 0...Limits.catalog.series)
            case .subjects: .array(Catalog.Fact.Part.subject, count: 0...Limits.catalog.subjects)
            case .book: .id
            }
        return isRequired ? schema : .orNull(schema)
    }

    /// What a request may send in its list of texts.
    private var element: Schema {
        if case .words(let words) = rule { .choice(words) } else { .text(format: nil, bytes: rule.list?.bytes) }
    }

    /// What a revision or a proposal says of it: the value in its stored form, `null` where there is none.
    var fact: Schema {
        switch rule {
        case .text, .language: .orNull(.string)
        case .number(let range): .orNull(.integer(range))
        case .choice(let names): .orNull(.choice(names))
        case .texts, .genres, .isbns, .fieldNames: .orNull(.array(.string))
        case .words(let words): .orNull(.array(.choice(words)))
        case .authors, .series, .subjects: .orNull(.array(Catalog.Fact.Part.stored))
        case .book: .orNull(.id)
        }
    }

    /// The fields of books, editions and authors, of which a change names any: one that several of them have is of one shape. The cover is
    /// a picture's id.
    private static let changed = Catalog.Thing.Kind.allCases.flatMap(all(of:)).reduce(
        into: [Schema.Property(name: Name.cover.rawValue, schema: .orNull(.id), isRequired: false)]
    ) { properties, field in
        if properties.contains(where: { $0.name == field.name.rawValue }) { return }
        properties.append(Schema.Property(name: field.name.rawValue, schema: field.fact, isRequired: false))
    }

    /// What a proposal would make of fields.
    static let changes = Schema.record(name: "Changes", changed)

    /// What fields were before or after a revision; of a merge, what it was merged into; of chapters, the title and the
    /// position of each.
    static let revised = Schema.record(
        name: "RevisedFields",
        changed + [
            Schema.Property(name: Name.into.rawValue, schema: .id, isRequired: false),
            Schema.Property(
                name: Name.chapters.rawValue, schema: .array(Catalog.Fact.Part.stored), isRequired: false),
        ])

    /// A request body in which each of `fields` may be left out.
    static func body(_ name: String, _ fields: [Catalog.Field], also: [(String, Schema)] = []) -> Schema {
        .record(
            name: name,
            (fields.map { ($0.name.rawValue, $0.schema) } + also).map {
                Schema.Property(name: $0.0, schema: $0.1, isRequired: false)
            })
    }
}

extension Catalog.Fact.Part {
    /// An author to be sent: by id, or by name; a string alone is a name.
    static let author = Schema.either([
        .string(Limits.catalog.name),
        .object(
            "AuthorPart", [:],
            optional: ["id": .orNull(.id), "name": .orNull(.string(Limits.catalog.name)), "role": .orNull(relator)]),
    ])

    /// A contributor to be sent: by id, or by name.
    static let contributor = Schema.object(
        "ContributorPart", ["role": relator],
        optional: ["id": .orNull(.id), "name": .orNull(.string(Limits.catalog.name))])

    static let relator = Schema.choice(Catalog.Role.allCases.map(\.rawValue))

    /// A series to be sent; a string alone is its name.
    static let series = Schema.either([
        .string(Limits.catalog.seriesName),
        .object(
            "SeriesPart", ["name": .string(Limits.catalog.seriesName)],
            optional: ["position": .orNull(.string(Limits.catalog.position))]),
    ])

    /// A subject to be sent; a string alone is a topic.
    static let subject = Schema.either([
        .string(1...Limits.catalog.subject),
        .object(
            "SubjectPart", ["name": .string(1...Limits.catalog.subject)],
            optional: ["kind": .orNull(.choice(["topic", "place", "person", "time"]))]),
    ])

    /// Any of them as history tells it.
    static let stored = Schema.object(
        "Part", [:],
        optional: [
            "id": .orNull(.id), "name": .orNull(.string), "position": .orNull(.string), "kind": .orNull(.string),
            "role": .orNull(.string),
        ])
}

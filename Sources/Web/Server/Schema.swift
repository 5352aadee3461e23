/// The shape of a JSON value: what `openapi.json` says about a request or a reply, and what the tests hold real replies to.
///
/// ```swift
/// static let author = Schema.object("Author", ["id": .id, "name": .string, "born": .orNull(.integer)])
/// static let book = Schema.object("Book", ["id": .id, "title": .string, "authors": .array(author)])
/// ```
package indirect enum Schema: Sendable {
    case boolean
    case integer(ClosedRange<Int>?)
    case number(ClosedRange<Double>?)
    /// `format` as in JSON Schema (`date-time`, `date`, `email`, `uri`) or none; lengths are told in UTF-8 bytes in the description.
    case text(format: String?, bytes: ClosedRange<Int>?)
    case choice([String])
    case array(Schema, count: ClosedRange<Int>?)
    /// Every value has this shape; the keys vary.
    case map(Schema)
    /// A component of its own, by name; the same name always means the same properties.
    case record(name: String, [Property])
    /// One of the two.
    case orNull(Schema)
    /// One of these.
    case either([Schema])
    /// Any JSON value.
    case any

    package struct Property: Sendable {
        package let name: String
        package let schema: Schema
        /// False for a property that may be left out of a request, or that a reply carries only where it says something.
        package let isRequired: Bool
    }

    package static var string: Schema { .text(format: nil, bytes: nil) }
    package static var integer: Schema { .integer(nil) }
    package static var number: Schema { .number(nil) }
    /// A decimal identifier in a string.
    package static var id: Schema { .text(format: "id", bytes: 1...19) }
    package static var time: Schema { .text(format: "date-time", bytes: nil) }
    package static var date: Schema { .text(format: "date", bytes: nil) }
    package static var email: Schema { .text(format: "email", bytes: 3...254) }

    package static func string(_ bytes: ClosedRange<Int>) -> Schema { .text(format: nil, bytes: bytes) }
    package static func array(_ element: Schema) -> Schema { .array(element, count: nil) }

    /// A named object: `properties` in the order in which documents show them; those in `optional` may be left out of a request.
    package static func object(
        _ name: String, _ properties: KeyValuePairs<String, Schema>, optional: KeyValuePairs<String, Schema> = [:]
    ) -> Schema {
        .record(
            name: name,
            properties.map { Property(name: $0.key, schema: $0.value, isRequired: true) }
                + optional.map { Property(name: $0.key, schema: $0.value, isRequired: false) })
    }

    /// One page of a list: `{items, next_cursor, prev_cursor}` and what else the list carries. `name`: of the component, where lists of the same
    /// things carry different things.
    package static func page(
        _ item: Schema, name: String? = nil, also: KeyValuePairs<String, Schema> = [:]
    ) -> Schema {
        let name = name ?? item.componentName.map { $0 + "Page" } ?? "Page"
        return .record(
            name: name,
            [
                Property(name: "items", schema: .array(item, count: 0...100), isRequired: true),
                Property(name: "next_cursor", schema: .orNull(.string), isRequired: true),
                Property(name: "prev_cursor", schema: .orNull(.string), isRequired: true),
            ] + also.map { Property(name: $0.key, schema: $0.value, isRequired: true) })
    }

    /// An object with these properties besides, under a name of its own.
    package func adding(
        _ more: KeyValuePairs<String, Schema> = [:], optional: KeyValuePairs<String, Schema> = [:], as name: String
    ) -> Schema {
        guard case .record(_, let properties) = self else { return self }
        return .record(
            name: name,
            properties + more.map { Property(name: $0.key, schema: $0.value, isRequired: true) }
                + optional.map { Property(name: $0.key, schema: $0.value, isRequired: false) })
    }

    /// True for an object some of whose properties may not be left out.
    var needsFields: Bool {
        if case .record(_, let properties) = self { properties.contains(where: \.isRequired) } else { true }
    }

    /// The component's name, for an object that is one.
    package var componentName: String? {
        if case .record(let name, _) = self { name } else { nil }
    }
}

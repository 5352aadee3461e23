/// The text of a statement of type `Root`, or a part of one, with the parameters that it needs.
///
/// It is written as an interpolated literal, in which a key path is a parameter: `"… where id = \(\.work)"` is sent as
/// `… where id = $1`, and `$1` is bound to the statement's `work`. The same property twice is one `$n`.
///
/// What else can stand in it is SQL of ours: another `SQL` of the same statement, a `Fragment`, a number, the word of an enumeration. A
/// `String` cannot, so that what is known only at run time never becomes SQL.
package struct SQL<Root>: Sendable {
    /// One `$n`: a property of the statement.
    package struct Parameter: Sendable {
        /// The property's name, with those of its owner before it: `counting.today`.
        package let name: String
        package let type: PostgresType
        /// What the value comes from: a key path, and one into the elements of an array behind it. Empty for the viewer, whose
        /// property is known by its name. Each was `Sendable` as it was given.
        nonisolated(unsafe) let source: [AnyKeyPath]
        let append: @Sendable (Root, inout Parameters) -> Void
    }

    enum Piece: Sendable {
        case text(String)
        /// A place in `parameters`.
        case parameter(Int)
    }

    /// In the order of `$1`, `$2`, …: as they first come in the text.
    package private(set) var parameters: [Parameter] = []
    private(set) var pieces: [Piece] = []

    /// As the server gets it.
    package var text: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .parameter(let place): "$\(place + 1)"
            }
        }.joined()
    }

    fileprivate mutating func add(_ text: String) {
        if !text.isEmpty { pieces.append(.text(text)) }
    }

    fileprivate mutating func add(_ parameter: Parameter) {
        let known = parameters.firstIndex { $0.name == parameter.name }
        if let known {
            precondition(parameters[known].type == parameter.type, "\(parameter.name) has two types")
            let (one, other) = (parameters[known].source, parameter.source)
            let isSame = one.isEmpty || other.isEmpty || one.elementsEqual(other) { $0 == $1 }
            precondition(isSame, "\(parameter.name) names two values")
        }
        if known == nil { parameters.append(parameter) }
        pieces.append(.parameter(known ?? parameters.count - 1))
    }

    fileprivate mutating func add(_ part: SQL) {
        for piece in part.pieces {
            switch piece {
            case .text(let text): add(text)
            case .parameter(let place): add(part.parameters[place])
            }
        }
    }

    /// A text of ours that is longer than a literal allows: never input.
    fileprivate static func of(text: String) -> SQL {
        var sql = SQL()
        sql.add(text)
        return sql
    }

    private init() {}
}

/// SQL that needs no parameter: names of columns and tables, conditions on columns alone.
package typealias Fragment = SQL<Never>

extension SQL: ExpressibleByStringInterpolation {
    package init(stringLiteral literal: StaticString) {
        add("\(literal)")
    }

    package init(stringInterpolation parts: StringInterpolation) {
        self = parts.sql
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL()

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: StaticString) { sql.add("\(literal)") }

        /// A parameter: the stored property, or the stored property of one, that `path` names.
        package mutating func appendInterpolation<Value: PostgresValue>(_ path: any KeyPath<Root, Value> & Sendable) {
            let read = Self.reader(path)
            sql.add(
                Parameter(name: Self.name(path), type: Value.postgresType, source: [path]) {
                    $1.append(read($0))
                })
        }

        /// The same where the property may be `nil`, which is a null.
        package mutating func appendInterpolation<Value: PostgresValue>(_ path: any KeyPath<Root, Value?> & Sendable) {
            let read = Self.reader(path)
            sql.add(
                Parameter(name: Self.name(path), type: Value.postgresType, source: [path]) {
                    $1.append(read($0))
                })
        }

        /// A parameter that is computed from the statement. `name` is what it is called where all parameters are listed.
        package mutating func appendInterpolation<Value: PostgresValue>(
            _ path: any KeyPath<Root, Value> & Sendable, _ name: StaticString
        ) {
            let read = Self.reader(path)
            sql.add(
                Parameter(name: "\(name)", type: Value.postgresType, source: [path]) { $1.append(read($0)) })
        }

        package mutating func appendInterpolation<Value: PostgresValue>(
            _ path: any KeyPath<Root, Value?> & Sendable, _ name: StaticString
        ) {
            let read = Self.reader(path)
            sql.add(
                Parameter(name: "\(name)", type: Value.postgresType, source: [path]) { $1.append(read($0)) })
        }

        /// A parameter for the column that is called as the word of an enumeration.
        package mutating func appendInterpolation<Value: PostgresValue>(
            _ path: any KeyPath<Root, Value> & Sendable, column word: some RawRepresentable<String> & CaseIterable
        ) {
            let read = Self.reader(path)
            sql.add(
                Parameter(name: word.rawValue, type: Value.postgresType, source: [path]) {
                    $1.append(read($0))
                })
        }

        /// A number as a narrower one, the nearest that there is.
        package mutating func appendInterpolation<
            Number: BinaryInteger & SendableMetatype, Narrow: FixedWidthInteger & PostgresValue
        >(
            _ path: any KeyPath<Root, Number> & Sendable, as _: Narrow.Type
        ) {
            let read = Self.reader(path)
            sql.add(
                Parameter(name: Self.name(path), type: Narrow.postgresType, source: [path]) {
                    $1.append(Narrow(clamping: read($0)))
                })
        }

        package mutating func appendInterpolation<
            Number: BinaryInteger & SendableMetatype, Narrow: FixedWidthInteger & PostgresValue
        >(
            _ path: any KeyPath<Root, Number?> & Sendable, as _: Narrow.Type
        ) {
            let read = Self.reader(path)
            sql.add(
                Parameter(name: Self.name(path), type: Narrow.postgresType, source: [path]) {
                    $1.append(read($0).map { Narrow(clamping: $0) })
                })
        }

        package mutating func appendInterpolation(_ path: any KeyPath<Root, [UInt8]> & Sendable, as _: Bytes.Type) {
            let read = Self.reader(path)
            sql.add(
                Parameter(name: Self.name(path), type: .bytea, source: [path]) { $1.append(Bytes(read($0))) })
        }

        /// An array: the property `part` of each element.
        package mutating func appendInterpolation<Element, Part: PostgresElement>(
            _ path: any KeyPath<Root, [Element]> & Sendable, each part: any KeyPath<Element, Part> & Sendable
        ) {
            let read = Self.reader(path)
            sql.add(
                Parameter(
                    name: Self.name(path) + "." + Self.name(part), type: [Part].postgresType, source: [path, part]
                ) {
                    $1.append(read($0).map { $0[keyPath: part] })
                })
        }

        package mutating func appendInterpolation<Element, Part: PostgresElement>(
            _ path: any KeyPath<Root, [Element]> & Sendable, each part: any KeyPath<Element, Part> & Sendable,
            _ name: StaticString
        ) {
            let read = Self.reader(path)
            sql.add(
                Parameter(name: "\(name)", type: [Part].postgresType, source: [path, part]) {
                    $1.append(read($0).map { $0[keyPath: part] })
                })
        }

        /// A part of this statement's SQL, with its parameters.
        package mutating func appendInterpolation(_ part: SQL) { sql.add(part) }

        @_disfavoredOverload
        package mutating func appendInterpolation(_ part: Fragment) { sql.add(part.text) }

        /// A number that stands in the text: a limit, a weight, the value of a level.
        package mutating func appendInterpolation(_ number: some BinaryInteger) { sql.add("\(number)") }
        package mutating func appendInterpolation(_ number: Double) { sql.add("\(number)") }

        /// The word of an enumeration as the name of a column.
        package mutating func appendInterpolation<Word: RawRepresentable & CaseIterable>(column word: Word)
        where Word.RawValue == String {
            sql.add(word.rawValue)
        }

        /// A constant as a text literal, in quotes: whatever it says stays a text.
        package mutating func appendInterpolation(literal text: String) {
            sql.add("'\(text.replacing("'", with: "''"))'")
        }

        /// The word of an enumeration, as a text literal: `'public'`.
        package mutating func appendInterpolation<Word: RawRepresentable>(_ word: Word) where Word.RawValue == String {
            appendInterpolation([word])
        }

        /// The words of an enumeration, as a list of text literals: `'public', 'private'`.
        package mutating func appendInterpolation<Word: RawRepresentable>(_ words: [Word])
        where Word.RawValue == String {
            for (place, word) in words.enumerated() {
                sql.add(place == 0 ? "" : ", ")
                appendInterpolation(literal: word.rawValue)
            }
        }

        /// Reads a property: a stored one where it stands, which is cheaper than going by the path at each run.
        private static func reader<Value>(_ path: any KeyPath<Root, Value> & Sendable) -> @Sendable (Root) -> Value {
            guard let offset = MemoryLayout<Root>.offset(of: path) else { return { $0[keyPath: path] } }
            return { root in
                withUnsafePointer(to: root) {
                    UnsafeRawPointer($0).advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
                }
            }
        }

        /// `\Root.counting.today` is called `counting.today`.
        fileprivate static func name(_ path: AnyKeyPath) -> String {
            let text = "\(path)"
            return String(text[(text.firstIndex(of: ".").map(text.index(after:)) ?? text.startIndex)...])
        }
    }
}

extension SQL {
    /// The same without a parameter, as a part of any statement.
    package init(_ fragment: Fragment) { self = .of(text: fragment.text) }
}

extension SQL {
    /// The same in another statement, which holds this one as its property `owner`.
    package func of<Owner>(_ owner: any KeyPath<Owner, Root> & Sendable) -> SQL<Owner> {
        let prefix = SQL<Owner>.StringInterpolation.name(owner) + "."
        var sql = SQL<Owner>()
        for piece in pieces {
            switch piece {
            case .text(let text): sql.add(text)
            case .parameter(let place):
                let own = parameters[place]
                // One path, as it is where the text names it whole.
                let source = own.source.prefix(1).compactMap { (owner as AnyKeyPath).appending(path: $0) }
                sql.add(
                    SQL<Owner>.Parameter(
                        name: prefix + own.name, type: own.type, source: source + own.source.dropFirst()
                    ) {
                        own.append($0[keyPath: owner], &$1)
                    })
            }
        }
        return sql
    }
}

extension Sequence {
    /// The parts one after the other, with `separator` between them.
    package func joined<Root>(separator: Fragment) -> SQL<Root> where Element == SQL<Root> {
        reduce(into: nil as SQL<Root>?) { sum, part in
            sum = sum.map { "\($0)\(separator)\(part)" } ?? part
        } ?? ""
    }
}

/// A statement whose rows depend on who looks.
///
/// A part of SQL that needs the viewer is a function of such a statement's type: it says `\(.viewer)`, and a statement that has none
/// cannot use it.
package protocol ForViewer: Sendable {
    associatedtype Viewing: PostgresElement
    var viewer: Viewing { get }
}

extension SQL where Root: ForViewer {
    /// The parameter that is the viewer.
    package static var viewer: SQL {
        var sql = SQL()
        sql.add(
            Parameter(name: "viewer", type: Root.Viewing.elementType, source: []) {
                $1.append(element: $0.viewer)
            })
        return sql
    }
}

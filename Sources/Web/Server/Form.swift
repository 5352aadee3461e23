import Community
import HTTPTypes
import Hummingbird
import NIOCore
import Postgres

/// The fields of a JSON object that a client sent. Each is asked for once, with its rule; `check()` then reports every fault at once.
///
/// ```swift
/// var form = try context.form(request)
/// let title = form.string("title", bytes: 1...200)
/// let rating = form.optionalNumber("rating", in: 0.25...5)
/// try form.check()
/// ```
/// Until `check()` a field at fault has a placeholder value (empty, the range's lower bound, `nil`).
package struct Form: Sendable {
    package private(set) var faults: Faults
    private let members: [String: JSONValue]
    private var asked: Set<String> = []
    /// Where the object stands in the body: empty, or a JSON pointer.
    private let place: String
    /// The fields that the route declares, of inner objects too. Others are faults, and so are those that no rule asked for.
    private let shape: Schema?

    /// `shape`: what the route declares. A body whose fields may all be left out may be absent.
    package init(_ request: Request, body: ByteBuffer, shape: Schema?) throws {
        try self.init(
            bytes: Array(body.readableBytesView), contentType: request.headers[.contentType], shape: shape)
    }

    package init(bytes: [UInt8], contentType: String?, shape: Schema? = nil) throws {
        if bytes.isEmpty, let shape, !shape.needsFields {
            (self.members, self.place, self.shape, faults) = ([:], "", shape, Faults())
            return
        }
        let type = contentType?.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } }
        guard type == "application/json" || type == "application/merge-patch+json" else {
            throw Problem(
                .unsupportedMediaType, "Send `Content-Type: application/json`.")
        }
        do throws(JSONSyntaxError) {
            let (value, faults) = try JSONValue.parse(bytes)
            guard case .object(let members) = value else {
                throw JSONSyntaxError(offset: 0, detail: "A JSON object is expected, not \(value.kind).")
            }
            self.members = members
            self.faults = faults
        } catch {
            throw Problem.invalidJSON(error.detail)
        }
        self.shape = shape
        self.place = ""
    }

    /// The object that a field holds, with rules of its own: `nil` where the field is left out, null, or no object. What it finds is
    /// `add`ed to this form.
    package mutating func object(_ name: String) -> Form? {
        guard let value = value(name) else { return nil }
        guard case .object(let members) = value else { return wrongType(name, "an object", value) }
        return Form(members: members, at: pointer(name))
    }

    /// The objects of an array, each with rules of its own, at most `count`; `nil` where the field is left out or null. What they find
    /// is `add`ed to this form.
    package mutating func objects(_ name: String, count: Int) -> [Form]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value else { return wrongType(name, "an array", value) }
        guard elements.count <= count else {
            faults.add(pointer(name), .tooLong, "must have 0 to \(count) elements")
            return nil
        }
        return elements.enumerated().compactMap { index, element in
            guard case .object(let members) = element else {
                return wrongType("\(name)/\(index)", "an object", element)
            }
            return Form(members: members, at: pointer("\(name)/\(index)"))
        }
    }

    /// What `read` makes of each of the objects of an array, at most `count`; none where the field is left out or null.
    package mutating func each<Value>(_ name: String, count: Int, _ read: (inout Form) -> Value) -> [Value] {
        var values: [Value] = []
        for var inner in objects(name, count: count) ?? [] {
            values.append(read(&inner))
            add(inner)
        }
        return values
    }

    private init(members: [String: JSONValue], at place: String) {
        (self.members, self.place, self.shape, faults) = (members, place, nil, Faults())
    }

    private func pointer(_ name: String) -> String { place + "/" + name }

    /// Throws `Failure.invalid` with every fault so far.
    package mutating func check() throws(Failure) {
        faults.add(contentsOf: strangers)
        try faults.check()
    }

    /// What `check()` would throw, for a store that adds faults of its own before it refuses.
    package func faultsAtEnd() -> [Failure.Fault] {
        var whole = faults
        whole.add(contentsOf: strangers)
        return whole.all
    }

    /// Fields that the route does not declare, and those that no rule asked for. What has a fault already has no second one.
    private var strangers: [Failure.Fault] {
        var known = Set(faults.all.map(\.pointer))
        var found = Faults()
        shape?.addStrangers(in: .object(members), to: &found)
        for name in members.keys.sorted() where !asked.contains(name) && !found.isFull {
            found.add(contentsOf: [
                Strangers.field(name, at: place + Strangers.step(name), allowed: Array(asked))
            ])
        }
        return found.all.filter { known.insert($0.pointer).inserted }
    }

    /// Adds what the form of an object in this one found.
    package mutating func add(_ inner: Form) {
        for fault in inner.faultsAtEnd() { faults.add(fault.pointer, fault.code, fault.detail) }
    }

    /// Adds what a rule of the community found.
    package mutating func add(_ found: Faults) { faults.add(contentsOf: found.all) }

    /// Adds a fault of a rule that concerns more than one field.
    package mutating func fault(_ name: String, _ code: FaultCode, _ detail: String) {
        faults.add(pointer(name), code, detail)
    }

    /// True where the field was sent, `null` included.
    package func has(_ name: String) -> Bool { members[name] != nil }

    /// The field as it was sent, `null` included; `nil` where it was left out.
    package mutating func json(_ name: String) -> JSONValue? {
        asked.insert(name)
        return members[name]
    }

    // MARK: Text

    /// Text that must be there. NUL never gets this far.
    package mutating func string(_ name: String, bytes: ClosedRange<Int>) -> String {
        required(name) { form in form.optionalString(name, bytes: bytes) } ?? ""
    }

    /// Text, or `nil` where the field is left out or null.
    package mutating func optionalString(_ name: String, bytes: ClosedRange<Int>) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { return wrongType(name, "a string", value) }
        let count = text.utf8.count
        guard bytes.contains(count) else {
            let code: FaultCode = count > bytes.upperBound ? .tooLong : .tooShort
            faults.add(pointer(name), code, "must have \(bytes.lowerBound) to \(bytes.upperBound) bytes, has \(count)")
            return nil
        }
        return text
    }

    /// One of the names of `Choice`, or `nil` where the field is left out or null.
    package mutating func optionalChoice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { return wrongType(name, "a string", value) }
        guard let choice = Choice(rawValue: text) else {
            faults.add(
                pointer(name), .unknown, "must be one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
            return nil
        }
        return choice
    }

    /// One of the names of `Choice`, which must be there; `nil` where it is at fault.
    package mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        required(name) { form in form.optionalChoice(name, type) }
    }

    /// Each element text of `bytes` bytes, at most `count` of them; empty where the field is left out.
    package mutating func strings(_ name: String, count: ClosedRange<Int>, bytes: ClosedRange<Int>) -> [String] {
        guard let value = value(name) else {
            if count.lowerBound > 0 { faults.add(pointer(name), .required, "must be given") }
            return []
        }
        guard case .array(let elements) = value else { return wrongType(name, "an array", value) ?? [] }
        guard count.contains(elements.count) else {
            let code: FaultCode = elements.count > count.upperBound ? .tooLong : .tooShort
            faults.add(pointer(name), code, "must have \(count.lowerBound) to \(count.upperBound) elements")
            return []
        }
        return elements.enumerated().compactMap { index, element in
            guard case .string(let text) = element else { return wrongType("\(name)/\(index)", "a string", element) }
            guard bytes.contains(text.utf8.count) else {
                let code: FaultCode = text.utf8.count > bytes.upperBound ? .tooLong : .tooShort
                faults.add(
                    pointer("\(name)/\(index)"), code, "must have \(bytes.lowerBound) to \(bytes.upperBound) bytes")
                return nil
            }
            return text
        }
    }

    // MARK: Numbers and others

    /// A whole number in `range`; a fault and the lower bound where it is missing or is none.
    package mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int {
        required(name) { form in form.optionalInteger(name, in: range) } ?? range.lowerBound
    }

    /// The same; `nil` where it is left out or null, and beside a fault.
    package mutating func optionalInteger(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = value(name) else { return nil }
        guard case .number(let text) = value else { return wrongType(name, "a number", value) }
        guard let double = Double(text), double == double.rounded() else {
            return wrongType(name, "a whole number", value)
        }
        guard let number = Int(text) ?? Int(exactly: double), range.contains(number) else {
            faults.add(pointer(name), .outOfRange, "must be \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// A number in `range`; a fault and the lower bound where it is missing or is none.
    package mutating func number(_ name: String, in range: ClosedRange<Double>) -> Double {
        required(name) { form in form.optionalNumber(name, in: range) } ?? range.lowerBound
    }

    /// The same; `nil` where it is left out or null, and beside a fault.
    package mutating func optionalNumber(_ name: String, in range: ClosedRange<Double>) -> Double? {
        guard let value = value(name) else { return nil }
        guard case .number(let text) = value else { return wrongType(name, "a number", value) }
        guard let number = Double(text), range.contains(number) else {
            faults.add(pointer(name), .outOfRange, "must be \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// True or false; `fallback` where the field is left out or null.
    package mutating func boolean(_ name: String, default fallback: Bool) -> Bool {
        guard let value = value(name) else { return fallback }
        guard case .boolean(let flag) = value else { return wrongType(name, "true or false", value) ?? fallback }
        return flag
    }

    /// An identifier, sent as a string; a fault and `.min` where it is missing or is none.
    package mutating func id<Entity>(_ name: String, as entity: Entity.Type) -> ID<Entity> {
        required(name) { form in form.optionalID(name, as: entity) } ?? .min
    }

    /// The same; `nil` where it is left out or null, and beside a fault.
    package mutating func optionalID<Entity>(_ name: String, as entity: Entity.Type) -> ID<Entity>? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { return wrongType(name, "an identifier in a string", value) }
        guard let id = ID<Entity>(text: text) else {
            faults.add(pointer(name), .badFormat, "must be an identifier")
            return nil
        }
        return id
    }

    /// A day as `2026-01-31`, or `nil` where the field is left out or null.
    package mutating func optionalDate(_ name: String) -> CalendarDate? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { return wrongType(name, "a date in a string", value) }
        guard let date = CalendarDate(text: text) else {
            faults.add(pointer(name), .badFormat, "must be a date like 2026-01-31")
            return nil
        }
        return date
    }

    /// A time as `2026-01-31T18:30:00Z`, or `nil` where the field is left out or null.
    package mutating func optionalTime(_ name: String) -> Timestamp? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { return wrongType(name, "a time in a string", value) }
        guard let time = Timestamp(text: text) else {
            faults.add(pointer(name), .badFormat, "must be a time like 2026-01-31T18:30:00Z")
            return nil
        }
        return time
    }

    // MARK: -

    private mutating func value(_ name: String) -> JSONValue? {
        asked.insert(name)
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    /// What `read` gives; a fault where it gives nothing and has not said why.
    private mutating func required<Value>(_ name: String, _ read: (inout Form) -> Value?) -> Value? {
        let before = faults.all.count
        if let value = read(&self) { return value }
        if faults.all.count == before { faults.add(pointer(name), .required, "must be given") }
        return nil
    }

    private mutating func wrongType<Value>(_ name: String, _ expected: String, _ value: JSONValue) -> Value? {
        faults.add(pointer(name), .wrongType, "must be \(expected), is \(value.kind)")
        return nil
    }
}

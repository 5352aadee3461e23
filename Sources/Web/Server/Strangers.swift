import Community

/// Names that a call gives and no rule reads. Nothing is passed over in silence: each is a fault, with the nearest name that is read.
enum Strangers {
    /// The fault of a parameter that the route does not declare.
    static func parameter(_ name: String, allowed: [String]) -> Failure.Fault {
        let none = "This call takes no parameters."
        return Failure.Fault(
            "?" + name, .unknownParameter,
            allowed.isEmpty ? none : "There is no such parameter. " + advice(name, among: allowed))
    }

    /// The fault of a field that the body's shape does not name.
    static func field(_ name: String, at pointer: String, allowed: [String]) -> Failure.Fault {
        let none = "No field is read here."
        return Failure.Fault(
            pointer, .unknownField,
            allowed.isEmpty ? none : "There is no such field. " + advice(name, among: allowed))
    }

    /// What may stand in a JSON pointer for a key (RFC 6901).
    static func step(_ key: String) -> String {
        "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    private static func advice(_ name: String, among allowed: [String]) -> String {
        if let near = nearest(to: name, among: allowed) { return "Did you mean `\(near)`?" }
        return "Allowed are " + allowed.sorted().map { "`\($0)`" }.joined(separator: ", ") + "."
    }

    /// The name that was probably meant; `nil` where none is near. One that holds the other is near, whatever stands around it.
    static func nearest(to name: String, among allowed: [String]) -> String? {
        let name = name.prefix(64).lowercased()
        let reach = max(1, min(3, name.count / 3))
        let distances = allowed.sorted().map { (name: $0, steps: distance(name, $0)) }
        if let best = distances.min(by: { $0.steps < $1.steps }), best.steps <= reach { return best.name }
        guard name.count > 3 else { return nil }
        return distances.filter { $0.name.contains(name) || $0.name.count > 3 && name.contains($0.name) }
            .min { $0.steps < $1.steps }?.name
    }

    /// Letters that must be put in, taken out or changed to make one of the other.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (left, right) = (Array(one.utf8), Array(other.utf8))
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var corner = row[0]
            row[0] = index + 1
            for column in right.indices {
                let change = corner + (letter == right[column] ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = min(change, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[right.count]
    }
}

extension Route {
    /// Throws `Failure.invalid` with a fault for each parameter that the route does not declare, and for each that is given twice.
    /// Only the API's own calls are held to it: probes, pictures and other services' clients are not ours to change.
    func checkParameters(of target: String) throws(Failure) {
        guard path.hasPrefix("/api/"), dialect == nil, target.utf8.contains(UInt8(ascii: "?")) else { return }
        let allowed = query.map(\.name)
        var (faults, seen) = (Faults(), Set<String>())
        for name in try Query(target: target).names {
            if !allowed.contains(name) {
                faults.add(contentsOf: [Strangers.parameter(name, allowed: allowed)])
            } else if !seen.insert(name).inserted {
                faults.add("?" + name, .twice, "Give each parameter once.")
            }
        }
        try faults.check()
    }
}

extension Schema {
    /// Adds a fault for each field in `value` that this shape does not name, however deep it stands. Where several shapes will do, a
    /// field of any of them is known.
    func addStrangers(in value: JSONValue, at pointer: String = "", to faults: inout Faults) {
        switch value {
        case .object(let members):
            if case .map(let element) = self {
                for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                    element.addStrangers(in: value, at: pointer + Strangers.step(key), to: &faults)
                }
            }
            guard let fields else { return }
            for (key, value) in members.sorted(by: { $0.key < $1.key }) where !faults.isFull {
                let place = pointer + Strangers.step(key)
                if let field = fields.first(where: { $0.name == key }) {
                    field.schema.addStrangers(in: value, at: place, to: &faults)
                } else {
                    faults.add(contentsOf: [Strangers.field(key, at: place, allowed: fields.map(\.name))])
                }
            }
        case .array(let elements):
            guard let element else { return }
            for (index, value) in elements.enumerated() where !faults.isFull {
                element.addStrangers(in: value, at: "\(pointer)/\(index)", to: &faults)
            }
        default: return
        }
    }

    /// The properties of an object of this shape; `nil` where the shape is no object with names of its own.
    var fields: [Property]? {
        switch self {
        case .record(_, let properties): return properties
        case .orNull(let inner): return inner.fields
        case .either(let schemas):
            let all = schemas.compactMap(\.fields)
            return all.isEmpty ? nil : all.flatMap(\.self)
        default: return nil
        }
    }

    /// The shape of an array's elements.
    private var element: Schema? {
        switch self {
        case .array(let element, _): element
        case .orNull(let inner): inner.element
        case .either(let schemas): schemas.lazy.compactMap(\.element).first
        default: nil
        }
    }
}

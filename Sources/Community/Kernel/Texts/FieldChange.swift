/// A field that a caller leaves as it is, or sets, perhaps to nothing.
package enum FieldChange<Value: Hashable & Sendable>: Hashable, Sendable {
    case keep
    case set(Value?)

    func applied(to old: Value?) -> Value? {
        switch self {
        case .keep: old
        case .set(let new): new
        }
    }

    /// What it sets, where that is something.
    package var value: Value? {
        if case .set(let value) = self { value } else { nil }
    }
}

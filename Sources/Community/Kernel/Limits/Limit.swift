/// A limit that somebody outside can meet: its value, with its line in `Limits.table`.
///
///     @Limit("library.note", "bytes") package var note = 1...2000
@propertyWrapper
package struct Limit<Value: Sendable>: Sendable, Limited {
    package let wrappedValue: Value
    let line: Limits.Line
}

/// A limit of any type.
protocol Limited {
    var line: Limits.Line { get }
}

extension Limit where Value: BinaryInteger {
    init(wrappedValue: Value, _ name: String, _ unit: String) {
        self.init(wrappedValue: wrappedValue, line: Limits.Line(name, wrappedValue, unit))
    }
}

extension Limit<ClosedRange<Int>> {
    init(wrappedValue: Value, _ name: String, _ unit: String) {
        self.init(wrappedValue: wrappedValue, line: Limits.Line(name, wrappedValue, unit))
    }
}

extension Limit<Duration> {
    /// In whole seconds.
    init(wrappedValue: Value, _ name: String, _ unit: String) {
        self.init(wrappedValue: wrappedValue, line: Limits.Line(name, wrappedValue.components.seconds, unit))
    }
}

import Community

/// The names of sets of words. A set that has a name is a component of `openapi.json`, wherever it stands; one that stands at two places
/// and has none fails a test.
enum Enums {
    /// `nil` for a set without a name.
    static func name(of values: [String]) -> String? { names[values.joined(separator: " ")] }

    private static let names: [String: String] = {
        var names: [String: String] = [
            ProblemCode.allCases.map(\.rawValue).joined(separator: " "): "ProblemCode",
            FaultCode.allCases.map(\.rawValue).joined(separator: " "): "FaultCode",
        ]
        for line in known.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1)
            if parts.count == 2 { names[String(parts[1])] = String(parts[0]) }
        }
        return names
    }()

    private static let known = """
        """
}

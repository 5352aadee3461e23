import SystemPackage

/// What is said to people who look on, apart from results. Where nobody can hear it, nothing is said.
enum StandardError {
    static func write(_ text: String) { _ = try? FileDescriptor.standardError.writeAll(text.utf8) }
}

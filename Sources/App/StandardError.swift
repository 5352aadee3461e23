import SystemPackage

/// Messages for the person who runs the command, apart from results. An error of writing them is dropped: there is nowhere to report it.
enum StandardError {
    static func write(_ text: String) { _ = try? FileDescriptor.standardError.writeAll(text.utf8) }
}

import Foundation

/// The program that the tests run: `.build/…/commonplace` beside the test bundle, or the file that `COMMONPLACE_PROGRAM` names.
package enum BuiltProgram {
    /// Throws where there is none.
    package static func path() throws -> String {
        if let named = ProcessInfo.processInfo.environment["COMMONPLACE_PROGRAM"] { return named }
        let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let beside = bundle.deletingLastPathComponent().appending(path: "commonplace").path
        if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        // `swift test` runs the bundle through a helper of the toolchain.
        for argument in CommandLine.arguments {
            let folder = URL(filePath: argument).deletingLastPathComponent()
            let path = folder.appending(path: "commonplace").path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw Missing()
    }

    private struct Missing: Error, CustomStringConvertible {
        let description = "there is no built program; name it in COMMONPLACE_PROGRAM"
    }
}

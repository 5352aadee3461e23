import Community
import Foundation
import Postgres
import Testing

extension Given {
    /// A listed book with a title of its own, one author and one edition.
    package func book(
        _ title: String? = nil, by author: String = "Ada Example", year: Int? = 1999, isbn: ISBN? = nil,
        genres: [String] = []
    ) async throws -> ID<Catalog.Work> {
        let key = try world.services.ids.make(Catalog.Work.self).text
        var book = Catalog.NewBook(key: key, title: title ?? "Book \(key)", authors: [author], year: year)
        book.genres = genres
        if let isbn { book.isbns = [isbn] }
        return try await books([book])[0]
    }

    /// These books, in this order.
    package func books(_ books: [Catalog.NewBook], from source: String = "test") async throws -> [ID<Catalog.Work>] {
        try await world.community.catalog.add(books, from: source)
    }

    /// A file that goes with the test.
    package func file(_ name: String = "import.txt", _ content: String) throws -> TemporaryFile {
        try TemporaryFile(name, Array(content.utf8))
    }
}

/// A file in a folder of its own, both removed with the last reference.
package final class TemporaryFile: Sendable {
    package let folder: String
    package let path: String

    package init(_ name: String, _ content: [UInt8]) throws {
        folder = NSTemporaryDirectory() + "commonplace-" + UUID().uuidString
        path = folder + "/" + name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(content).write(to: URL(filePath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}

/// Real data that lies beside the project and is no part of it: `COMMONPLACE_SHARED`, or `../shared` beside the package.
package enum SharedData {
    /// The path of `name` below the folder's `data`. Tests that need it have the trait `.sharedData`.
    package static func path(_ name: String) -> String { folder + "/data/" + name }

    fileprivate static let folder: String = {
        // This file is Tests/TestSupport/….
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return ProcessInfo.processInfo.environment["COMMONPLACE_SHARED"]
            ?? root.deletingLastPathComponent().appending(path: "shared").path
    }()
}

/// Programs in Python that lie beside it.
package enum SharedTool {
    /// Runs `name` of the folder's `tools`. Throws where it fails.
    package static func run(_ name: String, _ arguments: String...) async throws {
        guard try await python([path(name)] + arguments) == 0 else { throw Failed() }
    }

    struct Failed: Error {}

    fileprivate static func path(_ name: String) -> String { SharedData.folder + "/tools/" + name }

    /// The exit status of Python with these arguments.
    fileprivate static func python(_ arguments: [String]) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// `@Test(.sharedData("goodbooks/books.csv"))`: the test is skipped where that data is not beside the project.
    package static func sharedData(_ name: String) -> ConditionTrait {
        let path = SharedData.path(name)
        return .enabled(if: FileManager.default.fileExists(atPath: path), "\(path) is absent")
    }

    /// The same of a tool that is there and a module of Python that it needs.
    package static func sharedTool(_ name: String, with module: String) -> ConditionTrait {
        .enabled("\(SharedTool.path(name)) is absent, or Python's \(module)") {
            guard FileManager.default.fileExists(atPath: SharedTool.path(name)) else { return false }
            return try await SharedTool.python(["-c", "import " + module]) == 0
        }
    }
}

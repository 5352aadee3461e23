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
        let key = try world.house.ids.make(Catalog.Work.self).text
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
    package static func path(_ name: String) -> String {
        // This file is Tests/TestSupport/….
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder =
            ProcessInfo.processInfo.environment["COMMONPLACE_SHARED"]
            ?? root.deletingLastPathComponent().appending(path: "shared").path
        return folder + "/data/" + name
    }
}

extension Trait where Self == ConditionTrait {
    /// `@Test(.sharedData("goodbooks/books.csv"))`: the test is skipped where that data is not beside the project.
    package static func sharedData(_ name: String) -> ConditionTrait {
        let path = SharedData.path(name)
        return .enabled(if: FileManager.default.fileExists(atPath: path), "\(path) is absent")
    }
}

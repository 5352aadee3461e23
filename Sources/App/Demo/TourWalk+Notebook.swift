import Client
import Community
import FoundationEssentials
import Postgres

// The writer's notebook: from a photograph of a page to a quote that is shared behind the gate.
extension TourWalk {
    /// Leaves out what the server or this machine has no programs for, and says so.
    func keepNotebook(
        of writer: Guest, about book: Book, beside friend: Guest, _ tell: @Sendable (Step) -> Void
    ) async throws {
        let typeset = try await DirectConnection.onThread { try PrintedPage.photograph() }
        guard let page = typeset else {
            return tell(Step(text: "no page is photographed: libvips-tools is not installed here", took: .zero))
        }
        let photo: String
        do {
            photo = try await step("the writer photographs a page", tell) {
                try await id(of: writer.client.photograph(book: book.id, page: 51, image: page))
            }
        } catch ClientError.refused(let problem) where problem.code == ProblemCode.picturesOff.rawValue {
            return tell(Step(text: "no page is photographed: the server takes no pictures", took: .zero))
        }
        let words = try await step("the server has read its words", tell) {
            try await eventually("the words of the photograph were not read") {
                let words = try await writer.client.call(.get, "/photos/\(photo)")["words"]
                return words?["state"]?.string == "waiting" ? nil : words
            }
        }
        guard let quote = words["text"]?.string else {
            return tell(Step(text: "the page has no words: the server reads none", took: .zero))
        }
        try await step("the writer finds the page by two of them", tell) {
            let found = try await writer.client.call(.get, "/me/notebook/search", ["q": PrintedPage.sought])
            guard found["items"]?.array?.contains(where: { $0["id"]?.string == photo }) == true else {
                throw ClientError.badAnswer("the page is not found by its words")
            }
        }
        let note = try await step("the writer makes it a quote", tell) {
            let place: JSONValue = ["page": .number(51), "page_count": .number(100)]
            let items: JSONValue = .array([
                ["kind": .string("quote"), "body": .string(quote), "place": place],
                ["kind": .string("picture"), "photo_id": .string(photo)],
            ])
            return try await id(of: writer.client.call(.post, "/books/\(book.id)/notes", [:], ["items": items]))
        }
        let thread = try await step("the writer shares it as a thread", tell) {
            let shared = try await writer.client.call(
                .post, "/notes/\(note)/share", [:], ["title": .string("Page 51, in its own words")])
            guard let thread = shared["thread_id"]?.string else { throw ClientError.badAnswer("no thread was opened") }
            return thread
        }
        try await step("the friend, who has not read so far, sees no word of it", tell) {
            let seen = try await friend.client.call(.get, "/threads/\(thread)")
            guard seen["state"]?.string == "gated" else { throw ClientError.badAnswer("the gate is open") }
        }
    }

    private func id(of thing: JSONValue) throws -> String {
        guard let id = thing["id"]?.string else { throw ClientError.badAnswer("it has no id") }
        return id
    }

    /// Asks until there is an answer, `patience` long.
    private func eventually<Answer>(_ complaint: String, _ ask: () async throws -> Answer?) async throws -> Answer {
        let end = ContinuousClock.now + Self.patience
        while ContinuousClock.now < end {
            if let answer = try await ask() { return answer }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ClientError.badAnswer(complaint)
    }
}

/// A page of a book as a reader photographs it, typeset here.
enum PrintedPage {
    private static let text = """
        A reader who copies a passage by hand reads it twice, once with the eye and once with the pen, and keeps it \
        longer than a page that was only turned.
        """
    /// Two words of it.
    static let sought = "passage pen"

    /// A JPEG; `nil` where the programs of libvips are not installed.
    static func photograph() throws -> [UInt8]? {
        guard let tools = Media.Tools.find() else { return nil }
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "commonplace-page-" + UUID().uuidString)
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        for arguments in [
            ["text", "words.v", text, "--width", "800", "--dpi", "200"], ["invert", "words.v", "black.v"],
            ["gravity", "black.v", "page.jpg[Q=90]", "centre", "1000", "1400", "--extend", "white"],
        ] {
            let program = Program(
                tools.vips, arguments, environment: [:], folder: folder.path,
                timeLimit: .seconds(20))
            guard try program.run().status == 0 else { return nil }
        }
        return [UInt8](try Data(contentsOf: folder.appending(path: "page.jpg")))
    }
}

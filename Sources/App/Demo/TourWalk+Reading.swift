import Client

// What the writer reads: an e-book, from its first page to the page that was bookmarked.
extension TourWalk {
    /// Leaves it out, and says so, where the server gives nobody the demonstration's own e-book.
    func read(as reader: Guest, _ tell: @Sendable (Step) -> Void) async throws {
        let client = reader.client
        guard let book = try await client.search(DemoGuide.title).first,
            try await client.call(.get, "/books/\(book.id)/ebooks")["items"]?.array?.isEmpty == false
        else { return tell(Step(text: "no e-book is opened: the server has none for everybody", took: .zero)) }
        let first = try await step("the writer opens an e-book", tell) {
            try await client.call(.get, "/books/\(book.id)/open")
        }
        guard let ebook = first["ebook"]?["id"]?.string, first["opened_at"]?.string == "beginning" else {
            throw ClientError.badAnswer("it does not open at the beginning")
        }
        try await step("the writer turns a page, and the place is logged", tell) {
            _ = try await client.call(.get, "/ebooks/\(ebook)/pages/2")
            let place: JSONValue = ["ebook": .string(ebook), "page": .number(2), "device": .string("tour")]
            _ = try await client.call(.put, "/books/\(book.id)/position", [:], place)
        }
        try await step("the writer bookmarks it, closes the book, and it opens there", tell) {
            let place: JSONValue = ["ebook": .string(ebook), "page": .number(2)]
            _ = try await client.call(.post, "/books/\(book.id)/bookmarks", [:], place)
            let again = try await client.call(.get, "/books/\(book.id)/open")
            guard again["page"]?["page"]?.number == 2, again["opened_at"]?.string == "bookmark" else {
                throw ClientError.badAnswer("it opens elsewhere")
            }
        }
    }
}

import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database) struct SuggestRoutesTests {
    private func titles(_ answer: TestAnswer) -> [String] {
        answer.json["items"]?.elements.compactMap { $0["title"]?.text } ?? []
    }

    @Test(.requirement("SEA-1")) func `each letter that is typed narrows what is suggested, most popular first`()
        async throws
    {
        try await withApp { app in
            var books: [Catalog.NewBook] = []
            for (number, title) in ["River Deep", "Rivers of London", "The River", "Robin"].enumerated() {
                var book = Catalog.NewBook(key: "\(number)", title: title, authors: ["Ann Writer"], year: 1990 + number)
                book.stars = [0, 0, 0, 0, Int32(100 * number)]
                books.append(book)
            }
            _ = try await app.world.given.books(books)
            #expect(
                titles(try await app.get("/api/v1/search/suggest?q=r"))
                    == ["Robin", "The River", "Rivers of London", "River Deep"])
            #expect(titles(try await app.get("/api/v1/search/suggest?q=riv&limit=2")).count == 2)
            #expect(titles(try await app.get("/api/v1/search/suggest?q=rivers%20o")) == ["Rivers of London"])
            let line = try await app.get("/api/v1/search/suggest?q=robin").json["items"]?[0]
            #expect(line?["authors"]?[0]?["name"] == "Ann Writer" && line?["year"] == 1993)
            let corrected = try await app.get("/api/v1/search/suggest?q=rvier+deep")
            #expect(titles(corrected) == ["River Deep"] && corrected.json["showing_results_for"] == "river deep")
            #expect(try await app.get("/api/v1/search/suggest?q=riv").json["showing_results_for"] == .null)
        }
    }

    @Test(
        arguments: [
            ("", 422), ("q=", 422), ("q=%ff", 422), ("q=%00", 422), ("q=x&limit=0", 422), ("q=x&limit=21", 422),
            ("q=x&limit=many", 422), ("q=" + String(repeating: "a", count: 10_000), 422),
            ("q=" + String(repeating: "a", count: 1_000), 200), ("q=x", 200), ("q=%20", 200), ("q=!!!", 200),
            ("q=%F0%9F%98%80", 200), ("q=%D7%A9%D7%9C%D7%95%D7%9D", 200), ("q=%26%7C!():*%3C-%3E", 200),
            ("q='%3B%20drop%20table%20work", 200), ("q=%E2%80%AEabc", 200), ("q=x&limit=20", 200),
            ("q=" + String(repeating: "%E6%9D%B1", count: 300), 200), ("q=" + String(repeating: "a+", count: 490), 200),
        ])
    func `whatever is typed is answered, or refused with the reason`(query: String, status: Int) async throws {
        try await withApp { app in
            _ = try await app.world.given.book("x")
            let answer = try await app.get("/api/v1/search/suggest?\(query)")
            #expect(answer.status.code == status)
            if status == 422 { #expect(answer.json["errors"]?[0]?["detail"]?.text?.isEmpty == false) }
            if query == "q=x" { #expect(titles(answer) == ["x"]) }
            if query == "q=!!!" || query == "q=%F0%9F%98%80" { #expect(titles(answer).isEmpty) }
        }
    }
}

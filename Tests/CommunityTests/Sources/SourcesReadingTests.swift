import TestSupport
import Testing

@testable import Community

/// What is made of other catalogues' answers.
@Suite struct SourcesReadingTests {
    @Test func `a volume of Google Books becomes a book without markup and without foreign addresses`() throws {
        let volumes = try Sources.GoogleBooks.Volume.list(Array(CatalogueAnswers.duneAtGoogle.utf8))
        let record = try #require(volumes.first?.record)
        #expect(record.key == "google:B1hSG45JCX4C")
        #expect(record.find.work.title == "Dune" && record.find.authorNames == ["Frank Herbert"])
        #expect(record.find.work.description == "Set on the desert planet Arrakis & beyond.\n\nA classic.")
        #expect(record.find.work.genres == ["fiction", "science-fiction"])
        #expect(record.find.work.subjects.map(\.name) == ["Fiction", "Science Fiction"])
        #expect(record.find.edition.isbns.map(\.text) == ["9780441172719"])
        #expect(record.find.edition.publisher == "Penguin" && record.find.edition.year == 2003)
        #expect(record.find.edition.pages == 704 && record.find.edition.language == "en")
        #expect(record.page == "https://books.google.com/books?id=B1hSG45JCX4C")
        #expect(record.cover == record.key.split(separator: ":").last.map(String.init))
    }

    @Test(arguments: [
        #"{"kind": "books#volumes", "totalItems": 0}"#, #"{"items": []}"#, #"{"items": null}"#, #"{"items": "x"}"#,
        #"{"items": [1, null, [], {}]}"#, #"{"items": [{"id": "abc"}]}"#,
        #"{"items": [{"id": "abc", "volumeInfo": 7}]}"#,
        #"{"items": [{"id": "abc", "volumeInfo": {"title": ""}}]}"#,
        #"{"items": [{"id": "a/../b", "volumeInfo": {"title": "T"}}]}"#,
        #"{"items": [{"id": 5, "volumeInfo": {"title": "T"}}]}"#,
        #"{"items": [{"id": "abc", "volumeInfo": {"title": "T", "printType": "MAGAZINE"}}]}"#,
    ])
    func `an answer without a usable volume gives none`(json: String) throws {
        #expect(try Sources.GoogleBooks.Volume.list(Array(json.utf8)).compactMap(\.record).isEmpty)
    }

    @Test func `a volume of which only the title is known, and one with fields of the wrong kind, are books`() throws {
        for info in [
            #"{"title": "T"}"#,
            #"{"title": "T", "authors": null, "pageCount": "many", "industryIdentifiers": {"type": "ISBN_13"}, "imageLinks": [], "description": 3}"#,
            #"{"title": "T", "authors": "One", "pageCount": 1e99, "categories": [null, 3], "industryIdentifiers": [3, {"type": "ISBN_13", "identifier": "123"}]}"#,
        ] {
            let json = #"{"items": [{"id": "abc", "volumeInfo": \#(info)}]}"#
            let record = try #require(try Sources.GoogleBooks.Volume.list(Array(json.utf8)).first?.record)
            #expect(record.find.work.title == "T" && record.find.edition.isbns.isEmpty && record.cover == nil)
            #expect(record.find.edition.pages == nil)
        }
    }

    @Test(arguments: [
        "", "null", "[]", "<html>", "{", #"{"items": [}"#, #"{"items": []} x"#, #"{"items": [{"id": "\u0000"}]}"#,
        #"{"a": "\ud800"}"#,
    ])
    func `what is no JSON object is unreadable`(text: String) {
        #expect(throws: Sources.Trouble.self) { try Sources.GoogleBooks.Volume.list(Array(text.utf8)) }
        #expect(throws: Sources.Trouble.self) { try Sources.OpenLibrary.editions(Array(text.utf8)) }
    }

    @Test func `deep nesting and bytes that are no text are unreadable`() {
        let deep =
            #"{"items": "# + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000) + "}"
        #expect(throws: Sources.Trouble.self) { try Sources.GoogleBooks.Volume.list(Array(deep.utf8)) }
        let objects = String(repeating: #"{"docs":"#, count: 50_000)
        #expect(throws: Sources.Trouble.self) { try Sources.OpenLibrary.editions(Array(objects.utf8)) }
        #expect(throws: Sources.Trouble.unreadable("not UTF-8")) {
            try Sources.GoogleBooks.Volume.list(Array(#"{"a": ""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8))
        }
    }

    @Test func `a search of Open Library names the editions to fetch, three at most`() throws {
        let json = #"""
            {"docs": [{"key": "/works/OL1W", "cover_edition_key": "OL9M"}, {"key": "/works/OL2W", "edition_key": ["OL5M", "OL6M"]},
             {"key": "/works/OL3W"}, {"cover_edition_key": "../x"}, 7, {"cover_edition_key": "OL7M"}, {"cover_edition_key": "OL8M"}]}
            """#
        #expect(try Sources.OpenLibrary.editions(Array(json.utf8)) == ["ol:OL9M", "ol:OL5M", "ol:OL7M"])
    }

    @Test(arguments: [
        ("plain", "plain"), ("a < b & c", "a < b & c"), ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("One<br>Two<br/>\n\n\n\nThree", "One\nTwo\n\nThree"), ("<b>x</b>&amp;&lt;&#233;&#xE9;&nbsp;y", "x&<éé y"),
        ("&#0;&#xD800;&bogus;&", "&#0;&#xD800;&bogus;&"), ("<script>alert(1)</script>", "alert(1)"),
        ("<!-- note -->x", "x"), ("<unclosed", "<unclosed"), ("", ""), ("<p></p>", ""),
    ])
    func `markup is taken out of texts`(html: String, text: String) { #expect(Markup.removed(from: html) == text) }

    @Test func `a text of nothing but beginnings of tags is read at once`() {
        for piece in ["<a", "<", "&a", "<!", "</", "&#x", "\n \n"] {
            let text = String(repeating: piece, count: 100_000)
            let start = ContinuousClock.now
            _ = Markup.removed(from: text)
            #expect(ContinuousClock.now - start < .seconds(5), "\(piece)")
        }
    }

    @Test func `only what answers the question is taken`() throws {
        let volumes = try Sources.GoogleBooks.Volume.list(Array(CatalogueAnswers.duneAtGoogle.utf8))
        let record = try #require(volumes.first?.record)
        let isbn = try ISBN("0441172717")
        let other = try ISBN("9780439023481")
        #expect(Sources.Question.isbn(isbn).isAnswered(by: record))
        #expect(!Sources.Question.isbn(other).isAnswered(by: record))
        #expect(Sources.Question.title("dune", author: "herbert, F").isAnswered(by: record))
        #expect(Sources.Question.title("DUNE", author: nil).isAnswered(by: record))
        #expect(!Sources.Question.title("Dune Messiah", author: nil).isAnswered(by: record))
        #expect(!Sources.Question.title("Dune", author: "Asimov").isAnswered(by: record))
    }
}

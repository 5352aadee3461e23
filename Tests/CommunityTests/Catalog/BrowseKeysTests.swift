import TestSupport
import Testing

@testable import Community

struct BrowseKeysTests {
    @Test(
        arguments: [
            ("The Hobbit", "en", "hobbit"), ("A Room", "en", "room"), ("A", "en", "a"), ("The The", "en", "the"),
            ("L'Étranger", "fr", "etranger"), ("Les Misérables", "fr", "miserables"), ("Der Prozess", "de", "prozess"),
            ("Die Hard", "en", "die hard"), ("Die Verwandlung", "de-AT", "verwandlung"), ("", "en", "\u{10FFFF}"),
        ])
    func `a title is ordered without its article`(title: String, language: String, key: String) {
        #expect(Catalog.Browse.titleKey(title, language: language) == key)
    }

    @Test(arguments: [
        ("Suzanne Collins", "collins suzanne"), ("Collins, Suzanne", "collins suzanne"), ("Plato", "plato"),
        ("J. R. R. Tolkien", "tolkien j r r"), (nil, "\u{10FFFF}"),
    ])
    func `an author is ordered by the last name`(name: String?, key: String) {
        #expect(Catalog.Browse.authorKey(name) == key)
    }

    @Test func `a key is cut between characters`() {
        let key = Catalog.Browse.titleKey(
            String(repeating: "é", count: 10) + String(repeating: "界", count: 60), language: nil)
        #expect(key.utf8.count <= Limits.browse.textKey && key.hasPrefix("eeeeeeeeee"))
    }

    @Test func `ratings are ordered as the formula orders them, whatever the mean is`() {
        var random = SystemRandomNumberGenerator()
        for mean in [4.0, 13.7, 20] {
            let books = (0..<200).map { _ in
                let count = Int.random(in: 0...50, using: &random)
                return (
                    count, (0..<count).reduce(Int64(0)) { sum, _ in sum + Int64.random(in: 1...20, using: &random) }
                )
            }
            for (left, right) in zip(books, books.dropFirst()) {
                let (one, two) = (value(left, mean), value(right, mean))
                guard abs(one - two) > 1e-5 else { continue }
                let isFirst =
                    Catalog.Browse.ratingKey(count: left.0, quarters: left.1, mean: mean)
                    > Catalog.Browse.ratingKey(count: right.0, quarters: right.1, mean: mean)
                #expect(isFirst == (one > two))
            }
        }
    }

    private func value(_ book: (Int, Int64), _ mean: Double) -> Double {
        (10 * mean + Double(book.1)) / (10 + Double(book.0))
    }
}

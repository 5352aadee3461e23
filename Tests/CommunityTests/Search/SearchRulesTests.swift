import TestSupport
import Testing

@testable import Community

/// What needs no database.
@Suite struct SearchRulesTests {
    @Test(arguments: [
        ("word", "word", 0), ("word", "wrod", 1), ("word", "wor", 1), ("word", "words", 1), ("word", "ward", 1),
        ("potter", "ptoter", 1), ("abcd", "badc", 2), ("abc", "cab", 2), ("abcdef", "fedcba", 3), ("a", "", 1),
    ])
    func `a swap of neighbours is one edit`(one: String, other: String, edits: Int) {
        #expect(Search.Spelling.distance(one, other, most: 2) == edits)
        #expect(Search.Spelling.distance(other, one, most: 2) == edits)
    }

    @Test func `the neighbours of a word are the words at a distance of one`() {
        let random = TestRandom(for: "neighbours")
        for _ in 0..<20 {
            let word = String(random.bytes(6).map { Character(Unicode.Scalar(97 + $0 % 5)) })
            let near = Search.Spelling.neighbours(word)
            #expect(near.count == Set(near).count && !near.contains(word))
            #expect(near.allSatisfy { Search.Spelling.distance(word, $0, most: 1) == 1 })
            let other = String(random.bytes(6).map { Character(Unicode.Scalar(97 + $0 % 5)) })
            #expect(near.contains(other) == (Search.Spelling.distance(word, other, most: 1) == 1))
        }
    }

    @Test(arguments: [
        ("word", 0), ("words", 1), ("eighteen", 1), ("wonderful", 2), ("1984", 0), ("catch22s", 0), ("東京都東京都", 0),
        ("преступление", 2), (String(repeating: "a", count: 40), 0),
    ])
    func `short words, numbers and scripts without an alphabet are taken at their word`(word: String, edits: Int) {
        #expect(Search.Spelling.edits(word) == edits)
    }

    @Test func `the plan follows the counts, and a rare beginning never walks`() {
        func term(_ count: Int, isOpen: Bool = false) -> Search.Term {
            var term = Search.Term(field: .any, words: ["w\(count)"], isOpen: isOpen)
            term.count = count
            return term
        }
        func plan(_ terms: Search.Term...) -> Search.Plan { .choose(terms, works: 1_000_000, wanted: 200) }
        #expect(plan(term(1, isOpen: true)) == .words)
        #expect(plan(term(0, isOpen: true)) == .words)
        #expect(plan(term(9_999)) == .words)
        #expect(plan(term(10_000)) == .popularity)
        #expect(plan(term(400_000), term(300_000, isOpen: true)) == .popularity)
        #expect(plan(term(50_000), term(50_000)) == .words)
        #expect(Search.Plan.choose([term(10)], works: 10, wanted: 200) == .words)
        #expect(Search.Plan.selective([term(10), term(900_000, isOpen: true)]) == [term(10)])
        #expect(Search.Plan.selective([term(900_000, isOpen: true)]) == [term(900_000, isOpen: true)])
        #expect(Search.Plan.selective([term(10), term(500_000)]).count == 2)
        #expect(Search.Plan.selective([term(150), term(1_201, isOpen: true)]) == [term(150)])
        #expect(Search.Plan.selective([term(7_000), term(56_000, isOpen: true)]).count == 2)
    }

    @Test(arguments: [
        ("harry pot", ["'harry'", "'pot':*"]), ("harry pot ", ["'harry'", "'pot'"]), ("a a a", ["'a'", "'a':*"]),
        ("O'Neill!", ["'oneill'"]), ("&|!():*<->", []), ("' or 1=1 --", ["'or'", "'1'"]), ("東京都", ["'東京'", "'京都':*"]),
    ])
    func `queries become words, the last one open unless something follows it`(text: String, words: [String]) {
        #expect(Search.Query(text).terms.map { $0.text() } == words)
    }

    @Test func `fields become words of their part`() {
        let query = Search.Query([.title: "ring", .author: "Tolk", .publisher: "Allen Unwin ", .genre: "sci-fi"])
        #expect(
            query.terms.map { $0.text() } == [
                "'ring':*A", "'tolk':*B", "'p/allen'", "'p/unwin'", "'g/science-fiction'",
            ])
    }

    @Test func `a cursor belongs to one query in any spelling of it`() {
        #expect(Search.Query("Harry  Potter").identity == Search.Query("harry pötter").identity)
        let others = [
            Search.Query("harry potter "), Search.Query("harry"), Search.Query([.title: "harry potter"]),
            Search.Query([.any: "harry potter"], sort: .by(.title)), Search.Query([.any: "harry", .author: "potter"]),
            Search.Query([.any: "harry potter"], isbn: ISBN(value: 9_780_439_023_481)),
        ]
        #expect(Set(others.map(\.identity)).count == others.count)
        #expect(!others.map(\.identity).contains(Search.Query("harry potter").identity))
    }

    @Test(arguments: [
        ("the hobbit", "hobbit"), ("a", "a"), ("the the", "the"), ("there there", "there there"), ("la peste", "peste"),
        ("", ""),
    ])
    func `a leading article does not count`(title: String, bare: String) {
        #expect(Normaliser.withoutArticle(title) == bare)
    }
}

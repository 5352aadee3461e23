import MarkdownReading
import TestSupport
import Testing

@testable import Community

/// Words as they are kept and as they are asked for, without a database.
struct BoardsWordsTests {
    @Test func `words are folded and have places, and a title's stand before with a gap`() {
        #expect(WordVector.text(title: nil, plain: "Élan, don't!\nÉlan") == "'elan':1 'dont':2 'elan':3 ")
        #expect(WordVector.text(title: "The End", plain: "of it") == "'the':1A 'end':2A 'of':4 'it':5 ")
        #expect(WordVector.text(title: nil, plain: "…\n🙂") == "")
    }

    @Test func `no word of an inline spoiler is kept`() {
        let words = WordVector.text(title: nil, plain: Markdown.render("He says >!the butler!< aloud").plain)
        #expect(words == "'he':1 'says':2 'aloud':4 ")
    }

    @Test(
        arguments: [
            ("Whale ship", "('whale') & ('ship':*)"), ("whale ship ", "('whale') & ('ship')"),
            ("of it", "('of') & ('it')"), ("\"white whale\" sea", "('white' <-> 'whale') & ('sea':*)"),
            ("sea \"white whale\"", "('sea') & ('white' <-> 'whale')"), ("\"white whale", "('white') & ('whale':*)"),
            ("a\"b", "('a') & ('b')"), ("it's & | ! :*", "('its')"),
        ])
    func `all words must be there, phrases as they are, and the last word may go on`(text: String, query: String) throws
    {
        #expect(try Boards.WordQuery(text).exact == query)
    }

    @Test func `a word that may go on is asked for apart from what it goes on to`() throws {
        let asked = try Boards.WordQuery("white whale").exactInIndex
        #expect(asked.count == 2 && asked[0] == "('white') & ('whale')")
        #expect(asked[1].hasPrefix("('white') & ('whalea':* | 'whaleb':* | "))
        #expect(asked[1].hasSuffix(" | 'whale9':*)"))
        for text in ["whale ", "\"white whale\"", "covid19"] {
            let query = try Boards.WordQuery(text)
            #expect(query.exactInIndex == [query.exact])
        }
    }

    @Test func `a misspelt word is asked for a few edits at a time`() throws {
        let asked = try Boards.WordQuery("sea whale").near
        #expect(asked.first?.hasPrefix("('sea') & ('whale' | 'ahale' | ") == true)
        #expect(asked.allSatisfy { $0.split(separator: "|").count <= Limits.boardSearch.nearSplit })
        #expect(Set(asked.joined(separator: " ").split(separator: "'")).isSuperset(of: ["hwale", "whal", "whalee"]))
        #expect(try Boards.WordQuery("sea it").near == [])
    }

    @Test func `the index is asked for every word, and for the place`() throws {
        let query = try Boards.WordQuery("sea \"white whale\"")
        #expect(query.loose(in: nil) == "('sea') & ('white' & 'whale')")
        #expect(query.loose(in: 7) == "'#7' & ('sea') & ('white' & 'whale')")
    }

    @Test(arguments: [
        ("", "too_short"), ("a", "too_short"), ("!?…", "too_short"), ("\"\" \"", "too_short"),
        (String(repeating: "ab ", count: 34), "too_long"),
    ])
    func `a query has two to a hundred characters, and a word`(text: String, code: String) async {
        #expect(await refusal { _ = try Boards.WordQuery(text) } == "?q " + code)
    }

    @Test func `of many words the first ones count`() throws {
        let text = (0..<30).map { "w\($0)" }.joined(separator: " ")
        let query = try Boards.WordQuery(String(text.prefix(100)))
        #expect(query.exact.split(separator: "&").count == Limits.boardSearch.words)
    }

    @Test func `spellings of one query are one, and what may go on is another`() throws {
        #expect(try Boards.WordQuery("The  SEA.").identity == Boards.WordQuery("the sea ").identity)
        #expect(try Boards.WordQuery("the sea").identity != Boards.WordQuery("the sea ").identity)
        #expect(try Boards.WordQuery("\"the sea\"").identity != Boards.WordQuery("the sea ").identity)
    }

    @Test func `an excerpt is a line with the first word that was found`() throws {
        let query = try Boards.WordQuery("whale")
        #expect(query.excerpt(of: "A white\n\nWhale!") == "A white Whale!")
        #expect(query.excerpt(of: "Nothing of it.") == "Nothing of it." && query.excerpt(of: "") == "")
        let many = Array(repeating: "water", count: 100).joined(separator: " ")
        let excerpt = query.excerpt(of: many + " whales " + many)
        #expect(excerpt.hasPrefix("… water ") && excerpt.hasSuffix(" water …") && excerpt.contains(" whales "))
        #expect(excerpt.count <= 200 && excerpt.count > 180)
        #expect(excerpt.prefix(64).contains("whales") || excerpt.prefix(75).contains("whales"))
    }

    @Test func `an excerpt is never too long, whatever the words`() throws {
        let query = try Boards.WordQuery("whale")
        let random = TestRandom(for: "excerpts")
        for _ in 0..<300 {
            let plain = (0..<random.number(in: 0...60)).map { _ in
                random.once(in: 8) ? "whale" : String(repeating: "é", count: random.number(in: 1...250))
            }.joined(separator: " ")
            let excerpt = query.excerpt(of: plain)
            #expect(excerpt.count <= Limits.boardSearch.excerpt, "\(excerpt.count) of \(plain)")
            #expect(!plain.contains("whale") || excerpt.contains("whale"), "\(plain)")
        }
    }
}

import TestSupport
import Testing

@testable import Community

@Suite struct OpenLibraryLineTests {
    private func entry(_ text: String) throws -> Catalog.Entry {
        var line = OpenLibraryLine()
        return try line.entry(ArraySlice(text.utf8))
    }

    private func refusal(_ bytes: [UInt8]) -> String? {
        var line = OpenLibraryLine()
        do throws(Catalog.Reject) {
            _ = try line.entry(bytes[...])
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a work is read with a description in either form`() throws {
        let json = #"""
            {"type":{"key":"/type/work"},"key":"/works/OL1W","revision":3,"title":" Caf\u00e9 \ud83d\ude00 ","description":{"type":"/type/text","value":"Long\nstory"},
            "authors":[{"type":{"key":"/type/author_role"},"author":{"key":"/authors/OL2A"}},{"author":"/authors/OL3A"},{"author":{"key":"bad"}}],
            "first_publish_date":"May 1995","subjects":["Science fiction","Moon"],"covers":[-1,null],"x":{"y":[1.5e3,true,{}]}}
            """#.replacing("\n", with: "")
        guard case .work(let work) = try entry("/type/work\t/works/OL1W\t3\t2020-01-01T00:00:00.1\t" + json) else {
            Issue.record("not read as a work")
            return
        }
        #expect(work.key == "ol:OL1W")
        #expect(work.title == "Café 😀")
        #expect(work.description == "Long\nstory")
        #expect(work.authors == ["ol:OL2A", "ol:OL3A"])
        #expect(work.year == 1995)
        #expect(work.genres == ["science-fiction"])
        #expect(work.subjects.map(\.name) == ["Science fiction", "Moon"])
        #expect(work.stamp.revision == 3)

        guard case .work(let same) = try entry(json) else {
            Issue.record("bare JSON is not read")
            return
        }
        #expect(same == work)
    }

    @Test func `an edition with nothing but a key is one, and stands for its own work`() throws {
        guard case .edition(let edition) = try entry(#"{"type":{"key":"/type/edition"},"key":"/books/OL5M"}"#) else {
            Issue.record("not read as an edition")
            return
        }
        #expect(edition.key == "ol:OL5M" && edition.work == "ol:OL5M")
        #expect(edition.title == nil && edition.isbns.isEmpty)
    }

    @Test func `bad ISBNs, dates and pages are dropped and counted, good ones kept`() throws {
        var line = OpenLibraryLine()
        let text = #"""
            {"type":{"key":"/type/edition"},"key":"/books/OL5M","works":[{"key":"/works/OL1W"}],"isbn_10":["0439023483 (pbk.)","123"],
            "isbn_13":["9780439023481"],"publish_date":"once upon a time","number_of_pages":-4,"languages":[{"key":"/languages/eng"}],"publishers":["",7,"Scholastic"]}
            """#.replacing("\n", with: "")
        guard case .edition(let edition) = try line.entry(ArraySlice(text.utf8)) else {
            Issue.record("not read as an edition")
            return
        }
        #expect(edition.isbns.map(\.text) == ["9780439023481"])
        #expect(edition.published == "once upon a time" && edition.year == nil && edition.pages == nil)
        #expect(edition.language == "en" && edition.work == "ol:OL1W")
        #expect(line.notes == ["bad_isbn": 1, "bad_date": 1, "bad_pages": 1])
    }

    @Test func `redirects and deletions are read, other types are foreign`() throws {
        guard
            case .redirect(.work, "ol:OL1W", "ol:OL2W", _) = try entry(
                "/type/redirect\t/works/OL1W\t5\t2020\t"
                    + #"{"key":"/works/OL1W","type":{"key":"/type/redirect"},"location":"/works/OL2W"}"#)
        else {
            Issue.record("not read as a redirect")
            return
        }
        guard
            case .deletion(.edition, "ol:OL9M", _) = try entry(
                "/type/delete\t/books/OL9M\t5\t2020\t" + #"{"key":"/books/OL9M","type":{"key":"/type/delete"}}"#)
        else {
            Issue.record("not read as a deletion")
            return
        }
        guard case .foreign = try entry("/type/page\t/about\t5\t2020\t{}") else {
            Issue.record("a page is taken for something of the catalogue")
            return
        }
    }

    @Test(arguments: [
        ("no tabs at all", "columns"), ("a\tb\tc", "columns"), ("/type/work\t/works/OL1W\t1\tx\t{", "bad_json"),
        ("/type/work\t/works/OL1W\t1\tx\t{\"key\":\"/works/OL1W\"} extra", "bad_json"),
        ("/type/work\t/works/OL1W\t1\tx\t[]", "bad_json"),
        ("/type/work\t/works/OL1A\t1\tx\t{\"key\":\"/works/OL1A\"}", "key"),
        ("/type/work\t/works/OL1W\t1\tx\t{\"key\":\"/works/OL2W\"}", "key"),
        (#"{"type":{"key":"/type/work"}}"#, "missing"), (#"{"key":"/works/OL1W"}"#, "missing"),
        (#"{"type":{"key":"/type/work"},"key":"/works/OL1W","title":"a\u0000b"}"#, "nul"),
        (#"{"type":{"key":"/type/work"},"key":"/works/OL1W","title":"a\ud800b"}"#, "lone_surrogate"),
        (#"{"type":{"key":"/type/work"},"key":"/works/OL1W","notes":"a\udc00b"}"#, "lone_surrogate"),
        (#"{"type":{"key":"/type/work"},"key":"/works/OL1W","n":01}"#, "bad_json"), (#"{"a":tru}"#, "bad_json"),
        (#"{"a":"\x"}"#, "bad_json"),
        (#"{"a":"\u12"}"#, "bad_json"), (#"{"a":1,}"#, "bad_json"), (#"{"a" 1}"#, "bad_json"),
        ("{\"a\":" + String(repeating: "[", count: 100), "bad_json"), ("{\"a\":\"\u{1}\"}", "bad_json"),
    ])
    func `what cannot be read says why`(line: String, code: String) {
        #expect(refusal(Array(line.utf8)) == code)
    }

    @Test func `NUL bytes and broken UTF-8 are refused`() {
        #expect(refusal(Array("{\"a\":\"".utf8) + [0] + Array("\"}".utf8)) == "nul")
        #expect(refusal(Array("{\"a\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)) == "bad_utf8")
        #expect(refusal(Array("{\"a\":\"".utf8) + [0xED, 0xA0, 0x80] + Array("\"}".utf8)) == "bad_utf8")
    }

    @Test func `no damage to a line ever does worse than refuse it`() {
        let good = Array(
            #"/type/edition\#t/books/OL5M\#t2\#t2020\#t{"type":{"key":"/type/edition"},"key":"/books/OL5M","title":"Caf\u00e9 \ud83d\ude00","isbn_10":["0439023483"],"n":[1,2.5e-3,null,{"a":false}]}"#
                .utf8)
        let random = TestRandom(for: "damage")
        for _ in 0..<5000 {
            var bytes = good
            let dice = random.bytes(4)
            let place = (Int(dice[0]) << 8 | Int(dice[1])) % bytes.count
            switch dice[2] % 3 {
            case 0: bytes[place] = dice[3]
            case 1: bytes.removeSubrange(place...)
            default: bytes.insert(dice[3], at: place)
            }
            var line = OpenLibraryLine()
            _ = try? line.entry(bytes[...])
        }
    }
}

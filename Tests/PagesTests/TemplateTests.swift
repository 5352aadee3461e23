import Community
import TestSupport
import Testing
import Web

@testable import Pages

/// What a template makes of an answer.
struct TemplateTests {
    private func written(
        _ source: String, _ json: String, _ parts: [String: String] = [:],
        texts: String =
            #"{"hello": "Hello & welcome", "say": {"to": "To {value}"}, "count": {"books": {"one": "{n} book", "other": "{n} books"}}}"#
    ) throws -> String {
        var sources = parts.mapValues { Array($0.utf8) }
        sources["page"] = Array(source.utf8)
        let library = try Library(sources, texts: [("test.json", Array(texts.utf8))])
        let tape = try #require(JSONTape(Array(json.utf8)))
        return String(decoding: library.renderer(library.texts, clock: SystemClock()).page("page", tape), as: UTF8.self)
    }

    @Test func `values are escaped, and only what is HTML by its name stands as it is`() throws {
        let json =
            #"{"answer": {"name": "<b>\"Tom\" & 'Al'\u00e9\ud83d\ude00</b>", "html": "<p>x</p>", "n": 7, "yes": true}}"#
        #expect(
            try written("{{name}}|{{{html}}}|{{n}}|{{yes}}|{{nothing}}", json)
                == "&lt;b&gt;&quot;Tom&quot; &amp; &#39;Al&#39;é😀&lt;/b&gt;|<p>x</p>|7|true|")
        #expect(throws: Template.Fault.self) { try written("{{{name}}}", json) }
    }

    @Test func `sections repeat, choose and look outwards`() throws {
        let json =
            #"{"answer": {"items": [{"name": "a"}, {"name": "b", "kind": "own"}], "kind": "outer", "none": [], "zero": 0, "no": false, "empty": ""}}"#
        #expect(try written("{{#items}}{{name}}{{kind}};{{/items}}", json) == "aouter;bown;")
        #expect(try written("{{#none}}x{{/none}}{{^none}}y{{/none}}{{#zero}}z{{/zero}}{{#no}}x{{/no}}", json) == "yz")
        #expect(
            try written("{{#empty}}a{{/empty}}{{#has(empty)}}b{{/has(empty)}}{{^has(empty)}}c{{/has(empty)}}", json)
                == "ac")
        #expect(try written("{{#items}}{{#is_own(kind)}}{{name}}{{/is_own(kind)}}{{/items}}", json) == "b")
    }

    @Test func `two values are compared, a value with those of a list too, and a number is a place in a list`() throws {
        let json =
            #"{"answer": {"id": "5", "n": 5, "items": [{"id": "4"}, {"id": "5"}, {"id": "5\u0030"}], "mine": [{"id": "50"}, {"id": "4"}], "slugs": ["5", "7"], "none": null, "list": [1]}, "page": {"path": {"theme": "5"}}}"#
        let each = "{{#items}}{{#same(id, page.path.theme)}}[{{id}}]{{/same(id, page.path.theme)}}{{/items}}"
        #expect(try written(each, json) == "[5]")
        #expect(
            try written("{{#items}}{{^same(id, mine.id)}}{{id}} {{/same(id, mine.id)}}{{/items}}", json) == "5 ")
        let several = "{{#items}}{{#same(id, n, mine.1.id)}}{{id}} {{/same(id, n, mine.1.id)}}{{/items}}"
        #expect(try written(several, json) == "4 5 ")
        #expect(try written("{{#items}}{{#same(id,slugs)}}{{id}} {{/same(id,slugs)}}{{/items}}", json) == "5 ")
        let numbers = "{{#same(n, id)}}a{{/same(n, id)}}{{#same(id, mine.1.id)}}b{{/same(id, mine.1.id)}}"
        #expect(try written(numbers, json) == "a")
        for nothing in ["none, none", "nothing, nothing", "id, none", "id, items", "list, list", "id, mine.id.id"] {
            #expect(try written("{{#same(\(nothing))}}x{{/same(\(nothing))}}", json) == "", "\(nothing)")
        }
        let places = "{{items.1.id}}{{#has(mine.1)}}b{{/has(mine.1)}}{{#has(mine.2)}}c{{/has(mine.2)}}"
        #expect(try written(places, json) == "5b")
        for broken in ["same(id)", "same(id, )", "same(id, n, )", "date(id, n)", "same(id, n"] {
            #expect(throws: Template.Fault.self) { try written("{{#\(broken)}}x{{/\(broken)}}", json) }
        }
    }

    @Test func `parents have blocks, and the outermost fills them`() throws {
        let parts = [
            "frame": "<{{$title}}none{{/title}}>{{$main}}{{/main}}",
            "middle": "{{<frame}}{{$title}}middle{{/title}}{{$main}}[{{$inner}}{{/inner}}]{{/main}}{{/frame}}",
        ]
        #expect(
            try written("{{<middle}}{{$inner}}{{x}}{{/inner}}{{/middle}}", #"{"answer": {"x": "1"}}"#, parts)
                == "<middle>[1]")
        #expect(
            try written("{{<middle}}{{$title}}top{{/title}}{{/middle}}", #"{"answer": {}}"#, parts) == "<top>[]")
    }

    @Test func `what belongs to the page comes before what the answer has of that name`() throws {
        let json =
            #"{"answer": {"page": 3, "form": {"values": "x"}, "me": "y"}, "page": {"address": "/a"}, "form": null, "me": {"id": "5"}, "guard": "<i>"}"#
        #expect(try written("{{page}} {{page.address}} {{me.id}} {{{guard}}}{{form.values}}", json) == "3 /a 5 <i>")
        #expect(try written("{{#is_me(me.id)}}mine{{/is_me(me.id)}}", json) == "mine")
    }

    @Test func `texts are looked up, filled and counted`() throws {
        let json = #"{"answer": {"n": 1234, "one": 1, "who": "<A>", "at": "2026-03-09T10:00:00Z", "month": "2026-03"}}"#
        #expect(try written("{{t.hello}}", json) == "Hello &amp; welcome")
        #expect(
            try written("{{say.say.to(who)}} {{count.books(one)}} {{count.books(n)}}", json)
                == "To &lt;A&gt; 1 book 1234 books")
        #expect(throws: Template.Fault.self) { try written("{{t.missing}}", json) }
        #expect(throws: Template.Fault.self) { try written("{{count.hello(n)}}", json) }
        #expect(throws: Template.Fault.self) { try written("{{> missing}}", json) }
        #expect(throws: Template.Fault.self) { try written("{{#a}}", json) }
        #expect(throws: Template.Fault.self) { try written("{{#a}}{{/b}}", json) }
        #expect(throws: Template.Fault.self) { try written("{{shout(who)}}", json) }
    }

    @Test func `dates and numbers read as the catalogue says`() throws {
        let formats = Formats(try Library().texts, clock: SystemClock())
        #expect(formats.date("2026-03-09T10:00:00Z") == "9 March 2026" && formats.date("2026-03") == "March 2026")
        #expect(
            formats.day("2026-12-01") == "1 December" && formats.date("soon") == "soon"
                && formats.date("2026-13-01") == "2026-13-01")
        #expect(
            formats.number("1234567") == "1,234,567" && formats.number("999") == "999" && formats.number("-5") == "-5")
        #expect(
            formats.decimal("4.0") == "4" && formats.decimal("4.26") == "4.3" && formats.decimal("1e300") == "1e300")
        #expect(
            formats.percent("10000") == "100 %" && formats.percent("4250") == "42 %" && formats.stars("3.6") == "★★★★☆")
    }

    @Test func `an answer that grows is read as if it had come whole`() throws {
        let tape = try #require(
            JSONTape(Array(#"{"a": [1, {"b": "x"}]}"#.utf8))?.adding(Array(#","c":{"d":[]},"e":"\n""#.utf8)))
        #expect(
            tape.text(at: ["e"]) == "\n" && tape.value(at: ["c", "d"]) != nil
                && tape.values[0].next == Int32(tape.values.count))
        #expect(JSONTape(Array("{".utf8)) == nil && JSONTape(Array("[1]".utf8))?.adding(Array(#","c":1"#.utf8)) == nil)
        for broken in ["", "{\"a\"", "{\"a\":}", "[1,]", "\"", "nul", "{\"a\":1}}", String(repeating: "[", count: 100)]
        {
            #expect(JSONTape(Array(broken.utf8)) == nil, "\(broken)")
        }
    }
}

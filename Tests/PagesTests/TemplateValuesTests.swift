import Community
import JSONWriting
import TestSupport
import Testing
import Web

@testable import Pages

/// Every page with the longest, emptiest and strangest values that its calls may answer.
@Suite(.database)
struct TemplateValuesTests {
    @Test func `every page is whole HTML whatever the API answers, and says nothing of it as markup`() async throws {
        let random = TestRandom(for: "template values")
        try await withApp { app in
            let library = try Library()
            let renderer = library.renderer(library.texts, clock: SystemClock())
            var count = 0
            for page in Page.all {
                let screen = try Pages.Screen(page, in: app.server.table)
                let shown = [(page.template, screen.main)] + screen.cases.map { ($0.template, Optional($0.call)) }
                for (template, main) in shown {
                    for look in Sample.Look.allCases {
                        var sample = Sample(look: look, random: random)
                        let html = renderer.page(template, try sample.context(main, screen, template))
                        let faults = HTMLCheck.faults(of: String(decoding: html, as: UTF8.self))
                        #expect(faults.isEmpty, "\(template), \(look): \(faults.prefix(3))")
                        count += 1
                    }
                }
            }
            #expect(count > 150)
        }
    }

    @Test(arguments: [
        "<p>", "</p>", "<p></div>", "<p title=x></p>", "<p title='x'></p>", "<a href=\"javascript:x\"></a>",
        "<p>\(Sample.strange)</p>",
        "<p onclick=\"x\"></p>", "<p style=\"x\"></p>", "<p>a < b</p>",
    ])
    func `what is no whole HTML is found`(html: String) {
        #expect(!HTMLCheck.faults(of: html).isEmpty)
    }

    @Test func `what is whole HTML is passed`() {
        #expect(
            HTMLCheck.faults(
                of: "<!doctype html><p title=\"a &lt; b\">x<br><img src=\"/a\" alt=\"\"></p><svg><path d=\"M0\"/></svg>"
            ) == [])
    }
}

/// Values of one shape after another.
private struct Sample {
    enum Look: CaseIterable { case longest, emptiest, strangest }

    static let strange = "\"><script>canary</script>'&{{me.email}}\u{202E}😀"

    let look: Look
    let random: TestRandom

    mutating func context(_ main: Pages.Call?, _ screen: Pages.Screen, _ template: String) throws -> JSONTape {
        var members: [String: JSONValue] = ["answer": main?.route.reply.map { value(of: $0, "answer") } ?? .object([:])]
        members["me"] =
            look == .emptiest
            ? .null : .object(["id": .string("1"), "username": .string("ann"), "unread_message_count": .number("3")])
        for (name, call) in screen.beside { members[name] = call.route.reply.map { value(of: $0, name) } ?? .null }
        let text = JSONValue.string(look == .strangest ? Self.strange : "x")
        members["page"] = .object([
            "address": text, "target": text, "site": text, "language": .string("en"), "direction": .string("ltr"),
            "is_mine": .boolean(look != .emptiest), "query": .object(["q": text, "sort": text]), "kept": text,
            "path": .object(["book": text]), "assets": .object(["style": .string("/s"), "script": .string("/p")]),
        ])
        if look == .strangest {
            let names = ["body", "title", "name", "scope", "rating", "email", "username", "label", "genres"]
            let all = JSONValue.object(Dictionary(uniqueKeysWithValues: names.map { ($0, text) }))
            members["form"] = .object([
                "values": all, "faults": all, "problem": text, "typed": .array([]),
                "all": .object(["genres": .array([text])]), "path": .object(["bookmark": .string("1")]),
            ])
        }
        members["guard"] = .string("<input type=\"hidden\" name=\"_from\" value=\"/\">")
        return try #require(JSONTape(try JSONWriter.bytes(JSONValue.object(members))), "\(template)")
    }

    private mutating func value(of schema: Schema, _ name: String) -> JSONValue {
        switch schema {
        case .boolean: return .boolean(random.number(in: 0...1) == 1)
        case .integer(let range):
            return .number(String(look == .emptiest ? range?.lowerBound ?? 0 : range?.upperBound ?? 1_234_567))
        case .number(let range):
            return .number(String(look == .emptiest ? range?.lowerBound ?? 0 : range?.upperBound ?? 0.5))
        case .text(let format, let bytes): return .string(text(format, bytes, name))
        case .choice(let names): return .string(names[random.number(in: 0..<names.count)])
        case .array(let element, _):
            return .array(look == .emptiest ? [] : (0..<2).map { _ in value(of: element, name) })
        case .map(let element): return .object(look == .emptiest ? [:] : ["128": value(of: element, name)])
        case .record(_, let properties):
            var members: [String: JSONValue] = [:]
            for property in properties where property.isRequired || look != .emptiest {
                members[property.name] = value(of: property.schema, property.name)
            }
            return .object(members)
        case .orNull(let inner):
            return look == .emptiest || random.number(in: 0..<4) == 0 ? .null : value(of: inner, name)
        case .either(let schemas): return value(of: schemas[random.number(in: 0..<schemas.count)], name)
        case .any: return .null
        }
    }

    private func text(_ format: String?, _ bytes: ClosedRange<Int>?, _ name: String) -> String {
        switch format {
        case "id": return "1"
        case "date-time": return "2026-01-31T10:00:00.000Z"
        case "date": return "2026-01-31"
        case "uri": return "http://127.0.0.1:8080/x"
        default: break
        }
        if name.hasSuffix("html") { return "<p>whole</p>" }
        return switch look {
        case .emptiest: ""
        case .strangest: Self.strange
        case .longest: String(repeating: "W", count: min(20_000, bytes?.upperBound ?? 500))
        }
    }
}

/// Looks for what browsers would have to mend, and for what a page of ours never has.
private enum HTMLCheck {
    private static let void: Set<Substring> = ["br", "img", "input", "meta", "link", "hr", "source", "wbr"]

    static func faults(of html: String) -> [String] {
        var faults: [String] = []
        if html.contains("<script>canary") { faults.append("what the API says is markup") }
        var open: [Substring] = []
        var rest = html[...]
        while let start = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: start)...]
            if rest.hasPrefix("!doctype") {
                rest = rest.drop { $0 != ">" }.dropFirst()
                continue
            }
            let isEnd = rest.first == "/"
            if isEnd { rest = rest.dropFirst() }
            let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
            guard let first = name.first, first.isLetter else {
                faults.append("a < stands alone: \(rest.prefix(30))")
                continue
            }
            rest = rest[name.endIndex...]
            let isClosed = attributes(of: name, &rest, &faults)
            if isEnd {
                if open.popLast() != name { faults.append("</\(name)> closes nothing") }
            } else if !void.contains(name), !isClosed {
                open.append(name)
            }
        }
        if !open.isEmpty { faults.append("open: \(open)") }
        return faults
    }

    /// Passes over the attributes of a tag and its end; true where it closes itself.
    private static func attributes(of tag: Substring, _ rest: inout Substring, _ faults: inout [String]) -> Bool {
        while true {
            rest = rest.drop { $0.isWhitespace }
            if rest.hasPrefix("/>") {
                rest = rest.dropFirst(2)
                return true
            }
            guard let first = rest.first else {
                faults.append("<\(tag) does not end")
                return false
            }
            if first == ">" {
                rest = rest.dropFirst()
                return false
            }
            let name = rest.prefix { !$0.isWhitespace && !"=>/\"'<".contains($0) }
            rest = rest[name.endIndex...]
            if name.isEmpty {
                faults.append("<\(tag) has a strange attribute: \(rest.prefix(30))")
                rest = rest.dropFirst()
                continue
            }
            if name.hasPrefix("on") || name == "style" { faults.append("<\(tag) has \(name)") }
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst()
            guard rest.first == "\"" else {
                faults.append("<\(tag) has \(name) without quotation marks")
                continue
            }
            let value = rest.dropFirst().prefix { $0 != "\"" }
            if value.hasPrefix("javascript:") { faults.append("<\(tag) leads to a script") }
            rest = rest[value.endIndex...].dropFirst()
        }
    }
}

import Foundation
import HTTPTypes
import JSONWriting
import Synchronization
import Web

/// Keeps an example of each call in `examples.jsonl`, where `COMMONPLACE_EXAMPLES=write` asks for it: the first success of each call that
/// has none, or whose example no longer has the shape that the call declares.
enum ExampleBook {
    private static let isOpen = ProcessInfo.processInfo.environment["COMMONPLACE_EXAMPLES"] == "write"
    /// Bytes of a reply: the descriptions of the API are no examples of themselves.
    private static let longest = 64_000
    private static let done = Mutex<Set<String>>([])
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Web/Server/OpenAPI/examples.jsonl").path

    static func note(_ route: Route, body: [UInt8], reply: TestAnswer) throws {
        // What is refused may be no JSON.
        guard isOpen, reply.status.kind == .successful else { return }
        let sends = route.body.shape != nil && !body.isEmpty
        let sent = sends ? Optional(try JSONValue.parse(body).value) : .none
        guard route.dialect == nil, route.types.isEmpty,
            reply.body.count <= longest, !route.path.hasSuffix(".json"),
            // What a test looks for in all answers would be found here.
            !reply.text.contains("canary"),
            // A list that holds something says more than an empty one, and so does a body with fields.
            done.withLock({ isBare(sent, reply.json) ? !$0.contains(route.name) : $0.insert(route.name).inserted })
        else { return }
        var example: [String: JSONValue] = ["call": .string(route.name)]
        var names = StableNames()
        if let sent { example["body"] = names.stable(sent) }
        if route.reply != nil, !reply.body.isEmpty { example["reply"] = names.stable(reply.json) }
        guard example.count > 1 else { return }
        try put(example, of: route)
    }

    private static func isBare(_ body: JSONValue?, _ reply: JSONValue?) -> Bool {
        reply?["items"]?.elements.isEmpty == true || body == .object([:])
    }

    /// True where the example has the shapes that the route declares.
    static func fits(_ example: Examples.Example, _ route: Route) -> Bool {
        let body = example.body.map { route.body.shape?.mismatches(with: $0).isEmpty ?? false } ?? true
        let reply = example.reply.map { route.reply?.mismatches(with: $0).isEmpty ?? false } ?? true
        return body && reply
    }

    /// Several processes may write: one at a time.
    private static func put(_ example: [String: JSONValue], of route: Route) throws {
        let descriptor = open(file, O_RDWR | O_CREAT, 0o644)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        flock(descriptor, LOCK_EX)
        let old = try Data(contentsOf: URL(filePath: file))
        if let known = Examples.read(Array(old))[route.name], fits(known, route),
            !isBare(known.body, known.reply) || isBare(example["body"], example["reply"])
        {
            return
        }
        let prefix = "{\"call\":\"\(route.name)\""
        var lines = String(decoding: old, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { !$0.contains("\"call\":\"\(route.name)\"") }
        let members = example.filter { $0.key != "call" }.sorted { $0.key < $1.key }
        let rest = try members.map {
            ",\"\($0.key)\":" + String(decoding: try JSONWriter.bytes($0.value), as: UTF8.self)
        }
        lines.append(prefix + rest.joined() + "}")
        let text = lines.sorted().joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(filePath: file))
    }
}

/// Puts stable words in the place of what is another at each run: ids, times, tokens, cursors.
private struct StableNames {
    private var ids: [String: String] = [:]
    private var readers: [String: String] = [:]

    mutating func stable(_ value: JSONValue, under name: String = "") -> JSONValue {
        switch value {
        case .object(let members):
            var changed: [String: JSONValue] = [:]
            for (key, value) in members.sorted(by: { $0.key < $1.key }) { changed[key] = stable(value, under: key) }
            return .object(changed)
        case .array(let elements):
            var changed: [JSONValue] = []
            for element in elements { changed.append(stable(element, under: name)) }
            return .array(changed)
        case .string(let text): return .string(stable(text, under: name))
        default: return value
        }
    }

    private mutating func stable(_ text: String, under name: String) -> String {
        if name.hasSuffix("cursor") { return "AbCdEf0123456789" }
        if name.hasSuffix("token") { return "cpl_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfG" }
        if name == "ticket" { return "cpt_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfG" }
        if text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil { return "2026-01-31T12:00:00.000Z" }
        return text.replacing(/cp[a-z]_[A-Za-z0-9_-]{43}/, with: "cps_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfG")
            .replacing(/reader_(?!counts?\b)[a-z0-9]{4,}/) { match in reader(String(match.output)) }
            .replacing(/\d{15,19}/) { match in id(String(match.output)) }
    }

    private mutating func reader(_ name: String) -> String {
        if let known = readers[name] { return known }
        let made = "reader_\(readers.count + 1)"
        readers[name] = made
        return made
    }

    private mutating func id(_ text: String) -> String {
        if let known = ids[text] { return known }
        let made = "7100000000000\(String(100_000 + ids.count + 1).dropFirst())"
        ids[text] = made
        return made
    }
}

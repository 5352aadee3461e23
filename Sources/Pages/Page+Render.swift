import Community
import HTTPTypes
import Hummingbird
import JSONWriting
import NIOCore
import Web

extension Pages {
    /// What is shown, beside what the API answered.
    struct Shown: Sendable {
        let screen: Screen
        let template: String
        let query: Asked
        let form: Refused?
        /// The page's own address, to which forms and links lead back.
        let target: String
    }

    /// Writes a page: 200, or the status of what was refused.
    func render(_ shown: Shown, _ parts: Parts, _ request: Request, _ context: SiteContext) async throws -> Reply {
        let (renderer, language) = renderer(for: request)
        let page = shown.screen.page
        var bytes = ByteBuffer()
        bytes.reserveCapacity(4_096 + (parts.main?.readableBytes ?? 0))
        bytes.writeStaticString("{\"answer\":")
        if let main = parts.main { bytes.writeImmutableBuffer(main) } else { bytes.writeStaticString("{}") }
        bytes.writeStaticString(",\"me\":")
        if let masthead = parts.masthead {
            bytes.writeImmutableBuffer(masthead)
        } else {
            bytes.writeStaticString("null")
        }
        for (name, part) in parts.beside {
            bytes.writeString(",\"\(name)\":")
            if let part { bytes.writeImmutableBuffer(part) } else { bytes.writeStaticString("null") }
        }
        bytes.writeStaticString("}")
        let filled = try await Reply(status: .ok, headers: [.contentType: "application/json"], content: .bytes(bytes))
            .filled(for: request, in: context)
        guard case .bytes(let whole) = filled.content, let answers = JSONTape(Array(whole.readableBytesView)) else {
            throw Problem(.internal)
        }
        let facts = Facts(
            pages: self, shown: shown, request: request, context: context, language: language, answers: answers)
        let own = try JSONWriter.bytes(facts).dropFirst().dropLast()
        guard let tape = answers.adding([UInt8(ascii: ",")] + own) else { throw Problem(.internal) }
        var reply = Reply.html(renderer.page(shown.template, tape))
        reply.status = shown.form?.problem?.status ?? .ok
        if let problem = shown.form?.problem {
            reply.headers.append(contentsOf: problem.headers.filter { $0.name == .retryAfter })
        }
        let isKept = context.identity == nil && !page.isSecret && shown.form == nil
        if !isKept { reply.headers[.cacheControl] = "private, no-store" }
        return reply
    }

    /// What templates find under `page`, `form` and `guard`.
    struct Facts: JSONForm {
        let pages: Pages
        let shown: Shown
        let request: Request
        let context: SiteContext
        let language: String
        /// What has been answered so far.
        let answers: JSONTape

        func put(into object: JSONObject) {
            object.put("page") { putPage(into: $0) }
            if let form = shown.form { object.put("form", form) }
            object.put("guard", pages.guardFields(from: shown.target, in: context))
            if !page.scaled.isEmpty {
                object.put("scaled") { object in
                    for scaled in page.scaled { scaled.put(into: object, of: answers) }
                }
            }
        }

        private var page: Page { shown.screen.page }

        private func putPage(into object: JSONObject) {
            let path = shown.target.prefix { $0 != "?" }
            object.put("address", String(path))
            object.put("target", shown.target)
            object.put("site", pages.site.settings.name)
            object.put("language", language)
            object.put("direction", "ltr")
            object.put("is_noindex", page.isNoindex || page.isSecret)
            object.put("canonical", page.isSecret || page.isNoindex ? nil : context.base + path)
            object.put("theme", Look.theme(of: request))
            object.put("look", Look(of: request))
            object.put("is_mine", isMine)
            object.put("kept", shown.query.kept)
            object.put("query") { object in
                for (name, value) in shown.query.pairs { object.put(named: name, value) }
            }
            object.put("path") { object in
                for part in page.path.split(separator: "/") {
                    guard let open = part.firstIndex(of: "{") else { continue }
                    let name = part[part.index(after: open)...].dropLast()
                    object.put(named: String(name), context.parameters[name].flatMap { Query.decode($0) } ?? "")
                }
            }
            object.put("assets") { object in
                object.put("style", pages.assets.address(of: "style.css"))
                object.put("script", pages.assets.address(of: "page.js"))
            }
        }

        /// Whether it is about the reader who looks, or something of theirs.
        private var isMine: Bool {
            guard let mine = answers.text(at: ["me", "username"]) else { return false }
            let owner =
                answers.text(at: ["answer", "author", "username"]) ?? answers.text(at: ["answer", "reader", "username"])
                ?? context.parameters["username"].flatMap { Query.decode($0) }
            return owner == mine
        }
    }
}

extension Reply {
    static func html(_ bytes: [UInt8], _ status: HTTPResponse.Status = .ok) -> Reply {
        Reply(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            content: .bytes(ByteBuffer(bytes: bytes)))
    }
}

extension JSONTape {
    /// The value at the end of `way`, in which numbers are places in arrays; `nil` where something on it is missing.
    func value(at way: [String]) -> Int32? {
        var place: Int32 = 0
        for name in way {
            guard let found = step(Array(name.utf8), from: place) else { return nil }
            place = found
        }
        return place
    }

    func text(at way: [String]) -> String? {
        guard let place = value(at: way), values[Int(place)].kind == .text else { return nil }
        return text(place)
    }
}

import Community
import HTTPTypes
import Hummingbird
import JSONWriting
import MarkdownReading
import NIOCore
import Postgres
import Web

/// What a form sent that was not done: templates find it under `form`.
struct Refused: JSONForm {
    /// What was typed and chosen, by the names of the fields with `_` for each dot: one value or more of each. No
    /// password is among it.
    let values: [(name: String, all: [String])]
    /// What the address of the call named, where the form stands beside others like it.
    var path: [(name: String, value: String)] = []
    var problem: Problem?
    /// What was asked to be shown and not done, as HTML.
    var preview: String?

    init(_ sent: Sent? = nil, _ problem: Problem) {
        values = sent.map(Self.typed) ?? []
        self.problem = problem
    }

    /// Characters of a text that are shown before they are sent: more than a post or a review has.
    private static let previewed = 20_000

    /// A form that wants to see how its Markdown will look.
    init(previewing sent: Sent) {
        values = Self.typed(sent)
        preview = sent["_preview"].map { Markdown.render(String((sent[$0] ?? "").prefix(Self.previewed))).html }
    }

    private static func typed(_ sent: Sent) -> [(name: String, all: [String])] {
        var typed: [(name: String, all: [String])] = []
        for (name, value) in sent.said where !name.contains("password") {
            let name = name.replacing(".", with: "_")
            if let place = typed.firstIndex(where: { $0.name == name }) {
                typed[place].all.append(value)
            } else {
                typed.append((name, [value]))
            }
        }
        return typed
    }

    /// A button overrules a hidden field before it.
    private var last: [(name: String, value: String)] { values.map { ($0.name, $0.all.last ?? "") } }

    func put(into object: JSONObject) {
        object.put("values") { object in
            for (name, value) in last { object.put(named: name, value) }
        }
        object.put("all") { object in
            for (name, all) in values { object.put(named: name, all) }
        }
        object.put("path") { object in
            for (name, value) in path { object.put(named: name, value) }
        }
        object.put("typed", last.filter { !$0.value.isEmpty }.map(Typed.init))
        object.put("faults") { object in
            for (name, detail) in faults { object.put(named: name, detail) }
        }
        object.put("problem", said)
        if let candidates = problem?.candidates { object.put("candidates", all: candidates) }
        if let preview { object.put("preview") { $0.put("html", preview) } }
    }

    private struct Typed: JSONForm {
        let name: String
        let value: String

        init(_ typed: (name: String, value: String)) { (name, value) = typed }

        func put(into object: JSONObject) {
            object.put("name", name)
            object.put("value", value)
        }
    }

    /// What is wrong by field: `/scope/upto` and `?year_from` are `scope_upto` and `year_from`. One fault each.
    private var faults: [(name: String, detail: String)] {
        var faults: [(name: String, detail: String)] = []
        for fault in problem?.faults ?? [] {
            let name = fault.pointer.dropFirst().map { $0 == "/" || $0 == "." ? "_" : $0 }
            guard !faults.contains(where: { $0.name == String(name) }) else { continue }
            faults.append((String(name), fault.spoken.detail))
        }
        return faults
    }

    private var said: String? {
        guard let problem else { return nil }
        guard let detail = problem.detail else { return problem.code.meaning.title + "." }
        return problem.faults.isEmpty ? problem.code.meaning.title + ". " + detail : detail
    }
}

extension Pages {
    /// The page that says why a page or a form was refused: the page of the form with what was typed, where that can be mended there, else one
    /// that says what to do.
    func refusal(of problem: Problem, to request: Request, in context: SiteContext) async -> Reply {
        do {
            if request.headers[.accept]?.hasPrefix("application/json") == true {
                return try problem.reply(request: context.requestID, base: context.base)
            }
            guard request.method == .post else { return try await said(problem, nil, request, context) }
            // Without its body nothing is known of what was typed.
            let sent = (try? Sent(request, context.body)).flatMap { isShown($0, request, context) ? $0 : nil }
            if let sent, problem.isMended, (try? check(sent, request, context)) != nil {
                if let page = try? await again(sent, Refused(sent, problem), request, context) { return page }
            }
            return try await said(problem, sent, request, context)
        } catch {
            return Reply.text(problem.status, problem.code.meaning.title + ".")
        }
    }

    /// The page that a form stood on. Throws where there is none, or no more.
    func again(_ sent: Sent, _ form: Refused, _ request: Request, _ context: SiteContext) async throws -> Reply {
        guard let from = Self.ownAddress(sent["_from"]), let (screen, route) = screen(at: from) else {
            throw Failure.notFound("page")
        }
        var form = form
        form.path = context.parameters.map { (name: String($0.key), value: Query.decode($0.value) ?? "") }
        // It costs what opening it costs.
        try context.take(screen.limit)
        var headers = request.headers
        headers[.contentType] = nil
        headers[.contentLength] = nil
        let asked = Request(
            head: HTTPRequest(
                method: .get, scheme: request.head.scheme, authority: request.head.authority, path: from,
                headerFields: headers),
            body: .init(buffer: ByteBuffer()))
        let inner = context.entering(route, at: from)
        let reply = try await Deadline.within(site.limits.requestTime) { [form] in
            try await answer(screen, to: asked, in: inner, form: form)
        }
        guard reply.status != .seeOther else { throw Failure.notFound("page") }
        return reply
    }

    /// A page about `problem`, with what was typed. Who asks for what is hidden sees the same as for what never was.
    private func said(
        _ problem: Problem, _ sent: Sent?, _ request: Request, _ context: SiteContext
    ) async throws -> Reply {
        if problem.code == .unauthenticated, request.method != .post {
            return Self.lead(to: "/sign-in?then=" + Query.encode(context.target))
        }
        let screen = try Screen(Page("", problem.template), in: api)
        var parts = Parts()
        parts.main = try problem.body(request: problem.isTraced ? context.requestID : "", base: context.base)
        // Where the database is away, a page without a masthead is better than none.
        parts.masthead = try? await context.masthead()
        var form = sent.map { Refused($0, problem) }
        form?.problem = nil
        let query = (try? Asked(context)) ?? .nothing
        let target = Self.ownAddress(sent?["_from"]) ?? context.target
        let shown = Shown(screen: screen, template: problem.template, query: query, form: form, target: target)
        var reply = try await render(shown, parts, request, context)
        reply.status = problem.status
        reply.headers[.cacheControl] = "no-store"
        for name in [HTTPField.Name.retryAfter, .allow] { reply.headers[name] = problem.headers[name] }
        return reply
    }
}

extension Problem {
    /// Whether a reader can mend it in the form itself.
    fileprivate var isMended: Bool {
        switch code {
        case .unauthenticated, .formExpired, .originNotAllowed, .internal, .unavailable, .notFound, .payloadTooLarge,
            .incompleteBody, .tooSlow, .misdirected, .busy, .quotaExceeded:
            false
        default: true
        }
    }

    /// Whether its number finds the fault in the log.
    fileprivate var isTraced: Bool { code == .internal }

    fileprivate var template: String {
        switch (status.code, code) {
        case (_, .formExpired), (_, .originNotAllowed), (_, .unauthenticated), (_, .sessionRequired): "error-expired"
        case (404, _), (405, _), (410, _): "error-not-found"
        case (403, _): "error-forbidden"
        case (429, _): "error-too-many"
        case (500, _), (503, _): "error-down"
        default: "error"
        }
    }
}

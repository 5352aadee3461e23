import Community
import HTTPTypes
import Hummingbird
import JSONWriting
import NIOCore

/// What a handler answers. The server adds the headers that every answer has, the `ETag`, and 304 where it fits.
package struct Reply: Sendable {
    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var content: Content
    /// The body carries a secret: it is encrypted where it is stored for an `Idempotency-Key` and never cached.
    package private(set) var isSealed = false

    package enum Content: Sendable {
        case bytes(ByteBuffer)
        /// Written while it is made: event streams and large files. Never stored for an `Idempotency-Key`.
        case stream(ResponseBody)
    }

    package init(status: HTTPResponse.Status, headers: HTTPFields = [:], content: Content = .bytes(ByteBuffer())) {
        self.status = status
        self.headers = headers
        self.content = content
    }

    /// `value` as JSON: snake_case, explicit nulls.
    package static func json(_ status: HTTPResponse.Status, _ value: some Encodable) throws -> Reply {
        Reply(
            status: status, headers: [.contentType: "application/json"], content: .bytes(try JSONWriter.buffer(value)))
    }

    /// 201 with the new thing and where it lives: `location` is a path below `/api/v1`, such as `/books/42/review`.
    package static func created(_ value: some Encodable, location: String) throws -> Reply {
        var reply = try json(.created, value)
        reply.headers[.location] = "/api/v1" + location
        return reply
    }

    /// 204.
    package static var noContent: Reply { Reply(status: .noContent) }

    /// Plain text in UTF-8.
    package static func text(_ status: HTTPResponse.Status, _ text: String, type: String = "text/plain; charset=utf-8")
        -> Reply
    {
        Reply(status: status, headers: [.contentType: type], content: .bytes(ByteBuffer(string: text)))
    }

    /// A file to be saved as `name`, of `size` bytes where that is known. `give` hands its pieces in order to what it is called with. One that
    /// throws ends the connection before the length that was promised: nobody takes it for whole.
    package static func file(
        size: Int?, type: String, name: String,
        _ give: @escaping @Sendable (_ take: ([UInt8]) async throws -> Void) async throws -> Void
    ) -> Reply {
        let body = ResponseBody(contentLength: size) { writer in
            try await give { try await writer.write(ByteBuffer(bytes: $0)) }
            try await writer.finish(nil)
        }
        return Reply(
            status: .ok,
            headers: [.contentType: type, .contentDisposition: "attachment; filename=\"\(name)\""],
            content: .stream(body))
    }

    /// The same reply, marked as one that carries a token.
    package var sealed: Reply {
        var reply = self
        reply.isSealed = true
        return reply
    }

    /// The same reply with a strong `ETag` of its own. Without one the server takes a hash of the body.
    package func tagged(_ tag: String) -> Reply {
        var reply = self
        reply.headers[.eTag] = "\"" + tag + "\""
        return reply
    }
}

extension Reply {
    /// `{items, next_cursor, prev_cursor}` with `also` beside them, and the same cursors in `Link`.
    ///
    /// `list` and `filter` must be those given to `context.page`: a cursor of another list or filter is refused.
    package static func page<Item: Encodable & Sendable, Key: Codable & Sendable>(
        _ page: Page<Item, Key>, list: String, filter: String = "", context: SiteContext,
        also: KeyValuePairs<String, any Encodable & Sendable> = [:]
    ) throws -> Reply {
        let body = try body(page, list: list, filter: filter, context: context, also: also)
        var reply = try json(.ok, body)
        let links = [
            body.next.map { "<\(context.link(cursor: $0))>; rel=\"next\"" },
            body.previous.map { "<\(context.link(cursor: $0))>; rel=\"prev\"" },
        ].compactMap(\.self)
        if !links.isEmpty { reply.headers[.link] = links.joined(separator: ", ") }
        return reply
    }

    /// The same as a part of an answer: its cursors are those of the list's own route.
    static func body<Item: Encodable & Sendable, Key: Codable & Sendable>(
        _ page: Page<Item, Key>, list: String, filter: String = "", context: SiteContext,
        also: KeyValuePairs<String, any Encodable & Sendable> = [:]
    ) throws -> PageBody<Item> {
        let (cursors, filter) = (context.site.cursors, try context.directed(filter))
        return PageBody(
            items: page.items, next: try page.next.map { try cursors.seal(.after($0), list: list, filter: filter) },
            previous: try page.previous.map { try cursors.seal(.before($0), list: list, filter: filter) }, also: also)
    }

    struct PageBody<Item: Encodable>: JSONForm {
        let items: [Item]
        let next: String?
        let previous: String?
        let also: KeyValuePairs<String, any Encodable & Sendable>

        func put(into object: JSONObject) {
            object.put("items", items)
            object.put("next_cursor", next)
            object.put("prev_cursor", previous)
            for (name, value) in also { object.put(named: name, value) }
        }
    }
}

extension JSONWriter {
    /// The same as a buffer for the network, with blanks that `Reply.filled` fills in.
    static func buffer(_ value: some Encodable) throws -> ByteBuffer {
        ByteBuffer(bytes: try bytes(value, leavesBlanks: true))
    }
}

extension HTTPField.Name {
    package static let link = HTTPField.Name(known: "Link")
    package static let requestID = HTTPField.Name(known: "X-Request-Id")
    package static let idempotencyKey = HTTPField.Name(known: "Idempotency-Key")
    package static let idempotencyReplayed = HTTPField.Name(known: "Idempotency-Replayed")
    package static let rateLimit = HTTPField.Name(known: "RateLimit")
    package static let rateLimitPolicy = HTTPField.Name(known: "RateLimit-Policy")
    package static let forwardedFor = HTTPField.Name(known: "X-Forwarded-For")

    /// A field name that is known to be well-formed.
    package init(known: String) {
        guard let name = HTTPField.Name(known) else { preconditionFailure("\(known) is no field name") }
        self = name
    }
}

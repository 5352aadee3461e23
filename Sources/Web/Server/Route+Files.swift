import Community
import HTTPTypes

// Calls that take or answer files, and those that answer for as long as the caller listens.
extension RouteTable {
    /// A call whose body is a picture: `PUT` unless it makes something, or keeps nothing of it.
    package mutating func upload(
        _ path: String, method: HTTPRequest.Method = .put, bytes: Int = Limits.media.upload,
        status: HTTPResponse.Status? = nil, summary: String,
        query: [QueryParameter] = [], reply: Schema, _ handler: @escaping Route.Handler
    ) {
        let status = status ?? (method == .post ? .created : .ok)
        add(method, path, .verified, .upload, summary, query, .image(bytes: bytes), status, reply, handler)
    }

    /// A call whose body is a file of JSON that another call wrote.
    package mutating func jsonUpload(
        _ path: String, bytes: Int, summary: String, query: [QueryParameter] = [], body: Schema, reply: Schema,
        _ handler: @escaping Route.Handler
    ) {
        add(.post, path, .verified, .upload, summary, query, .jsonFile(body, bytes: bytes), .ok, reply, handler)
    }

    /// A call whose body is a file that the handler takes as it arrives (`Request.eachPart`).
    package mutating func fileUpload(
        _ path: String, types: [String], bytes: Int, summary: String, query: [QueryParameter] = [], reply: Schema,
        _ handler: @escaping Route.Handler
    ) {
        add(.put, path, .verified, .upload, summary, query, .file(types: types, bytes: bytes), .ok, reply, handler)
    }

    /// A route outside the prefix that answers an image, the same for everybody.
    package mutating func image(
        _ path: String, summary: String, query: [QueryParameter] = [], types: [String],
        _ handler: @escaping Route.Handler
    ) {
        append(
            Route(
                method: .get, path: path, access: .open, limit: .image, summary: summary, query: query, body: .none,
                status: .ok, reply: nil, isExempt: false, endsSession: false, handler: handler, types: types))
    }

    /// A route that answers a file, usually an image, to those who may see it.
    package mutating func guardedFile(
        _ path: String, access: Route.Access = .open, limit: RateClass = .image, summary: String,
        query: [QueryParameter] = [], types: [String], _ handler: @escaping Route.Handler
    ) {
        var route = Route(
            method: .get, path: prefix + path, access: access, limit: limit, summary: summary, query: query,
            body: .none, status: .ok, reply: nil, isExempt: false, endsSession: false, handler: handler,
            types: types, tokens: tokens(.get, access, limit, endsSession: false))
        route.takesCookie = true
        append(route)
    }

    /// A call that may answer for as long as the caller listens, in one of `types`; `headers` name what it reads of them. It is limited as
    /// opening a stream is and not counted against the requests in flight.
    package mutating func stream(
        _ path: String, summary: String, query: [QueryParameter], headers: [QueryParameter], types: [String],
        _ handler: @escaping Route.Handler
    ) {
        var route = Route(
            method: .get, path: prefix + path, access: .open, limit: .stream, summary: summary, query: query,
            body: .none, status: .ok, reply: nil, isExempt: true, endsSession: false, handler: handler, types: types,
            tokens: tokens(.get, .open, .stream, endsSession: false))
        route.headers = headers
        append(route)
    }

    /// A file that is its reader's alone, for sessions only: of one of `types`, or JSON of the shape `reply`.
    package mutating func download(
        _ path: String, summary: String, query: [QueryParameter] = [], types: [String], reply: Schema? = nil,
        _ handler: @escaping Route.Handler
    ) {
        append(
            Route(
                method: .get, path: prefix + path, access: .session, limit: .costly, summary: summary, query: query,
                body: .none, status: .ok, reply: reply, isExempt: false, endsSession: false, handler: handler,
                types: types, tokens: .refused))
    }
}

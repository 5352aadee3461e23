import Community
import HTTPTypes

// One call, as the document tells it.
extension OpenAPI {
    static func operation(_ route: Route, _ components: inout Components) -> JSONValue {
        let line = line(of: route.summary)
        var operation: [String: JSONValue] = [
            "summary": .string(line),
            "description": .string(description(of: route)),
            "operationId": .string(route.operationID),
            "tags": .array([.string(route.area)]),
            "x-rate-limit": .string(route.limit.rawValue),
            "x-problems": .array(route.allProblems.map { .string($0.rawValue) }),
        ]
        let parameters = parameters(route, &components)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = requestBody(route, &components) { operation["requestBody"] = body }
        operation["responses"] = .object(responses(route, &components))
        operation["security"] = .array(security(route))
        return .object(operation)
    }

    /// Those of the path, of the query and of headers, and the key of unsafe calls.
    private static func parameters(_ route: Route, _ components: inout Components) -> [JSONValue] {
        var parameters = pathParameters(route)
        for (place, parameter) in route.query.map({ ("query", $0) }) + route.headers.map({ ("header", $0) }) {
            parameters.append(
                .object([
                    "name": .string(parameter.name), "in": .string(place), "required": .boolean(parameter.isRequired),
                    "description": .string(parameter.summary), "schema": components.reference(to: parameter.schema),
                ]))
        }
        if [.post, .put, .patch, .delete].contains(route.method) {
            parameters.append(.object(["$ref": .string("#/components/parameters/IdempotencyKey")]))
        }
        return parameters
    }

    private static func pathParameters(_ route: Route) -> [JSONValue] {
        route.pathParameters.map { name in
            .object([
                "name": .string(name), "in": .string("path"), "required": .boolean(true),
                "description": .string(Sentences.of(pathParameter: name) ?? ""),
                "schema": .object(["type": .string("string"), "minLength": .number("1"), "maxLength": .number("200")]),
            ])
        }
    }

    /// `nil` where none is read.
    private static func requestBody(_ route: Route, _ components: inout Components) -> JSONValue? {
        if let schema = route.body.shape {
            return .object([
                "required": .boolean(schema.needsFields),
                "content": .object(json(components.reference(to: schema), Examples.all[route.name]?.body)),
            ])
        }
        if case .file(let types, _) = route.body {
            let names = types.map { "`\($0)`" }.joined(separator: " or ")
            return .object([
                "required": .boolean(true), "content": .object(binary([Endpoint.undeclared])),
                "description": .string("The file. It may also be called \(names), if it is that."),
            ])
        }
        guard case .image = route.body else { return nil }
        return .object([
            "required": .boolean(true), "content": .object(binary([Endpoint.undeclared])),
            "description": .string(
                "A JPEG, PNG, WebP or HEIC. It may also be called `image/jpeg`, `image/png`, `image/webp` or `image/heic`, "
                    + "if it is that."),
        ])
    }

    /// Bytes of each of these types; of text what it says.
    private static func binary(_ types: [String]) -> [String: JSONValue] {
        Dictionary(
            uniqueKeysWithValues: types.map { type in
                var schema: [String: JSONValue] = ["type": .string("string")]
                if !type.hasPrefix("text/") { schema["format"] = .string("binary") }
                return (type, .object(["schema": .object(schema)]))
            })
    }

    /// By status: what is answered, and what a failure looks like.
    private static func responses(_ route: Route, _ components: inout Components) -> [String: JSONValue] {
        var responses = route.dialect == nil ? refusals(route) : [:]
        responses["default"] = .object(["$ref": .string("#/components/responses/Problem")])
        if let dialect = route.dialect {
            // What is no request is refused before a route is known.
            let forms = [
                "application/json": dialect.schema, Problem.mediaType: problem,
            ].mapValues { JSONValue.object(["schema": components.reference(to: $0)]) }
            responses["default"] = .object([
                "description": .string("The call failed; `reason` says why, or `code` of what is no request."),
                "content": .object(forms),
            ])
        }
        for status in route.successes {
            var success: [String: JSONValue] = ["description": .string(status.reasonPhrase)]
            var content = binary(route.types)
            if let reply = route.reply {
                content.merge(json(components.reference(to: reply), Examples.all[route.name]?.reply)) { $1 }
            }
            if !content.isEmpty { success["content"] = .object(content) }
            let isTagged = route.limit != .unlimited && route.limit != .stream
            if route.method == .get, status == .ok, isTagged { success["headers"] = tagged }
            responses[String(status.code)] = .object(success)
        }
        if route.limit == .unlimited, let reply = route.reply, route.path != "/livez" {
            responses["503"] = .object([
                "description": .string("Not ready"), "content": .object(json(components.reference(to: reply))),
            ])
        }
        return responses
    }

    /// What a read says of its own state.
    private static let tagged = JSONValue.object([
        "ETag": .object([
            "description": .string(
                "Names this state. `If-None-Match` with it is answered 304 while nothing has changed."),
            "schema": .object(["type": .string("string")]),
        ])
    ])

    private static func json(_ schema: JSONValue, _ example: JSONValue? = nil) -> [String: JSONValue] {
        var media = ["schema": schema]
        if let example { media["example"] = example }
        return ["application/json": .object(media)]
    }

    /// The statuses of a route's problems. Which codes they stand for is said in the description.
    private static func refusals(_ route: Route) -> [String: JSONValue] {
        var refusals: [String: JSONValue] = [:]
        for status in Set(route.allProblems.map(\.meaning.status)) {
            let name: String = responseNames[status] ?? "Problem"
            refusals[String(status)] = .object(["$ref": .string("#/components/responses/" + name)])
        }
        return refusals
    }

    /// The named responses: one for each status that a problem has, and one for any.
    static func failures(_ components: inout Components) -> [String: JSONValue] {
        let schema = components.reference(to: problem)
        let content = JSONValue.object([Problem.mediaType: .object(["schema": schema])])
        var failures = [
            "Problem": JSONValue.object([
                "description": .string("The call failed; `code` says why."), "content": content,
            ])
        ]
        for (status, name) in responseNames {
            let codes = ProblemCode.allCases.filter { $0.meaning.status == status }
            failures[name] = .object([
                "description": .string(codes.map { "`\($0.rawValue)`" }.joined(separator: ", ")), "content": content,
            ])
        }
        return failures
    }

    private static let responseNames = [
        400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 408: "RequestTimeout",
        409: "Conflict", 410: "Gone", 412: "PreconditionFailed", 413: "ContentTooLarge", 415: "UnsupportedMediaType",
        422: "UnprocessableContent", 426: "UpgradeRequired", 429: "TooManyRequests", 501: "NotImplemented",
        503: "ServiceUnavailable", 507: "InsufficientStorage",
    ]

    /// Any of these will do: nothing at all, a session's token, an access token with the scope.
    private static func security(_ route: Route) -> [JSONValue] {
        var ways = [JSONValue.object(["bearer": .array([])])]
        if route.access == .open { ways.insert(.object([:]), at: 0) }
        if let scope = route.scope {
            ways.append(.object(["access_token": .array([.string(scope.description)])]))
        }
        return ways
    }
}

import Community
import HTTPTypes
import JSONWriting

/// `openapi.json`: OpenAPI 3.1 made from the route table, so that the two cannot differ.
package enum OpenAPI {
    /// The whole document.
    package static func document(of table: RouteTable, site: SiteSettings) throws -> [UInt8] {
        var components = Components()
        var paths: [String: [String: JSONValue]] = [:]
        for route in table.routes {
            paths[route.path, default: [:]][route.method.rawValue.lowercased()] = operation(route, &components)
        }
        let problem = components.reference(to: problem)
        let schemas = components.schemas
        let document = JSONValue.object([
            "openapi": .string("3.1.0"),
            "jsonSchemaDialect": .string("https://json-schema.org/draft/2020-12/schema"),
            "info": .object([
                "title": .string(site.name), "version": .string(site.version),
                "description": .string(
                    "Errors are `application/problem+json` with a stable `code`. Lists are paged by opaque cursors. Every unsafe call takes an "
                        + "`Idempotency-Key`. What a caller may not see answers 404. Within v1 fields are only added."),
            ]),
            "servers": .array([.object(["url": .string(site.publicURL ?? "/")])]),
            "paths": .object(paths.mapValues { .object($0) }),
            "x-screens": Screens.json,
            "components": .object([
                "schemas": .object(schemas),
                "securitySchemes": securitySchemes(table),
                "responses": .object([
                    "Problem": .object([
                        "description": .string("The call failed; `code` says why."),
                        "content": .object(["application/problem+json": .object(["schema": problem])]),
                    ])
                ]),
                "parameters": .object(["IdempotencyKey": idempotencyKey]),
            ]),
        ])
        return try JSONWriter.bytes(document)
    }

    /// RFC 9457 with what we add.
    package static let problem = Schema.object(
        "Problem",
        [
            "type": .text(format: "uri", bytes: nil), "title": .string, "status": .integer(400...599), "code": .string,
            "detail": .orNull(.string), "instance": .string, "request_id": .string,
            "errors": .array(.object("Fault", ["pointer": .string, "code": .string, "detail": .string])),
        ],
        optional: [
            "violated-policies": .array(.string), "candidates": .array(Catalog.Routes.item),
            "positions": .array(Places.Routes.behind), "reason": .orNull(.string), "until": .orNull(.time),
        ])

    private static let idempotencyKey = JSONValue.object([
        "name": .string("Idempotency-Key"), "in": .string("header"), "required": .boolean(false),
        "description": .string(
            "Names this call, so that repeating it has no second effect. Kept \(Idempotency.hours) hours. What "
                + "others wrote is read anew: 410 `idempotency_gone` where the call was done and none of it is left."),
        "schema": .object([
            "type": .string("string"), "minLength": .number("\(Idempotency.keyLength.lowerBound)"),
            "maxLength": .number("\(Idempotency.keyLength.upperBound)"),
        ]),
    ])

    private static func securitySchemes(_ table: RouteTable) -> JSONValue {
        .object([
            "bearer": .object([
                "type": .string("http"), "scheme": .string("bearer"),
                "description": .string("The token of a session: it may do everything that the reader may."),
            ]),
            "access_token": .object([
                "type": .string("http"), "scheme": .string("bearer"),
                "description": .string(
                    "A personal access token: it may do what its scopes say. Each operation names the one it needs."),
                "x-scopes": .array(table.scopes.map { .string($0.description) }),
            ]),
        ])
    }

    private static func operation(_ route: Route, _ components: inout Components) -> JSONValue {
        var operation: [String: JSONValue] = [
            "summary": .string(route.summary),
            "operationId": .string(operationID(route)),
            "tags": .array([.string(tag(route))]),
            "x-rate-limit": .string(route.limit.rawValue),
        ]
        let parameters = parameters(route, &components)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = requestBody(route, &components) { operation["requestBody"] = body }
        operation["responses"] = .object(responses(route, &components))
        operation["security"] = .array(security(route))
        return .object(operation)
    }

    /// Those of the path, of the query, and the key of unsafe calls.
    private static func parameters(_ route: Route, _ components: inout Components) -> [JSONValue] {
        var parameters = pathParameters(route)
        for parameter in route.query {
            parameters.append(
                .object([
                    "name": .string(parameter.name), "in": .string("query"), "required": .boolean(parameter.isRequired),
                    "description": .string(parameter.summary), "schema": components.reference(to: parameter.schema),
                ]))
        }
        if [.post, .put, .patch, .delete].contains(route.method) {
            parameters.append(.object(["$ref": .string("#/components/parameters/IdempotencyKey")]))
        }
        return parameters
    }

    /// `nil` where none is read.
    private static func requestBody(_ route: Route, _ components: inout Components) -> JSONValue? {
        if case .json(let schema) = route.body {
            return .object([
                "required": .boolean(schema.needsFields),
                "content": .object(["application/json": .object(["schema": components.reference(to: schema)])]),
            ])
        }
        guard case .image = route.body else { return nil }
        let content = ["image/jpeg", "image/png", "image/webp"].map { ($0, JSONValue.object([:])) }
        return .object(["required": .boolean(true), "content": .object(Dictionary(uniqueKeysWithValues: content))])
    }

    /// By status: what is answered, and what any failure looks like.
    private static func responses(_ route: Route, _ components: inout Components) -> [String: JSONValue] {
        var responses = ["default": JSONValue.object(["$ref": .string("#/components/responses/Problem")])]
        if let dialect = route.dialect {
            responses["default"] = .object([
                "description": .string("The call failed; `reason` says why."),
                "content": .object([
                    "application/json": .object(["schema": components.reference(to: dialect.schema)])
                ]),
            ])
        }
        for status in route.successes {
            var success: [String: JSONValue] = ["description": .string(status.reasonPhrase)]
            if let reply = route.reply {
                success["content"] = .object(["application/json": .object(["schema": components.reference(to: reply)])])
            }
            if !route.types.isEmpty {
                success["content"] = .object(
                    Dictionary(uniqueKeysWithValues: route.types.map { ($0, JSONValue.object([:])) }))
            }
            responses[String(status.code)] = .object(success)
        }
        if route.limit == .unlimited, let reply = route.reply, route.path != "/livez" {
            responses["503"] = .object([
                "description": .string("Not ready"),
                "content": .object(["application/json": .object(["schema": components.reference(to: reply)])]),
            ])
        }
        return responses
    }

    /// Any of these will do: nothing at all, a session's token, an access token with the scope.
    private static func security(_ route: Route) -> [JSONValue] {
        var ways = [JSONValue.object(["bearer": .array([])])]
        if route.access == .open { ways.insert(.object([:]), at: 0) }
        if let scope = route.scope {
            ways.append(.object(["access_token": .array([.string(scope.description)])]))
        }
        return ways
    }

    private static func pathParameters(_ route: Route) -> [JSONValue] {
        route.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
            .object([
                "name": .string(String(part.dropFirst().dropLast())), "in": .string("path"), "required": .boolean(true),
                "schema": .object(["type": .string("string"), "minLength": .number("1"), "maxLength": .number("200")]),
            ])
        }
    }

    /// `get_books_book` for `GET /api/v1/books/{book}`.
    private static func operationID(_ route: Route) -> String {
        let parts = route.path.split(separator: "/").filter { $0 != "api" && $0 != "v1" }
        return ([route.method.rawValue.lowercased()] + parts.map { $0.filter { $0 != "{" && $0 != "}" } }).joined(
            separator: "_"
        )
        .replacing("-", with: "_").replacing(".", with: "_")
    }

    /// The first word of the path: what the call is about.
    private static func tag(_ route: Route) -> String {
        route.path.split(separator: "/").first { $0 != "api" && $0 != "v1" }.map(String.init) ?? "server"
    }
}

/// The named schemas that have been met so far.
private struct Components {
    private(set) var schemas: [String: JSONValue] = [:]

    mutating func reference(to schema: Schema) -> JSONValue {
        guard case .record(let name, let properties) = schema else { return json(schema) }
        if schemas[name] == nil {
            // Stands while the properties are read, for a schema that names itself.
            schemas[name] = .null
            schemas[name] = object(properties)
        }
        return .object(["$ref": .string("#/components/schemas/" + name)])
    }

    private mutating func object(_ properties: [Schema.Property]) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for property in properties { members[property.name] = reference(to: property.schema) }
        var object: [String: JSONValue] = ["type": .string("object"), "properties": .object(members)]
        let required = properties.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { object["required"] = .array(required) }
        return .object(object)
    }

    private mutating func json(_ schema: Schema) -> JSONValue {
        switch schema {
        case .boolean: return .object(["type": .string("boolean")])
        case .integer(let range):
            var object: [String: JSONValue] = ["type": .string("integer")]
            if let range {
                object["minimum"] = .number("\(range.lowerBound)")
                object["maximum"] = .number("\(range.upperBound)")
            }
            return .object(object)
        case .number(let range):
            var object: [String: JSONValue] = ["type": .string("number")]
            if let range {
                object["minimum"] = .number("\(range.lowerBound)")
                object["maximum"] = .number("\(range.upperBound)")
            }
            return .object(object)
        case .text(let format, let bytes): return text(format, bytes)
        case .choice(let names): return .object(["type": .string("string"), "enum": .array(names.map { .string($0) })])
        case .array(let element, let count):
            var object: [String: JSONValue] = ["type": .string("array"), "items": reference(to: element)]
            if let count {
                object["minItems"] = .number("\(count.lowerBound)")
                object["maxItems"] = .number("\(count.upperBound)")
            }
            return .object(object)
        case .map(let element):
            return .object(["type": .string("object"), "additionalProperties": reference(to: element)])
        case .record: return reference(to: schema)
        case .orNull(let inner):
            return .object(["anyOf": .array([reference(to: inner), .object(["type": .string("null")])])])
        case .either(let schemas): return .object(["anyOf": .array(schemas.map { reference(to: $0) })])
        case .any: return .object([:])
        }
    }

    /// JSON Schema counts characters and we count bytes: the maximum in characters is right for ASCII and never too small.
    private func text(_ format: String?, _ bytes: ClosedRange<Int>?) -> JSONValue {
        var object: [String: JSONValue] = ["type": .string("string")]
        switch format {
        case "id": object["pattern"] = .string("^[1-9][0-9]{0,18}$")
        case let format?: object["format"] = .string(format)
        case nil: break
        }
        if let bytes, format != "id" {
            if bytes.lowerBound > 0 { object["minLength"] = .number("1") }
            object["maxLength"] = .number("\(bytes.upperBound)")
            object["description"] = .string("\(bytes.lowerBound) to \(bytes.upperBound) bytes of UTF-8.")
        }
        return .object(object)
    }
}

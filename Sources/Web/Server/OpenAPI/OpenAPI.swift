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
        let responses = failures(&components)
        // What is sent and never answered takes no other fields; answers may get more.
        let sent = Set(table.routes.flatMap { $0.body.shape?.recordNames ?? [] })
        let answered = Set(table.routes.flatMap { $0.reply?.recordNames ?? [] })
        let schemas = components.schemas.merging(
            sent.subtracting(answered).compactMap { name in components.schemas[name].map { (name, $0.closed) } },
            uniquingKeysWith: { $1 })
        let tags = Set(table.routes.map(\.area)).sorted().map { name in
            JSONValue.object(["name": .string(name), "description": .string(areas[name] ?? "")])
        }
        let document = JSONValue.object([
            "openapi": .string("3.1.0"),
            "jsonSchemaDialect": .string("https://json-schema.org/draft/2020-12/schema"),
            "info": .object([
                "title": .string(site.name), "version": .string(site.version),
                "description": .string(
                    "Errors are `application/problem+json` with a stable `code`; `/problems` explains each. Lists are paged by opaque cursors. "
                        + "A parameter or field that a call does not read is refused. Every unsafe call takes an "
                        + "`Idempotency-Key`. What a caller may not see answers 404. Within v1 fields are only added."),
            ]),
            "servers": .array([.object(["url": .string(site.publicURL ?? "/")])]),
            "tags": .array(tags),
            "paths": .object(paths.mapValues { .object($0) }),
            "x-screens": Screens.json,
            "components": .object([
                "schemas": .object(schemas),
                "securitySchemes": securitySchemes(table),
                "responses": .object(responses),
                "parameters": .object(["IdempotencyKey": idempotencyKey]),
            ]),
        ])
        return try JSONWriter.bytes(document)
    }

    /// RFC 9457 with what we add.
    package static let problem = Schema.object(
        "Problem",
        [
            "type": .text(format: "uri", bytes: nil), "title": .string, "status": .integer(400...599),
            "code": .choice(ProblemCode.allCases.map(\.rawValue)),
            "detail": .orNull(.string), "instance": .string, "request_id": .string,
            "errors": .array(
                .object(
                    "Fault",
                    ["pointer": .string, "code": .choice(FaultCode.allCases.map(\.rawValue)), "detail": .string])),
        ],
        optional: [
            "violated-policies": .array(.string), "candidates": .array(Catalog.Routes.item),
            "positions": .array(Places.Routes.behind), "page": .integer, "reason": .orNull(.string),
            "until": .orNull(.time),
        ])

    static let idempotencyKey = JSONValue.object([
        "name": .string("Idempotency-Key"), "in": .string("header"), "required": .boolean(false),
        "description": .string(
            "Names this call, so that repeating it has no second effect. Kept \(Idempotency.hours) hours. What "
                + "others wrote is read anew: 410 `idempotency_gone` where the call was done and none of it is left."),
        "schema": .object([
            "type": .string("string"), "pattern": .string("^[!-~]+$"),
            "minLength": .number("\(Idempotency.keyLength.lowerBound)"),
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
}

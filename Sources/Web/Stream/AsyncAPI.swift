import Community
import JSONWriting

/// `asyncapi.json`: AsyncAPI 3 made from the shapes of the stream's frames.
enum AsyncAPI {
    static func document(site: SiteSettings) throws -> [UInt8] {
        var components = Components()
        let said = EventStream.clientFrames.map { message($0, &components) }
        let told = EventStream.serverFrames.map { message($0, &components) }
        let messages = Dictionary(uniqueKeysWithValues: said + told)
        let document = JSONValue.object([
            "asyncapi": .string("3.0.0"),
            "info": .object([
                "title": .string(site.name + ": the live stream"), "version": .string(site.version),
                "description": .string(
                    "One WebSocket with the token in `Authorization`, or with a ticket. Text frames, one JSON object "
                        + "each. REST is the truth; the stream is its tail. A client passes over types, kinds and members "
                        + "that it does not know."),
            ]),
            "defaultContentType": .string("application/json"),
            "servers": .object(["this": server(site)]),
            "channels": .object([
                "stream": .object([
                    "address": .string("/api/v1/stream"),
                    "messages": .object(
                        Dictionary(
                            uniqueKeysWithValues: messages.keys.map { ($0, reference("components/messages/" + $0)) })),
                    "bindings": .object(["ws": handshake]),
                ])
            ]),
            "operations": .object([
                "say": operation("receive", "What a client says.", said.map(\.0)),
                "tell": operation("send", "What the server says.", told.map(\.0)),
            ]),
            "components": .object([
                "messages": .object(messages), "schemas": .object(components.schemas),
                "securitySchemes": .object([
                    "bearer": .object(["type": .string("http"), "scheme": .string("bearer")]),
                    "ticket": .object([
                        "type": .string("httpApiKey"), "name": .string("ticket"), "in": .string("query"),
                        "description": .string("What `POST /api/v1/stream/tickets` gave: for pages in browsers."),
                    ]),
                ]),
            ]),
        ])
        return try JSONWriter.bytes(document)
    }

    private static func server(_ site: SiteSettings) -> JSONValue {
        let parts = (site.publicURL ?? "http://127.0.0.1:8080").split(separator: "/", maxSplits: 2).map(String.init)
        return .object([
            "host": .string(parts.last ?? ""), "protocol": .string(parts.first == "https:" ? "wss" : "ws"),
            "security": .array([
                reference("components/securitySchemes/bearer"), reference("components/securitySchemes/ticket"),
            ]),
        ])
    }

    /// What a handshake may say beside its proof.
    private static let handshake = JSONValue.object([
        "method": .string("GET"),
        "headers": .object([
            "type": .string("object"),
            "properties": .object([
                "Sec-WebSocket-Protocol": .object([
                    "type": .string("string"),
                    "description": .string(
                        "`\(EventStream.Subprotocol.name)`, among others. It is chosen where it is offered."),
                ])
            ]),
        ]),
    ])

    private static func message(_ frame: Schema, _ components: inout Components) -> (String, JSONValue) {
        let name = frame.componentName ?? "Frame"
        return (name, .object(["name": .string(name), "payload": components.reference(to: frame)]))
    }

    private static func operation(_ action: String, _ summary: String, _ frames: [String]) -> JSONValue {
        .object([
            "action": .string(action), "summary": .string(summary), "channel": reference("channels/stream"),
            "messages": .array(frames.map { reference("channels/stream/messages/" + $0) }),
        ])
    }

    private static func reference(_ place: String) -> JSONValue { .object(["$ref": .string("#/" + place)]) }
}

import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// What generators of clients and readers of `openapi.json` need.
@Suite(.database) struct OpenAPITests {
    @Test func `every property, parameter and tag has a sentence, and every call one line`() async throws {
        try await withApp { app in
            let document = try await app.get("/api/v1/openapi.json").json
            var silent: Set<String> = []
            for (name, schema) in document["components"]?["schemas"]?.members ?? [:] {
                for (property, shape) in schema["properties"]?.members ?? [:] where !name.hasPrefix("Google") {
                    if shape["description"]?.text?.contains(".") != true { silent.insert("\(name).\(property)") }
                }
            }
            #expect(silent.sorted() == [], "write a line in Sentences")
            for route in app.server.table.routes {
                #expect(OpenAPI.line(of: route.summary).count <= OpenAPI.lineLength)
            }
            for (path, operations) in document["paths"]?.members ?? [:] {
                for operation in operations.members.values {
                    for parameter in operation["parameters"]?.elements ?? [] where parameter["$ref"] == nil {
                        #expect(parameter["description"]?.text?.hasSuffix(".") == true, "\(path): \(parameter)")
                    }
                }
            }
            let tags = document["tags"]?.elements ?? []
            #expect(!tags.isEmpty && tags.allSatisfy { $0["description"]?.text?.hasSuffix(".") == true })
        }
    }

    @Test func `a set of words that stands at two places has a name`() async throws {
        try await withApp { app in
            let document = try await app.get("/api/v1/openapi.json").json
            var places: [String: [String]] = [:]
            for (name, schema) in document["components"]?["schemas"]?.members ?? [:] {
                for (property, shape) in schema["properties"]?.members ?? [:] {
                    for words in shape.namelessEnums { places[words, default: []].append("\(name).\(property)") }
                }
            }
            for (path, operations) in document["paths"]?.members ?? [:] {
                for words in operations.namelessEnums { places[words, default: []].append(path) }
            }
            for (words, names) in places where names.count > 1 && words.contains(" ") {
                Issue.record("\(words): \(names.sorted())")
            }
        }
    }

    @Test func `objects that stand in one place are told apart by one member`() async throws {
        try await withApp { app in
            let document = try await app.get("/api/v1/openapi.json").json
            let schemas = document["components"]?["schemas"]?.members ?? [:]
            var unions = 0
            for union in document.unions {
                let forms = union.filter { $0["type"] != "null" }
                let names = forms.compactMap { $0["$ref"]?.text?.split(separator: "/").last.map(String.init) }
                    .filter { schemas[$0]?["properties"] != nil }
                // A word beside an object is told apart by being a word.
                guard names.count > 1, names.count == forms.count else { continue }
                unions += 1
                let said = names.map { name in
                    (schemas[name]?["properties"]?.members ?? [:]).compactMapValues { $0["const"]?.text }
                }
                let told = said[0].keys.contains { key in Set(said.compactMap { $0[key] }).count == names.count }
                #expect(told, "nothing tells apart \(names)")
            }
            #expect(unions > 10)
        }
    }

    @Test func `the name of a set of words is no other component's`() async throws {
        try await withApp { app in
            let schemas = try await app.get("/api/v1/openapi.json").json["components"]?["schemas"]?.members ?? [:]
            let records = app.server.table.routes.flatMap { [$0.reply, $0.body.shape].compactMap(\.self) }
                .compactMap(\.componentName)
            for name in records { #expect(schemas[name]?["properties"] != nil, "\(name)") }
        }
    }

    @Test func `no component has the name that generators give to another's enum`() async throws {
        try await withApp { app in
            let schemas = try await app.get("/api/v1/openapi.json").json["components"]?["schemas"]?.members ?? [:]
            #expect(schemas["Page"] == nil)
            for (name, schema) in schemas {
                for (property, shape) in schema["properties"]?.members ?? [:] where !shape.namelessEnums.isEmpty {
                    let parts = property.split { $0 == "_" || $0 == "-" }.map {
                        $0.prefix(1).uppercased() + $0.dropFirst()
                    }
                    #expect(schemas[name + parts.joined()] == nil, "\(name).\(property)")
                }
            }
        }
    }

    @Test func `every body that is not JSON has a schema, and every status of a problem has a name`() async throws {
        try await withApp { app in
            let document = try await app.get("/api/v1/openapi.json").json
            for (path, operations) in document["paths"]?.members ?? [:] {
                for (method, operation) in operations.members {
                    let bodies =
                        [operation["requestBody"]].compactMap(\.self)
                        + (operation["responses"]?.members.values.map(\.self) ?? [])
                    for type in bodies.flatMap({ $0["content"]?.members.map(\.value) ?? [] }) {
                        #expect(type["schema"] != nil, "\(method) \(path)")
                    }
                    for (status, response) in operation["responses"]?.members ?? [:] where status.hasPrefix("4") {
                        #expect(response["$ref"]?.text?.hasSuffix("/Problem") == false, "\(method) \(path) \(status)")
                    }
                }
            }
            let get = document["paths"]?["/api/v1/books/{book}"]?["get"]
            #expect(get?["operationId"] == "get_book")
            #expect(get?["responses"]?["404"]?["$ref"] == "#/components/responses/NotFound")
            #expect(document["components"]?["schemas"]?["ProblemCode"]?["enum"]?.elements.contains("not_found") == true)
        }
    }

    @Test func `the index leads on, and every code has a page at the address that its problem names`() async throws {
        try await withApp { app in
            for path in ["/", "/api/v1"] {
                let index = try await app.get(path).json
                let links = index["links"]?.elements ?? []
                #expect(links.count > 5)
                for link in links where link["method"] == "GET" {
                    let target = try #require(link["href"]?.text?.replacing("http://127.0.0.1:8080", with: ""))
                    #expect(try await app.get(target).status != .notFound, "\(target)")
                }
                #expect(try await app.get(path + (path == "/" ? "nothing" : "/nothing")).code == "not_found")
            }
            let list = try await app.get("/problems")
            #expect(list.headers[.contentType] == "text/html; charset=utf-8" && !list.text.contains("<script"))
            for code in ProblemCode.allCases {
                #expect(list.text.contains("/problems/\(code)\""))
                let page = try await app.get("/problems/\(code)")
                #expect(page.status == .ok && page.text.contains("<code>\(code)</code>"), "\(code)")
            }
            let missing = try await app.get("/problems/nothing")
            #expect(missing.json["type"] == "http://127.0.0.1:8080/problems/not_found")
            #expect(try await app.get("/problems/validation").text.contains("<code>too_short</code>"))
        }
    }

    @Test func `every call that takes or answers JSON has an example`() async throws {
        try await withApp { app in
            for route in app.server.table.routes where route.dialect == nil && !route.path.hasSuffix(".json") {
                let example = Examples.all[route.name]
                if case .record(_, let fields)? = route.body.shape, fields.contains(where: \.isRequired) {
                    #expect(example?.body != nil, "\(route.name)")
                }
                if route.reply != nil { #expect(example?.reply != nil, "\(route.name)") }
            }
        }
    }

    /// To write those that are missing or changed: `COMMONPLACE_EXAMPLES=write`, and run all tests of the server.
    @Test func `every example has the shape that its call declares`() async throws {
        try await withApp { app in
            for (call, example) in Examples.all {
                let route = try #require(app.server.table.routes.first { $0.name == call }, "\(call) is gone")
                let body = example.body.map { route.body.shape?.mismatches(with: $0) ?? ["it takes none"] } ?? []
                let reply = example.reply.map { route.reply?.mismatches(with: $0) ?? ["it answers none"] } ?? []
                #expect(body + reply == [], "\(call)")
            }
        }
    }

    @Test func `a long summary is cut at a sentence, a clause or a word`() {
        #expect(OpenAPI.line(of: "Short.") == "Short.")
        let long = "Mute a reader, who is not told: nothing of theirs stands in your feed or comes to your inbox."
        #expect(OpenAPI.line(of: long) == "Mute a reader, who is not told.")
        let words = String(repeating: "word ", count: 30)
        #expect(OpenAPI.line(of: words).count <= OpenAPI.lineLength)
    }
}

extension JSONValue {
    /// The forms of every value that has several, at any depth.
    fileprivate var unions: [[JSONValue]] {
        switch self {
        case .object(let members):
            let here = [members["oneOf"], members["anyOf"]].compactMap { $0?.elements }
            return here + members.values.flatMap(\.unions)
        case .array(let elements): return elements.flatMap(\.unions)
        default: return []
        }
    }

    /// The words of each enum that stands here and not behind a name.
    fileprivate var namelessEnums: [String] {
        switch self {
        case .object(let members):
            if let words = members["enum"]?.elements { return [words.compactMap(\.text).joined(separator: " ")] }
            return members.filter { $0.key != "properties" }.values.flatMap(\.namelessEnums)
        case .array(let elements): return elements.flatMap(\.namelessEnums)
        default: return []
        }
    }
}

import Community
import CoreMetrics
import HTTPTypes
import Postgres
import Synchronization
import TestSupport
import Testing
import Web

@Suite(.database) struct ServerRoutesTests {
    @Test func `openapi.json and the route table name the same calls`() async throws {
        try await withApp { app in
            let document = try await app.get("/api/v1/openapi.json").json
            guard case .object(let paths)? = document["paths"] else {
                Issue.record("no paths")
                return
            }
            let described = Set(
                paths.flatMap { path, item -> [String] in
                    guard case .object(let operations) = item else { return [] }
                    return operations.keys.map { $0.uppercased() + " " + path }
                })

            #expect(document["openapi"] == "3.1.0")
            #expect(described == Set(app.server.table.routes.map(\.name)))
        }
    }

    @Test func `every call in openapi.json has a summary, a name of its own, its parameters, and schemas that exist`()
        async throws
    {
        try await withApp { app in
            let document = try await app.get("/api/v1/openapi.json").json
            var names: Set<String> = []
            guard case .object(let paths)? = document["paths"] else { return }
            for (path, item) in paths {
                guard case .object(let operations) = item else { continue }
                for operation in operations.values {
                    let name = try #require(operation["operationId"]?.text)
                    #expect(names.insert(name).inserted, "\(name) is used twice")
                    #expect(operation["summary"]?.text?.isEmpty == false, "\(path) has no summary")
                    let inPath =
                        operation["parameters"]?.elements.filter { $0["in"] == "path" }.compactMap { $0["name"]?.text }
                        ?? []
                    let wanted = path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                        String($0.dropFirst().dropLast())
                    }
                    #expect(inPath == wanted)
                }
            }
            for reference in document.references {
                let parts = reference.dropFirst(2).split(separator: "/")
                #expect(parts.reduce(Optional(document)) { $0?[String($1)] } != nil, "\(reference) leads nowhere")
            }
        }
    }

    @Test func `one name of a schema stands for one shape`() async throws {
        try await withApp { app in
            var shapes: [String: String] = [:]
            for route in app.server.table.routes {
                var schemas = [route.reply].compactMap(\.self)
                if case .json(let body) = route.body { schemas.append(body) }
                for (name, shape) in schemas.flatMap(\.records) {
                    #expect(shapes[name, default: shape] == shape, "\(name) has two shapes, one in \(route.name)")
                    shapes[name] = shape
                }
            }
        }
    }

    @Test func `however many ask whether the server is ready, its checks run a few times a second`() async throws {
        let runs = Atomic<Int>(0)
        let check = ServerStatus.Check("database") {
            try await Task.sleep(for: .milliseconds(50))
            return "answers \(runs.wrappingAdd(1, ordering: .relaxed).newValue)"
        }
        try await withApp(status: ServerStatus(checks: [check])) { app in
            let start = ContinuousClock.now
            for _ in 0..<20 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            let answer = try await app.get("/readyz")
                            #expect(answer.status == .ok)
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let seconds = start.duration(to: .now) / .seconds(1)
            let count = runs.load(ordering: .relaxed)
            #expect(count >= 1 && Double(count) <= 1 + seconds / 0.25, "\(count) in \(seconds) s")
        }
    }

    @Test func `a process that drains, or lacks a part, is alive and not ready`() async throws {
        struct Broken: Error {}
        let healthy = ServerStatus(checks: [.init("database") { "answers" }], notes: ["a note"])
        let broken = ServerStatus(checks: [.init("database") { throw Broken() }, .init("schema") { "8" }])
        try await withApp(status: healthy) { app in
            #expect(try await app.get("/readyz").json["checks"] == [])
            let verbose = try await app.get("/readyz?verbose")
            #expect(verbose.json["checks"]?[0]?["detail"] == "answers" && verbose.json["notes"] == ["a note"])
            healthy.drain()
            let draining = try await app.get("/readyz")
            #expect(draining.status == .serviceUnavailable && draining.json["status"] == "draining")
            #expect(try await app.get("/livez").status == .ok)
        }
        try await withApp(status: broken) { app in
            let answer = try await app.get("/readyz?verbose")
            #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] != nil)
            #expect(answer.json["checks"]?.elements.map { $0["is_ready"]?.flag } == [false, true, true])
            #expect(!answer.text.contains("Broken"))
        }
    }

    @Test func `a process that can only read says so, and is not ready for who wants to write`() async throws {
        struct Broken: Error {}
        let checks: [ServerStatus.Check] = [
            .init("database") { "answers" }, .init("node", for: .writes) { throw Broken() },
        ]
        try await withApp(status: ServerStatus(checks: checks)) { app in
            let answer = try await app.get("/readyz")
            #expect(answer.status == .ok && answer.json["status"] == "reads_only")
            let forWriting = try await app.get("/readyz?writes")
            #expect(forWriting.status == .serviceUnavailable && forWriting.headers[.retryAfter] != nil)
        }
        try await withApp(routes: { table in
            table.post("/full", access: .open, summary: "Has no room.", reply: .any) { _, _ in
                throw PostgresError(.server, sqlState: .diskFull)
            }
        }) { app in
            #expect(try await app.get("/readyz?writes").json["status"] == "ok")
            #expect(try await app.post("/api/v1/full").status == .serviceUnavailable)
            #expect(try await app.get("/readyz").json["status"] == "reads_only")
            let disk = try await app.get("/readyz?verbose").json["checks"]?.elements.first { $0["name"] == "disk" }
            #expect(disk?["is_ready"] == false)
        }
    }

    @Test func `metrics are for this machine alone`() async throws {
        let metrics = Prometheus()
        metrics.makeCounter(label: "made_total", dimensions: [("kind", "a\"b")]).increment(by: 2)
        try await withApp(metrics: metrics) { app in
            let own = try await app.get("/metrics")
            #expect(own.status == .ok && own.text.contains("made_total{kind=\"a\\\"b\"} 2\n"))
            #expect(try await app.send(.get, "/metrics", address: "198.51.100.7").status == .notFound)
        }
    }

    @Test(arguments: [[], ["127.0.0.1"]])
    func `what is for this machine alone is for nobody behind a proxy on it, declared or not`(trusted: [String])
        async throws
    {
        let status = ServerStatus(checks: [.init("database") { "answers" }], notes: ["a note"])
        try await withApp(site: { $0.trustedProxies = trusted }, status: status, metrics: Prometheus()) { app in
            let forwarded: [HTTPFields] = [
                [.forwardedFor: "198.51.100.7"], [.forwardedFor: "127.0.0.1"], [.forwardedFor: "junk"],
                [.forwarded: "for=198.51.100.7"],
            ]
            for headers in forwarded {
                #expect(try await app.get("/metrics", headers: headers).status == .notFound)
                let ready = try await app.get("/readyz?verbose", headers: headers)
                #expect(ready.status == .ok && ready.json["checks"] == [] && ready.json["notes"] == [])
            }
            let stranger = try await app.send(.get, "/readyz?verbose", address: "198.51.100.7")
            #expect(stranger.json["checks"] == [])
            #expect(try await app.get("/metrics").status == .ok)
            #expect(try await app.get("/readyz?verbose").json["checks"]?[0]?["detail"] == "answers")
        }
    }

    @Test func `the server says what it is`() async throws {
        try await withApp(
            settings: { $0.registration = .invite },
            site: {
                $0.name = "Bookworms"; $0.rules = ["Be kind."]; $0.contact = "mail@example.org"
            }
        ) { app in
            let answer = try await app.get("/api/v1/server")

            #expect(answer.json["name"] == "Bookworms" && answer.json["rules"] == ["Be kind."])
            #expect(answer.json["registration"] == "invite" && answer.json["access"] == "open")
            #expect(answer.json["contact"] == "mail@example.org" && answer.json["api_version"] == "v1")
            #expect(
                answer.json["limits"]?.elements.contains { $0["name"] == "request.body" && $0["maximum"] == 262_144 }
                    == true)
            let names = answer.json["limits"]?.elements.compactMap { $0["name"]?.text } ?? []
            #expect(names.count > 100 && Set(names).count == names.count, "each limit has a name of its own")
        }
    }
}

@Suite struct PrometheusTests {
    @Test func `counters, gauges and histograms are written as Prometheus reads them`() {
        let metrics = Prometheus()
        metrics.makeCounter(label: "a.total", dimensions: []).increment(by: 3)
        metrics.makeRecorder(label: "b", dimensions: [("x", "1")], aggregate: false).record(2.5)
        let timer = metrics.makeTimer(label: "c_seconds", dimensions: [])
        timer.recordNanoseconds(2_000_000)
        timer.recordNanoseconds(20_000_000_000)

        let text = metrics.text()

        #expect(text.contains("# TYPE a_total counter\na_total 3\n"))
        #expect(text.contains("# TYPE b gauge\nb{x=\"1\"} 2.5\n"))
        #expect(text.contains("c_seconds_bucket{le=\"0.001\"} 0\n"))
        #expect(text.contains("c_seconds_bucket{le=\"0.0025\"} 1\n"))
        #expect(text.contains("c_seconds_bucket{le=\"10\"} 1\nc_seconds_bucket{le=\"+Inf\"} 2\n"))
        #expect(text.contains("c_seconds_sum 20.002\nc_seconds_count 2\n"))
    }

    @Test func `the same labels are the same series, and too many are not kept`() {
        let metrics = Prometheus()
        for _ in 0..<3 { metrics.makeCounter(label: "a", dimensions: [("x", "1"), ("y", "2")]).increment(by: 1) }
        for number in 0..<30_000 { metrics.makeCounter(label: "b", dimensions: [("x", "\(number)")]).increment(by: 1) }

        let text = metrics.text()

        #expect(text.contains("a{x=\"1\",y=\"2\"} 3\n"))
        #expect(text.split(separator: "\n").count <= 20_002)
    }
}

extension Schema {
    /// Every named object below, with its shape as text.
    fileprivate var records: [(String, String)] {
        switch self {
        case .record(let name, let properties):
            [(name, String(describing: properties))] + properties.flatMap(\.schema.records)
        case .array(let element, _), .map(let element), .orNull(let element): element.records
        default: []
        }
    }
}

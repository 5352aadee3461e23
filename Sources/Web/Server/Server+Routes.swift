import Community
import HTTPTypes
import Hummingbird
import NIOCore
import Postgres

/// The server's own routes: probes, metrics, what this server is, and the description of its API.
package enum ServerInfo {}

extension ServerInfo {
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.probe("/livez", summary: "The process answers.", reply: Self.state) { _, _ in
                try .json(.ok, ["status": "ok"])
            }
            routes.probe(
                "/readyz",
                summary: "The process should get requests. `reads_only`: reads are answered, writes get 503.",
                query: [QueryParameter("writes", .string, "There at all: 503 also where only reads are answered.")],
                reply: Self.readiness, readiness)
            routes.probe(
                "/metrics", summary: "Prometheus text, for this machine alone: 404 for whoever comes from elsewhere.",
                reply: nil, metrics)
            routes.get(
                "/server", summary: "What this server is: name, rules, registration, limits.", reply: Self.server,
                server)
            Index(site: site).add(to: &routes)
            Problems().add(to: &routes)
            Documents().add(to: &routes)
        }

        /// 200 or 503. Where nothing can be written (a read-only database, a full disk, no node number), 200 with `reads_only`, because
        /// reads go on and other processes could do no more; 503 for who asks with `?writes`. `?verbose` lists every check, to this machine
        /// alone.
        @Sendable private func readiness(_ request: Request, _ context: SiteContext) async throws -> Reply {
            let findings = await site.status.findings()
            let state = site.status.readiness(after: findings)
            let query = try context.query()
            let isReady = state == .ok || state == .readsOnly && query["writes"] == nil
            let isVerbose = query["verbose"] != nil && context.isLocal
            let body = Readiness(
                status: state.rawValue,
                checks: isVerbose ? findings : [],
                notes: isVerbose ? site.status.notes : [])
            var reply = try Reply.json(isReady ? .ok : .serviceUnavailable, body)
            if !isReady { reply.headers[.retryAfter] = "2" }
            return reply
        }

        /// Figures of traffic are not for strangers: 404 unless the caller is on this machine and no proxy stands between.
        @Sendable private func metrics(_ request: Request, _ context: SiteContext) async throws -> Reply {
            guard context.isLocal, let metrics = site.metrics else { throw Failure.notFound("page") }
            return .text(.ok, metrics.text(), type: "text/plain; version=0.0.4; charset=utf-8")
        }

        @Sendable private func server(_ request: Request, _ context: SiteContext) async throws -> Reply {
            let settings = site.community.services.settings
            return try .json(
                .ok,
                Description(
                    name: site.settings.name, rules: site.settings.rules, contact: site.settings.contact,
                    registration: settings.registration.rawValue, access: settings.access.rawValue, url: context.base,
                    version: site.settings.version, apiVersion: "v1",
                    limits: (Limits.table + site.limits.table + EventStream.Limits().table + RateLimiter.table).map {
                        Description.Limit(name: $0.name, minimum: $0.minimum, maximum: $0.maximum, unit: $0.unit)
                    }))
        }

        private struct Readiness: Encodable {
            let status: String
            let checks: [ServerStatus.Finding]
            let notes: [String]
        }

        private struct Description: Encodable {
            struct Limit: Encodable {
                let name: String
                let minimum: Int?
                let maximum: Int
                let unit: String
            }

            let name: String
            let rules: [String]
            let contact: String?
            let registration: String
            let access: String
            let url: String
            let version: String
            let apiVersion: String
            let limits: [Limit]
        }

        private static let state = Schema.object("State", ["status": .choice(["ok"])])
        private static let readiness = Schema.object(
            "Readiness",
            [
                "status": .choice(ServerStatus.Readiness.allCases.map(\.rawValue)),
                "checks": .array(
                    .object("Check", ["name": .string, "is_ready": .boolean, "detail": .orNull(.string)])),
                "notes": .array(.string),
            ])
        private static let server = Schema.object(
            "Server",
            [
                "name": .string, "rules": .array(.string), "contact": .orNull(.string),
                "registration": .choice(CommunitySettings.Registration.allCases.map(\.rawValue)),
                "access": .choice(CommunitySettings.Access.allCases.map(\.rawValue)), "url": .string,
                "version": .string,
                "api_version": .string,
                "limits": .array(
                    .object(
                        "Limit", ["name": .string, "minimum": .orNull(.integer), "maximum": .integer, "unit": .string])),
            ])
    }
}

extension RouteTable {
    /// Adds `GET /openapi.json`, which describes every route added so far and itself: call it last.
    mutating func addDescription(_ site: Site) throws {
        let stream = ByteBuffer(bytes: try AsyncAPI.document(site: site.settings))
        get("/asyncapi.json", summary: "The stream as AsyncAPI 3.", reply: .any) { _, _ in
            Reply(status: .ok, headers: [.contentType: "application/json"], content: .bytes(stream))
        }
        get("/openapi.json", summary: "This API as OpenAPI 3.1.", reply: .any) { _, _ in throw Failure.notFound("page")
        }
        let document = ByteBuffer(bytes: try OpenAPI.document(of: self, site: site.settings))
        replaceLast { _, _ in Reply(status: .ok, headers: [.contentType: "application/json"], content: .bytes(document))
        }
    }
}

import Community
import HTTPTypes
import Hummingbird
import JSONWriting
import NIOCore
import Postgres

extension Leaving {
    /// Taking everything along, over HTTP: for sessions alone.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.post(
                "/me/export", access: .session, summary: "Have everything of yours put into one archive.",
                status: .accepted, reply: Self.export, ask)
            routes.get(
                "/me/export", access: .session, summary: "How far your archive is, and until when it is kept.",
                reply: Self.export, show)
            routes.download(
                "/me/export/archive", summary: "Your archive: a ZIP archive of JSON and pictures.",
                types: ["application/zip"], fetch)
            routes.delete("/me/export", access: .session, summary: "Delete your archive.", remove)
        }

        private var store: Store { site.community.leaving }

        /// `POST /me/export` → 202 with the export; the one that is being made already, if there is one. 429.
        @Sendable private func ask(_ request: Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            if let reply = try await context.storedReply(to: request) { return reply }
            try await store.admitExport(of: account)
            return try await context.write(request) {
                try .json(.accepted, ExportBody(export: try await store.askForExport(of: account)))
            }
        }

        /// `GET /me/export` → 200; 404 where there is none.
        /// Refused with `not_found` too.
        @Sendable private func show(_ request: Request, context: SiteContext) async throws -> Reply {
            try .json(.ok, ExportBody(export: try await store.export(of: try context.signedIn().account)))
        }

        /// `GET /me/export/archive` → 200 with the bytes; 404 where there is none, 409 `not_ready`, `export_failed`.
        /// Refused with `not_found` too.
        @Sendable private func fetch(_ request: Request, context: SiteContext) async throws -> Reply {
            let store = store
            let export = try await store.archive(of: try context.signedIn().account)
            var reply = Reply.file(
                size: export.size, type: "application/zip", name: "commonplace-\(export.id).zip"
            ) { take in
                var place = 0
                while let piece = try await store.piece(place, of: export) {
                    try await take(piece)
                    place += 1
                }
            }
            reply.headers[.cacheControl] = "no-store"
            return reply
        }

        /// `DELETE /me/export` → 204, also where there is none.
        @Sendable private func remove(_ request: Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            return try await context.write(request) {
                try await store.removeExport(of: account)
                return .noContent
            }
        }
    }

    /// An archive and how far it is.
    private struct ExportBody: JSONForm {
        let export: Export

        func put(into object: JSONObject) {
            object.put("id", export.id)
            object.put("state", export.state.rawValue)
            object.put("done_count", export.done)
            object.put("total_count", export.total)
            object.put("size", export.size)
            object.put("created_at", export.createdAt)
            object.put("finished_at", export.finishedAt)
            object.put("expires_at", export.expiresAt)
            object.put("operation", export.operation)
        }
    }
}

extension Leaving.Routes {
    static let export = Schema.object(
        "Export",
        [
            "id": .id, "state": .choice(Leaving.Export.State.allCases.map(\.rawValue)), "done_count": .integer,
            "total_count": .integer,
            "size": .orNull(.integer), "created_at": .time, "finished_at": .orNull(.time), "expires_at": .time,
            "operation": .orNull(.id),
        ])
}

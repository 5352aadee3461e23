import Community
import HTTPTypes
import Hummingbird
import NIOCore

extension Notebook.Routes {
    func addExchange(to routes: inout RouteTable) {
        for format in Notebook.ExportFormat.allCases {
            routes.download(
                "/me/notebook.\(format.rawValue)",
                summary: "Your notebooks, all or of one book, as a file: \(format.told).",
                query: [QueryParameter("book_id", .id, "Only about this book.")],
                types: format == .json ? [] : [format.type],
                reply: format == .json ? Self.archive : nil,
                export(format))
        }
        routes.jsonUpload(
            "/me/notebook/import", bytes: Limits.notebook.file,
            summary: """
                Take in notebooks from a file of `GET /me/notebook.json`. It only says what it would do unless \
                `is_dry_run=false`. A note comes in once, however often the file is sent; what finds no place here is listed.
                """,
            query: [QueryParameter("is_dry_run", .boolean, "Whether it only says what it would do: yes, if left out.")],
            body: Self.archive, reply: Self.imported, take)
    }

    /// `POST /me/notebook/import?is_dry_run=true|false` with an exported file → 200 with what it did or would do; 403
    /// `account_frozen`, `email_unverified`, 409 `too_many_notes`, `too_many_themes`, `too_many_folders`, 422.
    @Sendable private func take(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        try context.checkKey(of: request)
        let isDryRun = try context.query().boolean("is_dry_run") ?? true
        var form = try context.form(request)
        let archive = form.archive()
        try form.check()
        // Each book is a transaction of its own. A file that is sent again comes in once, with a key and without.
        return try Reply.json(.ok, try await store.importArchive(archive, isDryRun: isDryRun, by: identity))
    }

    /// `GET /me/notebook.json`, `GET /me/notebook.md` and `GET /me/notebook.csv` → 200 with the file; 422.
    private func export(_ format: Notebook.ExportFormat) -> Route.Handler {
        { _, context in
            let reader = try context.signedIn().account
            let work = try context.query().id("book_id", as: Catalog.Work.self)
            let store = store
            let body = ResponseBody { writer in
                try await store.export(format, about: work, of: reader) { piece in
                    if !piece.isEmpty { try await writer.write(ByteBuffer(string: piece)) }
                }
                try await writer.finish(nil)
            }
            return Reply(
                status: .ok,
                headers: [
                    .contentType: format.type, .cacheControl: "no-store",
                    .contentDisposition: "attachment; filename=\"notebook.\(format.rawValue)\"",
                ], content: .stream(body))
        }
    }
}

extension Notebook.ExportFormat {
    fileprivate var told: String {
        switch self {
        case .json: "JSON, which an import reads"
        case .markdown: "Markdown with front matter"
        case .csv: "CSV, a row for each item"
        }
    }
}

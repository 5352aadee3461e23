import Community
import HTTPTypes
import Hummingbird

extension Places.Routes {
    /// Those of the catalogue's part: where chapters begin is the same for everybody.
    package func addChapters(to routes: inout RouteTable) {
        routes.get(
            "/editions/{edition}/chapters",
            summary: "Where the chapters of an edition begin; none where nobody said so.",
            reply: Self.chapters, chapters)
        routes.put(
            "/editions/{edition}/chapters",
            summary: "Say where the chapters of an edition begin, a change in its history. Librarians only.",
            body: Self.newChapters, reply: Self.chapters, setChapters)
    }

    /// `GET /editions/{edition}/chapters` → 200 `{chapters}`; 404.
    @Sendable private func chapters(_ request: Request, context: SiteContext) async throws -> Reply {
        let edition = try context.id("edition", as: Catalog.Edition.self)
        return try Reply.json(.ok, ChaptersBody(try await store.chapters(of: edition)))
    }

    /// `PUT /editions/{edition}/chapters` `{chapters: [{title, position}], reason?}` → 200; 403 `not_librarian`, 404,
    /// 422.
    @Sendable private func setChapters(_ request: Request, context: SiteContext) async throws -> Reply {
        let helper = try Catalog.Helper(try context.signedIn(), in: site.community.services)
        let edition = try context.id("edition", as: Catalog.Edition.self)
        var form = try context.form(request)
        let chapters = form.chapters()
        let reason = form.optionalString("reason", bytes: Limits.catalog.changeReason) ?? ""
        try form.check()
        return try await context.write(request) {
            try await store.setChapters(chapters, of: edition, reason: reason, by: helper)
            return try Reply.json(.ok, ChaptersBody(chapters))
        }
    }

    private struct ChaptersBody: Encodable, Sendable {
        let chapters: [Chapter]

        struct Chapter: Encodable, Sendable {
            let title: String?
            let position: Int
        }

        init(_ chapters: [Places.Chapter]) {
            self.chapters = chapters.map { Chapter(title: $0.title, position: $0.position) }
        }
    }

    private static let list = Schema.array(
        .object(
            "Chapter", ["title": .orNull(.string(Limits.places.chapterTitle)), "position": .integer(0...10_000)]),
        count: 0...Limits.places.chapters.upperBound)

    private static let chapters = Schema.object("Chapters", ["chapters": list])

    private static let newChapters = Schema.object(
        "NewChapters", ["chapters": list], optional: ["reason": .orNull(.string(Limits.catalog.changeReason))])
}

extension Form {
    /// The field `chapters`: objects of `title`, text or null, and `position`, a whole number.
    fileprivate mutating func chapters() -> [Places.Chapter] {
        guard case .array(let elements)? = json("chapters") else {
            fault("chapters", has("chapters") ? .wrongType : .required, "must be an array")
            return []
        }
        return elements.enumerated().compactMap { index, element in
            guard case .object(let members) = element else {
                fault("chapters/\(index)", .wrongType, "must be an object, is \(element.kind)")
                return nil
            }
            guard case .number(let text)? = members["position"], let position = Int(text) else {
                fault("chapters/\(index)/position", .wrongType, "must be a whole number")
                return nil
            }
            switch members["title"] {
            case nil, .null?: return Places.Chapter(position: position)
            case .string(let title)?: return Places.Chapter(title: title, position: position)
            case let other?:
                fault("chapters/\(index)/title", .wrongType, "must be a string, is \(other.kind)")
                return nil
            }
        }
    }
}

import JSONWriting
import Postgres

extension Boards {
    /// One text that a post has had or has, as one viewer sees it.
    package struct Former: Hashable, Sendable {
        package enum Shown: Hashable, Sendable {
            /// `title`: the thread's, where the post opens it.
            case whole(title: String?, Text, at: Timestamp)
            case gated(Gate.Placeholder)
        }

        package let id: ID<Text>
        package let shown: Shown
    }
}

extension Boards.Store {
    /// The texts of a post that stands, the one that holds first; `Limits.Boards.texts` at most, of which the last is
    /// what was written first. A reader who may see the post may read them, as far as scope goes: a text that stood
    /// under a higher scope keeps it. Throws `.notFound` for a post that is not there for the viewer, `.forbidden`
    /// (`post_gated`).
    package func history(
        of post: ID<Boards.Post>, for viewer: Viewer, page: PageRequest<ID<Boards.Text>>
    ) async throws -> Page<Boards.Former, ID<Boards.Text>> {
        let database = house.database
        guard let seen = try await database.first(Boards.Statements.PostSeen(viewer: viewer, post: post)) else {
            throw Failure.notFound("post \(post)")
        }
        guard seen.isOpen else { throw Failure.gated(at: seen.scope) }
        return try await page.read(from: .max, key: \.id) {
            try await database.all(Boards.Statements.History(viewer: viewer, post: post, span: $0))
        }
    }
}

extension Boards.Former: JSONWritable {
    package func write(to output: JSONOutput) {
        switch shown {
        case .gated(let placeholder): placeholder.write(to: output)
        case .whole(let title, let text, let at):
            output.object { object in
                object.put("id", id)
                object.put("title", title)
                object.put("body", text.body)
                object.put("html", text.html)
                object.put("is_veiled", text.isVeiled)
                object.put("at", at)
            }
        }
    }
}

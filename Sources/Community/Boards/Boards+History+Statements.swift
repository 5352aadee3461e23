import Postgres

extension Boards.Statements {
    /// A post that stands and that the viewer may know of: its scope as it is told where it is shut, and whether it is
    /// open to them.
    struct PostSeen: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(Gate.told()) as scope, \(Gate.opens(viewer: .viewer)) as is_open
              from post
              join thread on thread.id = post.thread_id
             where post.id = \(\.post)
               and \(postStands)
               and (post.author_id = \(\.viewer) or \(threadIsSeen()) and \(isSeen("post.author_id")))
            """
        let viewer: Viewer, post: ID<Boards.Post>

        static func decode(_ columns: inout Columns) throws -> (scope: Gate.Scope, isOpen: Bool) {
            (try columns("scope"), try columns("is_open"))
        }
    }

    /// The texts of a post that stands; index `post_text_of_post`. Each is gated by the higher of the post's scope and
    /// the one that it stood under itself.
    struct History: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("said.id", "\(\.span.place)", direction)
            let sorted = Keyset<Self>("post.text_id", "\(\.span.place)", direction)
            return """
                select post.text_id, \(Gate.told()) as scope,
                       case when post.number = 1 then thread.kind else \(literal: Boards.Post.reply) end as kind,
                       \(Gate.opens(viewer: .viewer)) as is_open, \(Gate.unveils(viewer: .viewer)) as is_unveiled,
                       post.title, post.body, post.html, post.veiled_body, post.veiled_html, post.at
                  from (select said.id as text_id, said.title, said.body, said.html, said.veiled_body, said.veiled_html,
                               said.at, greatest(stands.scope, said.scope) as scope, stands.id, stands.number, stands.thread_id,
                               stands.author_id, stands.also_work_id, stands.also_scope
                          from post stands
                          join post_text said on said.post_id = stands.id
                         where stands.id = \(\.post)
                           and \(keyset.condition)
                         order by \(keyset.order)
                         limit \(\.span.limit)) post
                  join thread on thread.id = post.thread_id
                 order by \(sorted.order)
                """
        }
        let viewer: Viewer, post: ID<Boards.Post>, span: Span<ID<Boards.Text>>

        static func decode(_ columns: inout Columns) throws -> Boards.Former {
            let (id, scope): (ID<Boards.Text>, Gate.Scope) = (try columns("text_id"), try columns("scope"))
            let (kind, isOpen): (String, Bool) = (try columns("kind"), try columns("is_open"))
            guard isOpen else {
                try columns.skip(through: "at")
                let placeholder = Gate.Placeholder(id: id.rawValue, kind: kind, position: Int(scope.position))
                return Boards.Former(id: id, shown: .gated(placeholder))
            }
            let (isUnveiled, title): (Bool, String?) = (try columns("is_unveiled"), try columns("title"))
            let (body, html): (String, String) = (try columns("body"), try columns("html"))
            let veiled = try columns.part(through: "veiled_html", Markdown.Veiled.init)
            let shown = isUnveiled ? nil : veiled
            let text = Boards.Text(body: shown?.body ?? body, html: shown?.html ?? html, isVeiled: shown != nil)
            return Boards.Former(id: id, shown: .whole(title: title, text, at: try columns("at")))
        }
    }
}

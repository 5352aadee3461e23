import Postgres

extension Boards.Statements {
    static let historyStatements: [any Statement.Type] = [
        PostSeen.self, History<NewestFirst>.self, History<OldestFirst>.self,
    ]

    /// A post that stands and that the viewer may know of: its scope as it is told where it is shut, and whether it is
    /// open to them.
    struct PostSeen: Statement, ForViewer {
        static let name = "boards.post_seen"
        static let sql: SQL<Self> = """
            select \(Gate.told()) as scope, \(Gate.opens(viewer: .viewer)) as is_open
              from post
              join thread on thread.id = post.thread_id
             where post.id = \(\.post)
               and \(postStands)
               and (post.author_id = \(\.viewer) or \(threadIsSeen()) and \(isSeen("post.author_id")))
            """
        let viewer: Viewer
        let post: ID<Boards.Post>

        static func decode(_ columns: inout Columns) throws -> (scope: Gate.Scope, isOpen: Bool) {
            (try columns("scope"), try columns("is_open"))
        }
    }

    /// The texts of a post that stands; index `post_text_of_post`. Each is gated by the higher of the post's scope and
    /// the one that it stood under itself.
    struct History<Way: ListWay>: Statement, ForViewer {
        static var name: String { "boards.history_" + Way.name }
        static var sql: SQL<Self> {
            """
            select post.text_id, post.title, post.body, post.html, post.veiled_body, post.veiled_html, post.at,
                   \(Gate.told()), case when post.number = 1 then thread.kind else \(literal: Boards.Post.reply) end,
                   \(Gate.opens(viewer: .viewer)), \(Gate.unveils(viewer: .viewer))
              from (select said.id as text_id, said.title, said.body, said.html, said.veiled_body, said.veiled_html,
                           said.at, greatest(stands.scope, said.scope) as scope, stands.id, stands.number, stands.thread_id,
                           stands.author_id, stands.also_work_id, stands.also_scope
                      from post stands
                      join post_text said on said.post_id = stands.id
                     where stands.id = \(\.post)
                       and said.id \(Way.comparison) \(\.place)
                     order by said.id \(Way.order)
                     limit \(\.limit)) post
              join thread on thread.id = post.thread_id
             order by post.text_id \(Way.order)
            """
        }
        let viewer: Viewer
        let post: ID<Boards.Post>
        let place: ID<Boards.Text>
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Boards.Former {
            let (id, scope): (ID<Boards.Text>, Gate.Scope) = (try row[0], try row[7])
            guard try row[9] else {
                let placeholder = Gate.Placeholder(id: id.rawValue, kind: try row[8], position: Int(scope.position))
                return Boards.Former(id: id, shown: .gated(placeholder))
            }
            let veiled: String? = try row[10] ? nil : row[4]
            let body: String = try row[2]
            let html: String = try row[3]
            let shown: String? = veiled == nil ? nil : try row[5]
            return Boards.Former(
                id: id,
                shown: .whole(
                    title: try row[1], Boards.Text(body: veiled ?? body, html: shown ?? html, isVeiled: veiled != nil),
                    at: try row[6]))
        }
    }
}

import Postgres

extension Boards.Statements {
    /// For each text of a post in the list and each viewer who may know of the post now, and of its thread: the place
    /// in the list, the viewer, and whether the gate is shut to them still. A text is found only while it is its
    /// post's: what was said before, deleted or hidden is for nobody.
    ///
    /// A statement of its own, because Postgres keeps a plan for it: beside other questions it plans that
    /// anew at each delivery.
    struct TextHearers: Statement {
        static let sql: SQL<Self> = """
            select asked.place - 1 as place, viewer.id as viewer, not \(Gate.opens(viewer: "viewer.id")) as is_gated,
                   post.id, case when post.number = 1 then thread.kind else 'reply' end as kind, \(Gate.told()) as scope
              from unnest(\(\.texts)::bigint[]) with ordinality asked (text, place)
              join post_text on post_text.id = asked.text
              join post on post.id = post_text.post_id and post.text_id = post_text.id and post.hidden_at is null
              join thread on thread.id = post.thread_id and thread.hidden_at is null
              left join privacy on privacy.reader_id = post.author_id
              left join privacy opener on opener.reader_id = thread.author_id
             cross join unnest(\(\.viewers)::bigint[]) viewer (id)
             where \(Groups.opens(viewer: "viewer.id"))
               and \(Visibility.predicate(
                viewer: "viewer.id", owner: "post.author_id", level: "coalesce(privacy.discussions, 3)"))
               and (thread.author_id = post.author_id
                    or \(firstPostIsGone)
                    or \(Visibility.predicate(
                        viewer: "viewer.id", owner: "thread.author_id", level: "coalesce(opener.discussions, 3)")))
            """
        let texts: [Int64], viewers: [Int64]

        /// One viewer who may know of one text.
        struct Answer: Sendable {
            let place: Int
            let viewer: Int64
            /// What there is to be known before its gate opens; `nil` where it is open.
            let placeholder: Gate.Placeholder?
        }

        static func decode(_ columns: inout Columns) throws -> Answer {
            let (place, viewer): (Int, Int64) = (try columns("place"), try columns("viewer"))
            guard try columns("is_gated") else {
                try columns.skip(through: "scope")
                return Answer(place: place, viewer: viewer, placeholder: nil)
            }
            let (id, kind, scope): (Int64, String, Gate.Scope) = (
                try columns("id"), try columns("kind"), try columns("scope")
            )
            return Answer(
                place: place, viewer: viewer,
                placeholder: Gate.Placeholder(id: id, kind: kind, position: Int(scope.position)))
        }
    }

    /// SQL: whether the post is gone that opened `thread`: then its answers stay, no matter who opened it, as in `threadIsSeen`.
    private static let firstPostIsGone: Fragment = """
        exists (select 1
                              from post first
                             where first.thread_id = thread.id
                               and first.number = 1
                               and (first.deleted_at is not null or first.hidden_at is not null))
        """

    /// One row where there is a thread of this id that the reader sees on its board.
    struct FindThread: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select true
              from thread
             where thread.id = \(\.thread)
               and \(threadIsSeen())
            """
        let thread: Int64, viewer: Int64
        typealias Output = Bool
    }
}

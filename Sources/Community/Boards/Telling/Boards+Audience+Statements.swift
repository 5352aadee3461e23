import Postgres

extension Boards.Statements {
    /// Each question asks about one text of a post. One row for each of its viewers who does not get that text whole now:
    /// the question's place in the list, the viewer, and the placeholder where the viewer may know of the post and its
    /// thread. A text is found only while it is its post's: what was said before, deleted or hidden is for nobody.
    struct TextExceptions: Statement {
        static let isPlannedOnce = true
        static let sql: SQL<Self> = """
            select asked.place - 1 as place, viewer.id as viewer, told.is_told as is_gated,
                   post.id, case when post.number = 1 then thread.kind else 'reply' end as kind, \(Gate.told()) as scope
              from \(EventQuestions.sql.of(\Self.questions))
              left join post_text on post_text.id = asked.value
              left join post on post.id = post_text.post_id and post.text_id = post_text.id and post.hidden_at is null
              left join thread on thread.id = post.thread_id and thread.hidden_at is null
              left join privacy on privacy.reader_id = post.author_id
              left join privacy opener on opener.reader_id = thread.author_id
             cross join \(EventQuestions.viewer(people: "post.author_id, thread.author_id").of(\Self.questions))
             cross join lateral (
                   select (thread.id is not null
                           and \(Groups.opens(viewer: "viewer.id"))
                           and \(Visibility.predicate(
                            viewer: "viewer.id", owner: "post.author_id", level: "coalesce(privacy.discussions, 3)"))
                           and (thread.author_id = post.author_id
                                or \(firstPostIsGone)
                                or \(Visibility.predicate(
                                    viewer: "viewer.id", owner: "thread.author_id",
                                    level: "coalesce(opener.discussions, 3)")))) is true as is_told
                    limit 1) told
             where (told.is_told and \(Gate.opens(viewer: "viewer.id"))) is not true
            """
        let questions: EventQuestions

        static func decode(_ columns: inout Columns) throws -> Exceptions.Row {
            var row = Exceptions.Row(place: try columns("place"), viewer: try columns("viewer"))
            guard try columns("is_gated") else {
                try columns.skip(through: "scope")
                return row
            }
            let (id, kind, scope): (Int64, String, Gate.Scope) = (
                try columns("id"), try columns("kind"), try columns("scope")
            )
            row.gate = (Gate.Placeholder(id: id, kind: kind, position: Int(scope.position)), "post")
            return row
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

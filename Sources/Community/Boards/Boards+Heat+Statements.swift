import Postgres

extension Boards.Statements {
    /// SQL: the heat of the `thread` in scope at a time: log10 of its replies and reactions, over its age and two hours
    /// to the power of 1.8.
    static func heat<S>(
        replies: SQL<S> = "thread.replies", reactions: SQL<S> = "thread.reactions", now: SQL<S>
    ) -> SQL<S> {
        """
        log(1 + greatest(\(replies) + \(reactions), 0)::float8)
                 / power(greatest(extract(epoch from \(now) - thread.created_at)::float8, 0) / 3600 + 2, 1.8)
        """
    }
}

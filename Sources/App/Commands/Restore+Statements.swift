extension Restore {
    /// Counts again what the planner goes by, in every table of ours that holds something. No prepared statement: for `Database.script`.
    ///
    /// A table that is counted while it is empty is read from end to end by every plan, however fast it grows, until autovacuum counts it
    /// again: so it was with the next partition of the log. Of one that was never counted the planner expects ten pages. Autovacuum never
    /// counts partitioned tables as a whole. Of these the feed's is joined by more than its key, so it is counted with its empty months,
    /// which fill slowly enough.
    enum Analyze {
        /// The tables that hold something, of every owner.
        static let filled = """
            select oid::regclass from pg_class
             where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0
            """

        static let sql = """
            do $$
            declare
                filled regclass;
            begin
                for filled in \(Self.filled) loop
                    execute 'analyze ' || filled;
                end loop;
                analyze activity;
            end $$
            """
    }
}

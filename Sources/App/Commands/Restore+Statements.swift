extension Restore {
    /// Counts again what the planner goes by, in every table of the role that holds something. No prepared statement: for `Database.script`.
    ///
    /// A table that is counted while it is empty is read from end to end by every plan, however fast it grows, until autovacuum counts it
    /// again: so it was with the next partition of the log. Of one that was never counted the planner expects ten pages.
    enum Analyze {
        static let sql = """
            do $$
            declare
                filled regclass;
            begin
                for filled in
                    select oid from pg_class
                     where relkind = 'r' and relowner = current_user::regrole and pg_relation_size(oid) > 0
                loop
                    execute 'analyze ' || filled;
                end loop;
            end $$
            """
    }
}

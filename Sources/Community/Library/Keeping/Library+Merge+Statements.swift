import Postgres

extension Library.Statements {
    /// In the order of their ids, as everybody who locks several accounts.
    struct LockReadersOf: Statement {
        static let sql: SQL<Self> = """
            select id
              from account
             where id in (select reader_id from shelf_entry where work_id = any(\(\.works)))
             order by id
               for no key update
            """
        let works: [ID<Catalog.Work>]
    }

    struct DropTallies: Statement {
        static let sql: SQL<Self> = "delete from shelf_tally where reader_id = any(\(\.readers))"
        let readers: [ID<Accounts.Account>]
    }

    struct MakeTallies: Statement {
        static let sql: SQL<Self> = """
            insert into shelf_tally (reader_id, shelf, level, n)
            select reader_id, shelf, coalesce(visibility, -1), count(*)
              from shelf_entry
             cross join lateral (values ('all'), (status),
                                        (case when times_read > 0 and status <> 'read' then 'read' end)) stands (shelf)
             where reader_id = any(\(\.readers))
               and shelf is not null
             group by reader_id, shelf, coalesce(visibility, -1)
            """
        let readers: [ID<Accounts.Account>]
    }
}

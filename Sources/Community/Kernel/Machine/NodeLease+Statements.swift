import Postgres

extension NodeLease {
    /// Takes the number that has been free the longest, never-used ones first, so that a number rests before it is used
    /// again. No row when another process took the same one at the same instant, or when all 1,024 are held.
    struct Take: Statement {
        static let name = "node_lease.take"
        static let sql: SQL<Self> = """
            insert into node_lease (node, holder, expires_at)
            select free.node, \(\.holder), now() + \(\.seconds) * interval '1 second'
              from (select numbers.node
                      from generate_series(0, 1023) as numbers (node)
                      left join node_lease held on held.node = numbers.node
                     where held.node is null
                        or held.expires_at < now()
                     order by held.expires_at nulls first, numbers.node
                     limit 1) free
                on conflict (node) do update
               set holder = excluded.holder,
                   expires_at = excluded.expires_at
             where node_lease.expires_at < now()
            returning node
            """
        let holder: String, seconds: Int64
        typealias Output = Int64
    }

    /// Prolongs a number that is still this holder's, even when it has run out: as long as nobody took it, nobody used
    /// it.
    struct Renew: Statement {
        static let name = "node_lease.renew"
        static let sql: SQL<Self> = """
            update node_lease
               set expires_at = now() + \(\.seconds) * interval '1 second'
             where node = \(\.node)
               and holder = \(\.holder)
            """
        let node: Int64, holder: String, seconds: Int64
    }

    /// Gives the number back. The row stays: its time says when the number was last in use.
    struct Release: Statement {
        static let name = "node_lease.release"
        static let sql: SQL<Self> = """
            update node_lease
               set expires_at = now()
             where node = \(\.node)
               and holder = \(\.holder)
            """
        let node: Int64, holder: String
    }
}

import Postgres

extension Search.Statements {
    struct Remember: Statement {
        static let sql: SQL<Self> = """
            with latest as (
                select id, folded from recent_search where reader_id = \(\.reader) and at >= \(\.continuing) order by at desc, id desc limit 1),
            outgrown as (
                delete from recent_search
                 using latest
                 where recent_search.id = latest.id
                   and split_part(latest.folded, chr(30), 2) = split_part(\(\.folded), chr(30), 2)
                   and (select count(*) = 1 and bool_and(old <> '' and starts_with(new, old))
                          from unnest(string_to_array(split_part(latest.folded, chr(30), 1), chr(31)),
                                      string_to_array(split_part(\(\.folded), chr(30), 1), chr(31))) as part (old, new)
                         where old is distinct from new))
            insert into recent_search (id, reader_id, folded, query, fields, at)
            select \(\.id)::bigint, \(\.reader)::bigint, \(\.folded)::text, \(\.query, "query")::text,
                   \(\.asked.fields, "asked.fields")::text[], \(\.at)::timestamptz
              from account
             where account.id = \(\.reader)
               and account.reach >= 0
               for key share
                on conflict (reader_id, folded) do update
               set query = excluded.query, fields = excluded.fields, at = excluded.at
            """
        let id: ID<Search.RecentSearch>, reader: ID<Accounts.Account>, folded: String, asked: Search.Asked
        let at: Timestamp
        private var query: String? { asked[.any] }
        /// A search since then may be the beginning of this one.
        let continuing: Timestamp
    }

    struct ForgetOlder: Statement {
        static let sql: SQL<Self> = """
            delete from recent_search
             where reader_id = \(\.reader)
               and id not in (select id from recent_search where reader_id = \(\.reader) order by at desc, id desc limit \(\.keeping))
            """
        let reader: ID<Accounts.Account>, keeping: Int
    }

    /// A reader's searches beyond a place, nearest first. Served by index `recent_search_newest` in both directions.
    struct RecentFrom: ListStatement {
        static let name = "search.recent"
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["at", "id"], ["\(\.span.place.at)", "\(\.span.place.id)"], isAscending: false, direction)
            return """
                select id, query, fields, at
                  from recent_search
                 where reader_id = \(\.reader)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let reader: ID<Accounts.Account>, span: Span<Search.RecentPlace>

        static func decode(_ columns: inout Columns) throws -> Search.Recent {
            Search.Recent(
                id: try columns("id"),
                asked: Search.Asked(query: try columns("query"), fields: try columns("fields")),
                at: try columns("at"))
        }
    }

    struct ForgetOne: Statement {
        static let sql: SQL<Self> = "delete from recent_search where reader_id = \(\.reader) and id = \(\.search)"
        let reader: ID<Accounts.Account>, search: ID<Search.RecentSearch>
    }

    struct ForgetAll: Statement {
        static let sql: SQL<Self> = "delete from recent_search where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}

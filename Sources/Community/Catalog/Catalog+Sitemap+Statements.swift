import Postgres

extension Catalog {
    /// Reads the primary key of the table once, up to the last part.
    struct SitemapParts: VariedStatement {
        static func sql(_ kind: Mapped) -> SQL<Self> {
            """
            with recursive part as (
                select (select \(kind.id) from \(kind.rows) order by \(kind.id) limit 1) as first_id
                 union all
                select (select \(kind.id)
                          from \(kind.rows)
                           and \(kind.id) >= part.first_id
                         order by \(kind.id)
                        offset \(\.size)
                         limit 1)
                  from part
                 where part.first_id is not null
            )
            select first_id from part where first_id is not null limit \(\.most)
            """
        }
        let variation: Mapped, size: Int, most: Int
        typealias Output = Int64
    }

    /// Reads so many entries of the primary key of the table, and few more.
    struct SitemapPart: VariedStatement {
        static func sql(_ kind: Mapped) -> SQL<Self> {
            """
            select \(kind.id)
              from \(kind.rows)
               and \(kind.id) >= \(\.start)
             order by \(kind.id)
             limit \(\.size)
            """
        }
        let variation: Mapped, start: Int64, size: Int
        typealias Output = Int64
    }
}

extension Catalog.Mapped {
    fileprivate var id: Fragment { self == .book ? "mapped.work_id" : "mapped.id" }

    fileprivate var rows: Fragment {
        switch self {
        case .book: "work_popularity mapped where mapped.listed"
        case .author:
            """
            author mapped where mapped.name is not null and mapped.merged_into is null and mapped.withdrawn_at is null
            """
        case .series: "series mapped where true"
        }
    }
}

import Postgres

extension Praise {
    enum Statements {}
}

extension Praise.Statements {
    /// The level of a mark: `praise` and its reader's `privacy`, perhaps without a row, must be in scope.
    static let level: Fragment = """
        coalesce(praise.visibility, case praise.kind when 'favourite' then coalesce(privacy.favourites, 2)
                                                     else coalesce(privacy.reviews, 3) end)
        """

    /// The level at which what happened to a mark is told.
    static let told: Fragment = """
        least(coalesce(praise.visibility, case praise.kind when 'favourite' then coalesce(privacy.favourites, 2)
                                                           else coalesce(privacy.reviews, 3) end),
              coalesce(privacy.activity, 1))
        """

    /// All that praising decides on. The work is locked against being merged until that is committed.
    struct Basis: Statement {
        static let sql: SQL<Self> = """
            with target as (
                \(Catalog.held("\(\.work)"))
            )
            select \(Accounts.Reader.told(of: "reader")), reader.created_at,
                   \(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)")) as counts,
                   (case \(\.kind)::text when 'favourite' then coalesce(privacy.favourites, 2)
                                  else coalesce(privacy.reviews, 3) end)::smallint as usual,
                   coalesce(privacy.activity, 1)::smallint as activity,
                   (select count(*) from (select 1 from praise where reader_id = \(\.reader) and kind = \(\.kind) limit \(Limits.praise.marks)) held) as held,
                   mine.id, mine.visibility, mine.place, mine.counted, mine.created_at,
                   \(Catalog.Book.columns), (select id from target) as target,
                   \(Catalog.isOut("work.id", today: "\(\.counting.today)")) as is_out
              from account reader
              left join privacy on privacy.reader_id = reader.id
              left join work on work.id = (select id from target) and work.title is not null and work.withdrawn_at is null
              left join praise mine on mine.reader_id = reader.id and mine.kind = \(\.kind) and mine.work_id = (select id from target)
             where reader.id = \(\.reader)
            """
        let kind: Praise.Kind, reader: ID<Accounts.Account>, work: ID<Catalog.Work>, counting: Accounts.Counting

        static func decode(_ columns: inout Columns) throws -> Praise.Basis {
            Praise.Basis(
                reader: try Accounts.Reader(&columns), bornAt: try columns("created_at"), counts: try columns("counts"),
                usual: try columns("usual"), activity: try columns("activity"), held: try columns("held"),
                mine: try columns.part(through: "created_at") {
                    Praise.Basis.Mine(
                        id: try $0("id"), visibility: try $0("visibility"), place: try $0("place"),
                        counted: try $0("counted"), createdAt: try $0("created_at"))
                },
                book: try columns.part(through: "author_names", Catalog.Book.init), target: try columns("target"),
                isOut: try columns("is_out") ?? false)
        }
    }

    struct Put: Statement {
        static let sql: SQL<Self> = """
            insert into praise (id, reader_id, work_id, kind, place, visibility, counted, created_at)
            values (\(\.mark.id), \(\.mark.reader.id), \(\.mark.book.id), \(\.mark.kind), \(\.mark.place), \(\.mark.visibility), \(\.counted), \(\.mark.createdAt))
            on conflict (id) do update
               set place = excluded.place,
                   visibility = excluded.visibility,
                   counted = excluded.counted
            """
        let mark: Praise.Mark, counted: Bool
    }

    struct Delete: Statement {
        static let sql: SQL<Self> = "delete from praise where id = \(\.mark)"
        let mark: ID<Praise.Mark>
    }

    /// What stands before all others in a reader's list, `without` a book that is about to move. Index
    /// `praise_in_order`.
    struct First: Statement {
        static let sql: SQL<Self> = """
            select (select place from praise
                     where reader_id = \(\.reader) and kind = \(\.kind) and work_id <> \(\.without)
                     order by place, id
                     limit 1) as place
            """
        let kind: Praise.Kind, reader: ID<Accounts.Account>, without: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Library.Gap {
            Library.Gap(before: nil, after: try columns("place"))
        }
    }

    /// Between a book of a reader's list and the next, `without` one that is about to move. No row where the book is
    /// not in it.
    struct GapAfter: Statement {
        static let sql: SQL<Self> = """
            select mark.place, (select next.place
                                  from praise next
                                 where next.reader_id = \(\.reader)
                                   and next.kind = \(\.kind)
                                   and (next.place, next.id) > (mark.place, mark.id)
                                   and next.work_id <> \(\.without)
                                 order by next.place, next.id
                                 limit 1) as after
              from praise mark
             where mark.reader_id = \(\.reader)
               and mark.kind = \(\.kind)
               and mark.work_id = \(Catalog.resolved("\(\.after)"))
            """
        let kind: Praise.Kind, reader: ID<Accounts.Account>, after: ID<Catalog.Work>, without: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Library.Gap {
            Library.Gap(before: try columns("place"), after: try columns("after"))
        }
    }

    /// Moves the marks of a list apart, in their order.
    struct Spread: Statement {
        static let sql: SQL<Self> = """
            update praise
               set place = spread.place
              from (select id, row_number() over (order by place, id) * \(Library.Gap.step) as place
                      from praise
                     where reader_id = \(\.reader)
                       and kind = \(\.kind)) spread
             where praise.id = spread.id
            """
        let kind: Praise.Kind, reader: ID<Accounts.Account>
    }

    /// A reader's marks of one kind beyond a place, as far as the viewer may see them. Index `praise_in_order`.
    struct Marks: ListStatement, ForViewer {
        static let isPlannedOnce = true
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["praise.place", "praise.id"], ["\(\.span.place.place)", "\(\.span.place.id)"], isAscending: true,
                direction)
            return """
                select praise.id, praise.kind, \(Accounts.Reader.columns(of: "reader")), \(Catalog.Book.columns),
                       case when praise.reader_id = \(\.viewer) then praise.visibility end as visibility, praise.created_at,
                       praise.place
                  from praise
                  join account reader on reader.id = praise.reader_id
                  join work on work.id = praise.work_id
                  left join privacy on privacy.reader_id = praise.reader_id
                 where praise.reader_id = \(\.reader)
                   and praise.kind = \(\.kind)
                   and \(keyset.condition)
                   and \(Visibility.predicate(viewer: .viewer, owner: "praise.reader_id", level: SQL(level)))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, reader: ID<Accounts.Account>, kind: Praise.Kind, span: Span<Praise.Key>

        static func decode(_ columns: inout Columns) throws -> Praise.Mark {
            Praise.Mark(
                id: try columns("id"), kind: try columns("kind"), reader: try Accounts.Reader(&columns),
                book: try Catalog.Book(&columns), visibility: try columns("visibility"),
                createdAt: try columns("created_at"), place: try columns("place"))
        }
    }

    /// Who recommends a work. Everybody by the index `praise_of_work`; friends, who are few, one by one by
    /// `praise_of_reader`.
    struct Fans: ListStatement, ForViewer {
        static let name = "praise.fans_of"
        static func sql(_ variation: Both<Circle, Direction>) -> SQL<Self> {
            let keyset = Keyset<Self>("praise.id", "\(\.span.place)", variation.second)
            let target: SQL<Self> = Catalog.resolved("\(\.work)")
            let rows: SQL<Self> =
                switch variation.first {
                case .all: "praise"
                case .friends:
                    """
                    friendship
                     cross join lateral (
                           select mark.id, mark.reader_id, mark.work_id, mark.kind, mark.visibility, mark.created_at
                             from praise mark
                            where mark.reader_id = friendship.friend_id
                              and mark.kind = 'recommendation'
                              and mark.work_id = \(target)
                            limit 1) praise
                    """
                }
            return """
                select praise.id, \(Accounts.Reader.columns(of: "reader")), praise.created_at
                  from \(rows)
                  join account reader on reader.id = praise.reader_id
                  left join privacy on privacy.reader_id = praise.reader_id
                 where praise.work_id = \(target)
                   and praise.kind = 'recommendation'
                   and \(keyset.condition)
                   \(variation.first == .friends ? "and friendship.reader_id = \(.viewer)" : "" as SQL<Self>)
                   and \(Visibility.predicate(viewer: .viewer, owner: "praise.reader_id", level: SQL(level)))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, work: ID<Catalog.Work>, circle: Circle, span: Span<ID<Praise.Mark>>
        var variation: Both<Circle, Direction> { Both(circle, span.direction) }

        static func decode(_ columns: inout Columns) throws -> Praise.Fan {
            Praise.Fan(
                mark: try columns("id"), reader: try Accounts.Reader(&columns), createdAt: try columns("created_at"))
        }
    }
}

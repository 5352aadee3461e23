import Postgres

extension Praise {
    /// Every statement of the domain; a test prepares each one.
    package static let statements: [any Statement.Type] =
        [
            Statements.Scene.self, Statements.Put.self, Statements.Delete.self, Statements.First.self,
            Statements.GapAfter.self, Statements.Spread.self, Statements.Marks<OldestFirst>.self,
            Statements.Marks<NewestFirst>.self, Statements.Fans<FriendRows, NewestFirst>.self,
            Statements.Fans<FriendRows, OldestFirst>.self, Statements.Fans<EveryRow, NewestFirst>.self,
            Statements.Fans<EveryRow, OldestFirst>.self, Statements.CountMarksOf.self, Statements.RemoveAll.self,
        ] + Statements.mergeStatements

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
    struct Scene: Statement {
        static let name = "praise.scene"
        static let sql: SQL<Self> = """
            with target as (
                select coalesce(merged_into, id) as id from work where id = \(\.work) for share
            )
            select reader.id, reader.username, \(Privacy.told("reader.name", owner: "reader.id")), reader.created_at,
                   \(Reviews.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)")),
                   (case \(\.kind)::text when 'favourite' then coalesce(privacy.favourites, 2)
                                  else coalesce(privacy.reviews, 3) end)::smallint,
                   coalesce(privacy.activity, 1)::smallint,
                   (select count(*) from (select 1 from praise where reader_id = \(\.reader) and kind = \(\.kind) limit \(Limits.Praise.marks)) held),
                   mine.id, mine.visibility, mine.place, mine.counted, mine.created_at,
                   \(Reviews.Statements.book), (select id from target), \(Catalog.isOut("work.id", today: "\(\.counting.today)"))
              from account reader
              left join privacy on privacy.reader_id = reader.id
              left join work on work.id = (select id from target) and work.title is not null and work.withdrawn_at is null
              left join praise mine on mine.reader_id = reader.id and mine.kind = \(\.kind) and mine.work_id = (select id from target)
             where reader.id = \(\.reader)
            """
        let kind: Praise.Kind
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let counting: Reviews.Counting

        static func decode(_ row: borrowing Row) throws -> Praise.Scene {
            let id: ID<Praise.Mark>? = try row[8]
            let work: ID<Catalog.Work>? = try row[13]
            return Praise.Scene(
                reader: try Reviews.Statements.asReader(row, from: 0), bornAt: try row[3], counts: try row[4],
                usual: try row[5], activity: try row[6], held: try row[7],
                mine: try id.map { id in
                    Praise.Scene.Mine(
                        id: id, visibility: try row[9], place: try row[10], counted: try row[11], createdAt: try row[12]
                    )
                },
                book: work == nil ? nil : try Reviews.Statements.asBook(row, from: 13), target: try row[17],
                isOut: try row[18] ?? false)
        }
    }

    struct Put: Statement {
        static let name = "praise.put"
        static let sql: SQL<Self> = """
            insert into praise (id, reader_id, work_id, kind, place, visibility, counted, created_at)
            values (\(\.mark.id), \(\.mark.reader.id), \(\.mark.book.id), \(\.mark.kind), \(\.mark.place), \(\.mark.visibility), \(\.counted), \(\.mark.createdAt))
            on conflict (id) do update
               set place = excluded.place,
                   visibility = excluded.visibility,
                   counted = excluded.counted
            """
        let mark: Praise.Mark
        let counted: Bool
    }

    struct Delete: Statement {
        static let name = "praise.delete"
        static let sql: SQL<Self> = "delete from praise where id = \(\.mark)"
        let mark: ID<Praise.Mark>
    }

    /// What stands before all others in a reader's list, `without` a book that is about to move. Index `praise_in_order`.
    struct First: Statement {
        static let name = "praise.first"
        static let sql: SQL<Self> = """
            select (select place from praise
                     where reader_id = \(\.reader) and kind = \(\.kind) and work_id <> \(\.without)
                     order by place, id
                     limit 1)
            """
        let kind: Praise.Kind
        let reader: ID<Accounts.Account>
        let without: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Library.Gap {
            Library.Gap(before: nil, after: try columns("place"))
        }
    }

    /// Between a book of a reader's list and the next, `without` one that is about to move. No row where the book is not in it.
    struct GapAfter: Statement {
        static let name = "praise.gap_after"
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
               and mark.work_id = (select coalesce(merged_into, id) from work where id = \(\.after))
            """
        let kind: Praise.Kind
        let reader: ID<Accounts.Account>
        let after: ID<Catalog.Work>
        let without: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Library.Gap {
            Library.Gap(before: try columns("place"), after: try columns("after"))
        }
    }

    /// Moves the marks of a list apart, in their order.
    struct Spread: Statement {
        static let name = "praise.spread"
        static let sql: SQL<Self> = """
            update praise
               set place = spread.place
              from (select id, row_number() over (order by place, id) * \(Library.Gap.step) as place
                      from praise
                     where reader_id = \(\.reader)
                       and kind = \(\.kind)) spread
             where praise.id = spread.id
            """
        let kind: Praise.Kind
        let reader: ID<Accounts.Account>
    }

    /// A reader's marks of one kind beyond a place, as far as the viewer may see them. Index `praise_in_order`.
    struct Marks<Way: ListWay>: Statement, ForViewer {
        static var name: String { Way.isNewestFirst ? "praise.marks_before" : "praise.marks_after" }
        static var sql: SQL<Self> {
            """
            select praise.id, praise.kind, reader.id, reader.username,
                   \(Privacy.shown("reader.name", .name, viewer: .viewer, owner: "reader.id")),
                   case when praise.reader_id = \(\.viewer) then praise.visibility end, praise.created_at, praise.place,
                   \(Reviews.Statements.book)
              from praise
              join account reader on reader.id = praise.reader_id
              join work on work.id = praise.work_id
              left join privacy on privacy.reader_id = praise.reader_id
             where praise.reader_id = \(\.reader)
               and praise.kind = \(\.kind)
               and (praise.place, praise.id) \(Way.comparison) (\(\.place.place), \(\.place.id))
               and \(Visibility.predicate(viewer: .viewer, owner: "praise.reader_id", level: SQL(level)))
             order by praise.place \(Way.order), praise.id \(Way.order)
             limit \(\.limit)
            """
        }
        let viewer: Viewer
        let reader: ID<Accounts.Account>
        let kind: Praise.Kind
        let place: Praise.Key
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Praise.Mark {
            Praise.Mark(
                id: try row[0], kind: try row[1], reader: try Reviews.Statements.asReader(row, from: 2),
                book: try Reviews.Statements.asBook(row, from: 8), visibility: try row[5], createdAt: try row[6],
                place: try row[7])
        }
    }

    /// Who recommends a work. Everybody by the index `praise_of_work`; friends, who are few, one by one by `praise_of_reader`.
    struct Fans<Rows: CircleRows, Way: ListWay>: Statement, ForViewer {
        static var name: String { "praise.fans_of_\(Rows.circle.rawValue)_\(Way.name)" }
        static var sql: SQL<Self> {
            let target: SQL<Self> = Reviews.Statements.target("\(\.work)")
            let rows: SQL<Self> =
                switch Rows.circle {
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
                select praise.id, reader.id, reader.username,
                       \(Privacy.shown("reader.name", .name, viewer: .viewer, owner: "reader.id")), praise.created_at
                  from \(rows)
                  join account reader on reader.id = praise.reader_id
                  left join privacy on privacy.reader_id = praise.reader_id
                 where praise.work_id = \(target)
                   and praise.kind = 'recommendation'
                   and praise.id \(Way.comparison) \(\.place)
                   \(Rows.circle == .friends ? "and friendship.reader_id = \(.viewer)" : "" as SQL<Self>)
                   and \(Visibility.predicate(viewer: .viewer, owner: "praise.reader_id", level: SQL(level)))
                 order by praise.id \(Way.order)
                 limit \(\.limit)
                """
        }
        let viewer: Viewer
        let work: ID<Catalog.Work>
        let place: ID<Praise.Mark>
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Praise.Fan {
            Praise.Fan(mark: try row[0], reader: try Reviews.Statements.asReader(row, from: 1), at: try row[4])
        }
    }
}

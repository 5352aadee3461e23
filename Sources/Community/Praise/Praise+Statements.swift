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
    static let level: StaticString = """
        coalesce(praise.visibility, case praise.kind when 'favourite' then coalesce(privacy.favourites, 2)
                                                     else coalesce(privacy.reviews, 3) end)
        """

    /// The level at which what happened to a mark is told.
    static let told: StaticString = """
        least(coalesce(praise.visibility, case praise.kind when 'favourite' then coalesce(privacy.favourites, 2)
                                                           else coalesce(privacy.reviews, 3) end),
              coalesce(privacy.activity, 1))
        """

    /// All that praising decides on. The work is locked against being merged until that is committed.
    struct Scene: Statement {
        static let name = "praise.scene"
        static let sql = """
            with target as (
                select coalesce(merged_into, id) as id from work where id = $2 for share
            )
            select reader.id, reader.username, \(Privacy.told("reader.name", owner: "reader.id")), reader.created_at,
                   \(Reviews.Statements.counts(isLoopback: "$4", bornBefore: "$5")),
                   (case $3::text when 'favourite' then coalesce(privacy.favourites, 2)
                                  else coalesce(privacy.reviews, 3) end)::smallint,
                   coalesce(privacy.activity, 1)::smallint,
                   (select count(*) from (select 1 from praise where reader_id = $1 and kind = $3 limit \(Limits.Praise.marks)) held),
                   mine.id, mine.visibility, mine.place, mine.counted, mine.created_at,
                   \(Reviews.Statements.book), (select id from target), \(Catalog.isOut("work.id", today: "$6"))
              from account reader
              left join privacy on privacy.reader_id = reader.id
              left join work on work.id = (select id from target) and work.title is not null and work.withdrawn_at is null
              left join praise mine on mine.reader_id = reader.id and mine.kind = $3 and mine.work_id = (select id from target)
             where reader.id = $1
            """
        let kind: Praise.Kind
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let counting: Reviews.Counting

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(work)
            parameters.append(kind)
            parameters.append(counting.isLoopback)
            parameters.append(counting.bornBefore)
            parameters.append(counting.today)
        }

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
        static let sql = """
            insert into praise (id, reader_id, work_id, kind, place, visibility, counted, created_at)
            values ($1, $2, $3, $4, $5, $6, $7, $8)
            on conflict (id) do update
               set place = excluded.place,
                   visibility = excluded.visibility,
                   counted = excluded.counted
            """
        let mark: Praise.Mark
        let counted: Bool

        func bind(to parameters: inout Parameters) {
            parameters.append(mark.id)
            parameters.append(mark.reader.id)
            parameters.append(mark.book.id)
            parameters.append(mark.kind)
            parameters.append(mark.place)
            parameters.append(mark.visibility)
            parameters.append(counted)
            parameters.append(mark.createdAt)
        }
    }

    struct Delete: Statement {
        static let name = "praise.delete"
        static let sql = "delete from praise where id = $1"
        let mark: ID<Praise.Mark>

        func bind(to parameters: inout Parameters) { parameters.append(mark) }
    }

    /// What stands before all others in a reader's list, `without` a book that is about to move. Index `praise_in_order`.
    struct First: Statement {
        static let name = "praise.first"
        static let sql = """
            select (select place from praise
                     where reader_id = $1 and kind = $2 and work_id <> $3
                     order by place, id
                     limit 1)
            """
        let kind: Praise.Kind
        let reader: ID<Accounts.Account>
        let without: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(kind)
            parameters.append(without)
        }

        static func decode(_ row: borrowing Row) throws -> Library.Gap { Library.Gap(before: nil, after: try row[0]) }
    }

    /// Between a book of a reader's list and the next, `without` one that is about to move. No row where the book is not in it.
    struct GapAfter: Statement {
        static let name = "praise.gap_after"
        static let sql = """
            select mark.place, (select next.place
                                  from praise next
                                 where next.reader_id = $1
                                   and next.kind = $2
                                   and (next.place, next.id) > (mark.place, mark.id)
                                   and next.work_id <> $4
                                 order by next.place, next.id
                                 limit 1)
              from praise mark
             where mark.reader_id = $1
               and mark.kind = $2
               and mark.work_id = (select coalesce(merged_into, id) from work where id = $3)
            """
        let kind: Praise.Kind
        let reader: ID<Accounts.Account>
        let after: ID<Catalog.Work>
        let without: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(kind)
            parameters.append(after)
            parameters.append(without)
        }

        static func decode(_ row: borrowing Row) throws -> Library.Gap {
            Library.Gap(before: try row[0], after: try row[1])
        }
    }

    /// Moves the marks of a list apart, in their order.
    struct Spread: Statement {
        static let name = "praise.spread"
        static let sql = """
            update praise
               set place = spread.place
              from (select id, row_number() over (order by place, id) * \(Library.Gap.step) as place
                      from praise
                     where reader_id = $1
                       and kind = $2) spread
             where praise.id = spread.id
            """
        let kind: Praise.Kind
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(kind)
        }
    }

    /// A reader's marks of one kind beyond a place, as far as the viewer may see them. Index `praise_in_order`.
    struct Marks<Way: ListWay>: Statement {
        static var name: String { Way.comparison == ">" ? "praise.marks_after" : "praise.marks_before" }
        static var sql: String {
            """
            select praise.id, praise.kind, reader.id, reader.username,
                   \(Privacy.shown("reader.name", .name, viewer: "$1", owner: "reader.id")),
                   case when praise.reader_id = $1 then praise.visibility end, praise.created_at, praise.place,
                   \(Reviews.Statements.book)
              from praise
              join account reader on reader.id = praise.reader_id
              join work on work.id = praise.work_id
              left join privacy on privacy.reader_id = praise.reader_id
             where praise.reader_id = $2
               and praise.kind = $3
               and (praise.place, praise.id) \(Way.comparison) ($4, $5)
               and \(Visibility.predicate(viewer: "$1", owner: "praise.reader_id", level: level))
             order by praise.place \(Way.order), praise.id \(Way.order)
             limit $6
            """
        }
        let viewer: Viewer
        let reader: ID<Accounts.Account>
        let kind: Praise.Kind
        let place: Praise.Key
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(reader)
            parameters.append(kind)
            parameters.append(place.place)
            parameters.append(place.id)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Praise.Mark {
            Praise.Mark(
                id: try row[0], kind: try row[1], reader: try Reviews.Statements.asReader(row, from: 2),
                book: try Reviews.Statements.asBook(row, from: 8), visibility: try row[5], createdAt: try row[6],
                place: try row[7])
        }
    }

    /// Who recommends a work. Everybody by the index `praise_of_work`; friends, who are few, one by one by `praise_of_reader`.
    struct Fans<Rows: CircleRows, Way: ListWay>: Statement {
        static var name: String { "praise.fans_of_\(Rows.circle.rawValue)_\(Way.name)" }
        static var sql: String {
            let target = Reviews.Statements.target("$2")
            let rows =
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
                       \(Privacy.shown("reader.name", .name, viewer: "$1", owner: "reader.id")), praise.created_at
                  from \(rows)
                  join account reader on reader.id = praise.reader_id
                  left join privacy on privacy.reader_id = praise.reader_id
                 where praise.work_id = \(target)
                   and praise.kind = 'recommendation'
                   and praise.id \(Way.comparison) $3
                   \(Rows.circle == .friends ? "and friendship.reader_id = $1" : "")
                   and \(Visibility.predicate(viewer: "$1", owner: "praise.reader_id", level: level))
                 order by praise.id \(Way.order)
                 limit $4
                """
        }
        let viewer: Viewer
        let work: ID<Catalog.Work>
        let place: ID<Praise.Mark>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(work)
            parameters.append(place)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Praise.Fan {
            Praise.Fan(mark: try row[0], reader: try Reviews.Statements.asReader(row, from: 1), at: try row[4])
        }
    }
}

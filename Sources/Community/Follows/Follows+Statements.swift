import Postgres

extension Follows.Statements {
    /// Holds an author, and whom they were merged into, against being merged, or another into them; waits for a merge that has begun. In a
    /// statement of its own: the next one sees what the merge took over.
    struct HoldAuthor: Statement {
        static let name = "follows.hold_author"
        static let sql = """
            select from author
             where id in ($1, (select merged_into from author where id = $1))
             order by id
               for share
            """
        let author: ID<Catalog.Author>
        func bind(to parameters: inout Parameters) { parameters.append(author) }
    }

    /// The work that this id leads to, where it has a title and was not withdrawn.
    struct Book: Statement {
        static let name = "follows.book"
        static let sql = """
            select work.id
              from work
             where work.id = (select coalesce(asked.merged_into, asked.id) from work asked where asked.id = $1)
               and work.title is not null
               and work.withdrawn_at is null
            """
        let work: ID<Catalog.Work>
        func bind(to parameters: inout Parameters) { parameters.append(work) }
        static func decode(_ row: borrowing Row) throws -> ID<Catalog.Work> { try row[0] }
    }

    /// The author that this id leads to, where the name is known.
    struct Author: Statement {
        static let name = "follows.author"
        static let sql = """
            select author.id
              from author
             where author.id = (select coalesce(asked.merged_into, asked.id) from author asked where asked.id = $1)
               and author.name is not null
            """
        let author: ID<Catalog.Author>
        func bind(to parameters: inout Parameters) { parameters.append(author) }
        static func decode(_ row: borrowing Row) throws -> ID<Catalog.Author> { try row[0] }
    }

    struct Series: Statement {
        static let name = "follows.series"
        static let sql = "select series.id from series where series.id = $1"
        let series: ID<Catalog.Series>
        func bind(to parameters: inout Parameters) { parameters.append(series) }
        static func decode(_ row: borrowing Row) throws -> ID<Catalog.Series> { try row[0] }
    }

    /// A list where the viewer may see it, held against being deleted.
    struct List: Statement {
        static let name = "follows.list"
        static let sql = """
            select book_list.id
              from book_list
              left join privacy on privacy.reader_id = book_list.reader_id
             where book_list.id = $2
               and \(Visibility.predicate(
                    viewer: "$1", owner: "book_list.reader_id", level: "coalesce(book_list.visibility, privacy.lists, 2)"))
               for key share of book_list
            """
        let viewer: ID<Accounts.Account>
        let list: ID<Library.List>
        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(list)
        }
        static func decode(_ row: borrowing Row) throws -> ID<Library.List> { try row[0] }
    }

    /// Affects no row where it is followed already.
    struct Put: Statement {
        static let name = "follows.put"
        static let sql = """
            insert into follow (id, reader_id, kind, work_id, author_id, series_id, list_id, at)
            values ($1, $2, $3,
                    case $3 when 'book' then $4::bigint end, case $3 when 'author' then $4::bigint end,
                    case $3 when 'series' then $4::bigint end, case $3 when 'list' then $4::bigint end, $5)
                on conflict do nothing
            """
        let id: ID<Follows.Follow>
        let reader: ID<Accounts.Account>
        let subject: Follows.Subject
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(reader)
            parameters.append(subject.kind)
            parameters.append(subject.id)
            parameters.append(at)
        }
    }

    /// How many things a reader follows; looks at no more than `limit` rows.
    struct Count: Statement {
        static let name = "follows.count"
        static let sql = "select count(*) from (select from follow where reader_id = $1 limit $2) own"
        let reader: ID<Accounts.Account>
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Int64 { try row[0] }
    }

    /// At most one row: the unique index of the kind finds it. What was merged is followed as that into which it was.
    struct Remove: Statement {
        static let name = "follows.remove"
        static let sql = """
            delete from follow
             where reader_id = $1
               and (work_id = case $2 when 'book'
                                      then coalesce((select merged_into from work where id = $3), $3::bigint) end
                    or author_id = case $2 when 'author'
                                           then coalesce((select merged_into from author where id = $3), $3::bigint) end
                    or series_id = case $2 when 'series' then $3::bigint end
                    or list_id = case $2 when 'list' then $3::bigint end)
            """
        let reader: ID<Accounts.Account>
        let subject: Follows.Subject
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(subject.kind)
            parameters.append(subject.id)
        }
    }

    /// What is followed, with its title; `$1` is the reader, who looks as well.
    private static let columns = """
        follow.id, follow.kind, coalesce(follow.work_id, follow.author_id, follow.series_id, follow.list_id),
               coalesce(work.title, author.name, series.name, book_list.title, ''), follow.at
        """

    private static let joins = """
        follow
              left join work on work.id = follow.work_id
              left join author on author.id = follow.author_id
              left join series on series.id = follow.series_id
              left join book_list on book_list.id = follow.list_id
              left join privacy on privacy.reader_id = book_list.reader_id
        """

    private static let isSeen =
        "(follow.list_id is null or "
        + Visibility.predicate(
            viewer: "$1", owner: "book_list.reader_id", level: "coalesce(book_list.visibility, privacy.lists, 2)") + ")"

    private static func follow(_ row: borrowing Row) throws -> Follows.Follow {
        Follows.Follow(
            id: try row[0], subject: Follows.Subject(try row[1], try row[2]), title: try row[3], since: try row[4])
    }

    /// What a reader follows, on from a place. Index `follow_newest`.
    struct All<Way: ListWay>: Statement {
        static var name: String { "follows.all_" + Way.name }
        static var sql: String {
            """
            select \(columns)
              from \(joins)
             where follow.reader_id = $1
               and follow.id \(Way.comparison) $2
               and \(isSeen)
             order by follow.id \(Way.order)
             limit $3
            """
        }
        let reader: ID<Accounts.Account>
        let place: ID<Follows.Follow>
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(place)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Follows.Follow { try follow(row) }
    }

    /// The same of one kind. Index `follow_newest_of_kind`.
    struct OfKind<Way: ListWay>: Statement {
        static var name: String { "follows.of_kind_" + Way.name }
        static var sql: String {
            """
            select \(columns)
              from \(joins)
             where follow.reader_id = $1
               and follow.kind = $4
               and follow.id \(Way.comparison) $2
               and \(isSeen)
             order by follow.id \(Way.order)
             limit $3
            """
        }
        let reader: ID<Accounts.Account>
        let place: ID<Follows.Follow>
        let limit: Int
        let kind: Follows.Kind
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(place)
            parameters.append(limit)
            parameters.append(kind)
        }
        static func decode(_ row: borrowing Row) throws -> Follows.Follow { try follow(row) }
    }

    struct RemoveAll: Statement {
        static let name = "follows.remove_all"
        static let sql = "delete from follow where reader_id = $1"
        let reader: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(reader) }
    }
}

import Postgres

extension Follows.Statements {
    /// Holds an author, and whom they were merged into, against being merged, or another into them; waits for a merge
    /// that has begun. In a statement of its own: the next one sees what the merge took over.
    struct HoldAuthor: Statement {
        static let sql: SQL<Self> = """
            select from author
             where id in (\(\.author), (select merged_into from author where id = \(\.author)))
             order by id
               for share
            """
        let author: ID<Catalog.Author>
    }

    /// Affects no row where it is followed already.
    struct Put: Statement {
        static let sql: SQL<Self> = """
            insert into follow (id, reader_id, kind, work_id, author_id, series_id, list_id, at)
            values (\(\.id), \(\.reader), \(\.subject.name, "subject.name"),
                    case \(\.subject.name, "subject.name") when 'book' then \(\.subject.id, "subject.id")::bigint end, case \(\.subject.name, "subject.name") when 'author' then \(\.subject.id, "subject.id")::bigint end,
                    case \(\.subject.name, "subject.name") when 'series' then \(\.subject.id, "subject.id")::bigint end, case \(\.subject.name, "subject.name") when 'list' then \(\.subject.id, "subject.id")::bigint end, \(\.at))
                on conflict do nothing
            """
        let id: ID<Follows.Follow>, reader: ID<Accounts.Account>, subject: Thing, at: Timestamp
    }

    /// How many things a reader follows; looks at no more than `limit` rows.
    struct Count: Statement {
        static let sql: SQL<Self> =
            "select count(*) from (select from follow where reader_id = \(\.reader) limit \(\.limit)) own"
        let reader: ID<Accounts.Account>, limit: Int
        typealias Output = Int64
    }

    /// At most one row: the unique index of the kind finds it. What was merged is followed as that into which it was.
    struct Remove: Statement {
        static let sql: SQL<Self> = """
            delete from follow
             where reader_id = \(\.reader)
               and (work_id = case \(\.subject.name, "subject.name") when 'book'
                                      then coalesce((select merged_into from work where id = \(\.subject.id, "subject.id")), \(\.subject.id, "subject.id")::bigint) end
                    or author_id = case \(\.subject.name, "subject.name") when 'author'
                                           then coalesce((select merged_into from author where id = \(\.subject.id, "subject.id")), \(\.subject.id, "subject.id")::bigint) end
                    or series_id = case \(\.subject.name, "subject.name") when 'series' then \(\.subject.id, "subject.id")::bigint end
                    or list_id = case \(\.subject.name, "subject.name") when 'list' then \(\.subject.id, "subject.id")::bigint end)
            """
        let reader: ID<Accounts.Account>, subject: Thing
    }

    /// What is followed, with its title.
    private static let columns: Fragment = """
        follow.id, follow.kind, coalesce(follow.work_id, follow.author_id, follow.series_id, follow.list_id) as subject,
               coalesce(work.title, author.name, series.name, book_list.title, '') as title, follow.at
        """

    private static let joins: Fragment = """
        follow
              left join work on work.id = follow.work_id
              left join author on author.id = follow.author_id
              left join series on series.id = follow.series_id
              left join book_list on book_list.id = follow.list_id
              left join privacy on privacy.reader_id = book_list.reader_id
        """

    private static func isSeen<S: ForViewer>() -> SQL<S> {
        """
        (follow.list_id is null or \(Library.List.isSeen()))
        """
    }

    /// What a reader follows, on from a place. Index `follow_newest`.
    struct All: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("follow.id", "\(\.span.place)", direction)
            return """
                select \(columns)
                  from \(joins)
                 where follow.reader_id = \(\.viewer)
                   and \(keyset.condition)
                   and \(isSeen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, span: Span<ID<Follows.Follow>>
        typealias Output = Follows.Follow
    }

    /// The same of one kind. Index `follow_newest_of_kind`.
    struct OfKind: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("follow.id", "\(\.span.place)", direction)
            return """
                select \(columns)
                  from \(joins)
                 where follow.reader_id = \(\.viewer)
                   and follow.kind = \(\.kind)
                   and \(keyset.condition)
                   and \(isSeen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, kind: Follows.Kind, span: Span<ID<Follows.Follow>>
        typealias Output = Follows.Follow
    }

    struct RemoveAll: Statement {
        static let sql: SQL<Self> = "delete from follow where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}

extension Follows.Follow: RowReadable {
    package init(_ columns: inout Columns) throws {
        let (id, kind): (ID<Follows.Follow>, Follows.Kind) = (try columns("id"), try columns("kind"))
        self.init(
            id: id, subject: Thing(kind.thing, try columns("subject")), title: try columns("title"),
            followedAt: try columns("at"))
    }
}

import Postgres

extension Library.Statements {
    /// The columns of `Catalog.Book.columns`, the authors looked up once and not once for each column: for
    /// statements that give many books.
    static let joinedBook: Fragment =
        Catalog.Book.columns(authorIDs: "coalesce(names.ids, '{}')", authorNames: "coalesce(names.names, '{}')")

    static let bookAuthors: Fragment = """
        left join lateral (select array_agg(written.id) as ids, array_agg(written.name) as names
                               from (select author.id, author.name
                                       from work_author
                                       join author on author.id = work_author.author_id
                                      where work_author.work_id = work.id
                                        and author.name is not null
                                      order by work_author.position) written) names on true
        """

    /// The books of the reader's own library that came to each status last, `Limits.profiles.openingEntries` of each,
    /// as long as there are any: each book once, under its status. Index `shelf_entry_added`. The limit is no
    /// parameter: the planner would take it for a tenth of all.
    struct Opening: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(columns(isOwn: "true", least: "0", book: joinedBook))
              from unnest(array[\(Library.Status.allCases)]) wanted (status)
             cross join lateral (select *
                                   from shelf_entry
                                  where shelf_entry.reader_id = \(\.viewer)
                                    and shelf_entry.status = wanted.status
                                  order by shelf_entry.id desc
                                  limit \(Limits.profiles.openingEntries)) shelf_entry
              join work on work.id = shelf_entry.work_id
              \(lastReading)
              \(bookAuthors)
             order by shelf_entry.status, shelf_entry.id desc
            """
        let viewer: ID<Accounts.Account>
        typealias Output = Library.Entry
    }
}

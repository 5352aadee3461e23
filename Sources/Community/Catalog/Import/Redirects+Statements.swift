import Postgres

// One record turned out to be another, or nothing. Rare, so one at a time.

extension Catalog {
    static let redirectStatements: [any Statement.Type] = [
        HasReaders.self, MoveEditions.self, MergeWork.self, RetireEmptyWork.self,
        WithdrawWork.self,
        MoveAuthorLinks.self, MergeAuthor.self, WithdrawAuthor.self, MoveISBNs.self,
        WithdrawEdition.self,
    ]

    /// A row where a reader of ours rated, reviewed, shelved, praised or bookmarked the work, or put it on a list. Locks the row, so that no
    /// review comes in between.
    struct HasReaders: OfWork {
        static let name = "catalog.has_readers"
        static let sql = """
            select readers
              from work_popularity
             where work_id = $1
               and (readers > 0
                    or exists (select 1 from review where review.work_id = $1)
                    or exists (select 1 from shelf_entry where shelf_entry.work_id = $1)
                    or exists (select 1 from book_list_item where book_list_item.work_id = $1)
                    or exists (select 1 from praise where praise.work_id = $1)
                    or exists (select 1 from bookmark where bookmark.work_id = $1))
               for update
            """
        let work: ID<Work>
        static func decode(_ row: borrowing Row) throws -> Int32 { try row[0] }
    }

    struct MoveEditions: Moving {
        static let name = "catalog.move_editions"
        static let sql = "update edition set work_id = $2 where work_id = $1"
        let from: ID<Work>
        let into: ID<Work>
    }

    /// Also leads works that were merged into `from` on to `into`, so that one step always reaches the end.
    struct MergeWork: Moving {
        static let name = "catalog.merge_work"
        static let sql = """
            update work
               set merged_into = $2, page = null, version = version + 1
             where id = $1 or merged_into = $1
            """
        let from: ID<Work>
        let into: ID<Work>
    }

    /// After an edition found its real work: the one that stood in for it goes, when nothing else hangs on it.
    struct RetireEmptyWork: Moving {
        static let name = "catalog.retire_empty_work"
        static let sql = """
            with retired as (
                update work
                   set merged_into = $2, page = null, version = version + 1
                 where id = $1
                   and not exists (select 1 from edition where edition.work_id = $1)
                   and exists (select 1 from work_source where work_source.work_id = $1 and digest = 0)
                   and exists (select 1 from work_popularity where work_popularity.work_id = $1 and readers = 0)
                   and not exists (select 1 from review where review.work_id = $1)
                   and not exists (select 1 from shelf_entry where shelf_entry.work_id = $1)
                   and not exists (select 1 from book_list_item where book_list_item.work_id = $1)
                   and not exists (select 1 from praise where praise.work_id = $1)
                   and not exists (select 1 from bookmark where bookmark.work_id = $1)
                returning id)
            update work_popularity
               set listed = false
              from retired
             where work_popularity.work_id = retired.id
            """
        let from: ID<Work>
        let into: ID<Work>
    }

    struct WithdrawWork: OfWork {
        static let name = "catalog.withdraw_work"
        static let sql = """
            update work
               set withdrawn_at = now(), page = null, version = version + 1
             where id = $1 and withdrawn_at is null
            """
        let work: ID<Work>
    }

    struct MoveAuthorLinks: Moving {
        static let name = "catalog.move_author_links"
        static let sql = "update work_author set author_id = $2 where author_id = $1"
        let from: ID<Author>
        let into: ID<Author>
    }

    struct MergeAuthor: Moving {
        static let name = "catalog.merge_author"
        static let sql = "update author set merged_into = $2 where id = $1 or merged_into = $1"
        let from: ID<Author>
        let into: ID<Author>
    }

    struct WithdrawAuthor: Statement {
        static let name = "catalog.withdraw_author"
        static let sql = "update author set withdrawn_at = now(), folded = '' where id = $1 and withdrawn_at is null"
        let author: ID<Author>
        func bind(to parameters: inout Parameters) { parameters.append(author) }
    }

    struct MoveISBNs: Moving {
        static let name = "catalog.move_isbns"
        static let sql = """
            insert into edition_isbn (isbn, edition_id)
            select isbn, $2
              from edition_isbn
             where edition_id = $1
                on conflict do nothing
            """
        let from: ID<Edition>
        let into: ID<Edition>
    }

    struct WithdrawEdition: Statement {
        static let name = "catalog.withdraw_edition"
        static let sql = "update edition set withdrawn_at = now() where id = $1 and withdrawn_at is null"
        let edition: ID<Edition>
        func bind(to parameters: inout Parameters) { parameters.append(edition) }
    }
}

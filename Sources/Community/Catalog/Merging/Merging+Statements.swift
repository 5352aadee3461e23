import Postgres

// One thing turned out to be another: what hangs on the first goes over to the second.

extension Catalog {
    static let mergingStatements: [any Statement.Type] = [
        GiveWay.self, JoinSeries.self,
        MoveEditions.self, JoinImported.self, DropImported.self, MergeWork.self, HasReaders.self, RestoreWork.self,
        UnlistWork.self, UnlinkDoubles.self, MoveAuthorLinks.self, MergeAuthor.self, MergeEdition.self,
        MoveSources<Author>.self, MoveSources<Work>.self, MoveSources<Edition>.self, MoveProposals.self,
    ]

    /// For the rest of a transaction that many others may wait for: it waits less than they do, and less than Postgres
    /// waits before it looks for a deadlock and ends one of them.
    struct GiveWay: Statement {
        static let name = "catalog.give_way"
        static let sql: SQL<Self> = "select set_config('lock_timeout', '300ms', true)"
    }

    /// The series of the first.
    struct JoinSeries: Moving {
        static let name = "catalog.join_series"
        static let sql = """
            insert into work_series (work_id, place, series_id, position, ordinal)
            select $2, place, series_id, position, ordinal
              from work_series
             where work_id = $1
            """
        let from: ID<Work>
        let into: ID<Work>
    }

    /// Imported ratings of both, added up where one source rated both.
    struct JoinImported: Moving {
        static let name = "catalog.join_imported"
        static let sql = """
            insert into imported_rating as own (work_id, source, stars, count)
            select $2, source, stars, count
              from imported_rating
             where work_id = $1
                on conflict (work_id, source) do update
               set stars = array[own.stars[1] + excluded.stars[1], own.stars[2] + excluded.stars[2],
                                 own.stars[3] + excluded.stars[3], own.stars[4] + excluded.stars[4],
                                 own.stars[5] + excluded.stars[5]],
                   count = own.count + excluded.count
            """
        let from: ID<Work>
        let into: ID<Work>
    }

    struct DropImported: OfWork {
        static let name = "catalog.drop_imported"
        static let sql = """
            with dropped as (delete from imported_rating where work_id = $1)
            update work_popularity set imported = 0 where work_id = $1
            """
        let work: ID<Work>
    }

    /// Also leads editions that were merged into `from` on to `into`.
    struct MergeEdition: Moving {
        static let name = "catalog.merge_edition"
        static let sql = """
            update edition
               set merged_into = $2, withdrawn_at = coalesce(withdrawn_at, now()), version = version + 1
             where id = $1
                or merged_into = $1
            """
        let from: ID<Edition>
        let into: ID<Edition>
    }

    /// Proposals that wait go over to what the thing turned out to be, whatever that says now.
    struct MoveProposals: Statement {
        static let name = "catalog.move_proposals"
        static let sql: SQL<Self> = """
            update catalog_proposal
               set subject_id = \(\.into), before = '{}'
             where subject_kind = \(\.from.kind, "from.kind")
               and subject_id = \(\.from.id, "from.id")
               and state = 'open'
            """
        let from: Thing
        let into: Int64
    }

    /// A row where readers of ours hang something on the work. Locks the row, so that no review comes in between.
    struct HasReaders: OfWork {
        static let name = "catalog.has_readers"
        static let sql = """
            select readers
              from work_popularity
             where work_id = $1
               and \(hasReaders("$1"))
               for update
            """
        let work: ID<Work>
        typealias Output = Int32
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

    /// Lists a work again that was withdrawn.
    struct RestoreWork: OfWork {
        static let name = "catalog.restore_work"
        static let sql = """
            with restored as (
                update work
                   set withdrawn_at = null, page = null, version = version + 1
                 where id = $1
                returning id, title)
            update work_popularity
               set listed = restored.title is not null
              from restored
             where work_popularity.work_id = restored.id
            """
        let work: ID<Work>
    }

    struct UnlistWork: OfWork {
        static let name = "catalog.unlist_work"
        static let sql = "update work_popularity set listed = false where work_id = $1"
        let work: ID<Work>
    }

    /// Leaves works that name both of two authors the one at the earlier place.
    struct UnlinkDoubles: Moving {
        static let name = "catalog.unlink_doubles"
        static let sql = """
            delete from work_author
             where author_id in ($1, $2)
               and exists (select 1 from work_author own
                            where own.work_id = work_author.work_id
                              and own.author_id in ($1, $2)
                              and own.position < work_author.position)
            """
        let from: ID<Author>
        let into: ID<Author>
    }
}

import Postgres

// One thing turned out to be another: what hangs on the first goes over to the second.

extension Catalog {
    /// For the rest of a transaction that many others may wait for: it waits less than they do, and less than Postgres
    /// waits before it looks for a deadlock and ends one of them.
    struct GiveWay: Statement {
        static let sql: SQL<Self> = "select set_config('lock_timeout', '300ms', true)"
    }

    /// The series of the first.
    struct JoinSeries: Statement {
        static let sql: SQL<Self> = """
            insert into work_series (work_id, place, series_id, position, ordinal)
            select \(\.into), place, series_id, position, ordinal
              from work_series
             where work_id = \(\.from)
            """
        let from: ID<Work>, into: ID<Work>
    }

    /// Imported ratings of both, added up where one source rated both.
    struct JoinImported: Statement {
        static let sql: SQL<Self> = """
            insert into imported_rating as own (work_id, source, stars, count)
            select \(\.into), source, stars, count
              from imported_rating
             where work_id = \(\.from)
                on conflict (work_id, source) do update
               set stars = array[own.stars[1] + excluded.stars[1], own.stars[2] + excluded.stars[2],
                                 own.stars[3] + excluded.stars[3], own.stars[4] + excluded.stars[4],
                                 own.stars[5] + excluded.stars[5]],
                   count = own.count + excluded.count
            """
        let from: ID<Work>, into: ID<Work>
    }

    struct DropImported: Statement {
        static let sql: SQL<Self> = """
            with dropped as (delete from imported_rating where work_id = \(\.work))
            update work_popularity set imported = 0 where work_id = \(\.work)
            """
        let work: ID<Work>
    }

    /// Also leads editions that were merged into `from` on to `into`.
    struct MergeEdition: Statement {
        static let sql: SQL<Self> = """
            update edition
               set merged_into = \(\.into), withdrawn_at = coalesce(withdrawn_at, now()), version = version + 1
             where id = \(\.from)
                or merged_into = \(\.from)
            """
        let from: ID<Edition>, into: ID<Edition>
    }

    /// Proposals that wait go over to what the thing turned out to be, whatever that says now.
    struct MoveProposals: Statement {
        static let sql: SQL<Self> = """
            update catalog_proposal
               set subject_id = \(\.into), before = '{}'
             where subject_kind = \(\.from.kind, "from.kind")
               and subject_id = \(\.from.id, "from.id")
               and state = 'open'
            """
        let from: Thing, into: Int64
    }

    /// A row where readers of ours hang something on the work. Locks the row, so that no review comes in between.
    struct HasReaders: Statement {
        static let sql: SQL<Self> = """
            select readers
              from work_popularity
             where work_id = \(\.work)
               and \(hasReaders("\(\.work)"))
               for update
            """
        let work: ID<Work>
        typealias Output = Int32
    }

    /// Whether readers of ours hung anything on the work of this id: a review, a shelf, a list, a mark, a thread, a message, …;
    /// or an edition that no source knows.
    static func hasReaders<S>(_ work: SQL<S>) -> SQL<S> {
        let columns = Community.domains.flatMap { $0.worksOfReaders }
        let held = columns.map { column in
            "exists (select 1 from \(column.table) where \(column.table).\(column.name) = \(work))" as SQL<S>
        }
        return """
            (exists (select 1 from work_popularity where work_popularity.work_id = \(work) and readers > 0)
             or exists (select 1 from edition
                         where edition.work_id = \(work)
                           and edition.withdrawn_at is null
                           and not exists (select 1 from edition_source where edition_source.edition_id = edition.id))
             or \(held.joined(separator: "\n or "))
            )
            """
    }

    struct MoveEditions: Statement {
        static let sql: SQL<Self> = "update edition set work_id = \(\.into) where work_id = \(\.from)"
        let from: ID<Work>, into: ID<Work>
    }

    /// Also leads works that were merged into `from` on to `into`, so that one step always reaches the end.
    struct MergeWork: Statement {
        static let sql: SQL<Self> = """
            update work
               set merged_into = \(\.into), page = null, version = version + 1
             where id = \(\.from) or merged_into = \(\.from)
            """
        let from: ID<Work>, into: ID<Work>
    }

    struct MoveAuthorLinks: Statement {
        static let sql: SQL<Self> = """
            with editions as (update edition_contributor set author_id = \(\.into) where author_id = \(\.from))
            update work_author set author_id = \(\.into) where author_id = \(\.from)
            """
        let from: ID<Author>, into: ID<Author>
    }

    struct MergeAuthor: Statement {
        static let sql: SQL<Self> =
            "update author set merged_into = \(\.into) where id = \(\.from) or merged_into = \(\.from)"
        let from: ID<Author>, into: ID<Author>
    }

    /// Lists a work again that was withdrawn.
    struct RestoreWork: Statement {
        static let sql: SQL<Self> = """
            with restored as (
                update work
                   set withdrawn_at = null, page = null, version = version + 1
                 where id = \(\.work)
                returning id, title)
            update work_popularity
               set listed = restored.title is not null
              from restored
             where work_popularity.work_id = restored.id
            """
        let work: ID<Work>
    }

    struct UnlistWork: Statement {
        static let sql: SQL<Self> = "update work_popularity set listed = false where work_id = \(\.work)"
        let work: ID<Work>
    }

    /// Leaves works that name both of two authors the one at the earlier place, with the role that either has; and editions
    /// that name both in one role the one that stays.
    struct UnlinkDoubles: Statement {
        static let sql: SQL<Self> = """
            with roles as (
                update work_author kept
                   set role = other.role
                  from work_author other
                 where kept.author_id in (\(\.from), \(\.into))
                   and other.author_id in (\(\.from), \(\.into))
                   and other.work_id = kept.work_id
                   and other.position > kept.position
                   and kept.role is null
            ), doubles as (
                delete from edition_contributor gone
                 where gone.author_id = \(\.from)
                   and exists (select 1 from edition_contributor own
                                where own.edition_id = gone.edition_id
                                  and own.author_id = \(\.into)
                                  and own.role = gone.role)
            )
            delete from work_author
             where author_id in (\(\.from), \(\.into))
               and exists (select 1 from work_author own
                            where own.work_id = work_author.work_id
                              and own.author_id in (\(\.from), \(\.into))
                              and own.position < work_author.position)
            """
        let from: ID<Author>, into: ID<Author>
    }
}

import Postgres

// What a source deleted, and what it speaks of before it describes it. Rare, so mostly one at a time.

extension Catalog {
    /// What a source said about a record that is not here.
    struct Absent: Sendable, RowReadable {
        let key: String
        /// The key that it is known under now; none where it was deleted.
        let target: String?
        let stamp: Stamp

        package init(_ columns: inout Columns) throws {
            key = try columns("key")
            target = try columns("target")
            stamp = Stamp.ending(revision: try columns("revision"))
        }
    }

    struct FindAbsent: Statement {
        static let sql: SQL<Self> = "select key, target, revision from absent_record where key = any(\(\.keys))"
        let keys: [String]
        typealias Output = Absent
    }

    /// Those that are known under one of these keys now. Served by index `absent_record_target`.
    struct AbsentLedTo: Statement {
        static let sql: SQL<Self> = "select key, target, revision from absent_record where target = any(\(\.targets))"
        let targets: [String]
        typealias Output = Absent
    }

    /// Of two words about one record the newer one holds, but a redirect is never taken back by a deletion.
    struct PutAbsent: Statement {
        static let sql: SQL<Self> = """
            insert into absent_record as known (key, target, revision)
            values (\(\.key), \(\.target), \(\.revision))
                on conflict (key) do update
               set target = excluded.target, revision = excluded.revision
             where (excluded.target is not null, coalesce(excluded.revision, 0))
                   > (known.target is not null, coalesce(known.revision, 0))
            """
        let key: String, target: String?, revision: Int32?
    }

    struct DropAbsent: Statement {
        static let sql: SQL<Self> = "delete from absent_record where key = any(\(\.keys))"
        let keys: [String]
    }

    struct WithdrawWorks: Statement {
        static let sql: SQL<Self> = """
            with withdrawn as (
                update work
                   set withdrawn_at = now(), page = null, version = version + 1
                 where id = any(\(\.works)) and withdrawn_at is null
                returning id)
            update work_popularity
               set listed = false
              from withdrawn
             where work_popularity.work_id = withdrawn.id
            """
        let works: [ID<Work>]
    }

    struct WithdrawEditions: Statement {
        static let sql: SQL<Self> =
            "update edition set withdrawn_at = now() where id = any(\(\.editions)) and withdrawn_at is null"
        let editions: [ID<Edition>]
    }

    struct WithdrawAuthors: Statement {
        static let sql: SQL<Self> =
            "update author set withdrawn_at = now(), folded = '' where id = any(\(\.authors)) and withdrawn_at is null"
        let authors: [ID<Author>]
    }

    /// A work, `id`, that is known through editions alone, of which none is left.
    private static func isEmptyWork<S>(_ id: SQL<S>) -> SQL<S> {
        """
        work.id = \(id)
                   and work.merged_into is null
                   and not exists (select 1 from edition where edition.work_id = \(id) and edition.withdrawn_at is null)
                   and exists (select 1 from work_source where work_source.work_id = \(id) and digest = 0 and not is_alias)
                   and not exists (select 1 from work_source where work_source.work_id = \(id) and digest <> 0)
                   and not \(hasReaders(id))
        """
    }

    /// After an edition found its real work: the one that stood in for it goes, when nothing else hangs on it.
    struct RetireEmptyWork: Statement {
        static let sql: SQL<Self> = """
            with retired as (
                update work
                   set merged_into = \(\.into), page = null, version = version + 1
                 where \(isEmptyWork("\(\.from)"))
                returning id)
            update work_popularity
               set listed = false
              from retired
             where work_popularity.work_id = retired.id
            """
        let from: ID<Work>, into: ID<Work>
    }

    /// After the last edition that spoke of a work was deleted: the work goes with it.
    struct WithdrawEmptyWork: Statement {
        static let sql: SQL<Self> = """
            with withdrawn as (
                update work
                   set withdrawn_at = now(), page = null, version = version + 1
                 where \(isEmptyWork("\(\.work)"))
                returning id)
            update work_popularity
               set listed = false
              from withdrawn
             where work_popularity.work_id = withdrawn.id
            """
        let work: ID<Work>
    }

    /// Works that editions hang on again after they went for want of any: those that their source deleted stay away.
    struct ReviveWorks: Statement {
        static let sql: SQL<Self> = """
            with revived as (
                update work
                   set merged_into = null, withdrawn_at = null, page = null, version = version + 1
                 where id = any(\(\.works))
                   and (merged_into is not null or withdrawn_at is not null)
                   and exists (select 1 from work_source
                                where work_source.work_id = work.id and digest = 0 and not is_alias)
                returning id, title)
            update work_popularity
               set listed = revived.title is not null
              from revived
             where work_popularity.work_id = revived.id
            """
        let works: [ID<Work>]
    }
}

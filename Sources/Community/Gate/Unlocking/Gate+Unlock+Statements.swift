import Jobs
import Postgres

extension Gate.Statements {
    /// Puts the job into the queue where the gate of its reader is further now than it was, and posts stand between the
    /// two.
    struct EnqueueUnlock: Statement {
        static let sql: SQL<Self> = Jobs.Enqueue.sql(
            \.job,
            where: """
                exists (with gate as materialized (select \(Gate.level(viewer: "\(\.reader)", work: "\(\.work)")) as level)
                    select 1
                      from gate
                     where gate.level > \(\.from)
                       and \(between("\(\.work)", "\(\.from)", "gate.level")))
                """)
        let job: Jobs.Enqueue, reader: ID<Accounts.Account>, work: ID<Catalog.Work>, from: Int

        init(_ unlock: Gate.Unlock) throws {
            (job, reader, work, from) = (try Jobs.Enqueue(unlock), unlock.reader, unlock.work, unlock.from)
        }
    }

    /// SQL: that one of the posts of `work` stands between two gates. Index `post_opening`; for those that name it as a
    /// later book `post_also_of_work`.
    static func between<S>(_ work: SQL<S>, _ from: SQL<S>, _ to: SQL<S>) -> SQL<S> {
        """
        (exists (select 1
                           from post
                          where post.work_id = any(array(select origin.id
                                                           from work origin
                                                          where origin.id = \(work) or origin.merged_into = \(work)))
                            and post.scope > \(from)
                            and post.scope <= \(to)
                            and post.scope > 0
                            and post.deleted_at is null
                            and post.hidden_at is null)
                    or exists (select 1
                                 from post
                                where post.also_work_id = \(work)
                                  and post.also_scope > \(from)
                                  and post.also_scope <= \(to)))
        """
    }

    /// What a work was merged into, or itself, and how far the reader may be told of that. No row for no work.
    struct StandingOf: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select target.id, \(Gate.level(viewer: .viewer, work: "target.id")) as level
              from (select coalesce(merged_into, id) as id from work where id = \(\.work)) target
            """
        let viewer: ID<Accounts.Account>, work: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Gate.Standing {
            Gate.Standing(work: try columns("id"), level: try columns("level"))
        }
    }

    /// The posts that the reader may see now and that stand between the gates `from` and `to` of a work, which is no
    /// merged one; newest first, one more than are counted. `isCut` where more were not looked at. Their own, and what
    /// they revealed one by one, was open before.
    ///
    /// Found by `post_opening` and `post_also_of_work`, the entries between the two gates alone; what may be seen is
    /// asked of the newest, one by one, until enough were found.
    struct OpenedPosts: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with origin as materialized (
                select id
                  from work
                 where (id = \(\.work) or merged_into = \(\.work))
                   and (cardinality(\(\.origins)::bigint[]) = 0 or id = any(\(\.origins)))
            ), found as materialized (
                select post.id
                  from origin
                 cross join lateral (select post.id
                                       from post
                                      where post.work_id = origin.id
                                        and post.scope > \(\.from)
                                        and post.scope <= \(\.to)
                                        and post.scope > 0
                                        and post.deleted_at is null
                                        and post.hidden_at is null
                                      order by post.scope desc, post.id desc
                                      limit \(Limits.gate.unlockedFound)) post
                 union
                select also.id
                  from (select post.id
                          from post
                         where post.also_work_id = \(\.work)
                           and post.also_scope > \(\.from)
                           and post.also_scope <= \(\.to)
                           and cardinality(\(\.origins)::bigint[]) = 0
                         order by post.also_scope desc
                         limit \(Limits.gate.unlockedFound)) also
            ), newest as materialized (
                select id from found order by id desc limit \(Limits.gate.unlockedLooked + 1)
            )
            select seen.id, (select count(*) from newest) > \(Limits.gate.unlockedLooked) as is_cut
              from (select id from newest order by id desc) new
             cross join lateral (
                   select post.id
                     from post
                     join thread on thread.id = post.thread_id
                    where post.id = new.id
                      and post.author_id <> \(\.viewer)
                      and \(Groups.admits(viewer: .viewer))
                      and \(Gate.opens(viewer: .viewer))
                      and \(Boards.Post.isSeen())
                      and not exists (select 1 from reveal where reveal.reader_id = \(\.viewer) and reveal.post_id = post.id)
                      and not exists (select 1 from reveal where reveal.reader_id = \(\.viewer) and reveal.thread_id = thread.id)
                    limit 1) seen
             order by new.id desc
             limit \(Limits.gate.unlocked + 1)
            """
        let viewer: ID<Accounts.Account>, work: ID<Catalog.Work>, from: Int, to: Int
        /// Posts that were written for these alone; none: all, and those that name the work as a later book.
        let origins: [ID<Catalog.Work>]

        static func decode(_ columns: inout Columns) throws -> (post: ID<Boards.Post>, isCut: Bool) {
            (try columns("id"), try columns("is_cut"))
        }
    }
}

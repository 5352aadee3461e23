import Jobs
import Postgres

extension Gate.Statements {
    static let unlocks: [any Statement.Type] = [Jobs.EnqueueIf<Gate.Opened>.self, OpenedPosts.self]

    /// The posts that the reader may see now and could not at the gate `from`, newest first, one more than are counted; `isCut` where more
    /// were not looked at. Their own, and what they revealed one by one, was open before. Indexes `post_ahead`, `post_also_of_work`.
    struct OpenedPosts: Statement {
        static let name = "gate.opened_posts"
        static let sql = """
            with gate as materialized (
                select target.id as work, \(Gate.level(viewer: "$1", work: "target.id")) as level
                  from (select coalesce(merged_into, id) as id from work where id = $2) target
            ), opened as materialized (
                select post.id
                  from gate
                  join thread on thread.work_id = gate.work and thread.group_id is null and thread.hidden_at is null
                 cross join lateral (select post.id
                                       from post
                                      where post.thread_id = thread.id
                                        and post.scope > $3
                                        and post.scope <= gate.level
                                        and post.scope > 0
                                        and post.deleted_at is null
                                        and post.hidden_at is null
                                      order by post.id desc
                                      limit \(Limits.Gate.unlocked * 2)) post
                 union
                select post.id
                  from gate
                  join post on post.also_work_id = gate.work
                 where post.also_scope > $3
                   and post.also_scope <= gate.level
            ), newest as materialized (
                select id from opened order by id desc limit \(Limits.Gate.unlocked * 2)
            )
            select post.id, (select count(*) from newest) = \(Limits.Gate.unlocked * 2)
              from post
              join thread on thread.id = post.thread_id
             where post.id = any(array(select id from newest))
               and thread.group_id is null
               and post.author_id <> $1
               and \(Gate.opens(viewer: "$1"))
               and \(knows)
               and not exists (select 1 from reveal where reveal.reader_id = $1 and reveal.post_id = post.id)
               and not exists (select 1 from reveal where reveal.reader_id = $1 and reveal.thread_id = thread.id)
             order by post.id desc
             limit \(Limits.Gate.unlocked + 1)
            """
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let from: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(work)
            parameters.append(from)
        }

        static func decode(_ row: borrowing Row) throws -> (post: ID<Boards.Post>, isCut: Bool) {
            (try row[0], try row[1])
        }
    }
}

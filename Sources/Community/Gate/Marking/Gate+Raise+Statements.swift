import Postgres

extension Gate.Statements {
    /// The post `post` and all that answers or quotes it, however far. What has no parent answers the post that opens
    /// the thread. Beside a post that is as deep as posts nest stand those that answer it, and name it. Of what names
    /// nothing there, from before such were named, all that came later is taken for an answer. Indexes
    /// `post_of_parent`, `post_quoting`, `post_answering`, `post_tree`.
    private static func reached<S>(from post: SQL<S>) -> SQL<S> {
        """
        recursive reached as (
                select \(post)::bigint as id
                 union
                select next.id
                  from reached
                 cross join lateral (select post.id from post where post.parent_id = reached.id
                                      union all
                                     select post.id from post where post.quoted_id = reached.id
                                      union all
                                     select post.id from post where post.answers_id = reached.id
                                      union all
                                     select post.id
                                       from post opening
                                       join post on post.thread_id = opening.thread_id
                                      where opening.id = reached.id
                                        and opening.number = 1
                                        and post.parent_id is null
                                      union all
                                     select post.id
                                       from post deepest
                                       join post on post.parent_id = deepest.parent_id
                                      where reached.id = \(post)
                                        and deepest.id = \(post)
                                        and deepest.depth = \(Limits.boards.depth)
                                        and post.answers_id is null
                                        and post.id > deepest.id) next
            )
        """
    }

    /// Locks the threads in which that stands, in the order of their ids, against writers in them.
    struct LockThreadsBeyond: Statement {
        static let sql: SQL<Self> = """
            with \(reached(from: "\(\.post)"))
            select 1
              from thread
             where id = any(array(select distinct post.thread_id
                                    from post
                                   where post.id = any(array(select id from reached))))
             order by id
               for no key update
            """
        let post: ID<Boards.Post>
    }

    /// Takes what `raised` moved (`work_id`, `old`, `counts`) from one place of `board_scope` to another, `scope`; in
    /// the order of the key, as all do: what rose is taken from lower rows first, what sank is put into the lower one
    /// first. `others`: rows that are locked with them, for the statement that changes those later (`work_id`, `scope`,
    /// 0).
    private static func counting<S>(isRising: Bool, to scope: SQL<S>, beside others: SQL<S> = "") -> SQL<S> {
        let (afterTaken, afterPut): (SQL<S>, SQL<S>) = (
            "(select count(*) from taken) >= 0", "(select count(*) from put) >= 0"
        )
        let take: SQL<S> = """
            held as materialized (
                    select board_scope.work_id, board_scope.scope, gone.n
                      from board_scope
                      join gone on gone.work_id = board_scope.work_id and gone.scope = board_scope.scope
                     where \(isRising ? "true" : afterPut)
                     order by board_scope.work_id, board_scope.scope
                       for no key update of board_scope
                ), taken as (
                    update board_scope
                       set posts = board_scope.posts - held.n
                      from held
                     where board_scope.work_id = held.work_id
                       and board_scope.scope = held.scope
                    returning 1
                )
            """
        let put: SQL<S> = """
            put as (
                    insert into board_scope as counted (work_id, scope, posts)
                    select work_id, \(scope), sum(n)::integer
                      from gone
                     where \(isRising ? afterTaken : "true")
                     group by work_id
                    on conflict (work_id, scope) do update set posts = counted.posts + excluded.posts
                    returning 1
                )
            """
        return """
            gone as (
                    select work_id, old as scope, sum(n)::integer as n
                      from (select work_id, old, 1 as n from raised where counts \(others)) moved
                     group by work_id, old
                ), \(isRising ? take : put), \(isRising ? put : take), titled as (
                    update thread
                       set version = thread.version + 1
                      from raised
                     where raised.number = 1
                       and thread.id = raised.thread_id
                    returning 1
                )
                select count(*) from raised
            """
    }

    /// SQL: the row that the one which stays as it is, is counted at. The transaction that holds it raises
    /// it behind this.
    private static let sparedRow: SQL<Raise> = """
        union all
                              select thread.work_id, post.scope, 0
                                from post
                                join thread on thread.id = post.thread_id
                               where post.id = \(\.spared)
                                 and post.scope < \(\.scope)
                                 and thread.group_id is null
        """

    /// Whether the post counts in `board_scope`, beside what is looked at there.
    private static let moved: Fragment = """
        post.id, post.scope, thread.work_id,
                       thread.group_id is null and thread.hidden_at is null
                       and post.deleted_at is null and post.hidden_at is null as counts
        """

    /// Raises all of it that is lower to one scope, and the counts of the boards with it. Gives how many rose.
    struct Raise: Statement {
        static let sql: SQL<Self> = """
            with \(reached(from: "\(\.post)")), lower as materialized (
                select \(moved)
                  from post
                  join thread on thread.id = post.thread_id
                 where post.id = any(array(select id from reached))
                   and post.id is distinct from \(\.spared)
                   and post.scope < \(\.scope)
                   and thread.work_id = (select home.work_id
                                           from post root
                                           join thread home on home.id = root.thread_id
                                          where root.id = \(\.post))
                 order by post.id
                   for no key update of post
            ), raised as (
                update post
                   set scope = \(\.scope),
                       version = post.version + 1
                  from lower
                 where post.id = lower.id
                returning post.thread_id, post.number, lower.work_id, lower.scope as old, lower.counts
            ), \(counting(isRising: true, to: "\(\.scope)", beside: sparedRow))
            """
        let post: ID<Boards.Post>, scope: Gate.Scope
        /// One that stays as it is.
        let spared: ID<Boards.Post>?
        typealias Output = Int
    }

    /// Lowers one post alone; its thread is locked.
    struct Lower: Statement {
        static let sql: SQL<Self> = """
            with higher as materialized (
                select \(moved)
                  from post
                  join thread on thread.id = post.thread_id
                 where post.id = \(\.post)
                   and post.scope > \(\.scope)
                   for no key update of post
            ), raised as (
                update post
                   set scope = \(\.scope),
                       version = post.version + 1
                  from higher
                 where post.id = higher.id
                returning post.thread_id, post.number, higher.work_id, higher.scope as old, higher.counts
            ), \(counting(isRising: false, to: "\(\.scope)"))
            """
        let post: ID<Boards.Post>, scope: Gate.Scope
        typealias Output = Int
    }
}

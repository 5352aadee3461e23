import Postgres

/// What somebody at a terminal asks of the queue and does to it.
extension Jobs {
    /// The queues with a job in some state, one step of its index for each.
    private static func queues<S>(_ state: SQL<S>) -> SQL<S> {
        """
        (select queue from job where state = '\(state)' order by queue limit 1)
        union all
        select (select queue from job where state = '\(state)' and queue > \(state)_queue.queue order by queue limit 1)
          from \(state)_queue
         where \(state)_queue.queue is not null
        """
    }

    /// Jobs, running ones first, then those that wait by when they are due, then dead ones, newest first; `nil` asks for any.
    struct List: Statement {
        static let sql: SQL<Self> = """
            select \(columns)
              from job
             where (\(\.queue)::text is null or queue = \(\.queue))
               and (\(\.state?.rawValue, "state.rawValue")::text is null or state = \(\.state?.rawValue, "state.rawValue"))
               and (\(\.kind)::text is null or kind = \(\.kind))
             order by array_position(array['running', 'ready', 'dead'], state), ended_at desc, due_at, id
             limit \(\.limit)
            """
        static let columns: Fragment = """
            id, kind, queue, state, unique_key, payload, attempt, attempts, lease_losses, worker, due_at, created_at, ended_at, last_error
            """
        let queue: String?, state: State?, kind: String?, limit: Int

        static func decode(_ columns: inout Columns) throws -> Listed {
            Listed(
                id: try columns("id"), kind: try columns("kind"), queue: try columns("queue"),
                state: try columns("state"), key: try columns("unique_key"),
                payload: try columns("payload"), attempt: try columns("attempt"), attempts: try columns("attempts"),
                losses: try columns("lease_losses"), worker: try columns("worker"),
                dueAt: try columns("due_at"), createdAt: try columns("created_at"), endedAt: try columns("ended_at"),
                error: try columns("last_error"))
        }
    }

    struct Show: Statement {
        static let sql: SQL<Self> = "select \(List.columns) from job where id = \(\.id)"
        let id: Int64

        static func decode(_ columns: inout Columns) throws -> Listed { try List.decode(&columns) }
    }

    /// Makes a job that waits or is dead due at once, as if it had never been tried. Affects 0 rows where it runs.
    struct Retry: Statement {
        static let sql: SQL<Self> = """
            update job
               set state = 'ready', attempt = 0, lease_losses = 0, due_at = now(), ended_at = null
             where id = \(\.id)
               and state <> 'running'
            """
        let id: Int64
    }

    struct Cancel: Statement {
        static let sql: SQL<Self> = "delete from job where id = \(\.id)"
        let id: Int64
    }

    /// Affects 0 rows where the queue is paused already.
    struct Pause: Statement {
        static let sql: SQL<Self> =
            "insert into job_pause (queue, actor) values (\(\.queue), \(\.actor)) on conflict do nothing"
        let queue: String, actor: String
    }

    /// Affects 0 rows where it is not paused.
    struct Resume: Statement {
        static let sql: SQL<Self> = "delete from job_pause where queue = \(\.queue)"
        let queue: String
    }

    /// Every queue that has a job or a worker or is paused, by name; counts at most 10,000 of each state.
    struct Stats: Statement {
        static let sql: SQL<Self> = """
            with recursive ready_queue (queue) as (
                \(queues("ready"))
            ), dead_queue (queue) as (
                \(queues("dead"))
            ), worker as materialized (
                select unnest(queues) as queue, count(*) as n from job_worker where seen_at > now() - \(seen) group by 1
            ), known as (
                select queue from ready_queue union select queue from dead_queue union select queue from worker
                union select queue from job_pause union select queue from job where state = 'running'
            )
            select known.queue,
                   (select count(*) from (select from job
                                           where queue = known.queue and state = 'ready' and due_at <= now() limit 10000) due) as due,
                   (select count(*) from (select from job
                                           where queue = known.queue and state = 'ready' and due_at > now() limit 10000) later) as later,
                   (select count(*) from job where queue = known.queue and state = 'running') as running,
                   (select count(*) from (select from job where queue = known.queue and state = 'dead' limit 10000) dead) as dead,
                   coalesce((select extract(epoch from greatest(now() - min(due_at), '0'))::bigint
                               from job where queue = known.queue and state = 'ready'), 0) as oldest_seconds,
                   coalesce(worker.n, 0) as workers, job_pause.since
              from known
              left join worker on worker.queue = known.queue
              left join job_pause on job_pause.queue = known.queue
             where known.queue is not null
             order by known.queue
            """

        static func decode(_ columns: inout Columns) throws -> Queue {
            Queue(
                name: try columns("queue"), due: try columns("due"), later: try columns("later"),
                running: try columns("running"), dead: try columns("dead"),
                oldestSeconds: try columns("oldest_seconds"), workers: try columns("workers"),
                pausedSince: try columns("since"))
        }
    }

    /// How long a worker counts as there after it was seen, and how long work may be due before somebody is told.
    private static let seen: Fragment = "interval '60 seconds'"

    /// Queues whose work has been due for 60 s while no worker served them, by name, with whether they are paused.
    package struct Unserved: Statement {
        package static let sql: SQL<Self> = """
            with recursive ready_queue (queue) as (
                \(queues("ready"))
            )
            select ready_queue.queue, paused.since is not null as is_paused
              from ready_queue
             cross join lateral (select due_at
                                   from job
                                  where job.queue = ready_queue.queue
                                    and job.state = 'ready'
                                  order by due_at, id
                                  limit 1) first
              left join job_pause paused on paused.queue = ready_queue.queue
             where first.due_at <= now() - \(seen)
               and (paused.since is not null
                    or not exists (select
                                     from job_worker
                                    where seen_at > now() - \(seen)
                                      and ready_queue.queue = any(queues)))
             order by ready_queue.queue
            """

        package init() {}

        package static func decode(_ columns: inout Columns) throws -> (queue: String, isPaused: Bool) {
            (try columns("queue"), try columns("is_paused"))
        }
    }

    /// Puts a job into the queue that `worker` runs already. It has no key: another of its kind may wait or run beside it.
    struct Begin: Statement {
        static let sql: SQL<Self> = """
            insert into job (kind, queue, payload, attempt, attempts, state, lease_token, lease_until, worker)
            values (\(\.job.kind), \(\.job.queue), \(\.job.payload), 1, 1, 'running', 1, now() + make_interval(secs => \(\.lease)), \(\.worker))
            returning id
            """
        let job: Enqueue, lease: Duration, worker: String
        typealias Output = Int64
    }
}

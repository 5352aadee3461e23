import Postgres

extension Jobs {
    /// Enqueues the job of a schedule for its present slot, unless somebody has done so: one statement, hence both or neither.
    /// Affects 1 row where this call was the one.
    struct EnqueueSlot: Statement {
        static let sql: SQL<Self> = """
            with slot as (
                insert into job_slot (task, due_at)
                select \(\.task),
                       to_timestamp((floor((extract(epoch from now())::float8 * 1000 - \(\.offsetMilliseconds)::float8) / \(\.everyMilliseconds)::float8) * \(\.everyMilliseconds)::float8
                                     + \(\.offsetMilliseconds)::float8) / 1000)
                on conflict do nothing
                returning due_at
            )
            insert into job (kind, queue, unique_key, payload, attempts, due_at)
            select \(\.job.kind), \(\.job.queue), \(\.job.uniqueKey), \(\.job.payload), \(\.job.attempts), now() from slot
            on conflict (kind, unique_key) where state in ('ready', 'running') and unique_key is not null do nothing
            """
        let task: String, everyMilliseconds: Int64, offsetMilliseconds: Int64, job: Enqueue
    }

    /// Forgets jobs that have been dead for 90 days.
    struct Sweep: Statement {
        static let sql: SQL<Self> = "delete from job where state = 'dead' and ended_at < now() - interval '90 days'"
    }

    /// Forgets slots older than 30 days, but never a task's newest: it is what keeps that slot from being enqueued again.
    struct SweepSlots: Statement {
        static let sql: SQL<Self> = """
            delete from job_slot old
             where old.due_at < now() - interval '30 days'
               and exists (select 1 from job_slot newer where newer.task = old.task and newer.due_at > old.due_at)
            """
    }

    /// What waits and what is dead, by queue, for metrics; counts at most 10,000 of each.
    struct Depth: Statement {
        static let sql: SQL<Self> = """
            select (select count(*)::int
                      from (select 1 from job where queue = \(\.queue) and state = 'ready' and due_at <= now() limit 10000) due) as due,
                   (select coalesce(extract(epoch from now() - min(due_at))::float8, 0)
                      from job where queue = \(\.queue) and state = 'ready' and due_at <= now()) as oldest_seconds,
                   (select count(*)::int from (select 1 from job where queue = \(\.queue) and state = 'dead' limit 10000) dead) as dead
            """
        let queue: String

        static func decode(_ columns: inout Columns) throws -> QueueDepth {
            QueueDepth(due: try columns("due"), oldestSeconds: try columns("oldest_seconds"), dead: try columns("dead"))
        }
    }

    struct QueueDepth: Sendable {
        let due: Int
        let oldestSeconds: Double
        let dead: Int
    }

    /// Says that a worker serves these queues now.
    struct SeeWorker: Statement {
        static let sql: SQL<Self> = """
            insert into job_worker (name, queues) values (\(\.worker), \(\.queues))
            on conflict (name) do update set queues = excluded.queues, seen_at = now()
            """
        let worker: String, queues: [String]
    }

    /// A worker has ended.
    struct ForgetWorker: Statement {
        static let sql: SQL<Self> = "delete from job_worker where name = \(\.worker)"
        let worker: String
    }

    /// Forgets workers that were lost an hour ago.
    struct SweepWorkers: Statement {
        static let sql: SQL<Self> = "delete from job_worker where seen_at < now() - interval '1 hour'"
    }
}

import Postgres

extension Jobs {
    /// Enqueues the job of a schedule for its present slot, unless somebody has done so: one statement, hence both or neither.
    /// Affects 1 row where this call was the one.
    struct EnqueueSlot: Statement {
        static let name = "jobs.enqueue_slot"
        static let sql = """
            with slot as (
                insert into job_slot (task, due_at)
                select $1,
                       to_timestamp((floor((extract(epoch from now())::float8 * 1000 - $3::float8) / $2::float8) * $2::float8
                                     + $3::float8) / 1000)
                on conflict do nothing
                returning due_at
            )
            insert into job (kind, queue, unique_key, payload, attempts, due_at)
            select $4, $5, $6, $7, $8, now() from slot
            on conflict (kind, unique_key) where state in ('ready', 'running') and unique_key is not null do nothing
            """
        let task: String
        let everyMilliseconds: Int64
        let offsetMilliseconds: Int64
        let job: Enqueue

        func bind(to parameters: inout Parameters) {
            parameters.append(task)
            parameters.append(everyMilliseconds)
            parameters.append(offsetMilliseconds)
            parameters.append(job.kind)
            parameters.append(job.queue)
            parameters.append(job.uniqueKey)
            parameters.append(job.payload)
            parameters.append(job.attempts)
        }
    }

    /// Forgets jobs that have been dead for 90 days.
    struct Sweep: Statement {
        static let name = "jobs.sweep"
        static let sql = "delete from job where state = 'dead' and ended_at < now() - interval '90 days'"
    }

    /// Forgets slots older than 30 days, but never a task's newest: it is what keeps that slot from being enqueued again.
    struct SweepSlots: Statement {
        static let name = "jobs.sweep_slots"
        static let sql = """
            delete from job_slot old
             where old.due_at < now() - interval '30 days'
               and exists (select 1 from job_slot newer where newer.task = old.task and newer.due_at > old.due_at)
            """
    }

    /// What waits and what is dead, by queue, for metrics; counts at most 10,000 of each.
    struct Depth: Statement {
        static let name = "jobs.depth"
        static let sql = """
            select (select count(*)::int
                      from (select 1 from job where queue = $1 and state = 'ready' and due_at <= now() limit 10000) due),
                   (select coalesce(extract(epoch from now() - min(due_at))::float8, 0)
                      from job where queue = $1 and state = 'ready' and due_at <= now()),
                   (select count(*)::int from (select 1 from job where queue = $1 and state = 'dead' limit 10000) dead)
            """
        let queue: String

        func bind(to parameters: inout Parameters) { parameters.append(queue) }

        static func decode(_ row: borrowing Row) throws -> QueueDepth {
            QueueDepth(due: try row[0], oldestSeconds: try row[1], dead: try row[2])
        }
    }

    struct QueueDepth: Sendable {
        let due: Int
        let oldestSeconds: Double
        let dead: Int
    }

    /// Says that a worker serves these queues now.
    struct SeeWorker: Statement {
        static let name = "jobs.see_worker"
        static let sql = """
            insert into job_worker (name, queues) values ($1, $2)
            on conflict (name) do update set queues = excluded.queues, seen_at = now()
            """
        let worker: String
        let queues: [String]

        func bind(to parameters: inout Parameters) {
            parameters.append(worker)
            parameters.append(queues)
        }
    }

    /// A worker has ended.
    struct ForgetWorker: Statement {
        static let name = "jobs.forget_worker"
        static let sql = "delete from job_worker where name = $1"
        let worker: String

        func bind(to parameters: inout Parameters) { parameters.append(worker) }
    }

    /// Forgets workers that were lost an hour ago.
    struct SweepWorkers: Statement {
        static let name = "jobs.sweep_workers"
        static let sql = "delete from job_worker where seen_at < now() - interval '1 hour'"
    }
}

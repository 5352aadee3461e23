import FoundationEssentials
import Postgres

extension Jobs {
    /// Puts one job into the queue. A statement of its own, so that it can travel in a `Batch`; affects 0 rows where its key is taken.
    package struct Enqueue: Statement {
        package static let sql: SQL<Self> = """
            insert into job (kind, queue, unique_key, payload, attempts, due_at)
            values (\(\.kind), \(\.queue), \(\.uniqueKey), \(\.payload), \(\.attempts), now() + make_interval(secs => \(\.delay)))
            on conflict (kind, unique_key) where state in ('ready', 'running') and unique_key is not null do nothing
            """
        let kind: String, queue: String, uniqueKey: String?, payload: JSON, attempts: Int, delay: Duration

        /// Throws `EncodingError` where the job has no JSON form.
        package init<J: Job>(_ job: J, after delay: Duration = .zero) throws {
            self.kind = J.kind
            self.queue = J.queue
            self.uniqueKey = job.uniqueKey
            self.payload = try JSON(bytes: [UInt8](JSONEncoder().encode(job)))
            self.attempts = J.attempts
            self.delay = delay
        }

        /// The text of a statement that puts its `job` into the queue where `condition` holds when it runs. It affects 0 rows where the
        /// condition does not hold, or where the key is taken.
        package static func sql<S>(_ job: any KeyPath<S, Enqueue> & Sendable, where condition: SQL<S>) -> SQL<S> {
            let values: SQL<Enqueue> =
                "\(\.kind), \(\.queue), \(\.uniqueKey), \(\.payload), \(\.attempts), now() + make_interval(secs => \(\.delay))"
            return """
                insert into job (kind, queue, unique_key, payload, attempts, due_at)
                select \(values.of(job))
                 where \(condition)
                on conflict (kind, unique_key) where state in ('ready', 'running') and unique_key is not null do nothing
                """
        }
    }

    /// Leases up to `limit` due jobs of one queue to `worker`, those that are due longest first; served by the indexes `job_ready` and
    /// `job_suspect`. Of those whose worker was lost before at most one is among them, and none unless `takesSuspect`. Kinds that this
    /// worker has no handler for are left to others. None where the queue is paused.
    struct Claim: Statement {
        static let sql: SQL<Self> = """
            with suspect as materialized (
                select id
                  from job
                 where queue = \(\.queue)
                   and state = 'ready'
                   and lease_losses > 0
                   and due_at <= now()
                   and kind = any(\(\.kinds))
                   and not exists (select from job_pause where job_pause.queue = \(\.queue))
                 order by due_at, id
                 limit \(\.suspects, "suspects")
                   for update skip locked
            ), fresh as materialized (
                select id
                  from job
                 where queue = \(\.queue)
                   and state = 'ready'
                   and lease_losses = 0
                   and due_at <= now()
                   and kind = any(\(\.kinds))
                   and not exists (select from job_pause where job_pause.queue = \(\.queue))
                 order by due_at, id
                 limit \(\.limit)
                   for update skip locked
            ), next as materialized (
                select id from suspect union all select id from fresh limit \(\.limit)
            )
            update job
               set state = 'running',
                   attempt = job.attempt + 1,
                   lease_token = job.lease_token + 1,
                   lease_until = now() + make_interval(secs => \(\.lease)),
                   worker = \(\.worker)
              from next
             where job.id = next.id
            returning job.id, job.lease_token, job.kind, job.payload, job.attempt, job.attempts, job.lease_losses > 0 as is_suspect
            """
        let queue: String, kinds: [String], limit: Int, lease: Duration, worker: String, takesSuspect: Bool
        private var suspects: Int { takesSuspect ? 1 : 0 }

        static func decode(_ columns: inout Columns) throws -> Claimed {
            Claimed(
                lease: Lease(job: try columns("id"), token: try columns("lease_token")), kind: try columns("kind"),
                payload: try columns("payload"),
                attempt: try columns("attempt"), attempts: try columns("attempts"), isSuspect: try columns("is_suspect")
            )
        }
    }

    /// Names one run of one job.
    struct Lease: Hashable, Sendable {
        let job: Int64
        let token: Int64
    }

    /// A job that was leased to this worker.
    struct Claimed: Sendable {
        let lease: Lease
        let kind: String
        let payload: JSON
        let attempt: Int
        let attempts: Int
        /// A worker was lost that ran it.
        let isSuspect: Bool
    }

    /// Heartbeat: extends the leases that are still held and gives their jobs.
    struct Renew: Statement {
        static let sql: SQL<Self> = """
            update job
               set lease_until = now() + make_interval(secs => \(\.length))
              from unnest(\(\.leases, each: \.job)::bigint[], \(\.leases, each: \.token)::bigint[]) as held (id, token)
             where job.id = held.id
               and job.lease_token = held.token
               and job.state = 'running'
            returning job.id
            """
        let leases: [Lease], length: Duration
        typealias Output = Int64
    }

    /// Removes jobs that name an account, whatever their state.
    struct Forget: Statement {
        static let sql: SQL<Self> =
            "delete from job where payload ->> 'account' = \(\.account) or payload ->> 'reader' = \(\.account)"
        let account: String
    }

    /// Takes an account out of the `readers` of jobs that are about several, each of them an object with its `reader`.
    struct TakeOut: Statement {
        static let sql: SQL<Self> = """
            update job
               set payload = jsonb_set(payload, '{readers}', (
                       select coalesce(jsonb_agg(said.item order by said.place), '[]')
                         from jsonb_array_elements(payload -> 'readers') with ordinality said (item, place)
                        where said.item ->> 'reader' is distinct from \(\.account)))
             where payload -> 'readers' @> jsonb_build_array(jsonb_build_object('reader', \(\.account)::text))
            """
        let account: String
    }

    /// The job is done: its row goes. Affects 0 rows where the lease was lost.
    struct Finish: Statement {
        static let sql: SQL<Self> =
            "delete from job where id = \(\.lease.job) and lease_token = \(\.lease.token) and state = 'running'"
        let lease: Lease
    }

    /// The run failed: another one after `pause`, or dead where there were enough or `isFinal`. Gives whether it is dead; no row where
    /// the lease was lost.
    struct Fail: Statement {
        static let sql: SQL<Self> = """
            update job
               set state = case when \(\.isFinal) or attempt >= attempts then 'dead' else 'ready' end,
                   ended_at = case when \(\.isFinal) or attempt >= attempts then now() end,
                   due_at = now() + make_interval(secs => \(\.pause)),
                   lease_until = null,
                   worker = null,
                   last_error = left(\(\.reason), 1000)
             where id = \(\.lease.job)
               and lease_token = \(\.lease.token)
               and state = 'running'
            returning state = 'dead'
            """
        let lease: Lease, pause: Duration, isFinal: Bool, reason: String
        typealias Output = Bool
    }

    /// Gives a job back unharmed: the run that was cut short by a shutdown does not count.
    struct Release: Statement {
        static let sql: SQL<Self> = """
            update job
               set state = 'ready',
                   attempt = attempt - 1,
                   due_at = now(),
                   lease_until = null,
                   worker = null
             where id = \(\.lease.job)
               and lease_token = \(\.lease.token)
               and state = 'running'
            """
        let lease: Lease
    }

    /// Takes the jobs of lost workers away from them, at most 1,000 at a time; served by the index `job_running`. A job of `worker`, who asks
    /// and so is not lost (the database was), is given back unharmed; any other loss counts, and before the last one that a job may have it
    /// waits for `pause`.
    struct Rescue: Statement {
        static let sql: SQL<Self> = """
            with lost as materialized (
                select id, worker is distinct from \(\.worker) as counts,
                       worker is distinct from \(\.worker) and (lease_losses + 1 >= \(\.losses) or attempt >= attempts) as is_final
                  from job
                 where state = 'running'
                   and lease_until < now()
                 order by lease_until
                 limit 1000
                   for update skip locked
            )
            update job
               set state = case when lost.is_final then 'dead' else 'ready' end,
                   ended_at = case when lost.is_final then now() end,
                   lease_losses = job.lease_losses + lost.counts::int,
                   attempt = job.attempt - (not lost.counts)::int,
                   due_at = now() + make_interval(secs => case when lost.counts and job.lease_losses + 2 = \(\.losses) then \(\.pause)::float8 else 0 end),
                   lease_until = null,
                   worker = null,
                   last_error = 'its worker was lost: ' || coalesce(job.worker, 'unknown')
              from lost
             where job.id = lost.id
            returning job.id, job.kind, job.queue, lost.is_final
            """
        let losses: Int, worker: String, pause: Duration

        static func decode(_ columns: inout Columns) throws -> Rescued {
            Rescued(
                job: try columns("id"), kind: try columns("kind"), queue: try columns("queue"),
                isDead: try columns("is_final"))
        }
    }

    /// A job that was taken from a lost worker.
    struct Rescued: Sendable {
        let job: Int64
        let kind: String
        let queue: String
        let isDead: Bool
    }
}

import Postgres

extension EventLog {
    /// Every statement of the event log, so that a test can prepare each one.
    package static let statements: [any Statement.Type] = [
        Statements.Append.self, Statements.OutboxWaits.self, Statements.Look.self, Statements.Terms.self,
        Statements.LockHead.self, Statements.MoveOutbox.self,
        Statements.ReadHead.self, Statements.ReadStanding.self, Statements.After.self, Statements.Page.self,
        Statements.CountPage.self,
        Statements.Lead.self, Statements.Prove.self, Statements.Ring.self, Statements.RunUpkeep.self,
        Statements.TrimHeads.self, Statements.RedactOutbox.self, Statements.RedactLog.self,
        Statements.ReplaceInOutbox.self, Statements.ReplaceInLog.self,
        Statements.PutState.self, Statements.ReadState.self,
    ]

    package enum Statements {}
}

extension EventLog.Statements {
    /// One row in the outbox.
    package struct Append: Statement {
        package static let sql: SQL<Self> = """
            insert into outbox (id, kind, version, topics, owner_id, subject_kind, subject_id, at, data)
            values (\(\.event.id), \(\.event.kind), \(\.event.version), \(\.topics, "topics"), \(\.event.owner),
                    \(\.event.subjectKind), \(\.event.subject), \(\.event.at), \(\.event.data))
            """
        let event: NewEvent
        private var topics: [String] { event.topicNames }

        package init(event: NewEvent) { self.event = event }

        /// SQL of such a row of the statement's `event`, with a subject and data that are made when it is written: of `from`, what only
        /// locks of the transaction make certain. No row where `from` gives none.
        package static func sql<S>(
            _ event: any KeyPath<S, NewEvent> & Sendable, subject: SQL<S>, data: SQL<S>, from: SQL<S>
        ) -> SQL<S> {
            """
            insert into outbox (id, kind, version, topics, owner_id, subject_kind, subject_id, at, data)
            select \(facts.of(event)), \(subject), \(at.of(event)), \(data)
              from \(from)
            """
        }

        private static let facts: SQL<NewEvent> = """
            \(\.id)::bigint, \(\.kind)::text, \(\.version)::bigint, \(\.topicNames, "topics")::text[], \(\.owner)::bigint, \(\.subjectKind)::text
            """
        private static let at: SQL<NewEvent> = "\(\.at)::timestamptz"
    }

    /// Empties what one owner said and the relay has not taken. The outbox holds next to nothing, so it is read whole.
    struct RedactOutbox: Statement {
        static let sql: SQL<Self> = "update outbox set data = '{}' where owner_id = \(\.owner)"
        let owner: Int64
    }

    /// Empties what one owner said in the log; index `event_of_owner`.
    struct RedactLog: Statement {
        static let sql: SQL<Self> = "update event set data = '{}' where owner_id = \(\.owner) and data <> '{}'"
        let owner: Int64
    }

    /// What one owner's words become at a path: an object that says as much of the owner as `value` does, not one that names the owner alone.
    package struct Replacement: Sendable {
        let owner: Int64
        let path: [String]
        let value: JSON

        /// What `set data = …` is, and the condition for it.
        static let sql: SQL<Self> = """
            set data = jsonb_set(data, \(\.path), \(\.value))
                 where owner_id = \(\.owner)
                   and data #>> (\(\.path)::text[] || array['id']) = \(\.owner)::text
                   and data #> \(\.path) ?& array(select jsonb_object_keys(\(\.value)))
                   and data #> \(\.path) <> \(\.value)
            """
    }

    struct ReplaceInOutbox: Statement {
        static let sql: SQL<Self> = "update outbox \(Replacement.sql.of(\Self.replacement))"
        let replacement: Replacement
    }

    /// Index `event_of_owner`.
    struct ReplaceInLog: Statement {
        static let sql: SQL<Self> = "update event \(Replacement.sql.of(\Self.replacement))"
        let replacement: Replacement
    }

    /// Whether the relay has anything to do. Read-only, so that polling an idle server writes nothing.
    struct OutboxWaits: Statement {
        static let sql: SQL<Self> = "select exists (select from outbox)"
        typealias Output = Bool
    }

    /// What tells a follower whether anybody moves what waits.
    struct Look: Statement {
        static let sql: SQL<Self> = "select exists (select from outbox) as waits, seq from event_head"
        static func decode(_ columns: inout Columns) throws -> EventLog.Relay.Look {
            EventLog.Relay.Look(waits: try columns("waits"), seq: try columns("seq"))
        }
    }

    /// For the connection that moves: it waits for the fence no longer than a second, and keeps it no longer without working. A machine that
    /// is cut off in the middle of a message loses it after 8 s.
    struct Terms: Statement {
        static let sql: SQL<Self> = """
            select set_config('lock_timeout', '1s', false), set_config('idle_in_transaction_session_timeout', '1s', false),
                   set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '1', false),
                   set_config('tcp_keepalives_count', '3', false)
            """
    }

    /// Takes the fence: the transaction that holds this row's lock is the only one that gives out seqs.
    struct LockHead: Statement {
        static let sql: SQL<Self> = "select seq from event_head for update"
    }

    /// Moves up to `limit` committed rows of the outbox to the end of the log. Affects as many rows as it moved.
    ///
    /// Must follow `LockHead` in the same transaction, as a statement of its own: only a snapshot taken after the lock
    /// was granted sees what the holder before has written. It touches one partition of the log, or two at an edge: what was before on
    /// a topic stands in `event_topic_head`, which the database keeps.
    struct MoveOutbox: Statement {
        static let sql: SQL<Self> = """
            with head as (
                select seq, oldest from event_head
            ), batch as (
                delete from outbox
                 where position = any (array(select position from outbox order by position limit \(\.limit)))
                returning position, id, kind, version, topics, owner_id, subject_kind, subject_id, at, data
            ), numbered as (
                select (select seq from head) + row_number() over (order by batch.position) as seq, batch.*
                  from batch
            ), advanced as (
                update event_head
                   set seq = (select max(seq) from numbered)
                 where exists (select from numbered)
            ), placed as (
                select place.topic collate "C" as topic, numbered.seq,
                       lag(numbered.seq) over (partition by place.topic collate "C" order by numbered.seq) as prev
                  from numbered cross join unnest(numbered.topics) as place (topic)
            ), indexed as (
                insert into event_topic (topic, seq, prev)
                select placed.topic, placed.seq,
                       coalesce(placed.prev,
                                (select last.seq
                                   from event_topic_head last
                                  where last.topic = placed.topic
                                    and last.seq >= (select oldest from head)),
                                0)
                  from placed
            )
            insert into event (seq, id, kind, version, topics, owner_id, subject_kind, subject_id, at, data)
            select seq, id, kind, version, topics, owner_id, subject_kind, subject_id, at, data
              from numbered
            """
        let limit: Int
    }

    /// Where the log is.
    package struct ReadHead: Statement {
        package static let sql: SQL<Self> = """
            select server.epoch, event_head.seq, event_head.oldest
              from event_head cross join server
            """

        package init() {}

        package static func decode(_ columns: inout Columns) throws -> EventLog.Head {
            EventLog.Head(epoch: try columns("epoch"), seq: try columns("seq"), oldest: try columns("oldest"))
        }
    }

    /// Where the log begins and ends, and what waits before it.
    struct ReadStanding: Statement {
        static let sql: SQL<Self> = """
            select waiting.count as outbox, waiting.age as waited, event_head.seq, event_head.oldest,
                   coalesce((select extract(epoch from now() - event.logged_at)::float8
                               from event
                              where event.seq = event_head.oldest), 0) as kept
              from event_head
             cross join (select count(*) as count, greatest(extract(epoch from now() - min(early.at)), 0)::float8 as age
                           from (select at from outbox order by position limit \(EventLog.Standing.most)) early) waiting
            """

        static func decode(_ columns: inout Columns) throws
            -> (outbox: Int, waited: Duration, seq: Int64, oldest: Int64, kept: Duration)
        {
            (
                try columns("outbox"), try columns("waited"), try columns("seq"), try columns("oldest"),
                try columns("kept")
            )
        }
    }

    /// The events in the next `limit` places of the log, whatever they concern. Bounds on both ends, and on the places too, let the planner
    /// pass over all other partitions.
    struct After: Statement {
        static let sql: SQL<Self> = """
            select event.topics,
                   array(select place.prev
                           from unnest(event.topics) with ordinality as named (topic, number)
                           join event_topic place on place.topic = named.topic collate "C" and place.seq = event.seq
                                                  and place.seq > \(\.seq)::bigint and place.seq <= \(\.seq)::bigint + \(\.limit)::bigint
                          order by named.number) as prevs,
                   event.seq, event.id, event.kind, event.version, event.owner_id, event.subject_kind, event.subject_id, event.at, event.data
              from event
             where event.seq > \(\.seq)::bigint and event.seq <= \(\.seq)::bigint + \(\.limit)::bigint
             order by event.seq
            """
        let seq: Int64, limit: Int
        typealias Output = LoggedEvent
    }

    /// The events on any of `topics` in `(after, through]`, each once, oldest first. Reads at most `limit` index rows a
    /// topic, in the partitions between the two. Like every statement it names `event` before `event_topic`, the order in which upkeep
    /// locks them.
    struct Page: Statement {
        static let sql: SQL<Self> = """
            select event.topics,
                   array(select place.prev
                           from unnest(event.topics) with ordinality as named (topic, number)
                           join event_topic place on place.topic = named.topic collate "C" and place.seq = event.seq
                                                  and place.seq > \(\.after) and place.seq <= \(\.through)
                          order by named.number) as prevs,
                   event.seq, event.id, event.kind, event.version, event.owner_id, event.subject_kind, event.subject_id, event.at, event.data
              from event
              join (select distinct found.seq
                      from unnest(\(\.topics)::text[]) as wanted (topic)
                     cross join lateral (select event_topic.seq
                                           from event_topic
                                          where event_topic.topic = wanted.topic collate "C"
                                            and event_topic.seq > \(\.after)
                                            and event_topic.seq <= \(\.through)
                                          order by event_topic.seq
                                          limit \(\.limit)) found
                     order by found.seq
                     limit \(\.limit)) chosen on chosen.seq = event.seq
             where event.seq > \(\.after) and event.seq <= \(\.through)
             order by event.seq
            """
        let topics: [String], after: Int64, through: Int64, limit: Int
        typealias Output = LoggedEvent
    }

    /// How many events `Page` would give in all, counted up to `limit`.
    struct CountPage: Statement {
        static let sql: SQL<Self> = """
            select count(*)
              from (select distinct found.seq
                      from unnest(\(\.topics)::text[]) as wanted (topic)
                     cross join lateral (select event_topic.seq
                                           from event_topic
                                          where event_topic.topic = wanted.topic collate "C"
                                            and event_topic.seq > \(\.after)
                                            and event_topic.seq <= \(\.through)
                                          order by event_topic.seq
                                          limit \(\.limit)) found
                     limit \(\.limit)) chosen
            """
        let topics: [String], after: Int64, through: Int64, limit: Int
        typealias Output = Int64
    }

    /// Takes the relay's leadership: a lock of the session, which ends with the connection. True for the leader.
    struct Lead: Statement {
        static let sql: SQL<Self> = "select pg_try_advisory_lock(\(\.key, "key"))"
        /// Arbitrary, fixed for ever, the same for every process of a cluster.
        static let key: Int64 = 0x434F_4D4D_4F4E
        typealias Output = Bool
        private var key: Int64 { Self.key }
    }

    /// Fails where the leader's connection has gone, and the lock with it.
    struct Prove: Statement {
        static let sql: SQL<Self> = "select"
    }

    /// Tells the other processes. It may be lost without harm, so its commit need not wait for the disk.
    struct Ring: Statement {
        static let sql: SQL<Self> = """
            select set_config('synchronous_commit', 'off', true), pg_notify(\(\.channel), \(\.ringer)::text)
            """
        let channel: String
        /// The process that rings, which passes over what it hears of itself.
        let ringer: Int64
    }
}

extension EventLog.Statements {
    /// Makes the partitions of the log that are missing ahead and drops those past keeping: all with the rights of the tables' owner.
    struct RunUpkeep: Statement {
        static let sql: SQL<Self> = "select event_upkeep(\(\.days, "days"), \(\.events, "events"))"
        let keeping: EventLog.Keeping
        private var days: Int { keeping.days }
        private var events: Int { keeping.events }

        /// Partitions made, cut and dropped.
        typealias Output = Int
    }

    /// Deletes those of the next `limit` heads after the topic `after` that are older than the log. Gives the last topic that it looked at;
    /// none at the end. It passes over what a move holds, and so never waits for one.
    struct TrimHeads: Statement {
        static let sql: SQL<Self> = """
            with looked as (
                select topic from event_topic_head where topic > \(\.after) order by topic limit \(\.limit)
            ), expired as (
                select last.topic
                  from event_topic_head last
                 where last.topic in (select topic from looked)
                   and last.seq < (select oldest from event_head)
                   for update skip locked
            ), gone as (
                delete from event_topic_head using expired where event_topic_head.topic = expired.topic
            )
            select max(topic) from looked
            """
        let after: String, limit: Int
        typealias Output = String?
    }
}

extension NewEvent {
    /// Each once, in their order.
    package var topicNames: [String] {
        topics.reduce(into: []) { names, topic in if !names.contains(topic.name) { names.append(topic.name) } }
    }
}

extension LoggedEvent: RowReadable {
    /// The columns of `After` and `Page`, in their order.
    package init(_ columns: inout Columns) throws {
        let (names, prevs): ([String], [Int64]) = (try columns("topics"), try columns("prevs"))
        guard names.count == prevs.count else {
            throw PostgresError(.decoding, message: "the topic index does not match the event")
        }
        self.init(
            seq: try columns("seq"), id: try columns("id"), kind: try columns("kind"),
            version: Int(try columns("version") as Int64),
            places: zip(names, prevs).map { Place(topic: Topic($0), prev: $1) },
            owner: try columns("owner_id"), subjectKind: try columns("subject_kind"),
            subject: try columns("subject_id"), at: try columns("at"), data: try columns("data"))
    }
}

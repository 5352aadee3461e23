import Postgres

extension EventLog {
    /// Every statement of the event log, so that a test can prepare each one.
    package static let statements: [any Statement.Type] = [
        Statements.Append.self, Statements.OutboxWaits.self, Statements.Look.self, Statements.Terms.self,
        Statements.LockHead.self, Statements.MoveOutbox.self,
        Statements.ReadHead.self, Statements.After.self, Statements.Page.self, Statements.CountPage.self,
        Statements.Lead.self, Statements.Prove.self, Statements.Ring.self, Statements.OldestToKeep.self,
        Statements.ForgetIndex.self,
        Statements.Forget.self, Statements.MoveOldest.self, Statements.RedactOutbox.self, Statements.RedactLog.self,
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

    /// Moves up to `limit` committed rows of the outbox to the end of the log. Affects one row, or none where the
    /// outbox was empty.
    ///
    /// Must follow `LockHead` in the same transaction, as a statement of its own: only a snapshot taken after the lock
    /// was granted sees what the holder before has written.
    struct MoveOutbox: Statement {
        static let sql: SQL<Self> = """
            with head as (
                select seq from event_head
            ), batch as (
                delete from outbox
                 where position = any (array(select position from outbox order by position limit \(\.limit)))
                returning position, id, kind, version, topics, owner_id, subject_kind, subject_id, at, data
            ), numbered as (
                select head.seq + row_number() over (order by batch.position) as seq, batch.*
                  from batch cross join head
            ), logged as (
                insert into event (seq, id, kind, version, topics, owner_id, subject_kind, subject_id, at, data)
                select seq, id, kind, version, topics, owner_id, subject_kind, subject_id, at, data
                  from numbered
            ), placed as (
                select place.topic collate "C" as topic, numbered.seq,
                       lag(numbered.seq) over (partition by place.topic collate "C" order by numbered.seq) as prev
                  from numbered cross join unnest(numbered.topics) as place (topic)
            ), indexed as (
                insert into event_topic (topic, seq, prev)
                select placed.topic, placed.seq,
                       coalesce(placed.prev, (select max(before.seq) from event_topic before where before.topic = placed.topic), 0)
                  from placed
            )
            update event_head
               set seq = (select max(seq) from numbered)
             where exists (select from numbered)
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

    /// The next events in the order of the log, whatever they concern.
    struct After: Statement {
        static let sql: SQL<Self> = """
            select event.topics,
                   array(select place.prev
                           from unnest(event.topics) with ordinality as named (topic, number)
                           join event_topic place on place.topic = named.topic collate "C" and place.seq = event.seq
                          order by named.number) as prevs,
                   event.seq, event.id, event.kind, event.version, event.owner_id, event.subject_kind, event.subject_id, event.at, event.data
              from event
             where event.seq > \(\.seq)
             order by event.seq
             limit \(\.limit)
            """
        let seq: Int64, limit: Int
        typealias Output = LoggedEvent
    }

    /// The events on any of `topics` in `(after, through]`, each once, oldest first. Reads at most `limit` index rows a
    /// topic.
    struct Page: Statement {
        static let sql: SQL<Self> = """
            select event.topics,
                   array(select place.prev
                           from unnest(event.topics) with ordinality as named (topic, number)
                           join event_topic place on place.topic = named.topic collate "C" and place.seq = event.seq
                          order by named.number) as prevs,
                   event.seq, event.id, event.kind, event.version, event.owner_id, event.subject_kind, event.subject_id, event.at, event.data
              from (select distinct found.seq
                      from unnest(\(\.topics)::text[]) as wanted (topic)
                     cross join lateral (select event_topic.seq
                                           from event_topic
                                          where event_topic.topic = wanted.topic collate "C"
                                            and event_topic.seq > \(\.after)
                                            and event_topic.seq <= \(\.through)
                                          order by event_topic.seq
                                          limit \(\.limit)) found
                     order by found.seq
                     limit \(\.limit)) chosen
              join event on event.seq = chosen.seq
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
        static let sql: SQL<Self> = "select set_config('synchronous_commit', 'off', true), pg_notify(\(\.channel), '')"
        let channel: String
    }
}

extension EventLog.Statements {
    /// The seq before which up to `limit` events are older than `age_seconds`; none where nothing is.
    struct OldestToKeep: Statement {
        static let sql: SQL<Self> = """
            select max(seq) + 1
              from (select seq, logged_at
                      from event
                     order by seq
                     limit \(\.limit)) oldest
             where logged_at < now() - make_interval(secs => \(\.age))
            """
        let limit: Int, age: Duration
        typealias Output = Int64?
    }

    /// First of three, in this order and one transaction: readers that find an event gone must find `oldest` moved.
    struct MoveOldest: Statement {
        static let sql: SQL<Self> = "update event_head set oldest = \(\.oldest) where oldest < \(\.oldest)"
        let oldest: Int64
    }

    struct ForgetIndex: Statement {
        static let sql: SQL<Self> = """
            delete from event_topic
             using (select event.seq, named.topic
                      from event cross join unnest(event.topics) as named (topic)
                     where event.seq < \(\.oldest)) gone
             where event_topic.topic = gone.topic collate "C"
               and event_topic.seq = gone.seq
            """
        let oldest: Int64
    }

    struct Forget: Statement {
        static let sql: SQL<Self> = "delete from event where seq < \(\.oldest)"
        let oldest: Int64
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

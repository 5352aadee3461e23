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
        package static let name = "eventlog.append"
        package static let sql = """
            insert into outbox (id, kind, version, topics, owner_id, subject_kind, subject_id, at, data)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """
        let event: NewEvent

        package init(event: NewEvent) { self.event = event }

        /// SQL of the same row, bound alike, with a subject and data that are made when it is written: of `from`, what
        /// only locks of the transaction make certain. No row where `from` gives none. Expressions written by the
        /// domains, never input.
        package static func sql(subject: String, data: String, from: String) -> String {
            """
            insert into outbox (id, kind, version, topics, owner_id, subject_kind, subject_id, at, data)
            select $1::bigint, $2::text, $3::bigint, $4::text[], $5::bigint, $6::text, \(subject), $8::timestamptz, \(data)
              from \(from)
            """
        }

        package func bind(to parameters: inout Parameters) {
            var topics: [String] = []
            for topic in event.topics where !topics.contains(topic.name) { topics.append(topic.name) }
            parameters.append(event.id)
            parameters.append(event.kind)
            parameters.append(Int64(event.version))
            parameters.append(topics)
            parameters.append(event.owner)
            parameters.append(event.subjectKind)
            parameters.append(event.subject)
            parameters.append(event.at)
            parameters.append(event.data)
        }
    }

    /// Empties what one owner said and the relay has not taken. The outbox holds next to nothing, so it is read whole.
    struct RedactOutbox: Statement {
        static let name = "eventlog.redact_outbox"
        static let sql = "update outbox set data = '{}' where owner_id = $1"
        let owner: Int64
        func bind(to parameters: inout Parameters) { parameters.append(owner) }
    }

    /// Empties what one owner said in the log; index `event_of_owner`.
    struct RedactLog: Statement {
        static let name = "eventlog.redact_log"
        static let sql = "update event set data = '{}' where owner_id = $1 and data <> '{}'"
        let owner: Int64
        func bind(to parameters: inout Parameters) { parameters.append(owner) }
    }

    /// What `set data = …` and the condition for it are, of one owner ($1) at a path ($2): an object that says as much
    /// of the owner as `$3` does, not one that names the owner alone.
    private static let replacing = """
        set data = jsonb_set(data, $2, $3)
             where owner_id = $1
               and data #>> ($2::text[] || array['id']) = $1::text
               and data #> $2 ?& array(select jsonb_object_keys($3))
               and data #> $2 <> $3
        """

    struct ReplaceInOutbox: Statement {
        static let name = "eventlog.replace_in_outbox"
        static let sql = "update outbox " + replacing
        let owner: Int64
        let path: [String]
        let value: JSON
        func bind(to parameters: inout Parameters) {
            parameters.append(owner)
            parameters.append(path)
            parameters.append(value)
        }
    }

    /// Index `event_of_owner`.
    struct ReplaceInLog: Statement {
        static let name = "eventlog.replace_in_log"
        static let sql = "update event " + replacing
        let owner: Int64
        let path: [String]
        let value: JSON
        func bind(to parameters: inout Parameters) {
            parameters.append(owner)
            parameters.append(path)
            parameters.append(value)
        }
    }

    /// Whether the relay has anything to do. Read-only, so that polling an idle server writes nothing.
    struct OutboxWaits: Statement {
        static let name = "eventlog.outbox_waits"
        static let sql = "select exists (select from outbox)"
        static func decode(_ row: borrowing Row) throws -> Bool { try row[0] }
    }

    /// What tells a follower whether anybody moves what waits.
    struct Look: Statement {
        static let name = "eventlog.look"
        static let sql = "select exists (select from outbox), seq from event_head"
        static func decode(_ row: borrowing Row) throws -> EventLog.Relay.Look {
            EventLog.Relay.Look(waits: try row[0], seq: try row[1])
        }
    }

    /// For the connection that moves: it waits for the fence no longer than a second, and keeps it no longer without working. A machine that
    /// is cut off in the middle of a message loses it after 8 s.
    struct Terms: Statement {
        static let name = "eventlog.terms"
        static let sql = """
            select set_config('lock_timeout', '1s', false), set_config('idle_in_transaction_session_timeout', '1s', false),
                   set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '1', false),
                   set_config('tcp_keepalives_count', '3', false)
            """
    }

    /// Takes the fence: whoever holds this row's lock is the only one that gives out seqs.
    struct LockHead: Statement {
        static let name = "eventlog.lock_head"
        static let sql = "select seq from event_head for update"
    }

    /// Moves up to `limit` committed rows of the outbox to the end of the log. Affects one row, or none where the
    /// outbox was empty.
    ///
    /// Must follow `LockHead` in the same transaction, as a statement of its own: only a snapshot taken after the lock
    /// was granted sees what the holder before has written.
    struct MoveOutbox: Statement {
        static let name = "eventlog.move_outbox"
        static let sql = """
            with head as (
                select seq from event_head
            ), batch as (
                delete from outbox
                 where position = any (array(select position from outbox order by position limit $1))
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
        func bind(to parameters: inout Parameters) { parameters.append(Int64(limit)) }
    }

    /// Where the log is.
    package struct ReadHead: Statement {
        package static let name = "eventlog.read_head"
        package static let sql = """
            select server.epoch, event_head.seq, event_head.oldest
              from event_head cross join server
            """

        package init() {}

        package static func decode(_ row: borrowing Row) throws -> EventLog.Head {
            EventLog.Head(epoch: try row[0], seq: try row[1], oldest: try row[2])
        }
    }

    /// The next events in the order of the log, whatever they concern.
    struct After: Statement {
        static let name = "eventlog.after"
        static let sql = """
            select event.seq, event.id, event.kind, event.version, event.topics,
                   array(select place.prev
                           from unnest(event.topics) with ordinality as named (topic, number)
                           join event_topic place on place.topic = named.topic collate "C" and place.seq = event.seq
                          order by named.number),
                   event.owner_id, event.subject_kind, event.subject_id, event.at, event.data
              from event
             where event.seq > $1
             order by event.seq
             limit $2
            """
        let seq: Int64
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(seq)
            parameters.append(Int64(limit))
        }
        static func decode(_ row: borrowing Row) throws -> LoggedEvent { try LoggedEvent(row) }
    }

    /// The events on any of `topics` in `(after, through]`, each once, oldest first. Reads at most `limit` index rows a
    /// topic.
    struct Page: Statement {
        static let name = "eventlog.page"
        static let sql = """
            select event.seq, event.id, event.kind, event.version, event.topics,
                   array(select place.prev
                           from unnest(event.topics) with ordinality as named (topic, number)
                           join event_topic place on place.topic = named.topic collate "C" and place.seq = event.seq
                          order by named.number),
                   event.owner_id, event.subject_kind, event.subject_id, event.at, event.data
              from (select distinct found.seq
                      from unnest($1::text[]) as wanted (topic)
                     cross join lateral (select event_topic.seq
                                           from event_topic
                                          where event_topic.topic = wanted.topic collate "C"
                                            and event_topic.seq > $2
                                            and event_topic.seq <= $3
                                          order by event_topic.seq
                                          limit $4) found
                     order by found.seq
                     limit $4) chosen
              join event on event.seq = chosen.seq
             order by event.seq
            """
        let topics: [String]
        let after: Int64
        let through: Int64
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(topics)
            parameters.append(after)
            parameters.append(through)
            parameters.append(Int64(limit))
        }
        static func decode(_ row: borrowing Row) throws -> LoggedEvent { try LoggedEvent(row) }
    }

    /// How many events `Page` would give in all, counted up to `limit`.
    struct CountPage: Statement {
        static let name = "eventlog.count_page"
        static let sql = """
            select count(*)
              from (select distinct found.seq
                      from unnest($1::text[]) as wanted (topic)
                     cross join lateral (select event_topic.seq
                                           from event_topic
                                          where event_topic.topic = wanted.topic collate "C"
                                            and event_topic.seq > $2
                                            and event_topic.seq <= $3
                                          order by event_topic.seq
                                          limit $4) found
                     limit $4) chosen
            """
        let topics: [String]
        let after: Int64
        let through: Int64
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(topics)
            parameters.append(after)
            parameters.append(through)
            parameters.append(Int64(limit))
        }
        static func decode(_ row: borrowing Row) throws -> Int64 { try row[0] }
    }

    /// Takes the relay's leadership: a lock of the session, which ends with the connection. True for the leader.
    struct Lead: Statement {
        static let name = "eventlog.lead"
        static let sql = "select pg_try_advisory_lock($1)"
        /// Arbitrary, fixed for ever, the same for every process of a cluster.
        static let key: Int64 = 0x434F_4D4D_4F4E
        static func decode(_ row: borrowing Row) throws -> Bool { try row[0] }
        func bind(to parameters: inout Parameters) { parameters.append(Self.key) }
    }

    /// Fails where the leader's connection has gone, and the lock with it.
    struct Prove: Statement {
        static let name = "eventlog.prove"
        static let sql = "select"
    }

    /// Tells the other processes. It may be lost without harm, so its commit need not wait for the disk.
    struct Ring: Statement {
        static let name = "eventlog.ring"
        static let sql = "select set_config('synchronous_commit', 'off', true), pg_notify($1, '')"
        let channel: String
        func bind(to parameters: inout Parameters) { parameters.append(channel) }
    }
}

extension EventLog.Statements {
    /// The seq before which up to `limit` events are older than `age_seconds`; none where nothing is.
    struct OldestToKeep: Statement {
        static let name = "eventlog.oldest_to_keep"
        static let sql = """
            select max(seq) + 1
              from (select seq, logged_at
                      from event
                     order by seq
                     limit $1) oldest
             where logged_at < now() - make_interval(secs => $2)
            """
        let limit: Int
        let age: Duration
        func bind(to parameters: inout Parameters) {
            parameters.append(Int64(limit))
            parameters.append(Double(age.components.seconds))
        }
        static func decode(_ row: borrowing Row) throws -> Int64? { try row[0] }
    }

    /// First of three, in this order and one transaction: readers that find an event gone must find `oldest` moved.
    struct MoveOldest: Statement {
        static let name = "eventlog.move_oldest"
        static let sql = "update event_head set oldest = $1 where oldest < $1"
        let oldest: Int64
        func bind(to parameters: inout Parameters) { parameters.append(oldest) }
    }

    struct ForgetIndex: Statement {
        static let name = "eventlog.forget_index"
        static let sql = """
            delete from event_topic
             using (select event.seq, named.topic
                      from event cross join unnest(event.topics) as named (topic)
                     where event.seq < $1) gone
             where event_topic.topic = gone.topic collate "C"
               and event_topic.seq = gone.seq
            """
        let oldest: Int64
        func bind(to parameters: inout Parameters) { parameters.append(oldest) }
    }

    struct Forget: Statement {
        static let name = "eventlog.forget"
        static let sql = "delete from event where seq < $1"
        let oldest: Int64
        func bind(to parameters: inout Parameters) { parameters.append(oldest) }
    }
}

extension LoggedEvent {
    /// The columns of `After` and `Page`, in their order.
    fileprivate init(_ row: borrowing Row) throws {
        let names: [String] = try row[4]
        let prevs: [Int64] = try row[5]
        guard names.count == prevs.count else {
            throw PostgresError(.decoding, message: "the topic index does not match the event")
        }
        let version: Int64 = try row[3]
        self.init(
            seq: try row[0], id: try row[1], kind: try row[2], version: Int(version),
            places: zip(names, prevs).map { Place(topic: Topic($0), prev: $1) },
            owner: try row[6], subjectKind: try row[7], subject: try row[8], at: try row[9], data: try row[10])
    }
}

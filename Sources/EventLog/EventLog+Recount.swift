import Postgres

extension EventLog {
    /// What `commonplace check` looks at.
    package static let recounts: [any Recount.Type] = [
        Recounts.Dense.self, Recounts.Head.self, Recounts.Index.self, Recounts.Chains.self,
    ]

    enum Recounts {}
}

extension EventLog.Recounts {
    struct Dense: Recount {
        static let rule = "The log has no holes."
        static let sql: SQL<Self> = """
            select 'event ' || before || ' is followed by ' || seq
              from (select seq, lag(seq) over (order by seq) as before from event) link
             where seq <> before + 1
             limit 1000
            """
    }

    struct Head: Recount {
        static let rule = "The head names the last and the first event of the log."
        static let sql: SQL<Self> = """
            select 'the head says ' || event_head.oldest || ' to ' || event_head.seq || ', the log has '
                   || coalesce(log.oldest, event_head.seq + 1) || ' to ' || coalesce(log.newest, event_head.seq)
              from event_head, (select min(seq) as oldest, max(seq) as newest from event) log
             where event_head.seq <> coalesce(log.newest, event_head.seq)
                or event_head.oldest <> coalesce(log.oldest, event_head.seq + 1)
            """
    }

    struct Index: Recount {
        static let rule = "The topic index names exactly the topics of each event."
        static let sql: SQL<Self> = """
            select 'event ' || coalesce(listed.seq, indexed.seq) || ' and topic ' || coalesce(listed.topic, indexed.topic)
                   || case when indexed.seq is null then ': not in the index' else ': only in the index' end
              from (select event.seq, unnest(event.topics) collate "C" as topic from event) listed
              full join event_topic indexed on indexed.seq = listed.seq and indexed.topic = listed.topic
             where listed.seq is null or indexed.seq is null
             limit 1000
            """
    }

    struct Chains: Recount {
        static let rule = "Each event of a topic names the one before it."
        static let sql: SQL<Self> = """
            select 'event ' || seq || ' of ' || topic || ' names ' || prev || ' before it, it is ' || before
              from (select topic, seq, prev, lag(seq) over (partition by topic order by seq) as before from event_topic) link
             where prev <> before
             limit 1000
            """
    }
}

import Postgres

extension EventLog {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "dense", "The log has no holes.",
            """
            select 'event ' || before || ' is followed by ' || seq
              from (select seq, lag(seq) over (order by seq) as before from event) link
             where seq <> before + 1
            """),
        Recount(
            "head", "The head names the last and the first event of the log.",
            """
            select 'the head says ' || event_head.oldest || ' to ' || event_head.seq || ', the log has '
                   || coalesce(log.oldest, event_head.seq + 1) || ' to ' || coalesce(log.newest, event_head.seq)
              from event_head, (select min(seq) as oldest, max(seq) as newest from event) log
             where event_head.seq <> coalesce(log.newest, event_head.seq)
                or event_head.oldest <> coalesce(log.oldest, event_head.seq + 1)
            """),
        Recount(
            "index", "The topic index names exactly the topics of each event.",
            """
            select 'event ' || coalesce(listed.seq, indexed.seq) || ' and topic ' || coalesce(listed.topic, indexed.topic)
                   || case when indexed.seq is null then ': not in the index' else ': only in the index' end
              from (select event.seq, unnest(event.topics) collate "C" as topic from event) listed
              full join event_topic indexed on indexed.seq = listed.seq and indexed.topic = listed.topic
             where listed.seq is null or indexed.seq is null
            """),
        Recount(
            "chains", "Each event of a topic names the one before it.",
            """
            select 'event ' || seq || ' of ' || topic || ' names ' || prev || ' before it, it is ' || before
              from (select topic, seq, prev, lag(seq) over (partition by topic order by seq) as before from event_topic) link
             where prev <> before
            """),
        Recount(
            "heads", "The head of each topic names its newest event.",
            """
            select 'the head of ' || coalesce(head.topic, newest.topic) || ' is ' || coalesce(head.seq::text, 'missing')
                   || ', its newest event ' || coalesce(newest.seq::text, 'expired')
              from (select topic, max(seq) as seq from event_topic group by topic) newest
              full join event_topic_head head on head.topic = newest.topic
             where case when newest.topic is null then head.seq >= (select oldest from event_head)
                        else head.seq is distinct from newest.seq end
            """),
    ]
}

import Postgres

extension Messages {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "unread", "What a reader has not read of a conversation is what the other sent since and did not delete.",
            """
            select 'conversation ' || side.conversation_id || ', reader ' || side.reader_id || ': stored ' || side.unread
                   || ' unread, counted ' || count(message.id)
              from conversation_reader side
              left join message on message.conversation_id = side.conversation_id
                               and message.seq > side.read_seq
                               and message.sender_id <> side.reader_id
                               and message.deleted_at is null
             group by side.conversation_id, side.reader_id
            having count(message.id) <> side.unread
            """),
        Recount(
            "tallies", "A reader's unread messages are those of the conversations that are not hidden.",
            """
            select 'reader ' || coalesce(stored.reader_id, counted.reader_id) || ': stored '
                   || coalesce(stored.unread_messages, 0) || ' unread messages, counted ' || coalesce(counted.unread, 0)
              from reader_tally stored
              full join (select side.reader_id, sum(side.unread) as unread
                           from conversation_reader side
                           join conversation on conversation.id = side.conversation_id
                          where not conversation.is_hidden
                          group by side.reader_id) counted
                on counted.reader_id = stored.reader_id
             where coalesce(stored.unread_messages, 0) <> coalesce(counted.unread, 0)
            """),
        Recount(
            "places",
            "The messages of a conversation stand at 1, 2, 3, … up to its last place, which nobody has read beyond.",
            """
            select 'conversation ' || conversation.id || ': last place ' || conversation.last_seq || ', '
                   || coalesce(counted.n, 0) || ' messages up to ' || coalesce(counted.last, 0)
              from conversation
              left join (select conversation_id, count(*) as n, max(seq) as last from message group by conversation_id) counted
                on counted.conversation_id = conversation.id
             where conversation.last_seq <> coalesce(counted.n, 0)
                or conversation.last_seq <> coalesce(counted.last, 0)
                or exists (select 1 from conversation_reader
                            where conversation_id = conversation.id and read_seq > conversation.last_seq)
            """),
        Recount(
            "hidden", "A conversation is hidden while one of its two blocks the other, and no longer.",
            """
            select 'conversation ' || conversation.id || case when is_hidden then ' is hidden' else ' is not hidden' end
              from conversation
             where is_hidden <> exists (select 1 from block
                                         where blocker_id = opener_id and blocked_id = partner_id
                                            or blocker_id = partner_id and blocked_id = opener_id)
            """),
        Recount(
            "sides", "A conversation has a side for each of its two, active at the same time, and for nobody else.",
            """
            select 'conversation ' || conversation.id || ' has ' || count(side.reader_id) || ' sides'
              from conversation
              left join conversation_reader side on side.conversation_id = conversation.id
             group by conversation.id
            having count(side.reader_id) <> num_nonnulls(conversation.opener_id, conversation.partner_id)
                or count(side.reader_id) filter (where side.reader_id in (conversation.opener_id, conversation.partner_id))
                   <> count(side.reader_id)
                or min(side.active_at) <> max(side.active_at)
            """),
    ]
}

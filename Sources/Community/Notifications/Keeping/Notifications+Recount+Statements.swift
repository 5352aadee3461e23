import Postgres

extension Notifications {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "tallies", "A reader's unread notifications are those rows that were not read.",
            """
            select 'reader ' || coalesce(stored.reader_id, counted.reader_id) || ': stored '
                   || coalesce(stored.unread_notifications, 0) || ' unread notifications, counted ' || coalesce(counted.n, 0)
              from reader_tally stored
              full join (select reader_id, count(*) as n
                           from notification
                          where read_at is null
                          group by reader_id) counted
                on counted.reader_id = stored.reader_id
             where coalesce(stored.unread_notifications, 0) <> coalesce(counted.n, 0)
            """),
        Recount(
            "actors", "A notification counts those whom it names.",
            """
            select 'notification ' || notification.id || ': stored ' || notification.actors || ' actors, counted ' || count(actor.actor_id)
              from notification
              left join notification_actor actor on actor.notification_id = notification.id
             group by notification.id
            having count(actor.actor_id) <> notification.actors
            """),
    ]
}

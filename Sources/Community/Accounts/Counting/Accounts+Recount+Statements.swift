import Postgres

extension Accounts {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "open_sessions", "Suspended, leaving and deleted accounts have no session.",
            """
            select 'account ' || account.id || ' is ' || account.state || ' and has ' || count(*) || ' sessions'
              from account
              join session on session.account_id = account.id
             where account.state in ('suspended', 'leaving', 'deleted')
             group by account.id, account.state
            """),
        Recount(
            "remains", "Nothing is left in the log of what deleted accounts said and did.",
            """
            select 'account ' || account.id || ' is deleted and has ' || part.name
              from account
             cross join lateral (
                   select 'events' as name where exists (select 1 from event where owner_id = account.id and data <> '{}')
                   union all
                   select 'events to come' where exists (select 1 from outbox where owner_id = account.id and data <> '{}')
                   ) part
             where account.state = 'deleted'
            """),
    ]
}

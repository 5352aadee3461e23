import Postgres

extension Accounts {
    /// What `commonplace check` looks at.
    package static let recounts: [any Recount.Type] = [Recounts.OpenSessions.self, Recounts.Remains.self]

    enum Recounts {}
}

extension Accounts.Recounts {
    struct OpenSessions: Recount {
        static let name = "accounts.recount_open_sessions"
        static let rule = "Suspended and deleted accounts have no session."
        static let sql = """
            select 'account ' || account.id || ' is ' || account.state || ' and has ' || count(*) || ' sessions'
              from account
              join session on session.account_id = account.id
             where account.state in ('suspended', 'deleted')
             group by account.id, account.state
             limit 1000
            """
    }

    struct Remains: Recount {
        static let name = "accounts.recount_remains"
        static let rule = "Nothing is left of what deleted accounts said, did and knew."
        static let sql = """
            select 'account ' || account.id || ' is deleted and has ' || part.name
              from account
             cross join lateral (
                   select 'reviews' as name where exists (select 1 from review where reader_id = account.id)
                   union all
                   select 'shelves' where exists (select 1 from shelf_entry where reader_id = account.id)
                       or exists (select 1 from shelf_tally where reader_id = account.id)
                   union all
                   select 'settings' where exists (select 1 from privacy where reader_id = account.id)
                       or exists (select 1 from reader_tally where reader_id = account.id)
                   union all
                   select 'lists' where exists (select 1 from book_list where reader_id = account.id)
                   union all
                   select 'libraries' where exists (select 1 from library where reader_id = account.id)
                       or exists (select 1 from library_member where reader_id = account.id or invited_by = account.id)
                       or exists (select 1 from library_link where reader_id = account.id)
                       or exists (select 1 from copy where added_by = account.id or holder_id = account.id)
                   union all
                   select 'checkouts' where exists (select 1 from checkout where reader_id = account.id)
                       or exists (select 1 from loan where account.id in (lender_id, borrower_id))
                   union all
                   select 'links' where exists (select 1 from share_link where reader_id = account.id)
                   union all
                   select 'acts' where exists (select 1 from activity where reader_id = account.id)
                   union all
                   select 'friends' where exists (select 1 from friendship where reader_id = account.id)
                   union all
                   select 'events' where exists (select 1 from event where owner_id = account.id and data <> '{}')
                   union all
                   select 'events to come' where exists (select 1 from outbox where owner_id = account.id and data <> '{}')
                   ) part
             where account.state = 'deleted'
             limit 1000
            """
    }
}

import Postgres

extension Lending {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "checkouts", "A book was checked out as often as there are checkouts of it, one for each reader and day.",
            """
            select 'book ' || coalesce(work_checkout.work_id, counted.work_id) || ': stored '
                   || coalesce(work_checkout.n, 0) || ', counted ' || coalesce(counted.n, 0)
              from work_checkout
              full join (select work_id, count(distinct (reader_id, day)) as n from checkout group by work_id) counted
                on counted.work_id = work_checkout.work_id
             where coalesce(work_checkout.n, 0) <> coalesce(counted.n, 0)
            """),
        Recount(
            "libraries", "A library has as many members and copies as it says.",
            """
            select 'library ' || library.id || ': stored ' || row(library.members, library.copies)::text || ', counted '
                   || row(coalesce(belonging.n, 0), coalesce(held.n, 0))::text
              from library
              left join (select library_id, count(*) as n
                           from library_member
                          where joined_at is not null
                          group by library_id) belonging
                on belonging.library_id = library.id
              left join (select library_id, count(*) as n from copy group by library_id) held
                on held.library_id = library.id
             where (library.members, library.copies) <> (coalesce(belonging.n, 0), coalesce(held.n, 0))
            """),
        Recount(
            "holders",
            "Who holds a copy is the reader of its open checkout, from the same library and of the same book.",
            """
            select 'copy ' || copy.id || ': stored ' || coalesce(copy.holder_id::text, 'nobody') || ', checked out by '
                   || coalesce(checkout.reader_id::text, 'nobody')
              from copy
              left join checkout on checkout.copy_id = copy.id and checkout.returned_at is null
             where copy.holder_id is distinct from checkout.reader_id
                or (checkout.library_id, checkout.work_id) is distinct from (copy.library_id, copy.work_id)
                   and checkout.id is not null
            """),
        Recount(
            "owners", "Each reader has a library, and each library but the server's has an owner.",
            """
            select 'account ' || account.id || ' has no library'
              from account
              left join library on library.reader_id = account.id
             where account.state <> 'deleted'
               and library.id is null
            union all
            select 'library ' || library.id || ' has no owner'
              from library
             where library.kind <> 'server'
               and not exists (select 1 from library_member
                                where library_member.library_id = library.id
                                  and library_member.role = 'owner'
                                  and library_member.joined_at is not null
                                  and library_member.reader_id = coalesce(library.reader_id, library_member.reader_id))
            """),
        Recount(
            "loans", "A loan is out as long as its checkout is.",
            """
            select 'loan ' || loan.id || ' is ' || loan.state || ', its checkout '
                   || case when checkout.returned_at is null then 'out' else 'returned' end
              from loan
              left join checkout on checkout.id = loan.checkout_id
             where (loan.state = 'out') <> coalesce(checkout.id is not null and checkout.returned_at is null, false)
            """),
    ]
}

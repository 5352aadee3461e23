import Postgres

// Sorting anew, merging, parting, and the end of an account.

extension Lending.Statements {
    /// Those of these works that a library holds or that are out.
    struct HeldAmong: Statement {
        static let sql: SQL<Self> = """
            select line.id
              from unnest(\(\.works)::bigint[]) as line (id)
             where exists (select 1 from copy where copy.work_id = line.id)
                or exists (select 1 from checkout where checkout.work_id = line.id)
             order by line.id
            """
        let works: [ID<Catalog.Work>]
        typealias Output = ID<Catalog.Work>
    }

    /// Works of these authors that a library holds or that are out.
    struct HeldWorksOf: Statement {
        static let sql: SQL<Self> = """
            select distinct work_author.work_id
              from work_author
             where work_author.author_id = any(\(\.authors))
               and (exists (select 1 from copy where copy.work_id = work_author.work_id)
                    or exists (select 1 from checkout where checkout.work_id = work_author.work_id))
             order by work_author.work_id
            """
        let authors: [ID<Catalog.Author>]
        typealias Output = ID<Catalog.Work>
    }

    struct SortCopies: Statement {
        static let sql: SQL<Self> = """
            update copy
               set title_key = \(\.book.titleKey, "book.titleKey"),
                   author_key = \(\.book.authorKey, "book.authorKey")
             where work_id = \(\.book.id)
               and (title_key, author_key) is distinct from (\(\.book.titleKey, "book.titleKey"), \(\.book.authorKey, "book.authorKey"))
            """
        let book: Catalog.Book
    }

    struct SortCheckouts: Statement {
        static let sql: SQL<Self> =
            "update checkout set title_key = \(\.book.titleKey, "book.titleKey") where work_id = \(\.book.id) and title_key <> \(\.book.titleKey, "book.titleKey")"
        let book: Catalog.Book
    }

    // MARK: Merging

    // MARK: Parting

    /// Locks the libraries of which one of the two is an owner and that the other belongs to or is invited to, in the
    /// order of their identifiers: before their members, as everybody does.
    struct LockShared: Statement {
        static let sql: SQL<Self> = """
            select library.id
              from library
             where library.id in (select keeper.library_id
                                    from library_member keeper
                                    join library_member other on other.library_id = keeper.library_id
                                   where keeper.reader_id in (\(\.one), \(\.other))
                                     and keeper.role = 'owner'
                                     and keeper.joined_at is not null
                                     and other.reader_id in (\(\.one), \(\.other))
                                     and other.reader_id <> keeper.reader_id)
             order by library.id
               for no key update
            """
        let one: ID<Accounts.Account>, other: ID<Accounts.Account>
    }

    /// Takes each out of the other's own library.
    struct LeaveOwn: Statement {
        static let sql: SQL<Self> = """
            with gone as (
                delete from library_member
                 where library_id in (select id from library where kind = 'own' and reader_id in (\(\.one), \(\.other)))
                   and reader_id in (\(\.one), \(\.other))
                   and role <> 'owner'
                returning library_id, joined_at
            )
            update library
               set members = members - 1
              from gone
             where library.id = gone.library_id
               and gone.joined_at is not null
            """
        let one: ID<Accounts.Account>, other: ID<Accounts.Account>
    }

    /// Takes each out of libraries that the other owns.
    struct LeaveOwned: Statement {
        static let sql: SQL<Self> = """
            with gone as (
                delete from library_member
                 using library_member keeper
                 where keeper.library_id = library_member.library_id
                   and keeper.reader_id in (\(\.one), \(\.other))
                   and keeper.role = 'owner'
                   and keeper.joined_at is not null
                   and library_member.reader_id in (\(\.one), \(\.other))
                   and library_member.reader_id <> keeper.reader_id
                   and (library_member.role <> 'owner' or library_member.joined_at is null)
                returning library_member.library_id, library_member.joined_at
            )
            update library
               set members = members - 1
              from gone
             where library.id = gone.library_id
               and gone.joined_at is not null
            """
        let one: ID<Accounts.Account>, other: ID<Accounts.Account>
    }

    /// Loans between two readers that were not handed over.
    struct WithdrawBetween: Statement {
        static let sql: SQL<Self> = """
            update loan
               set state = 'withdrawn',
                   changed_at = \(\.at)
             where (lender_id = \(\.one) and borrower_id = \(\.other) or lender_id = \(\.other) and borrower_id = \(\.one))
               and state in ('asked', 'agreed')
            """
        let one: ID<Accounts.Account>, other: ID<Accounts.Account>, at: Timestamp
    }

    // MARK: The end of an account

    /// Locks what a reader has and had: checkouts before copies, as where one is returned.
    struct LockCheckouts: Statement {
        static let sql: SQL<Self> = "select id from checkout where reader_id = \(\.reader) order by id for update"
        let reader: ID<Accounts.Account>
    }

    struct RemoveLoans: Statement {
        static let sql: SQL<Self> = "delete from loan where lender_id = \(\.reader) or borrower_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }

    struct ReleaseCopies: Statement {
        static let sql: SQL<Self> = "update copy set holder_id = null where holder_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }

    /// With what they count. The rows of `work_checkout` are locked in the order of their works.
    struct RemoveCheckouts: Statement {
        static let sql: SQL<Self> = """
            with gone as (
                delete from checkout where reader_id = \(\.reader) returning work_id, day
            ), counted as (
                select work_id, count(distinct day)::integer as n from gone group by work_id
            ), locked as (
                select work_checkout.work_id
                  from work_checkout
                 where work_id in (select work_id from counted)
                 order by work_id
                   for update
            )
            update work_checkout counter
               set n = counter.n - counted.n
              from counted
              join locked on locked.work_id = counted.work_id
             where counter.work_id = locked.work_id
            """
        let reader: ID<Accounts.Account>
    }

    /// Locks the libraries of which a reader is an owner, in the order of their identifiers.
    struct LockOwned: Statement {
        static let sql: SQL<Self> = """
            select library.id
              from library
             where library.id in (select library_id from library_member where reader_id = \(\.reader) and role = 'owner')
             order by library.id
               for no key update
            """
        let reader: ID<Accounts.Account>
        typealias Output = ID<Lending.SharedLibrary>
    }

    /// Groups that lose their only owner get the member who joined first, contributors before readers.
    struct AppointSuccessors: Statement {
        static let sql: SQL<Self> = """
            with orphaned as (
                select own.library_id
                  from library_member own
                  join library on library.id = own.library_id and library.kind = 'group'
                 where own.reader_id = \(\.reader)
                   and own.role = 'owner'
                   and not exists (select 1 from library_member other
                                    where other.library_id = own.library_id
                                      and other.reader_id <> \(\.reader)
                                      and other.role = 'owner'
                                      and other.joined_at is not null)
            ), heir as (
                select distinct on (other.library_id) other.library_id, other.reader_id
                  from library_member other
                 where other.library_id in (select library_id from orphaned)
                   and other.reader_id <> \(\.reader)
                   and other.joined_at is not null
                 order by other.library_id, other.role, other.joined_at, other.reader_id
            )
            update library_member
               set role = 'owner'
              from heir
             where library_member.library_id = heir.library_id
               and library_member.reader_id = heir.reader_id
            """
        let reader: ID<Accounts.Account>
    }

    /// The reader's own library, and groups without another owner.
    struct LeftAlone: Statement {
        static let sql: SQL<Self> = """
            select own.library_id
              from library_member own
              join library on library.id = own.library_id
             where own.reader_id = \(\.reader)
               and own.role = 'owner'
               and own.joined_at is not null
               and (library.kind = 'own'
                    or not exists (select 1 from library_member other
                                    where other.library_id = own.library_id
                                      and other.reader_id <> \(\.reader)
                                      and other.role = 'owner'
                                      and other.joined_at is not null))
             order by own.library_id
            """
        let reader: ID<Accounts.Account>
        typealias Output = ID<Lending.SharedLibrary>
    }

    struct LeaveAll: Statement {
        static let sql: SQL<Self> = """
            with gone as (
                delete from library_member where reader_id = \(\.reader) returning library_id, joined_at
            ), locked as (
                select id
                  from library
                 where id in (select library_id from gone where joined_at is not null)
                 order by id
                   for no key update
            )
            update library
               set members = members - 1
              from locked
             where library.id = locked.id
            """
        let reader: ID<Accounts.Account>
    }
}

import Postgres

extension Friends.Statements {
    /// Who is not suggested to the viewer, as one list that is looked up in memory: oneself, friends, whom the reader
    /// asked or who asked, however that was answered, whom the reader muted, dismissed or blocked, and who blocked the
    /// reader.
    private static func barred<S: ForViewer>() -> SQL<S> {
        """
        barred as materialized (
                select \(.viewer)::bigint as id
                union all select friendship.friend_id from friendship where friendship.reader_id = \(.viewer)
                union all select friend_request.recipient_id from friend_request
                           where friend_request.sender_id = \(.viewer) and friend_request.state <> 'withdrawn'
                union all select friend_request.sender_id from friend_request
                           where friend_request.recipient_id = \(.viewer) and friend_request.state <> 'withdrawn'
                union all select mute.muted_id from mute where mute.reader_id = \(.viewer)
                union all select dismissed_suggestion.dismissed_id from dismissed_suggestion
                           where dismissed_suggestion.reader_id = \(.viewer)
                union all select block.blocked_id from block where block.blocker_id = \(.viewer)
                union all select block.blocker_id from block where block.blocked_id = \(.viewer)
            )
        """
    }

    /// Friends of the reader's newest friends, those with the most of them first: who may see a friend sees whose
    /// friend that is. Counts those that are looked at. Index `friendship_list`.
    struct FriendsOfFriends: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with \(barred()), own as materialized (
                select friendship.friend_id
                  from friendship
                 where friendship.reader_id = \(\.viewer)
                   and \(Visibility.predicate(viewer: .viewer, owner: "friendship.friend_id", level: "1"))
                 order by friendship.since desc, friendship.friend_id desc
                 limit \(Limits.friends.suggestingFriends)
            ), met as materialized (
                select theirs.friend_id as reader_id, count(*) as shared,
                       (array_agg(own.friend_id order by own.friend_id))[1:3] as through
                  from own
                 cross join lateral (
                       select friendship.friend_id
                         from friendship
                        where friendship.reader_id = own.friend_id
                        order by friendship.since desc, friendship.friend_id desc
                        limit \(Limits.friends.suggestedOfEach)) theirs
                 where theirs.friend_id not in (select barred.id from barred)
                 group by theirs.friend_id
                 order by count(*) desc, theirs.friend_id
                 limit \(Limits.friends.suggestedOfEach)
            )
            select \(Accounts.Reader.columns(of: "account")), met.shared, met.through
              from met
              join account on account.id = met.reader_id
             where \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "2"))
             order by met.shared desc, met.reader_id
             limit \(Limits.friends.suggestions)
            """
        let viewer: ID<Accounts.Account>
        static func decode(_ columns: inout Columns) throws -> Friends.Lead<Accounts.Account> {
            Friends.Lead(
                reader: try Accounts.Reader(&columns), count: try columns("shared"), through: try columns("through"))
        }
    }

    /// Readers who have at least two of the reader's newest books on shelves that the reader may see, those with the
    /// most first. First those are ranked whom some rows of each book name, then what may be seen of theirs is counted.
    /// Indexes `shelf_entry_added`, `shelf_entry_of_work`, `shelf_entry_of_reader`.
    struct SimilarShelves: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with \(barred()), own as materialized (
                select newest.work_id
                  from unnest(array['read', 'reading']) shelf (status)
                 cross join lateral (
                       select shelf_entry.work_id
                         from shelf_entry
                        where shelf_entry.reader_id = \(\.viewer)
                          and shelf_entry.status = shelf.status
                        order by shelf_entry.id desc
                        limit \(Limits.friends.suggestingBooks)) newest
            ), met as materialized (
                select theirs.reader_id
                  from own
                 cross join lateral (
                       select shelf_entry.reader_id
                         from shelf_entry
                        where shelf_entry.work_id = own.work_id
                        limit \(Limits.friends.suggestedOfEach)) theirs
                 where theirs.reader_id not in (select barred.id from barred)
                 group by theirs.reader_id
                having count(*) >= 2
                 order by count(*) desc, theirs.reader_id
                 limit \(Limits.friends.suggestedOfEach)
            )
            select \(Accounts.Reader.columns(of: "account")), seen.shared, seen.through
              from met
              join account on account.id = met.reader_id
             cross join lateral (
                   select count(*) as shared,
                          (array_agg(shelf_entry.work_id order by shelf_entry.work_id))[1:3] as through
                     from own
                     join shelf_entry on shelf_entry.work_id = own.work_id and shelf_entry.reader_id = met.reader_id
                     left join privacy on privacy.reader_id = shelf_entry.reader_id
                    where \(Visibility.predicate(
                            viewer: .viewer, owner: "shelf_entry.reader_id",
                            level: Privacy.level("shelf_entry.visibility", .shelves)))) seen
             where seen.shared >= 2
               and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "2"))
             order by seen.shared desc, account.id
             limit \(Limits.friends.suggestions)
            """
        let viewer: ID<Accounts.Account>
        static func decode(_ columns: inout Columns) throws -> Friends.Lead<Catalog.Work> {
            Friends.Lead(
                reader: try Accounts.Reader(&columns), count: try columns("shared"), through: try columns("through"))
        }
    }

    /// Readers who rated books within a star of what the viewer gave them, where both let members know of their taste.
    /// Only ratings that members see count, on both sides, so that nothing is told which they could not look up; those
    /// of less read books weigh more. First those are ranked whom some rows of each book name, then all is compared.
    /// Indexes as `SimilarShelves`.
    struct SimilarTaste: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with \(barred()), own as materialized (
                select newest.work_id, newest.rating, 1 / ln(2 + coalesce(work_shelf.read, 0)) as weight
                  from (select shelf_entry.work_id, shelf_entry.rating, shelf_entry.rating_level, shelf_entry.visibility
                          from shelf_entry
                         where shelf_entry.reader_id = \(\.viewer)
                           and shelf_entry.status = 'read'
                         order by shelf_entry.id desc
                         limit \(Limits.friends.comparedBooks)) newest
                  join privacy on privacy.reader_id = \(\.viewer) and coalesce(privacy.taste, 0) >= \(Visibility.members.rawValue)
                  left join work_shelf on work_shelf.work_id = newest.work_id
                 where newest.rating_level >= \(Visibility.members.rawValue)
                   and \(Privacy.level("newest.visibility", .shelves)) >= \(Visibility.members.rawValue)
            ), met as materialized (
                select theirs.reader_id
                  from own
                 cross join lateral (
                       select shelf_entry.reader_id, shelf_entry.rating, shelf_entry.rating_level, shelf_entry.visibility
                         from shelf_entry
                        where shelf_entry.work_id = own.work_id
                        limit \(Limits.friends.comparedOfEach)) theirs
                  join privacy on privacy.reader_id = theirs.reader_id and coalesce(privacy.taste, 0) >= \(Visibility.members.rawValue)
                 where theirs.rating_level >= \(Visibility.members.rawValue)
                   and \(Privacy.level("theirs.visibility", .shelves)) >= \(Visibility.members.rawValue)
                   and theirs.rating between own.rating - \(star) and own.rating + \(star)
                   and theirs.reader_id not in (select barred.id from barred)
                 group by theirs.reader_id
                 order by sum(own.weight) desc, theirs.reader_id
                 limit \(Limits.friends.suggestedOfEach)
            )
            select \(Accounts.Reader.columns(of: "account")), seen.rated, seen.alike, seen.through
              from met
              join account on account.id = met.reader_id
             cross join lateral (
                   select count(*) as rated,
                          count(*) filter (where abs(shelf_entry.rating - own.rating) <= \(star)) as alike,
                          coalesce(sum(own.weight) filter (where abs(shelf_entry.rating - own.rating) <= \(star)), 0) as weight,
                          (array_agg(own.work_id order by least(shelf_entry.rating, own.rating) desc, own.work_id)
                              filter (where abs(shelf_entry.rating - own.rating) <= \(star)))[1:3] as through
                     from own
                     join shelf_entry on shelf_entry.work_id = own.work_id and shelf_entry.reader_id = met.reader_id
                     left join privacy on privacy.reader_id = shelf_entry.reader_id
                    where shelf_entry.rating_level >= \(Visibility.members.rawValue)
                      and \(Privacy.level("shelf_entry.visibility", .shelves)) >= \(Visibility.members.rawValue)) seen
             where seen.rated >= \(Limits.friends.leastRatedBoth)
               and seen.alike * 100 >= seen.rated * \(Limits.friends.ratedAlike)
               and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "\(Visibility.members.rawValue)"))
             order by seen.weight desc, account.id
             limit \(Limits.friends.suggestions)
            """
        /// A whole star, in quarters.
        private static let star = 4
        let viewer: ID<Accounts.Account>
        static func decode(_ columns: inout Columns) throws -> Friends.Lead<Catalog.Work> {
            Friends.Lead(
                reader: try Accounts.Reader(&columns), count: try columns("rated"), alike: try columns("alike"),
                through: try columns("through"))
        }
    }

    /// Those of some readers whom the viewer, their friend, may see.
    struct ReadersNamed: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(Accounts.Reader.columns(of: "account"))
              from account
             where account.id = any(\(\.readers))
               and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "1"))
            """
        let viewer: ID<Accounts.Account>, readers: [ID<Accounts.Account>]
        typealias Output = Accounts.Reader
    }

    struct BooksNamed: Statement {
        /// By primary keys, whatever is asked.
        static let isPlannedOnce = true

        static let sql: SQL<Self> = "select \(Catalog.Book.columns) from work where work.id = any(\(\.works))"
        let works: [ID<Catalog.Work>]
        typealias Output = Catalog.Book
    }

    // MARK: Dismissing

    struct InsertDismissal: Statement {
        static let sql: SQL<Self> = """
            insert into dismissed_suggestion (reader_id, dismissed_id, at) values (\(\.reader), \(\.dismissed), \(\.at))
                on conflict (reader_id, dismissed_id) do nothing
            """
        let reader: ID<Accounts.Account>, dismissed: ID<Accounts.Account>, at: Timestamp
    }

    /// How many a reader has dismissed; looks at no more than `limit` rows.
    struct CountDismissals: Statement {
        static let sql: SQL<Self> =
            "select count(*) from (select from dismissed_suggestion where reader_id = \(\.reader) limit \(\.limit)) own"
        let reader: ID<Accounts.Account>, limit: Int
        typealias Output = Int64
    }

    struct ForgetDismissals: Statement {
        static let sql: SQL<Self> =
            "delete from dismissed_suggestion where reader_id = \(\.account) or dismissed_id = \(\.account)"
        let account: ID<Accounts.Account>
    }
}

import Postgres

extension Profiles {
    static let tallyStatements: [any Statement.Type] = [
        Count.self, Statements.DropTally.self, Statements.UnreadOf.self,
    ]

    /// What `commonplace check` looks at.
    package static let recounts: [any Recount.Type] = [Recounts.Tallies.self]

    enum Recounts {}

    /// By how much the counters of a reader change, in the transaction that makes or takes away what they count. Whoever makes a new kind of
    /// it adds it to the recount. Locks the reader's row: goes last, readers in the order of their ids.
    package struct Count: Statement {
        package static let name = "profiles.count"
        package static let sql = """
            insert into reader_tally as tally (reader_id, comments, groups, unread_messages, unread_notifications)
            values ($1, greatest($2::integer, 0), greatest($3::integer, 0), greatest($4::integer, 0), greatest($5::integer, 0))
            on conflict (reader_id) do update
               set comments = tally.comments + $2,
                   groups = tally.groups + $3,
                   unread_messages = tally.unread_messages + $4,
                   unread_notifications = tally.unread_notifications + $5
            """
        let reader: ID<Accounts.Account>
        let comments: Int32
        let groups: Int32
        let unreadMessages: Int32
        let unreadNotifications: Int32

        package init(
            of reader: ID<Accounts.Account>, comments: Int32 = 0, groups: Int32 = 0, unreadMessages: Int32 = 0,
            unreadNotifications: Int32 = 0
        ) {
            self.reader = reader
            self.comments = comments
            self.groups = groups
            self.unreadMessages = unreadMessages
            self.unreadNotifications = unreadNotifications
        }

        package func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(comments)
            parameters.append(groups)
            parameters.append(unreadMessages)
            parameters.append(unreadNotifications)
        }
    }
}

extension Profiles.Statements {
    /// What a reader has not read; no row: nothing.
    struct UnreadOf: Statement {
        static let name = "profiles.unread_of"
        static let sql = "select unread_messages, unread_notifications from reader_tally where reader_id = $1"
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(reader) }

        static func decode(_ row: borrowing Row) throws -> Profiles.Unread {
            let (messages, notifications): (Int32, Int32) = (try row[0], try row[1])
            return Profiles.Unread(messages: Int(messages), notifications: Int(notifications))
        }
    }

    /// For the end of an account.
    struct DropTally: Statement {
        static let name = "profiles.drop_tally"
        static let sql = "delete from reader_tally where reader_id = $1"
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(reader) }
    }
}

extension Profiles.Recounts {
    struct Tallies: Recount {
        static let name = "profiles.recount_tallies"
        static let rule = "Nobody has comments, groups or unread messages yet: there are no boards, groups or messages."
        static let sql = """
            select 'reader ' || reader_id || ': stored ' || comments || ' comments, ' || groups || ' groups, '
                   || unread_messages || ' and ' || unread_notifications || ' unread, counted none'
              from reader_tally
             where (comments, groups, unread_messages, unread_notifications) <> (0, 0, 0, 0)
             limit 1000
            """
    }
}

import Postgres

extension Accounts {
    /// What decides, beside the account itself, whether what a reader says of a book counts.
    struct Counting: Sendable {
        /// On a machine of one's own unverified accounts count too.
        let isLoopback: Bool
        /// Accounts made later than this are too new.
        let bornBefore: Timestamp
        /// Works that come out later than this are not there yet.
        let today: CalendarDate

        init(_ services: Services) {
            isLoopback = services.settings.isLoopback
            bornBefore = services.newSince
            today = services.clock.now().day
        }

        /// How long until an account made at `time` stops being new; `nil` where it has.
        static func comingOfAge(bornAt time: Timestamp, in services: Services) -> Duration? {
            services.isNew(bornAt: time) ? time - services.newSince + .seconds(1) : nil
        }
    }
}

extension Accounts.Statements {
    /// Whether what `reader` says of books (an `account` row in scope) may count.
    static func counts<S>(isLoopback: SQL<S>, bornBefore: SQL<S>) -> SQL<S> {
        """
        (reader.reach = 3
                and (reader.verified_at is not null or \(isLoopback))
                and reader.created_at <= \(bornBefore))
        """
    }
}

import Logging
import Postgres

/// What every store of the community works with: the database, and the outside world as it was handed in.
package struct Services: Sendable {
    package let database: Database
    package var clock: any WallClock
    package let random: any RandomSource
    package var ids: IDMaker
    package var settings: CommunitySettings
    package let logger: Logger

    package init(
        database: Database, clock: any WallClock, random: any RandomSource, ids: IDMaker, settings: CommunitySettings,
        logger: Logger
    ) {
        self.database = database
        self.clock = clock
        self.random = random
        self.ids = ids
        self.settings = settings
        self.logger = logger
    }

    /// Accounts made later than this are in their first day, which has tighter limits (`newAccountHours`).
    var newSince: Timestamp { clock.now() - .seconds(Int64(settings.newAccountHours) * 3600) }

    /// Whether an account made at `bornAt` is in its first day.
    func isNew(bornAt: Timestamp) -> Bool { bornAt > newSince }
}

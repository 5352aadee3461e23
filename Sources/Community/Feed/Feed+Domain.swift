import Postgres

extension Feed: Domain {}

extension Community {
    package var feed: Feed.Store { Feed.Store(services) }
}

import Postgres

/// The product without HTTP: one store per domain, built once by the program and once by each test.
package final class Community: Sendable {
    package let house: House
    /// Where mail goes; the job `Mail.Send` is the only caller.
    package let mailer: any Mailer
    package let accounts: Accounts.Store
    package let friends: Friends.Store
    package let catalog: Catalog.Store
    package let search: Search.Store
    package let sources: Sources.Store
    package let reviews: Reviews.Store
    package let library: Library.Store
    package let praise: Praise.Store
    package let places: Places.Store
    package let lending: Lending.Store
    package let feed: Feed.Store
    package let media: Media.Store
    package let profiles: Profiles.Store
    package let gate: Gate.Store
    package let boards: Boards.Store
    package let messages: Messages.Store
    package let follows: Follows.Store
    package let notifications: Notifications.Store
    package let operations: Operations.Store
    package let leaving: Leaving.Store
    package let groups: Groups.Store
    package let ranking: Ranking.Store

    /// `farewells`: what other layers do in the transaction that ends an account.
    package init(_ house: House, mailer: any Mailer, media: Media.Facilities, farewells: [Accounts.Farewell]) {
        self.house = house
        self.mailer = mailer
        self.accounts = Accounts.Store(house, farewells: farewells)
        self.friends = Friends.Store(house)
        self.catalog = Catalog.Store(house)
        self.search = Search.Store(house)
        self.media = Media.Store(house, facilities: media)
        self.sources = Sources.Store(house, catalog: catalog, media: self.media)
        self.reviews = Reviews.Store(house)
        self.library = Library.Store(house)
        self.praise = Praise.Store(house)
        self.places = Places.Store(house)
        self.lending = Lending.Store(house)
        self.feed = Feed.Store(house)
        self.profiles = Profiles.Store(house, accounts: accounts)
        self.gate = Gate.Store(house)
        self.boards = Boards.Store(house)
        self.messages = Messages.Store(house)
        self.follows = Follows.Store(house)
        self.notifications = Notifications.Store(house)
        self.operations = Operations.Store(house)
        self.leaving = Leaving.Store(house, media: self.media)
        self.groups = Groups.Store(house)
        self.ranking = Ranking.Store(house, catalog: catalog)
    }

    /// Every statement of the community; a test prepares each one on the migrated database.
    package static let statements: [any Statement.Type] = Array(
        [
            House.statements,
            NodeLease.statements,
            Moderation.statements,
            Accounts.statements,
            Friends.statements,
            Catalog.statements,
            Search.statements,
            Sources.statements,
            Reviews.statements,
            Library.statements,
            Lending.statements,
            Praise.statements,
            Places.statements,
            Feed.statements,
            Media.statements,
            Profiles.statements,
            Gate.statements,
            Boards.statements,
            Messages.statements,
            Follows.statements,
            Notifications.statements,
            Groups.statements,
            Operations.statements,
            Ranking.statements,
            Leaving.statements,
            recounts.map { $0 as any Statement.Type },
        ].joined())

    /// What `commonplace check` looks at.
    package static let recounts: [any Recount.Type] = Array(
        [
            Accounts.recounts,
            Friends.recounts,
            Catalog.recounts,
            Search.recounts,
            Reviews.recounts,
            Library.recounts,
            Lending.recounts,
            Praise.recounts,
            Places.recounts,
            Feed.recounts,
            Media.recounts,
            Gate.recounts,
            Boards.recounts,
            Messages.recounts,
            Follows.recounts,
            Notifications.recounts,
            Groups.recounts,
            Ranking.recounts,
            Leaving.recounts,
        ].joined())

    /// Every kind of event that the community writes; the stream's README says of each whom it reaches and what it
    /// tells.
    package static let eventKinds: [String] = Array(
        [
            names(of: Accounts.EventKind.self),
            names(of: Friends.EventKind.self),
            names(of: Reviews.EventKind.self),
            names(of: Library.EventKind.self),
            names(of: Lending.EventKind.self),
            names(of: Praise.EventKind.self),
            names(of: Feed.EventKind.self),
            names(of: Profiles.EventKind.self),
            names(of: Gate.EventKind.self),
            names(of: Boards.EventKind.self),
            names(of: Messages.EventKind.self),
            names(of: Follows.EventKind.self),
            names(of: Notifications.EventKind.self),
            names(of: Groups.EventKind.self),
            names(of: Operations.EventKind.self),
            names(of: Ranking.EventKind.self),
        ].joined())

    private static func names<Kind: CaseIterable & RawRepresentable<String>>(of _: Kind.Type) -> [String] {
        Kind.allCases.map(\.rawValue)
    }

    /// Every table whose rows are readers' own: what an export holds and a deletion takes away.
    package static let personalTables: [Leaving.PersonalTable] = Array(
        [
            Accounts.personalTables,
            Friends.personalTables,
            Catalog.personalTables,
            Search.personalTables,
            Reviews.personalTables,
            Library.personalTables,
            Lending.personalTables,
            Praise.personalTables,
            Places.personalTables,
            Feed.personalTables,
            Media.personalTables,
            Profiles.personalTables,
            Gate.personalTables,
            Boards.personalTables,
            Messages.personalTables,
            Follows.personalTables,
            Notifications.personalTables,
            Groups.personalTables,
            Operations.personalTables,
            Ranking.personalTables,
            Leaving.personalTables,
        ].joined())
}

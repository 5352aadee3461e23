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
    package let reactions: Reactions.Store
    package let texts: Texts.Store
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
        self.reactions = Reactions.Store(house)
        self.texts = Texts.Store(house)
        self.messages = Messages.Store(house)
        self.follows = Follows.Store(house)
        self.notifications = Notifications.Store(house)
        self.operations = Operations.Store(house)
        self.leaving = Leaving.Store(house, media: self.media)
        self.groups = Groups.Store(house)
        self.ranking = Ranking.Store(house, catalog: catalog)
    }

    /// All domains, in the order in which they take locks where several have a part in one transaction.
    package static let domains: [any Domain.Type] = [
        Accounts.self, Friends.self, Reviews.self, Library.self, Praise.self, Places.self, Lending.self, Gate.self,
        Feed.self, Boards.self, Follows.self, Messages.self, Groups.self, Ranking.self, Search.self, Media.self,
        Sources.self, Catalog.self, Notifications.self, Leaving.self, Profiles.self, Operations.self, Mail.self,
        Moderation.self,
    ]

    /// Statements that `commonplace bench` gives pgbench, too, to measure what a server adds to them.
    package static let measured: [any Statement.Type] = [
        Accounts.Statements.Identify.self, Accounts.Statements.LockWriter.self, Groups.Statements.HoldMemberAt.self,
        Boards.Statements.ThreadSeen.self, Boards.Statements.Posts.self, Boards.Statements.Recent.self,
        Boards.Statements.ReplyGround.self, Boards.Statements.InsertReply.self,
        Texts.Statements.InsertText<Boards.Post>.self,
        Boards.Statements.SetWords.self, Boards.Statements.MarkWritten.self, Boards.Statements.CountScope.self,
        Gate.Statements.KnownOf.self, Profiles.Count.self, Reviews.Statements.Scene.self,
        Reviews.Statements.Update.self, Reviews.Statements.Count.self, Library.Rated.self,
    ]

    /// Every kind of things.
    package static let things = domains.flatMap { $0.things }
    /// Every kind of event that the community writes.
    package static let eventKinds = domains.flatMap { $0.eventKinds }
    /// Every table whose rows are readers' own.
    package static let personalTables = domains.flatMap { $0.personalTables }
}

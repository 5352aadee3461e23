import Postgres

/// The product without HTTP, built once by the program and once by each test. Each domain adds its store in `X+Domain.swift`; here stand those
/// that hold more than the services.
package final class Community: Sendable {
    package let services: Services
    /// Where mail goes; the job `Mail.Send` is the only caller.
    package let mailer: any Mailer
    package let accounts: Accounts.Store
    package let sources: Sources.Store
    package let media: Media.Store
    /// Reads the words of photographs; `nil`: they are not read.
    let recognizer: Photos.Recognizer?
    /// Reads e-books; `nil`: none are taken.
    let parser: Ebooks.Parser?
    package let profiles: Profiles.Store
    package let leaving: Leaving.Store
    package let ranking: Ranking.Store
    package let suggestions: Suggestions.Store

    /// `reading`: what reads the words of photographs, and `parsing` e-books; `nil` where nothing does. `endings`: what
    /// other layers do in the transaction that ends an account.
    package init(
        _ services: Services, mailer: any Mailer, media: Media.Facilities, reading: Photos.Recognizer.Tools? = nil,
        parsing: Ebooks.Parser.Tools? = nil, endings: [Accounts.Ending]
    ) {
        self.services = services
        self.mailer = mailer
        self.accounts = Accounts.Store(services, endings: endings)
        self.media = Media.Store(services, facilities: media)
        self.recognizer = reading.map {
            Photos.Recognizer(
                tools: $0, languages: services.settings.photoLanguages, folder: media.scratch, random: services.random)
        }
        self.parser = parsing.map {
            Ebooks.Parser(tools: $0, folder: media.scratch, random: services.random)
        }
        self.sources = Sources.Store(services, catalog: Catalog.Store(services), media: self.media)
        self.profiles = Profiles.Store(services, accounts: accounts)
        self.leaving = Leaving.Store(services, media: self.media)
        self.ranking = Ranking.Store(services, catalog: Catalog.Store(services))
        self.suggestions = Suggestions.Store(services, ranking: ranking)
    }

    /// All domains, in the order in which they take locks where several have a part in one transaction.
    package static let domains: [any Domain.Type] = [
        Accounts.self, Friends.self, Reviews.self, Library.self, Praise.self, Places.self, Lending.self, Gate.self,
        Notebook.self, Photos.self, Ebooks.self, Activity.self, Feed.self, Boards.self, Follows.self, Messages.self,
        Groups.self,
        Statistics.self, Ranking.self, Suggestions.self, Search.self,
        Media.self,
        Sources.self, Catalog.self, Notifications.self, Leaving.self, Profiles.self, Operations.self, Mail.self,
        Moderation.self,
    ]

    /// Statements that `commonplace bench` gives pgbench, too, to measure what a server adds to them.
    package static let measured: [any Statement.Type] = [
        Accounts.Statements.Identify.self, Accounts.Statements.LockWriter.self, Groups.Statements.HoldMemberAt.self,
        Boards.Statements.ThreadSeen.self, Boards.Statements.Posts.self, Boards.Statements.Recent.self,
        Boards.Statements.ReplyGround.self, Boards.Statements.InsertReply.self,
        Texts.Statements.InsertText<Boards.Post>.self, Boards.Statements.SetWords.self,
        Boards.Statements.MarkWritten.self, Boards.Statements.CountScope.self,
        Gate.Statements.KnownOf.self, Accounts.AddToTally.self, Reviews.Statements.Basis.self,
        Reviews.Statements.Update.self, Reviews.Statements.Count.self, Library.Rated.self,
        Accounts.Statements.LockState.self, Catalog.HoldBook.self, Notebook.Statements.Basis.self,
        Notebook.Statements.Count.self, Notebook.Statements.InsertNote.self, Notebook.Statements.InsertItem.self,
        Notebook.Statements.Settle.self, Notebook.Statements.OneNote.self, Notebook.Statements.Items.self,
        OwnWords.Put.self,
    ]

    /// Every kind of things.
    package static let things = domains.flatMap { $0.things }
    /// Those that readers can report.
    package static let reportable = things.filter { $0.facts.isReportable }
    /// Every kind of event that the community writes.
    package static let eventKinds = domains.flatMap { $0.eventKinds }
    /// Every table whose rows are readers' own.
    package static let personalTables = domains.flatMap { $0.personalTables }
}

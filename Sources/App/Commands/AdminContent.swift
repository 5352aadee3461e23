import ArgumentParser
import Client
import Community

/// `commonplace admin content`: what readers said, and what moderators do to it.
struct AdminContent: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "content", abstract: "Look through what readers said, and hide, delete, lock, pin or hold it.",
        discussion: """
            A thing is named by its kind and id: post:7112, thread:7112, review:9, list:4, book:42. `-` reads names from standard input,
            one a line; --author, --since, --text, --link-domain and --email-domain find things instead.

            Examples:
              commonplace admin content list --since 24h --link-domain watches.example
              commonplace admin content hide post:7112 --reason spam --report 41
              commonplace admin content hide --author eve --since 24h --reason spam --dry-run
              commonplace admin content list --author eve --limit 1000 | commonplace admin content hide - --reason spam --yes
              commonplace admin content lock thread:7112 --reason "cool down" --until 24h
            """,
        subcommands: [
            AdminContentList.self, ContentAct<Hide>.self, ContentAct<Unhide>.self, ContentAct<Delete>.self,
            ContentAct<Lock>.self,
            ContentAct<Unlock>.self, ContentAct<Pin>.self, ContentAct<Unpin>.self, AdminContentScope.self,
            AdminContentHold.self, ContentAct<Release>.self,
        ])
}

/// Which things are meant, by what readers said in them.
struct ContentQuery: ParsableArguments {
    @Option(help: "post, review, review_reply or list; all of them unless you say so.")
    var kind: String?

    @Option(help: "Who said it: a username.")
    var author: String?

    @Option(
        help:
            "Since: 24h, 7d, a day, or a time such as 2026-01-08T10:00:00Z. Said since; of readers without --kind, --text or --link-domain: signed up since."
    )
    var since: Moment?

    @Option(help: "Stands in the title or the text.")
    var text: String?

    @Option(help: "The text names this domain, or one below it.")
    var linkDomain: String?

    @Option(help: "The author's e-mail address is of this domain.")
    var emailDomain: String?

    /// By the names of the API.
    var parameters: [String: String?] {
        [
            "kind": kind, "author": author, "since": since?.past, "text": text, "link_domain": linkDomain,
            "email_domain": emailDomain,
        ]
    }

    var isEmpty: Bool { parameters.values.allSatisfy { $0 == nil } }

    /// Throws `CommandError` unless either things are named or a query finds them.
    func what(or references: [String], kind: String? = nil) throws -> ActOptions.What {
        guard !isEmpty else { return .things(try References(references, kind: kind).names) }
        guard references.isEmpty else {
            throw CommandError(.invalid, "name things, or let --author, --since, … find them: not both")
        }
        return .found(.object(parameters.mapValues { .init($0) }))
    }
}

/// `commonplace admin content list`.
struct AdminContentList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what readers said, newest first; not what private groups say.",
        discussion: """
            Examples:
              commonplace admin content list --author eve
              commonplace admin content list --since 24h --text "cheap watches" --json
              commonplace admin content list --email-domain spam.example --kind post --limit 1000
            """)

    @OptionGroup var door: DoorOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var query: ContentQuery
    @OptionGroup var bound: ListOptions

    func run() async throws {
        let found = try await door.read { try await $0.list("/content", query.parameters, limit: bound.limit) }
        try output.print(
            found, columns: ["TARGET", "AUTHOR", "AT", "HIDDEN", "SAID"], empty: "Nobody said anything like that."
        ) {
            saying in
            [saying.cell("target"), saying.reader("author")] + ["created_at", "is_hidden", "quote"].map(saying.cell)
        }
    }
}

/// One act on what readers said.
protocol ContentVerb: SendableMetatype {
    static var name: String { get }
    static var abstract: String { get }
}

enum Hide: ContentVerb {
    static let name = "hide"
    static let abstract = "Take things out of everybody's sight but their authors'."
}

enum Unhide: ContentVerb {
    static let name = "unhide"
    static let abstract = "Bring hidden things back."
}

enum Delete: ContentVerb {
    static let name = "delete"
    static let abstract = "Take posts, reviews and replies to them away for good."
}

enum Lock: ContentVerb {
    static let name = "lock"
    static let abstract = "Lock threads: nobody posts in them."
}

enum Unlock: ContentVerb {
    static let name = "unlock"
    static let abstract = "Open locked threads again."
}

enum Pin: ContentVerb {
    static let name = "pin"
    static let abstract = "Put threads first on their boards."
}

enum Unpin: ContentVerb {
    static let name = "unpin"
    static let abstract = "Put threads among the others again."
}

enum Release: ContentVerb {
    static let name = "release"
    static let abstract = "Count the ratings of books again."
}

/// `commonplace admin content hide REF…`, and its sisters.
struct ContentAct<Verb: ContentVerb>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: Verb.name, abstract: Verb.abstract)
    }

    @OptionGroup var options: ActOptions
    @OptionGroup var query: ContentQuery

    @Argument(help: "post:7112, thread:7112, …; - reads them from standard input.")
    var references: [String] = []

    func run() async throws { try await options.act(Verb.name, on: try query.what(or: references)) }
}

/// `commonplace admin content hold work:ID…`.
struct AdminContentHold: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Keep the ratings that books get from now on, and do not count them.")

    @OptionGroup var options: ActOptions

    @Option(help: "Ratings since: 24h, 7d, or a time such as 2026-01-08T10:00:00Z; from now on unless you say so.")
    var since: Moment?

    @Argument(help: "book:42, …; - reads them from standard input.")
    var references: [String]

    func run() async throws {
        let since = since.map { ActOptions.Value.string($0.past) } ?? .null
        try await options.act("hold", on: .things(try References(references).names), wanted: ["since": since])
    }
}

/// `commonplace admin content scope REF… --to SCOPE`.
struct AdminContentScope: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scope", abstract: "Say how much of the book posts give away.")

    @OptionGroup var options: ActOptions
    @OptionGroup var query: ContentQuery

    @Option(help: "How far one must have read to see them: 0 to 10000 ten-thousandths; 10000 is the end.")
    var to: Int

    @Argument(help: "post:7112, …; - reads them from standard input.")
    var references: [String] = []

    func validate() throws {
        guard (0...10_000).contains(to) else { throw ValidationError("--to must be 0 to 10000.") }
    }

    func run() async throws {
        try await options.act("scope", on: try query.what(or: references), wanted: ["scope": .number(Double(to))])
    }
}

import ArgumentParser
import Community
import FoundationEssentials
import Postgres

/// `commonplace catalog`: what librarians do with books, from the server's own terminal. Each change is recorded with the operating system's
/// user as its actor.
struct CatalogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Look after the catalogue from the server's own terminal.",
        discussion: """
            A thing is named by its kind and id, book:42, edition:42 or author:42; a number alone is a book, isbn:9780439023481 the
            most read book with that ISBN. Data go to standard output, one line a thing with tabs between the columns, or as JSON with --json.

            Examples:
              commonplace catalog search "hunger games"
              commonplace catalog show book:7112000000000 --json
              commonplace catalog edit book:7112000000000 title="The Hunger Games" year=2008 --reason "the title page"
              commonplace catalog merge author:41 author:42 --reason "two spellings of one name"
              commonplace catalog proposals
              commonplace catalog accept 99

            Exit codes: 0 done; 1 failed, or recount found a difference; 3 not found; 5 conflict; 7 a value breaks a rule; 64 usage;
            75 the database is away, or an import takes long over a batch.
            """,
        subcommands: [
            CatalogSearch.self, CatalogShow.self, CatalogEdit.self, CatalogMerge.self, CatalogHistory.self,
            CatalogUndo.self, CatalogProposals.self, CatalogAccept.self, CatalogDecline.self, CatalogReindex.self,
            CatalogRecount.self,
        ])

    /// Somebody at the terminal stands above every role.
    static var helper: Catalog.Helper { Catalog.Helper(Admin.actor) }
}

/// A book, an edition or an author as the command line names it.
struct ThingName: ExpressibleByArgument {
    enum Target {
        case thing(Catalog.Thing)
        case isbn(ISBN)
    }

    let target: Target

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
        guard let last = parts.last else { return nil }
        if parts.count == 2, parts[0] == "isbn" {
            guard let isbn = try? ISBN(last) else { return nil }
            target = .isbn(isbn)
            return
        }
        guard let kind = parts.count == 1 ? .book : Catalog.Thing.Kind(rawValue: parts[0]), let id = Int64(last), id > 0
        else { return nil }
        target = .thing(Catalog.Thing(kind, id))
    }

    /// Throws `Failure.notFound` for an ISBN that no book has.
    func thing(in catalog: Catalog.Store) async throws -> Catalog.Thing {
        switch target {
        case .thing(let thing): return thing
        case .isbn(let isbn):
            guard let book = try await catalog.works(of: isbn, limit: 1).first else {
                throw Failure.notFound("book with ISBN \(isbn.text)")
            }
            return .book(book)
        }
    }
}

/// The reason of a change, for its history.
struct ReasonOption: ParsableArguments {
    @Option(help: "Why, for the history: at most 2000 bytes.")
    var reason = ""
}

extension Catalog.Fact {
    /// A fact for a line of text.
    var line: String {
        switch self {
        case .none: ""
        case .text(let text): text
        case .number(let number): String(number)
        case .texts(let texts): texts.joined(separator: ", ")
        case .parts(let parts):
            parts.map { part in
                [part.name ?? part.id ?? "", part.position.map { "#" + $0 }, part.kind, part.role.map { "(\($0))" }]
                    .compactMap(\.self).joined(separator: " ")
            }.joined(separator: ", ")
        }
    }
}

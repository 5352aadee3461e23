import ArgumentParser
import Community
import FoundationEssentials
import Postgres

/// `commonplace catalog search WORDS`: books, best first: id, title, authors, year.
struct CatalogSearch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "search", abstract: "Find books by words or ISBN.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "Words of title and authors, or an ISBN in any written form.")
    var query: String

    @Option(help: "Results at most, 1 to 100.")
    var limit = 20

    func validate() throws {
        guard Limits.page.contains(limit) else { throw ValidationError("--limit must be 1 to 100.") }
    }

    private struct Row: Encodable {
        let id, title, authors: String
        let year: Int?
        let readers: Int
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace catalog") { runtime in
            let found = try await runtime.community.search.search(Search.Query(query), page: PageRequest(limit: limit))
            let rows = found.page.items.map(\.book).map { book in
                Row(
                    id: book.id.text, title: book.title ?? "",
                    authors: book.authors.map(\.name).joined(separator: ", "),
                    year: book.year, readers: book.readers)
            }
            if let corrected = found.corrected { Admin.say("Showing results for: \(corrected)") }
            if let notice = found.notice { Admin.say(notice) }
            try output.print(rows, columns: ["ID", "TITLE", "AUTHORS", "YEAR"], empty: "No book was found.") { index in
                [rows[index].id, rows[index].title, rows[index].authors, rows[index].year.map(String.init) ?? ""]
            }
        }
    }
}

/// `commonplace catalog show THING`: its fields, one a line.
struct CatalogShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the fields of a book, an edition or an author.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "book:ID, edition:ID, author:ID or isbn:CODE.")
    var thing: ThingName

    private struct Shown: Encodable {
        let kind, id: String
        let version: Int
        let editions: [String]
        let fields: Catalog.Facts
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace catalog") { runtime in
            let catalog = runtime.community.catalog
            let thing = try await thing.thing(in: catalog)
            let (facts, version) = try await catalog.facts(of: thing)
            let editions = try await catalog.editions(of: thing).map(\.text)
            if output.isJSON {
                try OutputOptions.print(
                    json: Shown(
                        kind: thing.kind.rawValue, id: String(thing.id), version: version, editions: editions,
                        fields: facts))
                return
            }
            var lines = [[thing.kind.rawValue, String(thing.id)], ["version", String(version)]]
            lines += Catalog.Field.all(of: thing.kind).map { [$0.name.rawValue, facts[$0.name]?.line ?? ""] }
            if !editions.isEmpty { lines.append(["editions", editions.joined(separator: ", ")]) }
            output.print(lines: lines)
        }
    }
}

/// `commonplace catalog history THING`: what people changed, newest first.
struct CatalogHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show what people changed about a thing, newest first, at most 100 changes.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "book:ID, edition:ID, author:ID or isbn:CODE.")
    var thing: ThingName

    private struct Row: Encodable {
        let id, at, actor, action, reason: String
        let before, after: Catalog.Facts
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace catalog") { runtime in
            let catalog = runtime.community.catalog
            let page = try await catalog.revisions(
                of: try await thing.thing(in: catalog), for: .anonymous, PageRequest(limit: Limits.page.upperBound))
            let rows = page.items.map { revision in
                Row(
                    id: revision.id.text, at: revision.at.text, actor: revision.actor, action: revision.action.rawValue,
                    reason: revision.reason, before: revision.before, after: revision.after)
            }
            try output.print(
                rows, columns: ["ID", "AT", "BY", "ACTION", "FIELDS", "REASON"], empty: "Nobody has changed it."
            ) { index in
                let row = rows[index]
                return [
                    row.id, row.at, row.actor, row.action,
                    row.after.keys.sorted().map(\.rawValue).joined(separator: ","), row.reason,
                ]
            }
        }
    }
}

/// `commonplace catalog proposals`: what waits, oldest first.
struct CatalogProposals: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proposals",
        abstract: "List the corrections and new editions that wait, oldest first, at most 100.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    private struct Row: Encodable {
        let id, createdAt, author, action, subject, reason: String
        let changes: Catalog.Facts
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace catalog") { runtime in
            let page = try await runtime.community.catalog.openProposals(
                PageRequest(limit: Limits.page.upperBound), by: CatalogCommand.helper)
            let rows = page.items.map { proposal in
                Row(
                    id: proposal.id.text, createdAt: proposal.at.text, author: proposal.author.username,
                    action: proposal.action.rawValue,
                    subject: "\(proposal.thing.kind.rawValue):\(proposal.thing.id)", reason: proposal.reason,
                    changes: proposal.changes)
            }
            try output.print(
                rows, columns: ["ID", "AT", "BY", "ACTION", "THING", "CHANGES", "REASON"], empty: "No proposal waits."
            ) { index in
                let row = rows[index]
                let changes = row.changes.sorted { $0.key < $1.key }.map { "\($0.key.rawValue)=\($0.value.line)" }
                return [
                    row.id, row.createdAt, row.author, row.action, row.subject, changes.joined(separator: "; "),
                    row.reason,
                ]
            }
        }
    }
}

/// `commonplace catalog recount`: counts again what the catalogue stores as numbers, and holds its search index against it.
struct CatalogRecount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recount",
        abstract: "Recount the catalogue's counters and check its search index; 1 where something differs.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await Check.check([Catalog.self, Search.self], options, output, as: "commonplace catalog")
    }
}

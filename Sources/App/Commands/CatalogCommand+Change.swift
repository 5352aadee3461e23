import ArgumentParser
import Community
import FoundationEssentials
import Postgres

/// `commonplace catalog edit THING FIELD=VALUE…`.
struct CatalogEdit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Set fields of a book, an edition or an author.",
        discussion: """
            FIELD= alone empties a field. Lists are JSON: genres='["fantasy"]', authors='[{"id":"41"},{"name":"Ann Smith"}]',
            series='[{"name":"Discworld","position":"3"}]'. `commonplace catalog show` lists the fields. What is set by hand is locked: imports
            leave it alone until locked='[]' says otherwise.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var why: ReasonOption

    @Argument(help: "book:ID, edition:ID, author:ID or isbn:CODE.")
    var thing: ThingName

    @Argument(help: ArgumentHelp("What to set.", valueName: "field=value"))
    var assignments: [String]

    func validate() throws {
        for assignment in assignments where !assignment.contains("=") {
            throw ValidationError("\(assignment) is not of the form field=value.")
        }
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace catalog") { runtime in
            let catalog = runtime.community.catalog
            let thing = try await thing.thing(in: catalog)
            let outcome = try await catalog.correct(
                thing, try Self.facts(assignments, of: thing.kind), reason: why.reason, by: CatalogCommand.helper)
            switch outcome {
            case .applied(let revision, let version, _):
                Admin.say("\(thing.name) has version \(version) now; undo with: commonplace catalog undo \(revision)")
            case .proposed, .unchanged: Admin.say("\(thing.name) was so already.")
            }
        }
    }

    /// Reads values by the rules of their fields. Throws `Failure.invalid` for what is no field, and text where a number or a list belongs.
    static func facts(_ assignments: [String], of kind: Catalog.Thing.Kind) throws -> Catalog.Facts {
        var facts: Catalog.Facts = [:]
        for assignment in assignments {
            let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            let value = parts[1]
            guard let name = Catalog.Field.Name(rawValue: parts[0]) else {
                throw Failure.invalid("/\(parts[0])", .unknown, "There is no such field.")
            }
            guard !value.isEmpty else {
                facts[name] = Catalog.Fact.none
                continue
            }
            switch Catalog.Field.all(of: kind).first(where: { $0.name == name })?.rule {
            case nil, .text, .choice, .language, .book: facts[name] = .text(value)
            default:
                guard let fact = try? JSONDecoder().decode(Catalog.Fact.self, from: Data(value.utf8)) else {
                    throw Failure.invalid("/\(name.rawValue)", .wrongType, "must be a number or a list in JSON")
                }
                facts[name] = fact
            }
        }
        return facts
    }
}

/// `commonplace catalog merge FROM INTO`.
struct CatalogMerge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Take everything that hangs on one thing over to another; the old id goes on answering with that one."
    )

    @OptionGroup var options: GlobalOptions
    @OptionGroup var why: ReasonOption

    @Argument(help: "What goes: book:ID, edition:ID or author:ID.")
    var from: ThingName

    @Argument(help: "What stays: one of the same kind.")
    var into: ThingName

    func run() async throws {
        try await Runtime.open(options, as: "commonplace catalog", statementTimeout: .seconds(600)) { runtime in
            let catalog = runtime.community.catalog
            let (from, into) = (try await from.thing(in: catalog), try await into.thing(in: catalog))
            try await catalog.merge(from, into: into, reason: why.reason, by: CatalogCommand.helper)
            Admin.say("\(from.name) is \(into.name) now.")
        }
    }
}

/// `commonplace catalog undo REVISION`.
struct CatalogUndo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "undo", abstract: "Take a correction back.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var why: ReasonOption

    @Argument(help: "The revision: see `commonplace catalog history`.")
    var revision: NumberedID

    func run() async throws {
        try await Runtime.open(options, as: "commonplace catalog") { runtime in
            _ = try await runtime.community.catalog.undo(
                ID(rawValue: revision.value), reason: why.reason, by: CatalogCommand.helper)
            Admin.say("Taken back.")
        }
    }
}

/// `commonplace catalog accept PROPOSAL`.
struct CatalogAccept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Carry a proposed correction out, in the proposer's name.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The proposal: see `commonplace catalog proposals`.")
    var proposal: NumberedID

    @Option(help: "What to say to the proposer.")
    var answer: String?

    func run() async throws {
        try await Runtime.open(options, as: "commonplace catalog") { runtime in
            _ = try await runtime.community.catalog.accept(
                ID(rawValue: proposal.value), answer: answer, by: CatalogCommand.helper)
            Admin.say("Carried out.")
        }
    }
}

/// `commonplace catalog decline PROPOSAL`.
struct CatalogDecline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "decline", abstract: "Decline a proposed correction.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The proposal: see `commonplace catalog proposals`.")
    var proposal: NumberedID

    @Option(help: "What to say to the proposer.")
    var answer: String?

    func run() async throws {
        try await Runtime.open(options, as: "commonplace catalog") { runtime in
            try await runtime.community.catalog.decline(
                ID(rawValue: proposal.value), answer: answer, by: CatalogCommand.helper)
            Admin.say("Declined.")
        }
    }
}

/// `commonplace catalog reindex`: makes anew what is made of the books.
struct CatalogReindex: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reindex",
        abstract: "Make the search index and the keys of every order anew, for all books. May run beside a server.")

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await Runtime.open(options, as: "commonplace catalog", statementTimeout: .seconds(3_600)) { runtime in
            let marked = try await runtime.community.catalog.markAllForBrowse()
            try await runtime.community.catalog.refreshBrowse()
            try await runtime.community.search.rebuild()
            Admin.say("\(marked) books indexed.")
        }
    }
}

/// The id of a proposal or a revision.
struct NumberedID: ExpressibleByArgument {
    let value: Int64

    init?(argument: String) {
        guard let value = Int64(argument), value > 0 else { return nil }
        self.value = value
    }
}

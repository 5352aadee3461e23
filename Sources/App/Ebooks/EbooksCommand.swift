import ArgumentParser
import Community
import Postgres

/// `commonplace ebooks`: the e-books that this server gives to its readers, from its own terminal.
struct EbooksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ebooks",
        abstract: "Give readers e-books from the server's own terminal.",
        discussion: """
            A file is matched with an edition by the ISBNs that it names, else with a book by its title and author. The command \
            reports a file that matches nothing, and leaves it alone. Run `add` with --dry-run first.

            Examples:
              commonplace ebooks add --dry-run --rights public_domain books/*.epub
              commonplace ebooks add --rights granted --audience on_loan novel.epub --edition 7112000000001
              commonplace ebooks list --json
              commonplace ebooks check
              commonplace ebooks remove 7113000000000

            Exit codes: 0 done; 1 failed, or something was refused or matched nothing; 3 not found; 7 a value breaks a rule; 64 usage; \
            75 the database is away.
            """,
        subcommands: [EbooksAdd.self, EbooksList.self, EbooksRemove.self, EbooksCheck.self])
}

extension Ebooks.Audience: ExpressibleByArgument {}
extension Ebooks.Rights: ExpressibleByArgument {}

/// `commonplace ebooks add FILE…`: reads files, finds the editions that they are of, and gives them to readers.
struct EbooksAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Give readers e-books: EPUB, or plain text in UTF-8.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "Files.")
    var files: [String]

    @Option(help: "By what right: public_domain, open_licence or granted.")
    var rights: Ebooks.Rights

    @Option(help: "Who reads them: everybody, members or on_loan.")
    var audience = Ebooks.Audience.members

    @Option(help: "The id of the edition, for one file.")
    var edition: Int64?

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    func validate() throws {
        guard rights != .ownCopy, audience != .me else {
            throw ValidationError("A copy that somebody bought is for its reader alone, who keeps it over the API.")
        }
        guard edition == nil || files.count == 1 else { throw ValidationError("--edition goes with one file.") }
    }

    private struct Row: Encodable {
        let file, outcome: String
        let ebook, edition, title, detail: String?
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace ebooks") { runtime in
            var rows: [Row] = []
            for (index, file) in files.enumerated() {
                rows.append(try await add(file, runtime.community.ebooks))
                if files.count > 1 { Admin.say("\(index + 1) of \(files.count): \(rows[index].outcome) \(file)") }
            }
            try output.print(rows, columns: ["FILE", "OUTCOME", "EBOOK", "EDITION", "TITLE", "DETAIL"]) { index in
                let row = rows[index]
                return [row.file, row.outcome] + [row.ebook, row.edition, row.title, row.detail].map { $0 ?? "" }
            }
            guard rows.allSatisfy({ ["added", "would be added", "there already"].contains($0.outcome) }) else {
                throw CommandError(.failure, "not every file was taken")
            }
        }
    }

    private func add(_ file: String, _ store: Ebooks.Store) async throws -> Row {
        func row(_ outcome: String, ebook: String? = nil, _ match: Ebooks.Match? = nil, detail: String? = nil) -> Row {
            Row(
                file: file, outcome: outcome, ebook: ebook, edition: match?.edition.text, title: match?.title,
                detail: detail)
        }
        do {
            let prepared = try await store.prepare(fileAt: file)
            guard let match = try await store.match(prepared, edition: edition.map(ID.init(rawValue:))) else {
                return row("matches nothing", detail: "Name its edition with --edition.")
            }
            if dryRun { return row("would be added", match) }
            let new = Ebooks.NewEbook(rights: rights, audience: audience)
            let (opened, isNew) = try await store.give(new, prepared, at: match.edition)
            return row(isNew ? "added" : "there already", ebook: opened.ebook.id.text, match)
        } catch Ebooks.Refusal.file(_, let sentence) {
            return row("refused", detail: sentence)
        } catch let error as FileFailure where error.path == file {
            return row("cannot be read", detail: "\(error.reason)")
        }
    }
}

/// `commonplace ebooks list`: those that the server gives to its readers, newest first.
struct EbooksList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the e-books that readers are given, newest first.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "How many at most, 1 to 10000.")
    var limit = 100

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be 1 to 10000.") }
    }

    private struct Row: Encodable {
        let id, book, title, edition: String
        let pages, size: Int
        let audience: Ebooks.Audience
        let rights: Ebooks.Rights
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace ebooks", schema: .read) { runtime in
            let rows = try await runtime.community.ebooks.given(limit: limit).map { ebook in
                Row(
                    id: ebook.id.text, book: ebook.book.id.text, title: ebook.book.title, edition: ebook.edition.text,
                    pages: ebook.pages, size: ebook.size, audience: ebook.audience, rights: ebook.rights)
            }
            let columns = ["ID", "BOOK", "EDITION", "PAGES", "BYTES", "AUDIENCE", "RIGHTS", "TITLE"]
            try output.print(rows, columns: columns) { index in
                let row = rows[index]
                return [
                    row.id, row.book, row.edition, "\(row.pages)", "\(row.size)", row.audience.rawValue,
                    row.rights.rawValue, row.title,
                ]
            }
        }
    }
}

/// `commonplace ebooks remove ID`: takes one away from readers.
struct EbooksRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take an e-book away that readers were given.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "Its id.")
    var ebook: Int64

    func run() async throws {
        try await Runtime.open(options, as: "commonplace ebooks") { runtime in
            try await runtime.community.ebooks.takeBack(ID(rawValue: ebook))
            Admin.say("It is gone.")
        }
    }
}

/// `commonplace ebooks check`: whether the file of each e-book is there, and can still be read.
struct EbooksCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read the files of all e-books again, and say what is wrong with them.")

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await Runtime.open(options, as: "commonplace ebooks", schema: .read) { runtime in
            let store = runtime.community.ebooks
            let files = try await store.files()
            var faults = 0
            for (index, file) in files.enumerated() {
                if let fault = try await store.fault(of: file) {
                    faults += 1
                    print("\(file)\t\(fault)")
                }
                if (index + 1).isMultiple(of: 100) { Admin.say("\(index + 1) of \(files.count)") }
            }
            Admin.say("\(files.count) files, \(faults) with faults.")
            guard faults == 0 else { throw CommandError(.failure, "not every file is sound") }
        }
    }
}

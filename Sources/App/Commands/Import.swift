import ArgumentParser
import Community
import FoundationEssentials

/// `commonplace import`: books from files.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take books into the catalogue from files.",
        discussion: """
            Lines that cannot be taken in are written with line number and reason to a file in the working directory, or to the one that
            --rejects names, and never stop the rest. A file of which none of the first 100 lines can be read is refused whole. An
            interrupted import goes on behind its last batch when the same command is given again; a finished one can be repeated and
            changes nothing. Books of a CSV file that the demonstration has, by their ISBNs or by title and author, become one
            with its books.

            Examples:
              commonplace import csv books.csv --map goodbooks
              commonplace import openlibrary ol_dump_works_latest.txt.gz --rejects rejects.tsv

            Exit codes: 0 done; 6 done, some lines rejected; 5 another process imports the same file; 66 a file cannot be read; 7 a file is
            not of its format; 75 the database is away.
            """,
        subcommands: [ImportOpenLibrary.self, ImportCSV.self]
    )
}

/// `commonplace import openlibrary FILE…`
struct ImportOpenLibrary: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openlibrary",
        abstract: "Open Library dumps: authors, works, editions, redirects and deletions, in any order, plain or gzip.")

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: ArgumentHelp(
            "Dump files: five columns with tabs between them, or JSON alone on each line.", valueName: "file"))
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "Where rejected lines go; NAME.rejects.tsv in the working directory without it.", valueName: "path"))
    var rejects: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("Name at least one file.") }
        guard rejects == nil || files.count == 1 else { throw ValidationError("--rejects goes with one file.") }
    }

    func run() async throws {
        try ImportRunner.requireReadable(files)
        try await Runtime.open(options, as: "commonplace-import", statementTimeout: .seconds(120)) { runtime in
            var runner = ImportRunner(runtime, output)
            for file in files { try await runner.run(file, format: .openLibrary, rejects: rejects) }
            try await runner.finish()
        }
    }
}

/// `commonplace import csv FILE --map goodbooks`
struct ImportCSV: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "csv",
        abstract: "A CSV file whose columns a preset or a mapping file names.",
        discussion: """
            A mapping file has one line a column: column = field. Fields: key (required), edition_key, title, title_with_series, subtitle,
            description, authors, year, genres, subjects, series, series_position, isbn, publisher, published, pages, language, format,
            ratings_1 to ratings_5. Options, one a line: @source = NAME, @separator = ; (or tab), @author-separator = &.
            The preset goodbooks reads books.csv of goodbooks-10k.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: ArgumentHelp("The CSV file, its first line naming the columns.", valueName: "file"))
    var file: String

    @Option(name: .customLong("map"), help: ArgumentHelp("goodbooks, or a mapping file.", valueName: "mapping"))
    var mapping: String

    @Option(
        help: ArgumentHelp(
            "With the preset: a CSV file with the columns book_id and genres (labels with commas between them).",
            valueName: "path"))
    var genres: String?

    @Option(
        help: ArgumentHelp(
            "Where rejected lines go; NAME.rejects.tsv in the working directory without it.", valueName: "path"))
    var rejects: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try ImportRunner.requireReadable([file, genres, mapping == "goodbooks" ? nil : mapping].compactMap(\.self))
        let format = ImportFormat.csv(try map(), genres: try genres.map { try GenresFile.read($0) } ?? [:])
        try await Runtime.open(options, as: "commonplace-import", statementTimeout: .seconds(120)) { runtime in
            var runner = ImportRunner(runtime, output)
            try await runner.run(file, format: format, rejects: rejects)
            try await runner.finish()
        }
    }

    private func map() throws -> CSVMapping {
        if mapping == "goodbooks" { return .goodbooks }
        guard let text = String(validating: try Data(contentsOf: URL(filePath: mapping)), as: UTF8.self) else {
            throw CommandError(.invalid, "the mapping file \(mapping) is not UTF-8")
        }
        let name = URL(filePath: file).deletingPathExtension().lastPathComponent.lowercased()
        let plain = name.unicodeScalars.map {
            ("a"..."z").contains($0) || ("0"..."9").contains($0) ? Character($0) : "-"
        }
        return try CSVMapping(text: text, defaultSource: String(plain.prefix(20)))
    }
}

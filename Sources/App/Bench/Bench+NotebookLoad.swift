import ArgumentParser
import Community
import FoundationEssentials
import PlainText
import Postgres

/// What it takes to have a large notebook read over HTTP, and many save notes at once: over HTTP, and the same
/// statements by `pgbench`.
struct BenchNotebookLoad: Sendable {
    let fill: BenchNotebookFill

    private static let title = "Seen from the harbour"
    private static let text = String(
        repeating: "What they said in the harbour was not what they had written. ", count: 5)

    /// Writes `reader` (the token of the one with the large notebook), `writers` (tokens), `noted` (a book), `note.json`,
    /// `conninfo` and `note.sql`.
    func prepare(in folder: String, _ runtime: Runtime) async throws {
        let load = BenchLoad(folder: folder)
        let (first, many) = (BenchNotebookFill.firstWriter, BenchNotebookFill.writers)
        let writers = Array(first..<first + many)
        let tokens = try await load.signIn([1] + writers, runtime)
        guard let reader = tokens[1], let digest = tokens[first]?.digest else { return }
        try load.write(reader.text, "reader")
        try load.write(writers.compactMap { tokens[$0]?.text }.joined(separator: "\n"), "writers")
        try load.write("\(fill.noted)", "noted")
        try load.write(
            #"{"title":"\#(Self.title)","items":[{"kind":"text","body":"\#(Self.text)"}]}"#, "note.json")
        try load.write(runtime.ownerConninfo, "conninfo")
        let hex = digest.map { String(format: "%02x", $0) }.joined()
        try load.write(try script(digest: hex), "note.sql")
    }

    /// The transaction of `POST /books/{book}/notes` with a title and a text, for `pgbench -M prepared`: who asks, known by
    /// one and the same token, then the program's own statements in its order. Each client is a reader.
    private func script(digest: String) throws -> String {
        let (reader, book) = (":reader::bigint", "\(fill.noted)::bigint")
        let steps =
            try before(reader, book) + writes(reader, book) + [
                try BenchLoad.sql("notebook.one_note", ["viewer": reader, "note": ":note::bigint"]),
                try BenchLoad.sql("notebook.items", ["note": ":note::bigint"]),
            ]
        let identify = try BenchLoad.sql(
            "accounts.identify",
            ["digest": "'\\x\(digest)'::bytea", "now": "now()", "idleSince": "now() - interval '1 day'"])
        // Identifiers of the size and in the order of the program's own.
        let id = "(extract(epoch from clock_timestamp()) * 1000000)::bigint * 1000 + 2 * :client_id::bigint"
        return """
            \\set reader \(BenchNotebookFill.firstWriter + BenchNotebookFill.writers) + :client_id
            \(identify);
            begin isolation level read committed;
            select \(id) as note, \(id) + 1 as item \\gset
            \(steps.joined(separator: ";\n"));
            commit;

            """
    }

    /// What the note is decided on.
    private func before(_ reader: String, _ book: String) throws -> [String] {
        [
            try BenchLoad.sql("accounts.lock_state", ["reader": reader]),
            try BenchLoad.sql("catalog.hold_book", ["work": book]),
            try BenchLoad.sql("notebook.basis", ["folder": "null::bigint", "work": book, "reader": reader]),
            try BenchLoad.sql("gate.known_of", ["author": reader, "work": book]),
        ]
    }

    private func writes(_ reader: String, _ book: String) throws -> [String] {
        let (note, item, usual, excerpt) = (
            ":note::bigint", ":item::bigint", "10000::smallint", "'\(Self.text.prefix(199))…'"
        )
        return [
            try BenchLoad.sql(
                "notebook.count",
                ["reader": reader, "work": book, "notes": "1", "themes": "0", "folders": "0", "at": "now()"]),
            try BenchLoad.sql(
                "notebook.insert_note",
                [
                    "id": note, "reader": reader, "work": book, "folder": "null::bigint", "title": "'\(Self.title)'",
                    "spot.position": "null::smallint", "spot.page": "null::integer", "level": "0::smallint",
                    "hasOwnLevel": "false", "scope": usual, "excerpt": excerpt, "items": "1", "origin": "null::bigint",
                    "at": "now()",
                ]),
            try words("note", note, Self.title, reader, book),
            try BenchLoad.sql(
                "notebook.insert_item",
                [
                    "id": item, "note": note, "place": "0", "item.kind": "'text'", "item.body": "'\(Self.text)'",
                    "item.spot.position": "null::smallint", "item.spot.page": "null::integer",
                    "item.photo": "null::bigint", "at": "now()",
                ]),
            try words("text", item, Self.text, reader, book),
            try BenchLoad.sql(
                "notebook.settle",
                ["usual": usual, "excerpt": excerpt, "isNew": "true", "at": "now()", "note": note]),
        ]
    }

    private func words(
        _ kind: String, _ id: String, _ text: String, _ reader: String, _ book: String
    ) throws -> String {
        let words = WordVector.text(title: nil, plain: text).replacing("'", with: "''")
        return try BenchLoad.sql(
            "ownwords.put", ["kind": "'\(kind)'", "id": id, "words": "'\(words)'", "reader": reader, "work": book])
    }
}

/// `commonplace bench notebook-check`: whether every note is there, and all is counted once.
struct BenchNotebookCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notebook-check", abstract: "Recount what is counted of notebooks.", shouldDisplay: false)

    @OptionGroup var options: GlobalOptions

    @Option(help: "The notes that the database was filled with, as `bench notebook` was told.")
    var notes = 1_000_000

    @Option(help: "Notes that were answered with 201.")
    var answered = 0

    func run() async throws {
        let (fill, answered) = (BenchNotebookFill(notes: notes), answered)
        try await Runtime.open(options, as: "commonplace bench", statementTimeout: .seconds(600)) { runtime in
            let (first, many) = (BenchNotebookFill.firstWriter, BenchNotebookFill.writers)
            let written = try await runtime.database.one(
                Bench.NotedSince(work: ID(rawValue: Int64(fill.noted)), from: first, to: first + many - 1))
            guard written >= answered else {
                throw CommandError(.failure, "of \(answered) notes that were answered \(written) are there")
            }
        }
        try await Check.check([Notebook.self], options, try OutputOptions.parse([]), as: "commonplace bench")
    }
}

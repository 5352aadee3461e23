import ArgumentParser
import Community
import FoundationEssentials
import Postgres

/// What it takes to have many rate one book at once: over HTTP, and the same statements by `pgbench`.
struct BenchRating: Sendable {
    let work: Int

    /// Writes `tokens` (of readers all over the community), `raters` (of those who rate), `book`, `conninfo` and `rate.sql`.
    func prepare(in folder: String, readers: Int, _ runtime: Runtime) async throws {
        let load = BenchLoad(folder: folder)
        let many = (1...200).map { $0 * (readers / 200) }
        let raters = Array(BenchLibraryFill.firstRater..<BenchLibraryFill.firstRater + BenchLibraryFill.raters)
        let tokens = try await load.signIn(many + raters, runtime)
        try load.write(many.compactMap { tokens[$0]?.text }.joined(separator: "\n"), "tokens")
        try load.write(raters.compactMap { tokens[$0]?.text }.joined(separator: "\n"), "raters")
        try load.write("\(work)", "book")
        try load.write(runtime.ownerConninfo, "conninfo")
        try load.write(try script(), "rate.sql")
    }

    /// The transaction of `PUT /books/{id}/rating` where the reader rated the book before, for `pgbench -M prepared`: the program's own
    /// statements in its order, each client a reader who rates it anew each time. What the first one finds goes into the variables c1, c2, ….
    private func script() throws -> String {
        let first = BenchLibraryFill.firstRater + BenchLibraryFill.raters
        let event = #"""
            '{"review": {"id": "123456789012345678", "reader": {"id": "123456789012345678", "username": "bench_133", "name": null}, "book": {"id": "100001", "title": "The Rated One", "authors": [{"id": "1", "name": "Author 1"}]}, "rating": 4.25, "body": null, "visibility": "public", "version": 17, "created_at": null, "edited_at": null}, "is_cut": false}'
            """#
        let (review, old, new) = (":s_review::bigint", ":s_rating::smallint", ":new::smallint")
        let (reader, book) = (":reader::bigint", "\(work)::bigint")
        let basis = try BenchLoad.sql(
            "reviews.basis",
            ["viewer": reader, "work": book, "isLoopback": "true", "bornBefore": "now()", "today": "current_date"])
        let steps = [
            try BenchLoad.sql(
                "reviews.update",
                [
                    "id": review,
                    "rating": new,
                    "body": "null::text",
                    "visibility": "3",
                    "hiddenLevel": "null::smallint",
                    "counted": "true",
                    "version": ":s_version::integer + 1",
                    "editedAt": "now()",
                    "hasOwnLevel": "false",
                    "spoilers": "false",
                    "text": "null::bigint",
                ]),
            try BenchLoad.sql("library.rated", ["reader": reader, "work": book, "rating": new, "level": "3"]),
            try BenchLoad.sql(
                "eventlog.append",
                [
                    "id": ":event::bigint",
                    "kind": "'book.rated'",
                    "version": "1",
                    "topics": "array['reader:133', 'book:\(work)']",
                    "owner": reader,
                    "subjectKind": "'review'",
                    "subject": review,
                    "at": "now()",
                    "data": event,
                ]),
            try BenchLoad.sql(
                "reviews.count",
                ["work": book, "old.rating": old, "old.hasBody": "false", "new.rating": new, "new.hasBody": "false"]),
        ]
        return """
            \\set reader \(first) + :client_id
            \\set event random(1, 9000000000000000000)
            begin isolation level read committed;
            \(basis) \\gset s_
            \\set new :s_rating % 20 + 1
            \(steps.joined(separator: ";\n"));
            commit;

            """
    }
}

/// `commonplace bench rating-check`: whether every rating is counted, and none twice.
struct BenchRatingCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rating-check", abstract: "Recount what is counted of ratings.", shouldDisplay: false)

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await Check.check([Reviews.self], options, try OutputOptions.parse([]), as: "commonplace bench")
    }
}

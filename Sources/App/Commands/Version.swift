import ArgumentParser
import Migrations
import Postgres

/// `commonplace version`: what this program is.
struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the version of the program and of its schema.")

    /// Semantic version of the program; `/api/v1` changes only by addition within it.
    static let text = "0.1.0"

    /// The last migration that this program knows.
    static var schema: String { Migrations.all.last?.name ?? "" }

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        guard json else {
            print("commonplace \(Self.text) (schema \(Self.schema))")
            return
        }
        print(#"{"name":"commonplace","version":"\#(Self.text)","api":"v1","schema":"\#(Self.schema)"}"#)
    }
}

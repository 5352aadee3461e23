import ArgumentParser

/// `commonplace bench`: what `deploy/bench` measures with. Not shown in the help.
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure; `deploy/bench` calls these.", shouldDisplay: false,
        subcommands: [BenchHTTPBare.self, BenchStream.self, GenerateOpenLibrary.self])
}

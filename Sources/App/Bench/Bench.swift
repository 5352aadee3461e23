import ArgumentParser

/// Measurements for `deploy/bench`; hidden in the help, because no reader or owner needs them.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure parts of the program.", shouldDisplay: false,
        subcommands: [
            BenchPostgres.self, BenchHTTPBare.self, BenchStream.self, BenchLibrary.self, BenchRatingCheck.self,
            BenchDiscussion.self, BenchDiscussionCheck.self, BenchNotebook.self, BenchNotebookCheck.self,
            BenchConverters.self, BenchBarcodes.self, BenchReading.self, BenchSockets.self,
            BenchMessages.self, BenchFeed.self,
            BenchRanking.self, BenchCosine.self, BenchSuggestions.self, BenchRate.self, BenchJobs.self,
            BenchModeration.self,
            BenchSuspension.self,
            GenerateOpenLibrary.self, BenchCatalogueFill.self, BenchCatalogue.self,
        ])
}

import ArgumentParser
import Community
import FoundationEssentials
import Jobs
import Logging
import PlainText
import ServiceLifecycle
import UnixSignals

/// `commonplace work`: jobs alone, beside servers that have enough to do.
struct Work: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Do the jobs of some queues, or of all, without answering requests.",
        discussion: """
            Any number of workers may run on one database, on one machine or on many; `commonplace serve` is one too, unless it is \
            started with --no-work. SIGTERM and SIGINT end it in order: it leases nothing more and gives what runs 20 s.

            Examples:
              commonplace work
              commonplace work --queues ranking,media
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: "Queues to work on, separated by commas. Default: all.")
    var queues: String?

    func run() async throws {
        try await Runtime.open(options, as: "commonplace work", statementTimeout: .seconds(5)) { runtime in
            let worker = try ServerProcess.worker(runtime)
            if let queues {
                let wanted = Set(queues.split(separator: ",").map { $0.trimmed() })
                let known = worker.queues.map(\.name)
                guard !wanted.isEmpty, wanted.isSubset(of: known) else {
                    throw CommandError(.invalid, "--queues takes some of \(known.joined(separator: ", "))")
                }
                worker.serve(only: wanted)
            }
            var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
            if let cluster = runtime.cluster { services.append(.init(service: cluster)) }
            services.append(.init(service: worker))
            let ids = runtime.community.services.ids
            services.append(.init(service: SystemdNotice(logger: runtime.logger) { ids.holdsNode }))
            var configuration = ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: runtime.logger)
            configuration.maximumGracefulShutdownDuration = runtime.settings.shutdownGrace
            runtime.logger.notice("working", metadata: ["queues": "\(queues ?? "all")"])
            try await ServiceGroup(configuration: configuration).run()
            runtime.logger.notice("stopped")
        }
    }
}

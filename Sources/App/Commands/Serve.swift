import ArgumentParser
import Community
import CoreMetrics
import FoundationEssentials
import Glibc
import NIOCore
import Postgres
import Web

/// `commonplace serve`: the whole server in one process.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Start the server: API, stream, jobs, and the database where DATABASE_URL is unset.",
        discussion: """
            SIGTERM and SIGINT end it in order: /readyz answers 503, sockets get their farewell, requests end, jobs stop, the database \
            closes. A second signal ends it at once; nothing acknowledged is lost either way.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Migrate an outside database first. The program's own is always migrated.")
    var migrate = false

    @Flag(help: "Listen beyond loopback although demonstration readers exist.")
    var keepDemo = false

    @Flag(help: "Do no jobs here: other processes do, with `commonplace work`.")
    var noWork = false

    @Flag(help: "Add /api/v1/stream/echo, without sign-in, for a test suite of WebSockets. On loopback only.")
    var conformance = false

    func run() async throws {
        if conformance, try await !options.settings().isLoopback {
            throw CommandError(
                .usage,
                "--conformance is for loopback only: listen on 127.0.0.1 or [::1], and name no other host in PUBLIC_URL"
            )
        }
        let metrics = Prometheus()
        MetricsSystem.bootstrap(metrics)
        let (keepDemo, works, echoes) = (keepDemo, !noWork, conformance)
        try await Runtime.open(
            options, as: "commonplace serve", schema: migrate ? .migrated : .current, statementTimeout: .seconds(5)
        ) { runtime in
            try await Self.check(runtime, keepDemo: keepDemo)
            do {
                try await ServerProcess(runtime, metrics: metrics, works: works, echoes: echoes).run()
            } catch let error as IOError {
                // Of all that serves, listening alone can fail this way.
                throw CommandError(
                    .failure,
                    "\(runtime.settings.listen.text) cannot be listened on: \(String(cString: strerror(error.errnoCode))); choose another address with --listen, or end what listens there"
                )
            }
        }
    }

    /// Throws `CommandError` where serving would be a mistake.
    private static func check(_ runtime: Runtime, keepDemo: Bool) async throws {
        guard !runtime.settings.isLoopback, !keepDemo else { return }
        guard try await runtime.database.one(HasDemonstration()) else { return }
        throw CommandError(
            .configuration,
            "demonstration readers exist, whose sign-in was printed; run `commonplace demo --remove` before listening beyond loopback, or pass --keep-demo"
        )
    }
}

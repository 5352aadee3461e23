import ArgumentParser
import Client
import FoundationEssentials

/// `commonplace tour`: the main job made visible, from outside, against a running server.
struct Tour: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show on a running server how a review reaches a friend's socket.",
        discussion: """
            Registers two readers of its own, befriends them, opens the stream for one and lets the other review a book; then closes \
            both accounts, which are deleted after 30 days. Each step is printed with its time.

            Examples:
              commonplace tour
              commonplace tour --url https://books.example.org --invite cpi_…
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: "The server's address. Default: PUBLIC_URL, else where the settings listen.")
    var url: String?

    @Option(help: "An invitation for two, where the server takes readers by invitation only.")
    var invite: String?

    @Flag(help: "Print JSON lines.")
    var json = false

    func run() async throws {
        let address: String
        if let url { address = url } else { address = try await options.settings().reachableURL }
        do {
            let walk = TourWalk(server: try CommonplaceClient(address, timeout: .seconds(20)), invitation: invite)
            try await walk.run { step in
                print(json ? step.jsonLine : step.line)
            }
        } catch is TourWalk.NoServer {
            throw CommandError(
                .temporary,
                "no server answers at \(address): start one with `commonplace serve`, or name another address with --url"
            )
        } catch let error as ClientError {
            throw CommandError(ExitCode(error), "\(address): \(error.sentence)")
        }
        if !json { print("The tour is complete.") }
    }
}

extension Settings {
    /// Where this machine reaches the server: an address that listens everywhere is reached on loopback.
    fileprivate var reachableURL: String {
        if let publicURL { return publicURL }
        let everywhere = ["0.0.0.0", "::", "*"]
        return everywhere.contains(listen.host) ? "http://127.0.0.1:\(listen.port)" : effectivePublicURL
    }
}

import ArgumentParser
import Client
import FoundationEssentials
import SystemPackage

/// `commonplace bench sockets URL`: sockets of readers on which nothing happens, held open until it is ended, beside what
/// else is measured. Prints `open` when all of them follow their reader's topic.
struct BenchSockets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sockets", abstract: "Hold many sockets open on a running server.", shouldDisplay: false)

    @Argument(help: "Address of the server, such as http://127.0.0.1:8080.")
    var url: String

    @Option(help: "The folder that `bench reading --folder` wrote.")
    var folder: String

    @Option(help: "Sockets; as many of each reader as come to it. 1 to 2000.")
    var count = 1_000

    func validate() throws {
        guard (1...2_000).contains(count) else { throw ValidationError("count is 1...2000") }
    }

    func run() async throws {
        let (client, count) = (try CommonplaceClient(url), count)
        let tokens = try String(contentsOfFile: folder + "/readers", encoding: .utf8).split(separator: "\n")
        guard !tokens.isEmpty else { throw CommandError(.invalid, "\(folder)/readers holds no token") }
        let open = BenchBox(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                let reader = client.signedIn(with: String(tokens[number % tokens.count]))
                group.addTask {
                    try await reader.withStream(["home": .now]) { updates in
                        for try await update in updates {
                            guard case .subscribed = update else { continue }
                            let all = open.change { open in
                                open += 1
                                return open
                            }
                            if all == count { _ = try FileDescriptor.standardOutput.writeAll("open\n".utf8) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

import Foundation
import TestSupport
import Testing

/// The read API in Google Books' form, asked by programs that were made for Google Books.
@Suite struct GoogleBooksClientTests {
    @Test(.requirement("CAT-13"), .timeLimit(.minutes(ProofCount.minutes)))
    func `Google's own client and isbnlib work by another host name`() async throws {
        try await withProgram { program in
            #expect(try await program.run("demo").status == 0)
            let server = try await program.serve()
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let running = try RunningProgram(
                program: root.appending(path: "Tests/Clients/google-books").path,
                arguments: [program.url, root.appending(path: ".build/google-books-clients").path], input: "",
                environment: ProcessInfo.processInfo.environment, log: program.folder + "/clients")
            let status = await running.exit()
            await server.stop()
            if status == 75 { return try skip("neither PyPI nor what it gave before is to be had") }
            #expect(status == 0, "\(running.output)\(running.errors.suffix(2000))")
        }
    }
}

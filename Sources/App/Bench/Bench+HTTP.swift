import ArgumentParser
import FoundationEssentials
import Hummingbird
import Logging

/// `commonplace bench http-bare`: the yardstick for `GET /api/v1/books/{id}`. A Hummingbird application with one route that encodes a book page,
/// and nothing else: no database, no rules, the library's own encoder and logger at its quietest.
struct BenchHTTPBare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http-bare",
        abstract: "Serve one bare Hummingbird route that encodes a book page, to compare with.",
        shouldDisplay: false)

    @Argument(help: "File with a book page as JSON, as GET /api/v1/books/{id} answers it.")
    var body: String

    @Option(help: "Port on this machine.")
    var port = 8090

    func run() async throws {
        guard let data = FileManager.default.contents(atPath: body) else {
            throw CommandError(.notFound, "the file \(body) cannot be read")
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let page = try decoder.decode(BarePage.self, from: data)
        let router = Router()
        router.get("/") { _, _ in page }
        var logger = Logger(label: "bare")
        logger.logLevel = .error
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger)
        try await application.runService()
    }
}

/// The same members as a book page of the API.
private struct BarePage: ResponseCodable {
    struct Named: Codable {
        let id: String
        let name: String
    }

    struct Cover: Codable {
        let url: String
        let alt: String
    }

    struct Series: Codable {
        let id: String
        let name: String
        let position: String?
    }

    struct Genre: Codable {
        let slug: String
        let name: String
    }

    struct Subject: Codable {
        let kind: String
        let name: String
    }

    struct Edition: Codable {
        let id: String
        let title: String?
        let subtitle: String?
        let publisher: String?
        let published: String?
        let year: Int?
        let pages: Int?
        let language: String?
        let format: String?
        let isbn13: String?
        let isbns: [String]
    }

    struct Rating: Codable {
        let average: Double?
        let count: Int
        let histogram: [Int]
    }

    struct Shelves: Codable {
        let want: Int
        let reading: Int
        let read: Int
    }

    let id: String
    let kind: String
    let form: String?
    let title: String?
    let subtitle: String?
    let authors: [Named]
    let cover: Cover?
    let description: String?
    let year: Int?
    let language: String?
    let series: [Series]
    let genres: [Genre]
    let subjects: [Subject]
    let editions: [Edition]
    let rating: Rating
    let readerCount: Int
    let recommendationCount: Int
    let shelves: Shelves
    let checkoutCount: Int
    let shelf: String?
    let position: Int?
    let myRating: Double?
    let isFavourite: Bool
    let isRecommended: Bool
    let version: Int
}

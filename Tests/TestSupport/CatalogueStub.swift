import Community
import NIOCore
import NIOPosix
import Synchronization

/// A server on loopback that plays another catalogue: in its documented forms, or slow, broken and hostile.
package final class CatalogueStub: Sendable {
    /// What it answers to one path with its query.
    package enum Answer: Sendable {
        case json(String, status: Int = 200)
        /// Headers, each with its line end, and a body of any length.
        case head(String, body: [UInt8] = [])
        /// These bytes and nothing else, then the connection ends.
        case bytes([UInt8])
        /// The head of a JSON answer, then spaces for as long as somebody reads.
        case endless
        /// The head, then a space every 5 ms.
        case drips
        case isSilent
        case hangsUp

        package static func redirect(_ location: String) -> Answer {
            .head("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n")
        }
    }

    package let port: Int
    private let log: Log

    /// As in the settings.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// Paths with queries that were asked for, in order.
    package var asked: [String] { log.asked.withLock { $0 } }
    /// Head of the last request.
    package var lastHead: String { log.head.withLock { $0 } }

    /// From now on these answers; what is not named is 404.
    package func answers(_ answers: [String: Answer]) { log.answers.withLock { $0 = answers } }

    /// Settings of a server that asks this one only.
    package func settings(_ names: [Sources.Name] = Sources.Name.allCases) -> Sources.Settings {
        var settings = Sources.Settings(enabled: names)
        for name in names { settings.bases[name] = Sources.Host(loopback: url) }
        return settings
    }

    private init(port: Int, log: Log) {
        self.port = port
        self.log = log
    }

    /// Serves on a free port while `body` runs. A key is a path with its query, or a path for any query. `prepare` puts
    /// what is wanted before the stub into each connection: TLS.
    @discardableResult
    package static func serving<Result>(
        _ answers: [String: Answer] = [:], prepare: @escaping @Sendable (any Channel) throws -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation,
        _ body: (CatalogueStub) async throws -> Result
    ) async throws -> Result {
        let log = Log(answers)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try prepare(channel)
                    try channel.pipeline.syncOperations.addHandler(Handler(log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let result = try await body(CatalogueStub(port: channel.localAddress?.port ?? 0, log: log))
            try await channel.close()
            return result
        } catch {
            try await channel.close()
            throw error
        }
    }

    fileprivate final class Log: Sendable {
        let answers: Mutex<[String: Answer]>
        let asked = Mutex<[String]>([])
        let head = Mutex("")
        init(_ answers: [String: Answer]) { self.answers = Mutex(answers) }

        func answer(_ head: String) -> Answer {
            let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            asked.withLock { $0.append(path) }
            self.head.withLock { $0 = head }
            let bare = String(path.prefix { $0 != "?" })
            return answers.withLock { $0[path] ?? $0[bare] } ?? .json(#"{"error": "notfound"}"#, status: 404)
        }
    }

    /// One connection: reads a head, answers, and closes when all is said.
    fileprivate final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let log: Log
        private var input = ""

        init(_ log: Log) { self.log = log }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            input += String(buffer: unwrapInboundIn(data))
            guard let end = input.firstRange(of: "\r\n\r\n") else { return }
            let head = String(input[..<end.lowerBound])
            input = ""
            switch log.answer(head) {
            case .json(let text, let status):
                say(
                    "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n"
                        + text, context, closes: true)
            case .head(let head, let body):
                var bytes = ByteBuffer(string: head + "\r\n")
                bytes.writeBytes(body)
                write(bytes, context, closes: true)
            case .bytes(let bytes): write(ByteBuffer(bytes: bytes), context, closes: true)
            case .endless:
                say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", context, closes: false)
                pour(context)
            case .drips:
                say("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", context, closes: false)
                drip(context)
            case .isSilent: break
            case .hangsUp: context.close(promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func say(_ text: String, _ context: ChannelHandlerContext, closes: Bool) {
            write(ByteBuffer(string: text), context, closes: closes)
        }

        private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext, closes: Bool) {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(bytes)).whenComplete { _ in
                if closes { bound.value.close(promise: nil) }
            }
        }

        private func pour(_ context: ChannelHandlerContext) {
            guard context.channel.isActive else { return }
            let chunk = "10000\r\n" + String(repeating: " ", count: 0x10000) + "\r\n"
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: chunk))).whenSuccess {
                bound.value.0.pour(bound.value.1)
            }
        }

        private func drip(_ context: ChannelHandlerContext) {
            guard context.channel.isActive else { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: " ")), promise: nil)
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .milliseconds(5)) { bound.value.0.drip(bound.value.1) }
        }
    }
}

/// Answers in the two catalogues' documented forms.
package enum CatalogueAnswers {
    /// What `GET /books/v1/volumes?q=isbn:9780441172719` answers.
    package static let duneAtGoogle = """
        {"kind": "books#volumes", "totalItems": 1, "items": [\(duneVolume)]}
        """

    package static let duneVolume = """
        {"kind": "books#volume", "id": "B1hSG45JCX4C", "etag": "Zc2mLB2Qxbo", "selfLink": "https://www.googleapis.com/books/v1/volumes/B1hSG45JCX4C",
         "volumeInfo": {"title": "Dune", "authors": ["Frank Herbert"], "publisher": "Penguin", "publishedDate": "2003-08-26",
          "description": "<p>Set on the desert planet <b>Arrakis</b> &amp; beyond.</p><br>A classic.",
          "industryIdentifiers": [{"type": "ISBN_13", "identifier": "9780441172719"}, {"type": "ISBN_10", "identifier": "0441172717"}, {"type": "OTHER", "identifier": "UOM:1"}],
          "readingModes": {"text": true, "image": false}, "pageCount": 704, "printType": "BOOK", "categories": ["Fiction / Science Fiction / General"],
          "averageRating": 4.5, "ratingsCount": 120, "maturityRating": "NOT_MATURE", "allowAnonLogging": true,
          "imageLinks": {"smallThumbnail": "http://books.google.com/books/content?id=B1hSG45JCX4C&zoom=5", "thumbnail": "http://books.google.com/books/content?id=B1hSG45JCX4C&zoom=1"},
          "language": "en", "infoLink": "https://play.google.com/store/books/details?id=B1hSG45JCX4C"},
         "saleInfo": {"country": "US", "saleability": "NOT_FOR_SALE", "isEbook": false}, "searchInfo": {"textSnippet": "Set on &hellip;"}}
        """

    /// Open Library's answers for Dune: by ISBN with the redirect that it sends, by search, and the single records.
    package static let duneAtOpenLibrary: [String: CatalogueStub.Answer] = [
        "/isbn/9780441172719.json": .redirect("/books/OL26242482M.json"),
        "/books/OL26242482M.json": .json(duneEdition),
        "/works/OL893415W.json": .json(duneWork),
        "/authors/OL79034A.json": .json(herbert),
        "/search.json": .json(
            """
            {"numFound": 2, "start": 0, "numFoundExact": true, "num_found": 2, "documentation_url": "https://openlibrary.org/dev/docs/api/search", "q": "", "offset": null,
             "docs": [{"key": "/works/OL893415W", "cover_edition_key": "OL26242482M", "edition_key": ["OL1M"]}, {"key": "/works/OL2W"}]}
            """),
    ]

    package static let duneEdition = """
        {"key": "/books/OL26242482M", "type": {"key": "/type/edition"}, "title": "Dune", "authors": [{"key": "/authors/OL79034A"}],
         "works": [{"key": "/works/OL893415W"}], "isbn_10": ["0441172717"], "isbn_13": ["9780441172719"], "publishers": ["Ace"], "publish_date": "September 1990",
         "number_of_pages": 535, "languages": [{"key": "/languages/eng"}], "covers": [-1, 11481354], "physical_format": "Mass Market Paperback",
         "latest_revision": 12, "revision": 12, "created": {"type": "/type/datetime", "value": "2016-12-08T03:29:03.000000"}}
        """

    package static let duneWork = """
        {"key": "/works/OL893415W", "type": {"key": "/type/work"}, "title": "Dune", "authors": [{"author": {"key": "/authors/OL79034A"}, "type": {"key": "/type/author_role"}}],
         "subjects": ["Science fiction", "Deserts"], "first_publish_date": "1965", "covers": [11481354], "latest_revision": 80, "revision": 80}
        """

    package static let herbert = """
        {"key": "/authors/OL79034A", "type": {"key": "/type/author"}, "name": "Frank Herbert", "birth_date": "8 October 1920", "death_date": "11 February 1986",
         "bio": {"type": "/type/text", "value": "Frank Patrick Herbert Jr. wrote."}, "revision": 20}
        """
}

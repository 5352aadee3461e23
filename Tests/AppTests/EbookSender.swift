import Community
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Client

/// An e-book of so many pages that they are stored in portions, unlike every other. It has a drawing.
struct SentBook: Sendable {
    let bytes: [UInt8]
    let hash: String
    let key: String
    let chapters: Int
    /// All of its words in their order.
    let words: [String]

    init(number: Int, random: TestRandom) throws {
        let (chapters, paragraphs) = (random.number(in: 11...13), random.number(in: 30...34))
        let vocabulary = ["walked", "quiet", "woods", "lantern", "evening", "harbour", "letter", "winter", "garden"]
        var all: [String] = []
        let documents = (1...chapters).map { chapter in
            let texts = (1...paragraphs).map { paragraph in
                "r\(number)c\(chapter)p\(paragraph) "
                    + (0..<60).map { _ in random.element(of: vocabulary) ?? "" }.joined(separator: " ")
            }
            all += ["Chapter", "\(chapter)"] + texts.flatMap { $0.split(separator: " ").map(String.init) }
            let shown = chapter == 1 ? "<p><img src=\"a.svg\" alt=\"\"/></p>" : ""
            return TestEbooks.Chapter(
                "Chapter \(chapter)",
                body: "<h1>Chapter \(chapter)</h1>\(shown)" + texts.map { "<p>\($0)</p>" }.joined())
        }
        let drawing = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(40 + number % 50)" height="20"><rect width="9" height="20" fill="#0a0"/></svg>
            """
        bytes = try TestEbooks.raw(
            "Round \(number)", documents, pictures: [("a.svg", "image/svg+xml", Array(drawing.utf8))])
        (hash, key, words) = (Media.Hash(of: bytes).text, "ebook-\(number)", all)
        self.chapters = chapters
    }
}

extension SentBook {
    /// There is one file, it is one of `drafts` from the first word to the last, and nothing is there that is not its. Gives its hash.
    static func check(_ world: World, _ drafts: [SentBook]) async throws -> String {
        let rows = try await world.asSuperuser(
            """
            select encode(file.hash, 'hex'), file.pages,
                   (select count(*) from ebook_page page where page.file_id = file.id),
                   (select count(*) from ebook_words words where words.file_id = file.id and words.words <> ''::tsvector),
                   (select count(*) from ebook_chapter chapter where chapter.file_id = file.id),
                   (select count(*) from ebook_picture picture where picture.file_id = file.id),
                   (select count(*) from ebook where ebook.file_id = file.id),
                   (select string_agg(page.body, ' ' order by page.number) from ebook_page page where page.file_id = file.id)
              from ebook_file file
            """)
        try #require(rows.count == 1, "\(rows.map { $0.prefix(7) })")
        let row = rows[0].map { $0 ?? "" }
        let draft = try #require(drafts.first { $0.hash == row[0] }, "another book")
        #expect(row[1] == row[2] && row[1] == row[3], "\(row.prefix(7))")
        #expect(row[4...6] == ["\(draft.chapters)", "1", "1"], "\(row.prefix(7))")
        #expect(row[7].split(whereSeparator: \.isWhitespace).map(String.init) == draft.words, "\(row.prefix(7))")
        let elsewhere = ["ebook_page", "ebook_words", "ebook_chapter", "ebook_picture", "ebook_former_page"].map {
            "select 1 from \($0) where file_id not in (select id from ebook_file)"
        }
        #expect(try await world.asSuperuser(elsewhere.joined(separator: " union all ")).isEmpty)

        let known = Set(try await world.asSuperuser("select encode(hash, 'hex') from media_file").compactMap { $0[0] })
        var files: Set<String> = []
        let folder = world.mediaFolder
        for shard in try FileManager.default.contentsOfDirectory(atPath: folder + "/files") {
            files.formUnion(try FileManager.default.contentsOfDirectory(atPath: folder + "/files/" + shard))
        }
        #expect(known == files, "\(known.symmetricDifference(files).count) of \(known.count)")
        #expect(try await world.asSuperuser("select from media_file where missing_at is not null").isEmpty)
        for part in ["incoming", "scratch"] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/" + part).isEmpty, "\(part)")
        }
        #expect(try await world.everyDifference() == [])
        return row[0]
    }
}

/// Processes of this machine.
enum Processes {
    /// Those that are told of a folder, or work in it.
    static func below(_ folder: String) -> [String] {
        let files = FileManager.default
        return ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).filter { name in
            guard name.allSatisfy(\.isNumber) else { return false }
            if (try? files.destinationOfSymbolicLink(atPath: "/proc/\(name)/cwd"))?.hasPrefix(folder) == true {
                return true
            }
            guard let handle = FileHandle(forReadingAtPath: "/proc/\(name)/cmdline"),
                let line = try? handle.readToEnd()
            else { return false }
            return String(decoding: line, as: UTF8.self).contains(folder)
        }
    }
}

/// Somebody who keeps one e-book after the other of one edition, over HTTP.
struct BookSender: Sendable {
    private let token: String
    private let path: String

    init(on program: Program, edition: String) async throws {
        path = "/api/v1/editions/\(edition)/ebook?rights=own_copy"
        let account = """
            {"username": "ann", "email": "ann@example.org", "email_confirmation": "ann@example.org",
             "password": "a long walk home", "password_confirmation": "a long walk home"}
            """
        let made = try await Self.perform(HTTPCall(.post, "/api/v1/accounts", body: Array(account.utf8)), program)
        token = try #require(try JSONValue(body: made.body)["token"]?.string)
    }

    /// Keeps an e-book under its key; gives its id.
    func keep(_ draft: SentBook, isFirst: Bool, by program: Program) async throws -> String {
        var call = HTTPCall(.put, path, body: draft.bytes, key: draft.key)
        (call.token, call.type) = (token, "application/epub+zip")
        let answer = try await Self.perform(call, program)
        #expect(answer.status == (isFirst ? 201 : 200), "\(String(decoding: answer.body.prefix(500), as: UTF8.self))")
        return try #require(try JSONValue(body: answer.body)["id"]?.string)
    }

    /// Sends the first `count` bytes of it, and keeps the connection.
    func begin(_ draft: SentBook, _ count: Int, by program: Program) async throws -> RawConnection {
        let connection = try await RawConnection.open(port: program.port)
        await connection.send(
            "PUT \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(program.port)\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/epub+zip\r\nIdempotency-Key: \(draft.key)\r\n"
                + "Content-Length: \(draft.bytes.count)\r\n\r\n")
        await connection.send(Array(draft.bytes.prefix(count)))
        return connection
    }

    /// The words of all pages of an e-book.
    func text(of ebook: String, by program: Program) async throws -> [String] {
        var words: [String] = []
        var (first, count) = (1, 1)
        while first <= count {
            var call = HTTPCall(.get, "/api/v1/ebooks/\(ebook)/pages?from=\(first)")
            call.token = token
            let pages = try JSONValue(body: try await Self.perform(call, program).body)["items"]?.array ?? []
            try #require(!pages.isEmpty, "no page \(first)")
            for page in pages {
                words += (page["text"]?.string ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
            }
            count = pages[0]["page_count"]?.number.map { Int($0) } ?? 0
            first += pages.count
        }
        return words
    }

    /// Whether its picture comes.
    func sees(pictureOf ebook: String, by program: Program) async throws -> Bool {
        var call = HTTPCall(.get, "/api/v1/ebooks/\(ebook)/pictures/0")
        call.token = token
        let answer = try await Self.perform(call, program)
        return answer.status == 200 && answer.body.starts(with: [0x89, 0x50, 0x4E, 0x47])
    }

    /// What the server answers to the reader's call.
    func answer(to call: HTTPCall, by program: Program) async throws -> HTTPAnswer {
        var call = call
        call.token = token
        return try await Self.perform(call, program)
    }

    private static func perform(_ call: HTTPCall, _ program: Program) async throws -> HTTPAnswer {
        try await HTTPTransport(try ServerAddress(program.url), timeout: .seconds(60)).perform(call)
    }
}

import Community
import EventLog
import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// One reader who says something in every column that takes a reader's words: all of it is in the export, and none of
/// it is anywhere after the account's end.
@Suite(.database)
struct CanaryTests {
    private static let word = "canary"
    private static let password = "a long enough password"

    /// Columns of text in readers' tables that hold no words of theirs.
    private static let wordless: Set = [
        "theme.color",
        "access_token.scopes", "account.time_zone", "session.network", "catalog_proposal.decided_by",
        "catalog_proposal.answer",
        "catalog_proposal.before", "catalog_revision.actor", "catalog_revision.before", "catalog_revision.after",
    ]

    /// Says it everywhere; through the API wherever there is a call.
    private func plant(in app: TestApp) async throws -> TestApp {
        let world = app.world
        let signedUp = try await app.post(
            "/api/v1/accounts",
            [
                "username": "canary_name", "email": "canary_mail@example.org",
                "email_confirmation": "canary_mail@example.org", "password": .string(Self.password),
                "password_confirmation": .string(Self.password), "name": "canary display name",
            ], headers: [.userAgent: "canary device"])
        let id = try #require(signedUp.json["account"]?["id"]?.text)
        let reader = app.with(token: try #require(signedUp.json["token"]?.text))
        let book = try await world.given.book("Emma")
        let other = try await world.given.book("Persuasion")

        func expect(_ answer: TestAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(answer.status.kind == .successful, "\(answer.text)", sourceLocation: sourceLocation)
        }
        expect(try await reader.patch("/api/v1/me", ["bio": "canary bio"]))
        var key = HTTPFields()
        key[.idempotencyKey] = "review"
        expect(
            try await reader.put(
                "/api/v1/books/\(book)/review", ["rating": 4, "body": "canary review >!canary ending!<"],
                headers: key))
        expect(try await reader.put("/api/v1/books/\(other)/shelf", ["shelf": "read", "note": "canary shelf note"]))
        expect(
            try await reader.post("/api/v1/books/\(book)/bookmarks", ["percent": 10, "label": "canary bookmark"]))
        expect(
            try await reader.put("/api/v1/books/\(book)/position", ["percent": 20, "device": "canary reading device"]))
        expect(
            try await reader.post(
                "/api/v1/books/\(book)/notes",
                [
                    "title": "canary note", "theme_names": ["canary theme"], "visibility": "public",
                    "items": [
                        ["kind": "text", "body": "canary text >!canary twist!<"],
                        ["kind": "quote", "body": "canary quote", "place": ["percent": 90]],
                    ],
                ]))
        expect(try await reader.post("/api/v1/books/\(book)/folders", ["name": "canary folder"]))
        let list = try await reader.post(
            "/api/v1/me/lists", ["title": "canary list", "description": "canary list description"])
        let listID = try #require(list.json["id"]?.text)
        expect(try await reader.put("/api/v1/lists/\(listID)/books/\(book)", ["note": "canary item note"]))
        expect(try await reader.get("/api/v1/search?q=canary%20search&title=canary%20search"))
        try await plantLibrary(of: try #require(Int64(id)), book: book, through: reader)
        try await plantBoards(book: book, through: reader)
        expect(
            try await reader.patch("/api/v1/books/\(book)", ["title": "canary title", "reason": "canary proposal"]))
        expect(
            try await reader.post(
                "/api/v1/me/access-tokens", ["name": "canary token", "scopes": ["read:library"], "days": 9]))
        expect(
            try await reader.put(
                "/api/v1/me/email",
                [
                    "email": "canary_new@example.org", "email_confirmation": "canary_new@example.org",
                    "password": .string(Self.password),
                ]))
        expect(try await app.post("/api/v1/password-reset-requests", ["email": "canary_mail@example.org"]))
        if Pictures.canBeConverted {
            let picture = try Pictures.halves(100, 100, as: "a.png")
            expect(
                try await reader.send(
                    .put, "/api/v1/me/picture?alt=canary%20picture", body: picture,
                    headers: [.contentType: "image/png"]))
        } else {
            try await world.asSuperuser(
                """
                insert into picture (id, kind, owner_id, alt, width, height, size, created_at)
                values (1, 'profile', \(id), 'canary picture', 1, 1, 1, now())
                """)
        }
        if Pictures.canBeConverted {
            let photo = try await reader.photograph(
                book, try Pictures.halves(400, 300, as: "a.png"), "comment=canary%20comment&alt=canary%20photo",
                type: "image/png")
            expect(photo)
            expect(
                try await reader.patch(
                    "/api/v1/photos/\(photo.json["id"]?.text ?? "")", ["words": "canary words in it", "rotate": 90]))
        } else {
            _ = try await world.given.photo(
                of: book, by: try #require(ID(text: id)), comment: "canary comment", alt: "canary photo",
                words: "canary words in it")
        }
        if Pictures.canBeConverted {
            let edition = try await world.asSuperuser("select id from edition where work_id = \(book)")[0][0] ?? ""
            expect(
                try await reader.send(
                    .put,
                    "/api/v1/editions/\(edition)/proposed-cover?alt=canary%20cover&reason=canary%20cover%20reason",
                    body: try Pictures.halves(400, 600, as: "a.png"), headers: [.contentType: "image/png"]))
        }
        // As a bookmark in an e-book keeps how its page begins.
        try await world.asSuperuser(
            "update bookmark set ebook_chapter = 0, ebook_start = 0, ebook_words = 'canary page' where reader_id = \(id)"
        )
        // A librarian for once: the change stays with the catalogue, the words about it do not.
        try await world.asSuperuser("update account set role = 'librarian' where id = \(id)")
        expect(try await reader.patch("/api/v1/books/\(other)", ["year": 1817, "reason": "canary revision"]))
        try await world.asSuperuser("update account set role = 'member' where id = \(id)")
        return reader
    }

    /// A library that the reader named, with a copy that a friend has borrowed, one of the friend's that the reader has, and all that there
    /// is to lending.
    private func plantLibrary(of id: Int64, book: ID<Catalog.Work>, through reader: TestApp) async throws {
        let world = reader.world
        let own = "/api/v1/libraries/\(id)"
        func made(_ answer: TestAnswer, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
            try #require(answer.json["id"]?.text, "\(answer.text)", sourceLocation: sourceLocation)
        }
        let friend = try await world.given.account("lender")
        try await world.given.friendship(ID(rawValue: id), friend.id)
        let other = reader.as(friend)
        let review = try await world.given.review(by: friend.id, of: book, body: "Read it.")
        _ = try made(
            try await reader.post(
                "/api/v1/reviews/\(review.id)/replies", ["body": "canary reply >!canary answer!<"]))
        #expect(try await reader.put("/api/v1/reviews/\(review.id)/reactions/like").status == .noContent)
        _ = try made(
            try await reader.post(
                "/api/v1/reports",
                ["target": .string("review:\(review.id)"), "category": "other", "text": "canary report"]))
        // What is kept of what the reader says of themselves.
        _ = try made(
            try await other.post("/api/v1/reports", ["target": "reader:canary_name", "category": "spam"]))
        let conversation = try made(try await reader.put("/api/v1/me/conversations/with/lender"))
        let messages = "/api/v1/conversations/\(conversation)/messages"
        _ = try made(try await reader.post(messages, ["body": "canary message", "book_id": .string(book.text)]))
        let said = try await reader.patch(own, ["name": "canary library", "description": "canary library description"])
        #expect(said.status == .ok, "\(said.text)")
        #expect(try await reader.post(own + "/members", ["username": "lender"]).status == .created)
        #expect(try await reader.post(own + "/link").status == .created)
        let group = try made(try await reader.post("/api/v1/me/libraries", ["name": "canary household"]))
        let copies = "/api/v1/libraries/\(group)/copies"
        _ = try made(try await reader.post(copies, ["book_id": .string(book.text), "label": "canary shelf mark"]))
        let lent = try made(
            try await reader.post(own + "/copies", ["book_id": .string(book.text), "label": "canary label"]))
        let theirs = try made(
            try await other.post("/api/v1/libraries/\(friend.id)/copies", ["book_id": .string(book.text)]))
        for (copy, borrower, lender) in [(lent, other, reader), (theirs, reader, other)] {
            let loan = try made(try await borrower.post("/api/v1/copies/\(copy)/loans"))
            #expect(try await lender.post("/api/v1/loans/\(loan)/hand-over").status == .ok)
        }
        #expect(try await reader.post("/api/v1/books/\(book)/checkout").status == .ok)
    }

    /// A thread with an inline spoiler, that others answer; a reply, said anew, in the thread of another; and what is kept beside it.
    private func plantBoards(book: ID<Catalog.Work>, through reader: TestApp) async throws {
        let given = reader.world.given
        let other = try await given.reader()
        let opened = try await reader.post(
            "/api/v1/books/\(book)/threads",
            ["title": "canary thread", "body": "canary opening >!the end!<", "scope": "free"])
        #expect(opened.status == .created, "\(opened.text)")
        let own = try #require(
            try await reader.world.asSuperuser("select id from thread").first?[0].flatMap {
                ID<Boards.Thread>(text: $0)
            })
        _ = try await given.post(in: own, by: other)
        let theirs = try await given.thread(on: book, by: other)
        let said = try await reader.post(
            "/api/v1/threads/\(theirs.id)/posts", ["body": "canary reply >!and more!<", "scope": "free"])
        #expect(said.status == .created, "\(said.text)")
        for path in ["posts/\(theirs.post)/reactions/like", "threads/\(theirs.id)/mute", "books/\(book)/board/follow"] {
            #expect(try await reader.put("/api/v1/" + path).status == .noContent)
        }
    }

    /// What the columns of readers' tables hold of it, `table.column` each; and those that hold nothing of it and
    /// should.
    private func planted(in world: World) async throws -> (words: [String: Set<String>], bare: [String]) {
        let enumerations = Set(
            try await world.asSuperuser(
                #"""
                select conrelid::regclass || '.' || attname
                  from pg_constraint
                  join pg_attribute on attrelid = conrelid and attnum = any (conkey)
                 where contype = 'c'
                   and (pg_get_constraintdef(pg_constraint.oid) ~ '= ANY \(' or pg_get_constraintdef(pg_constraint.oid) ~ ' ~ ''\^\[a-z\]')
                """#
            ).compactMap { $0[0] })
        var words: [String: Set<String>] = [:]
        var bare: [String] = []
        for table in Community.personalTables where table.unexported == nil {
            for column in try await RegistryTests.columns(in: world)
            where column.table == table.table.text && column.holdsText && !table.hidden.contains(column.name) {
                let name = column.table + "." + column.name
                guard !enumerations.contains(name), !Self.wordless.contains(name) else { continue }
                let found = try await world.asSuperuser(
                    "select distinct \(column.name)::text from \(column.table) where \(column.name)::text ~ '\(Self.word)'"
                ).compactMap { $0[0] }
                if found.isEmpty { bare.append(name) }
                words[name, default: []].formUnion(found.flatMap(Self.words))
            }
        }
        return (words, bare)
    }

    /// `canary list`, `canary_name`, …: the word and what follows it.
    private static func words(in text: String) -> [String] {
        text.matches(of: /canary[ a-z_]*/).map { String($0.output) }
    }

    @Test
    func `a word in every column of a reader's is in the export, and after the account's end in no dump, file or mail`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let world = app.world
            let spool = NSTemporaryDirectory() + "commonplace-spool-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: spool) }
            let stranger = try await world.given.account("stranger")
            let book = try await world.given.book("Middlemarch")
            try await world.given.review(
                by: stranger.id, of: book, body: "the secret of somebody else", visibility: .private)
            let mailer = try SpoolMailer(
                folder: spool, sender: try MailSender(name: "", address: "server@example.org"), clock: world.clock)
            let program = Community(
                world.services, mailer: mailer,
                media: Media.Facilities(folder: world.mediaFolder, tools: nil, services: world.services),
                endings: [Idempotency.ending])

            let reader = try await plant(in: app)
            let (words, bare) = try await planted(in: world)
            #expect(bare == [], "nothing was said in these columns: plant a word there")
            #expect(try await world.work(for: program) == 0)
            try await EventLog.Relay(database: world.database, bell: Bell(), logger: world.logger) {}.moveAll()
            #expect(try dump(of: world).contains(Self.word))
            #expect(try Self.files(below: spool).contains { $0.text.contains(Self.word) })

            // Everything is in the export, and nothing of anybody else.
            let export = try await exported(to: reader, by: program)
            let text = export.map { String(decoding: $0.value, as: UTF8.self) }.joined()
            for (column, words) in words {
                for word in words { #expect(text.contains(word), "\(column): \(word) is not in the export") }
            }
            #expect(!text.contains("secret of somebody") && !text.contains("stranger"))
            #expect(!text.contains("argon2") && !text.contains("token_hash"))
            let pictures = export.filter { $0.key.hasPrefix("files/") }
            // A photograph's master is its reader's, too.
            let widths = Media.Kind.allCases.map(\.widths.count).reduce(1, +)
            #expect(pictures.count == (Pictures.canBeConverted ? widths : 3))
            #expect(pictures.allSatisfy { $0.value.starts(with: [0xFF, 0xD8]) })

            // Then it is gone.
            let leaving = try await reader.call(.delete, "/api/v1/me", ["password": .string(Self.password)])
            #expect(leaving.status == .noContent)
            #expect(try await world.work(for: program) == 0)
            world.clock.advance(by: .seconds(30 * 86_400))
            try await program.accounts.closeDeparted()
            #expect(try await world.work(for: program) == 0)
            try await EventLog.Relay(database: world.database, bell: Bell(), logger: world.logger) {}.moveAll()

            let rest = try dump(of: world)
            #expect(!rest.contains(Self.word), "\(Self.lines(of: rest, with: Self.word))")
            let hexadecimal = Self.word.utf8.map { String($0, radix: 16) }.joined()
            #expect(!rest.contains(hexadecimal), "\(Self.lines(of: rest, with: hexadecimal))")
            for file in try Self.files(below: spool) + Self.files(below: world.mediaFolder) {
                #expect(!file.text.contains(Self.word), "\(file.path)")
            }
            #expect(try Self.files(below: world.mediaFolder + "/files").isEmpty)
            #expect(try await world.everyDifference() == [])
            // What others said stays.
            #expect(rest.contains("the secret of somebody else"))
        }
    }

    // MARK: Tools

    /// The reader's archive, unpacked by Python's zipfile: path and content of each file.
    private func exported(to reader: TestApp, by program: Community) async throws -> [String: [UInt8]] {
        #expect(try await reader.get("/api/v1/me/export").status == .notFound)
        let asked = try await reader.post("/api/v1/me/export")
        #expect(asked.status == .accepted && asked.json["state"] == "waiting")
        #expect(try await reader.get("/api/v1/me/export/archive").code == "not_ready")
        #expect(try await reader.world.work(for: program) == 0)
        let ready = try await reader.get("/api/v1/me/export").json
        #expect(ready["state"] == "ready" && ready["done_count"] == ready["total_count"])
        let archive = try await reader.get("/api/v1/me/export/archive")
        #expect(archive.status == .ok && archive.headers[.contentType] == "application/zip")
        #expect(archive.headers[.cacheControl] == "no-store")
        #expect(ready["size"]?.number == Double(archive.body.count))
        return try Self.unpacked(archive.body)
    }

    static func unpacked(_ archive: [UInt8]) throws -> [String: [UInt8]] {
        let file = try TemporaryFile("archive.zip", archive)
        let folder = file.folder + "/content"
        _ = try run("python3", ["-m", "zipfile", "-e", file.path, folder])
        let pairs = try files(below: folder).map { (String($0.path.dropFirst(folder.count + 1)), $0.bytes) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The whole database as SQL.
    private func dump(of world: World) throws -> String {
        String(decoding: try Self.run("pg_dump", ["--dbname=" + world.lane.superuserConninfo]), as: UTF8.self)
    }

    /// Standard output of a program that ends well.
    private static func run(_ program: String, _ arguments: [String]) throws -> [UInt8] {
        let output = try TemporaryFile("output", [])
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output.path))
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(program) failed")
        return [UInt8](try Data(contentsOf: URL(filePath: output.path)))
    }

    private struct File {
        let path: String
        let bytes: [UInt8]
        var text: String { path + "\n" + String(decoding: bytes, as: UTF8.self) }
    }

    private static func files(below folder: String) throws -> [File] {
        guard let paths = FileManager.default.enumerator(atPath: folder) else { return [] }
        var files: [File] = []
        for case let path as String in paths {
            var isFolder: ObjCBool = false
            let whole = folder + "/" + path
            guard FileManager.default.fileExists(atPath: whole, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            files.append(File(path: whole, bytes: [UInt8](try Data(contentsOf: URL(filePath: whole)))))
        }
        return files
    }

    private static func lines(of text: String, with word: String) -> [String] {
        text.split(separator: "\n").filter { $0.contains(word) }.prefix(10).map { String($0.prefix(300)) }
    }
}

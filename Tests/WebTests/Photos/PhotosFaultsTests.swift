import Community
import Foundation
import HTTPTypes
import JSONWriting
import Synchronization
import TestSupport
import Testing
import Web

/// What nobody should send: one clear answer each, and nothing is kept.
@Suite(.database, .enabled(if: Pictures.canBeConverted))
struct PhotosFaultsTests {
    @Test(.requirement("UPL-1", "UPL-4"))
    func `a file that is no photograph is refused with the reason, and leaves nothing`() async throws {
        let png = try Pictures.halves(100, 100, as: "a.png")
        // A few bytes that say that they unpack to a gigapixel, and rows of zeros that do to more than they say.
        let bomb = Pictures.png(32_000, 32_000, rows: [0])
        let cases: [(body: [UInt8], type: String, status: Int, code: String)] = [
            (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), "image/svg+xml", 415, "unsupported_media_type"),
            (Array("%PDF-1.4".utf8), "image/jpeg", 415, "unsupported_media_type"),
            (Array("GIF89a".utf8) + Array(repeating: 0, count: 40), "image/gif", 415, "unsupported_media_type"),
            (png, "image/jpeg", 415, "unsupported_media_type"), (png, "text/plain", 415, "unsupported_media_type"),
            (Array(png.prefix(png.count / 2)), "image/png", 422, "picture_damaged"),
            (Pictures.png(0, 100, rows: [0]), "image/png", 422, "picture_damaged"),
            (Pictures.jpegHeader(0, 0), "image/jpeg", 422, "picture_damaged"),
            ([], "image/jpeg", 415, "unsupported_media_type"),
            (bomb, "image/png", 422, "picture_too_large"),
            (Pictures.png(8, 8, rows: [0]), "image/png", 422, "picture_shape"),
            (
                Pictures.png(100, 100, rows: Array(repeating: 0, count: 8_000_000)), "image/png", 422, "picture_damaged"
            ),
            (Array(repeating: 0xFF, count: Limits.photos.upload + 1), "image/png", 413, "payload_too_large"),
        ]
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account()
            let book = try await app.world.given.book()
            let kept = try await app.as(ann).photograph(book, png, "comment=kept", type: "image/png")
            let path = "/api/v1/photos/\(kept.json["id"]?.text ?? "")"
            let stored = try storedFiles(of: app.world).count
            for (body, type, status, code) in cases {
                for (method, place) in [
                    (HTTPRequest.Method.post, "/api/v1/books/\(book)/photos"), (.put, path + "/image"),
                ] {
                    let answer = try await app.as(ann).send(method, place, body: body, headers: [.contentType: type])
                    #expect(answer.status.code == status && answer.code == code, "\(type) \(code): \(answer.text)")
                }
            }
            #expect(try await app.as(ann).get("/api/v1/me/photos").json["items"]?.elements.count == 1)
            #expect(try await app.as(ann).get(path).json["version"] == 1)
            #expect(try storedFiles(of: app.world).count == stored)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("UPL-3", "UPL-4"))
    func `a place, an edit or a text that cannot be is refused, each with its own fault, before anything is converted`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account()
            let book = try await app.world.given.book()
            try await app.world.given.shelved(book, .reading, by: ann.id)
            try await app.world.given.position(.page(1, of: 300), in: book, by: ann.id)
            let mine = app.as(ann)
            let png = try Pictures.halves(100, 100, as: "a.png")
            let long = String(repeating: "a", count: 2001)
            let wrong: [(query: String, pointer: String, code: String)] = [
                ("page=-1", "?page", "out_of_range"), ("page=1000000000", "?page", "out_of_range"),
                ("page=301", "?page", "out_of_range"), ("page=one", "?page", "wrong_type"),
                ("percent=101", "?percent", "out_of_range"), ("percent=nan", "?percent", "wrong_type"),
                ("comment=", "?comment", "too_short"), ("comment=\(long)", "?comment", "too_long"),
                ("comment=%20%E2%80%8B", "?comment", "too_short"), ("alt=", "?alt", "too_short"),
                ("alt=a%E2%80%AEb", "?alt", "bad_format"), ("visibility=everybody", "?visibility", "unknown"),
                ("rotate=45", "?rotate", "unknown"), ("crop=1,2,3", "?crop", "bad_format"),
                ("crop=a,b,c,d", "?crop", "bad_format"), ("crop=500,0,501,1000", "?crop", "out_of_range"),
                ("crop=-1,0,10,10", "?crop", "out_of_range"), ("crop=0,0,0,1000", "?crop", "out_of_range"),
                ("crop=0,0,9223372036854775807,1", "?crop", "out_of_range"),
                ("crop=9223372036854775807,0,1,1", "?crop", "out_of_range"),
            ]
            for (query, pointer, code) in wrong {
                let answer = try await mine.photograph(book, png, query, type: "image/png")
                #expect(answer.status == .unprocessableContent, "\(query): \(answer.text)")
                #expect(
                    answer.pointers == [pointer] && answer.json["errors"]?[0]?["code"]?.text == code,
                    "\(query): \(answer.text)")
            }
            #expect(try await mine.photograph(book, png, "colour=red", type: "image/png").code == "unknown_parameter")
            let nowhere = try await mine.send(
                .post, "/api/v1/books/7/photos", body: png, headers: [.contentType: "image/png"])
            #expect(nowhere.status == .notFound)
            // What an edit leaves is too little to be seen.
            let speck = try await mine.photograph(book, png, "crop=0,0,100,1000", type: "image/png")
            #expect(speck.status == .unprocessableContent && speck.code == "picture_shape", "\(speck.text)")
            #expect(try storedFiles(of: app.world).isEmpty)

            let made = try await mine.photograph(book, png, "page=300", type: "image/png")
            #expect(made.json["position"] == 10_000, "\(made.text)")
            let path = "/api/v1/photos/\(made.json["id"]?.text ?? "")"
            let changes: [(body: JSONValue, pointer: String)] = [
                (["page": -1], "/page"), (["page": 301], "/page"), (["percent": -0.5], "/percent"),
                (["rotate": 45], "/rotate"), (["rotate": "90"], "/rotate"), (["crop": [0, 0, 1, 1]], "/crop"),
                (["crop": ["left": 0, "top": 0, "width": 10]], "/crop/height"),
                (["crop": ["left": 600, "top": 0, "width": 401, "height": 1000]], "/crop"),
                (["comment": ""], "/comment"), (["words": ""], "/words"), (["alt": "\u{202E}"], "/alt"),
                (["visibility": 3], "/visibility"), (["height": 7], "/height"),
            ]
            for (body, pointer) in changes {
                let answer = try await mine.patch(path, body)
                #expect(answer.status == .unprocessableContent && answer.pointers == [pointer], "\(answer.text)")
            }
            let small = try await mine.patch(path, ["crop": ["left": 0, "top": 0, "width": 1000, "height": 100]])
            #expect(small.code == "picture_shape", "\(small.text)")
            #expect(try await mine.get(path).json == made.json)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("UPL-1"))
    func `what one reader stores ends at the quota, in bytes and in photographs, and a place that is freed is taken`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account(), try await app.world.given.account())
            let book = try await app.world.given.book()
            let png = try Pictures.halves(100, 100, as: "a.png")
            let first = try await app.as(ann).photograph(book, png, type: "image/png")
            let path = "/api/v1/photos/\(first.json["id"]?.text ?? "")"
            for (column, limit) in [("photos", Limits.photos.photos), ("photo_bytes", Limits.photos.quota)] {
                let stored = "select \(column) from media_tally where account_id = \(ann.id)"
                let before = try await app.world.asSuperuser(stored)[0][0] ?? ""
                try await app.world.asSuperuser(
                    "update media_tally set \(column) = \(limit) where account_id = \(ann.id)")
                let refused = try await app.as(ann).photograph(book, png, type: "image/png")
                #expect(refused.status == .conflict && refused.code == "picture_quota", "\(refused.text)")
                // What makes no more of them is not refused.
                #expect(try await app.as(ann).patch(path, ["comment": .string(column)]).status == .ok)
                #expect(try await app.as(ben).photograph(book, png, type: "image/png").status == .created)
                try await app.world.asSuperuser(
                    "update media_tally set \(column) = \(before) where account_id = \(ann.id)")
            }
            #expect(try await app.world.everyDifference() == [])
            #expect(try await app.as(ann).photograph(book, png, type: "image/png").status == .created)
        }
    }

    @Test(.requirement("UPL-1"))
    func `twenty at once are converted two at a time, and who finds no room is told when to come again`() async throws {
        let running = ConverterCount()
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let book = try await app.world.given.book()
            let picture = try Pictures.halves(1200, 900, as: "a.jpg")
            var readers: [Signed] = []
            for _ in 0..<20 { readers.append(try await app.world.given.account()) }
            let watcher = Task { try await running.watch(app.world.mediaFolder) }
            let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
                for reader in readers { group.addTask { try await app.as(reader).photograph(book, picture) } }
                var answers: [TestAnswer] = []
                for try await answer in group { answers.append(answer) }
                return answers
            }
            watcher.cancel()
            let made = answers.filter { $0.status == .created }.count
            let busy = answers.filter { $0.code == "busy" && $0.headers[.retryAfter] != nil }.count
            #expect(made >= Limits.media.conversions && made + busy == 20, "\(app.world.log.lines)")
            #expect(running.most > 0 && running.most <= Limits.media.conversions, "\(running.most) at once")
            #expect(try await app.world.asSuperuser("select count(*) from photo") == [["\(made)"]])
            #expect(try await app.world.everyDifference() == [])
        }
    }
}

/// How many converters are at work at once, by the folders that they have.
private final class ConverterCount: Sendable {
    private let seen = Mutex(0)
    var most: Int { seen.withLock { $0 } }

    func watch(_ folder: String) async throws {
        while !Task.isCancelled {
            let count = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/scratch").count) ?? 0
            seen.withLock { $0 = max($0, count) }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

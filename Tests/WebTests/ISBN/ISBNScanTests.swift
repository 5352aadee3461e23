import Community
import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// Barcodes in pictures, over HTTP and through the programs that read them.
@Suite(.database, .enabled(if: Pictures.canBeConverted)) struct ISBNScanTests {
    private static let path = "/api/v1/isbn/scan"

    private static func scan(_ app: TestApp, _ picture: [UInt8], type: String = "image/png") async throws -> TestAnswer
    {
        try await app.send(.post, path, body: picture, headers: [.contentType: type])
    }

    @Test(.requirement("ISB-1")) func `a picture is answered with its codes, their places and their books`()
        async throws
    {
        try await withApp { app in
            let book = try await app.world.given.book("Dune", isbn: try ISBN("9780441172719"))
            let ann = app.as(try await app.world.given.account())
            // One below the other, on a page twice as wide: the books' are answered first.
            let drawn = ["1920081045006", "9780441172719", "9771144875007", "9780439023481"]
            let parts = ["9780441172719", "9780439023481", "1920081045006", "9771144875007"]
            let codes = try drawn.map { try Pictures.barcode($0, scale: 2) }
            let page = try Pictures.page(of: codes, width: 1_000)

            let answer = try await Self.scan(ann, page)

            #expect(answer.status == .ok, "\(answer.text)")
            let items = answer.json["items"]?.elements ?? []
            #expect(items.map { $0["reading"]?["code"]?.text } == parts)
            #expect(items.map { $0["reading"]?["outcome"] } == ["found", "unknown", "other", "other"])
            #expect(items.first?["reading"]?["books"]?[0]?["id"]?.text == book.text)
            #expect(items.map { $0["reading"]?["article"] } == [.null, .null, "ean13", "issn"])
            for (index, item) in items.enumerated() {
                let place = try #require(item["place"])
                let sides = ["left", "top", "width", "height"].compactMap { name -> Int? in
                    if case .number(let text)? = place[name] { Int(text) } else { nil }
                }
                try #require(sides.count == 4)
                let quarter = try #require(drawn.firstIndex(of: parts[index]))
                // Each lies in its quarter of the height, and in the left half.
                #expect(sides[0] < 250 && sides[0] + sides[2] <= 500 && sides[2] > 300, "\(place)")
                #expect(sides[1] >= 250 * quarter && sides[1] + sides[3] <= 250 * (quarter + 1), "\(place)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: app.world.mediaFolder + "/scratch").isEmpty)
            #expect(try await app.world.asSuperuser("select 1 from picture union all select 1 from media_file").isEmpty)
        }
    }

    @Test(.requirement("ISB-1")) func `turned, blurred and small pictures are read, as each kind of file`() async throws
    {
        try await withApp { app in
            let ann = app.as(try await app.world.given.account())
            let code = try Pictures.barcode("9780764544200", scale: 2)
            let made: [(steps: [[String]], name: String, type: String)] = [
                ([["rot", "d90"]], "a.jpg", "image/jpeg"), ([["rot", "d180"]], "a.webp", "image/webp"),
                ([["similarity", "--angle", "8", "--background", "255"]], "a.png", "image/png"),
                ([["gaussblur", "1.2"]], "a.heic[Q=80]", "image/heic"), ([["resize", "0.6"]], "a.png", "image/png"),
                ([["colourspace", "cmyk"]], "a.jpg", "image/jpeg"), ([["colourspace", "rgb16"]], "a.png", "image/png"),
            ]
            for (steps, name, type) in made {
                let before = [["colourspace", "srgb"]]
                let picture = try Pictures.made(
                    from: code, named: "0.png", steps: before + steps + [["copy"]], as: name)
                let answer = try await Self.scan(ann, picture, type: type)
                let read = answer.json["items"]?.elements.map { $0["reading"]?["isbn13"]?.text }
                #expect(read == ["9780764544200"], "\(steps) \(name): \(answer.text)")
            }
        }
    }

    @Test func `what is no code of a book is not taken for one`() async throws {
        try await withApp { app in
            let ann = app.as(try await app.world.given.account())
            let empty = [
                try Pictures.halves(400, 300, as: "a.jpg"), try Pictures.noise(800, 600, as: "a.jpg[Q=70]"),
                // A QR code that says an ISBN, an EAN-8, a coupon, and a wrong check digit cannot be drawn.
                try Pictures.barcode("9780764544200", kind: "QRCODE", scale: 4),
                try Pictures.barcode("9638507", scale: 3),
                try Pictures.barcode("9780764544200", kind: "CODE128", scale: 2),
            ]
            for picture in empty {
                let answer = try await Self.scan(ann, picture, type: "application/octet-stream")
                #expect(answer.status == .ok && answer.json["items"] == [], "\(answer.text)")
            }
            let upc = try await Self.scan(ann, try Pictures.barcode("01234567890", kind: "UPCA", scale: 2))
            #expect(upc.json["items"]?[0]?["reading"]?["code"] == "012345678905")
            #expect(upc.json["items"]?[0]?["reading"]?["article"] == "upc")
            let coupon = try await Self.scan(ann, try Pictures.barcode("51234567890", kind: "UPCA", scale: 2))
            #expect(coupon.json["items"]?[0]?["reading"]?["outcome"] == "other")
            let music = try await Self.scan(ann, try Pictures.barcode("979026000043", scale: 2))
            #expect(music.json["items"]?[0]?["reading"]?["article"] == "ismn", "\(music.text)")
        }
    }

    @Test(.requirement("ISB-1")) func `a hundred codes in one picture are one answer, none made up`() async throws {
        try await withApp { app in
            let ann = app.as(try await app.world.given.account())
            let texts = (0..<100).map { number -> String in
                let twelve = "978" + String(100_000_000 + number * 7_919)
                let sum = twelve.utf8.enumerated().reduce(0) {
                    $0 + (Int($1.element) - 48) * ($1.offset % 2 == 0 ? 1 : 3)
                }
                return twelve + String((10 - sum % 10) % 10)
            }
            let picture = try Pictures.page(of: try Pictures.barcodes(texts), width: 300, across: 10)
            let answer = try await Self.scan(ann, picture)
            let read = answer.json["items"]?.elements.compactMap { $0["reading"]?["isbn13"]?.text } ?? []
            // As many as are looked for so long: side by side they are read with difficulty.
            #expect(read.count >= 20 && Set(read).count == read.count && Set(read).isSubset(of: texts), "\(read)")
        }
    }

    @Test(.requirement("ISB-1"), .sharedData("barcodes"))
    func `photographs are answered with the codes that they show and none that they do not`() async throws {
        try await withApp { app in
            var right = 0
            for folder in ["ean13-2", "ean13-3", "ean13-4", "ean13-5"] {
                let path = SharedData.path("barcodes/" + folder)
                for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted()
                where name.hasSuffix(".png") {
                    // An account has a minute of conversion.
                    let reader = app.as(try await app.world.given.account())
                    let picture = [UInt8](try Data(contentsOf: URL(filePath: path + "/" + name)))
                    let truth = try String(contentsOfFile: path + "/" + name.dropLast(3) + "txt", encoding: .utf8)
                    let items = try await Self.scan(reader, picture).json["items"]?.elements ?? []
                    let books = items.compactMap { $0["reading"]?["isbn13"]?.text }
                    let shown = [truth, "9784872348880", "1920081045006"]
                    #expect(items.allSatisfy { shown.contains($0["reading"]?["code"]?.text ?? "") }, "\(name)")
                    if books.contains(truth) || items.contains(where: { $0["reading"]?["code"]?.text == truth }) {
                        right += 1
                    }
                }
            }
            #expect(right >= 10, "\(right) of 12")
        }
    }

    @Test(.requirement("ISB-3")) func `an unknown ISBN in a picture is looked up elsewhere`() async throws {
        try await CatalogueStub.serving(CatalogueAnswers.duneAtOpenLibrary) { stub in
            try await withApp(leaving: [.jobs], settings: { $0.sources = stub.settings([.openlibrary]) }) { app in
                let reader = app.as(try await app.world.given.account())
                let answer = try await Self.scan(reader, try Pictures.barcode("9780441172719", scale: 2))
                #expect(answer.json["items"]?[0]?["reading"]?["is_looked_up"] == true, "\(answer.text)")
            }
        }
    }

    @Test func `an account that has used its time up waits, and nothing is read meanwhile`() async throws {
        try await withApp { app in
            let ann = try await app.world.given.account()
            let budget = app.world.community.media.facilities.budget
            for _ in 0..<Int(Limits.media.conversionBudget / Limits.media.conversionTime) {
                budget.end(try budget.begin(ann.id), took: Limits.media.conversionTime)
            }
            let answer = try await Self.scan(app.as(ann), try Pictures.halves(100, 100, as: "a.png"))
            #expect(answer.status == .tooManyRequests && answer.headers[.retryAfter] != nil, "\(answer.text)")
        }
    }

    @Test func `a file that is no picture, or none that is taken, is refused`() async throws {
        try await withApp { app in
            let ann = app.as(try await app.world.given.account())
            let picture = try Pictures.halves(100, 100, as: "a.png")
            let refused: [([UInt8], String, HTTPResponse.Status, JSONValue)] = [
                ([], "image/png", .unsupportedMediaType, "unsupported_media_type"),
                (Array("no picture".utf8), "image/png", .unsupportedMediaType, "unsupported_media_type"),
                (picture, "image/jpeg", .unsupportedMediaType, "unsupported_media_type"),
                (Array(picture.prefix(picture.count / 2)), "image/png", .unprocessableContent, "picture_damaged"),
                (Pictures.png(0, 0, rows: []), "image/png", .unprocessableContent, "picture_damaged"),
                (Pictures.png(6000, 6000, rows: []), "image/png", .unprocessableContent, "picture_too_large"),
            ]
            for (bytes, type, status, code) in refused {
                let answer = try await Self.scan(ann, bytes, type: type)
                #expect(answer.status == status && answer.json["code"] == code, "\(answer.text)")
            }
            #expect(try await Self.scan(app, picture).status == .unauthorized)
            #expect(try FileManager.default.contentsOfDirectory(atPath: app.world.mediaFolder + "/scratch").isEmpty)
        }
    }

    @Test func `without the programs no picture is read`() async throws {
        try await withApp(tools: nil) { app in
            let ann = app.as(try await app.world.given.account())
            let answer = try await Self.scan(ann, try Pictures.halves(100, 100, as: "a.png"))
            #expect(answer.status == .notImplemented && answer.json["code"] == "pictures_off")
        }
    }
}

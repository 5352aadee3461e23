import Community
import HTTPTypes
import JSONWriting
import TestSupport
import Testing
import Web

/// E-books that are taken along.
@Suite(.database) struct EbooksOfflineTests {
    @Test(.requirement("REA-7"))
    func `an archive holds what the calls give, each page of it`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            let edition = try await given.firstEdition(of: try await given.book("Emma"))
            let kept = try await ann.keepEbook(try TestEbooks.numbered(), at: edition, "rights=own_copy")
            let id = try #require(kept.json["id"]?.text, "\(kept.text)")
            let path = "/api/v1/ebooks/\(id)"
            let answer = try await ann.get(path + "/offline")
            #expect(answer.status == .ok && answer.headers[.contentType] == "application/zip", "\(answer.text)")
            #expect(answer.headers[.cacheControl] == "private, no-cache")
            let members = try CanaryTests.unpacked(answer.body)
            let count = Int(kept.json["page_count"]?.number ?? 0)
            #expect(Set(members.keys) == Set(["ebook.json"] + (1...max(count, 1)).map { "pages/\($0).json" }))
            func member(_ name: String) throws -> JSONValue {
                try JSONValue.parse(try #require(members[name])).value
            }
            let whole = try await ann.get(path).json
            #expect(try member("ebook.json")["contents"] == whole["contents"])
            // Where it is read there is no server: addresses are paths.
            #expect(try member("ebook.json")["first_page"]?.text == path + "/pages/1?v=1")
            for number in 1...max(count, 1) {
                let (kept, given) = (
                    try member("pages/\(number).json"), try await ann.get(path + "/pages/\(number)?v=1").json
                )
                for name in ["page", "html", "text", "position", "chapter"] {
                    #expect(try #require(kept[name], "\(name)") == given[name])
                }
                if let next = kept["next"]?.text {
                    #expect(members["\(next.dropFirst(path.count + 1).prefix { $0 != "?" }).json"] != nil, "\(next)")
                }
            }
        }
    }

    @Test func `it is made again only where something changed, and for its reader alone`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            let edition = try await given.firstEdition(of: try await given.book("Emma"))
            let kept = try await ann.keepEbook(try TestEbooks.numbered(), at: edition, "rights=public_domain")
            let id = try #require(kept.json["id"]?.text, "\(kept.text)")
            let path = "/api/v1/ebooks/\(id)/offline"
            let tag = try #require(try await ann.get(path).headers[.eTag])
            let again = try await ann.get(path, headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified && again.body.isEmpty && again.headers[.eTag] == tag)
            #expect(try await ann.patch("/api/v1/ebooks/\(id)", ["rights": "granted"]).status == .ok)
            let other = try await ann.get(path, headers: [.ifNoneMatch: tag])
            #expect(other.status == .ok && other.headers[.eTag] != tag)
            let bea = app.as(try await given.account("bea"))
            #expect(try await bea.get(path, headers: [.ifNoneMatch: tag]).status == .notFound)
            #expect(try await app.get(path).status == .unauthorized)
        }
    }

    @Test(.requirement("LIB-3"))
    func `what is read on loan is in no archive`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let keeper = try await given.account("lib", role: .librarian)
            let book = try await given.book("Emma")
            let kept = try await app.as(keeper).keepEbook(
                try TestEbooks.numbered(), at: try await given.firstEdition(of: book), "rights=granted&audience=on_loan"
            )
            let path = "/api/v1/ebooks/\(kept.json["id"]?.text ?? "")/offline"
            _ = try await given.copy(of: book, in: .server, by: keeper)
            let ann = app.as(try await given.account("ann"))
            #expect(try await ann.get(path).code == "not_on_loan")
            #expect(try await ann.post("/api/v1/books/\(book)/checkout").status == .ok)
            #expect(try await ann.get(path).code == "not_offline")
            #expect(try await ann.post("/api/v1/books/\(book)/return").status.kind == .successful)
            #expect(try await ann.get(path).code == "loan_ended")
        }
    }

    @Test(.enabled(if: Pictures.canBeConverted))
    func `its pictures are those that the pages show`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            let edition = try await given.firstEdition(of: try await given.book("Emma"))
            let bytes = try TestEbooks.illustrated([
                ("a.jpg", "image/jpeg", try Pictures.halves(300, 200, as: "a.jpg")),
                ("b.png", "image/png", Array("no picture".utf8)),
            ])
            let kept = try await ann.keepEbook(bytes, at: edition, "rights=own_copy")
            let path = "/api/v1/ebooks/\(kept.json["id"]?.text ?? "")"
            let members = try CanaryTests.unpacked(try await ann.get(path + "/offline").body)
            #expect(Set(members.keys) == ["ebook.json", "pages/1.json", "pictures/0"])
            #expect(String(decoding: members["pages/1.json"] ?? [], as: UTF8.self).contains("/pictures/0?v=1"))
            #expect(members["pictures/0"] == (try await ann.get(path + "/pictures/0").body))
            #expect(try await app.world.everyDifference() == [])
        }
    }
}

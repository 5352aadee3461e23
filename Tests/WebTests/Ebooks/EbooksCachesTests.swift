import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// A cache between the server and its readers never has what is for one of them, and a tag opens nothing.
@Suite(.database, .enabled(if: Pictures.canBeConverted)) struct EbooksCachesTests {
    private static let drawing = """
        <svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="#0a0"/></svg>
        """

    private func keep(by reader: TestApp, at edition: String, _ parameters: String) async throws -> String {
        let bytes = try TestEbooks.illustrated(
            [("a.svg", "image/svg+xml", Array(Self.drawing.utf8))], body: "<p>The lantern burnt.</p>")
        let kept = try await reader.keepEbook(bytes, at: edition, parameters)
        return try #require(kept.json["id"]?.text, "\(kept.text)")
    }

    /// Every address that an e-book has, of its book too.
    private func addresses(of ebook: String, in book: ID<Catalog.Work>) -> [String] {
        ["", "/pages", "/pages?v=1", "/pages/1", "/pages/1?v=1", "/pictures/0", "/pictures/0?v=1", "/search?q=lantern"]
            .map { "/api/v1/ebooks/\(ebook)\($0)" } + ["/pages/1/talk", "/talk"].map { "/api/v1/ebooks/\(ebook)\($0)" }
            + ["/api/v1/books/\(book)/open"]
    }

    /// Asks for each address with what its reader was tagged with, and with any tag: the answer is the same as without.
    private func expect(
        _ status: HTTPResponse.Status, _ code: String? = nil, of tags: [String: String], for other: TestApp,
        _ name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for (address, tag) in tags.sorted(by: { $0.key < $1.key }) {
            for asked in [tag, "*", "W/" + tag] {
                let answer = try await other.get(address, headers: [.ifNoneMatch: asked])
                #expect(
                    answer.status == status, "\(name): \(address) with \(asked): \(answer.text)",
                    sourceLocation: sourceLocation)
                if let code { #expect(answer.code == code, "\(name): \(address)", sourceLocation: sourceLocation) }
                // What is kept from one is not kept from all others, who may ask the same cache.
                let caching = answer.headers[.cacheControl] ?? ""
                #expect(!caching.contains("immutable"), "\(name): \(address)", sourceLocation: sourceLocation)
                #expect(!caching.contains("max-age=3"), "\(name): \(address)", sourceLocation: sourceLocation)
            }
        }
    }

    /// What `reader` gets of each address, which holds: the tags. `isOpen`: everybody gets the same.
    private func tags(
        of addresses: [String], for reader: TestApp, isOpen: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String: String] {
        var tags: [String: String] = [:]
        for address in addresses {
            let answer = try await reader.get(address)
            #expect(answer.status == .ok, "\(address): \(answer.text.prefix(300))", sourceLocation: sourceLocation)
            let caching = answer.headers[.cacheControl] ?? ""
            let isShared = isOpen && address.contains("?v=")
            #expect(
                isShared ? caching.hasPrefix("public") : caching.hasPrefix("private") || caching == "no-store",
                "\(address): \(caching)", sourceLocation: sourceLocation)
            if let tag = answer.headers[.eTag] {
                tags[address] = tag
                let again = try await reader.get(address, headers: [.ifNoneMatch: tag])
                #expect(again.status == .notModified, "\(address)", sourceLocation: sourceLocation)
                #expect(again.headers[.cacheControl] == answer.headers[.cacheControl], "\(address)")
            } else {
                // A lent page has none to be kept by; of everything else a client can ask again.
                #expect(caching == "private, no-store", "\(address)", sourceLocation: sourceLocation)
            }
        }
        return tags
    }

    @Test(.requirement("REA-1", "REA-7"))
    func `a tag of an own e-book is nothing to anybody else, and nothing once it is gone`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let book = try await given.book("Emma")
            let ann = app.as(try await given.account("ann"))
            let fred = try await given.account("fred")
            let ebook = try await keep(
                by: ann, at: try await given.firstEdition(of: book), "rights=own_copy")
            let tags = try await tags(of: addresses(of: ebook, in: book), for: ann)
            #expect(tags.count == 11)
            // Lists that show it are nobody else's either.
            for path in ["/api/v1/books/\(book)/ebooks", "/api/v1/me/ebooks"] {
                let list = try await ann.get(path)
                #expect(list.text.contains(ebook) && list.headers[.cacheControl]?.hasPrefix("private") == true)
                let tag = try #require(list.headers[.eTag])
                let theirs = try await app.as(fred).get(path, headers: [.ifNoneMatch: tag])
                #expect(theirs.status == .ok && theirs.json["items"] == [], "\(path)")
            }
            for other in [
                fred, try await given.account(role: .librarian), try await given.account(role: .moderator),
            ] {
                try await expect(.notFound, of: tags, for: app.as(other), other.username)
            }
            try await expect(.notFound, of: tags, for: app, "nobody")
            let offline = try await ann.get("/api/v1/ebooks/\(ebook)/offline")
            #expect(offline.status == .ok && offline.headers[.cacheControl]?.hasPrefix("public") != true)
            let whole = ["/api/v1/ebooks/\(ebook)/offline": try #require(offline.headers[.eTag])]
            try await expect(.notFound, of: whole, for: app.as(fred), "a friend, the whole of it")
            try await expect(.unauthorized, of: whole, for: app, "nobody, the whole of it")
            #expect(try await ann.delete("/api/v1/ebooks/\(ebook)").status == .noContent)
            try await expect(.notFound, of: tags, for: ann, "its reader, afterwards")
        }
    }

    @Test(.requirement("REA-7", "LIB-4"))
    func `a tag of what was open opens nothing once it is for members, or the loan has ended`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let keeper = try await given.account("lib", role: .librarian)
            let lib = app.as(keeper)
            let ann = app.as(try await given.account("ann"))
            let book = try await given.book("Emma")
            let ebook = try await keep(
                by: lib, at: try await given.firstEdition(of: book), "rights=granted&audience=everybody")
            let addresses = addresses(of: ebook, in: book)
            let asked = try await tags(of: addresses, for: ann, isOpen: true)
            let free = try await open(addresses, to: app)
            let path = "/api/v1/ebooks/\(ebook)"
            #expect(try await lib.patch(path, ["audience": "members"]).status == .ok)
            // What it says of itself, all may know; nothing that is in it.
            let inside = free.filter { $0.key != path }
            #expect(inside.count == 10)
            try await expect(.unauthorized, of: inside, for: app, "nobody")
            #expect(try await app.get(path, headers: [.ifNoneMatch: free[path] ?? ""]).status == .ok)
            _ = try await tags(of: addresses, for: ann)

            #expect(try await lib.patch(path, ["audience": "on_loan"]).status == .ok)
            let held = asked.filter { $0.key != path }
            try await expect(.forbidden, "not_on_loan", of: held, for: ann, "a reader without a copy")
            _ = try await given.copy(of: book, in: .server, by: keeper)
            #expect(try await ann.post("/api/v1/books/\(book)/checkout").status == .ok)
            for address in addresses where address.contains("/pages") && !address.contains("talk") {
                let lent = try await ann.get(address)
                #expect(lent.status == .ok && lent.headers[.cacheControl] == "private, no-store", "\(address)")
            }
            for address in ["/pictures/0", "/pictures/0?v=1"] {
                #expect(try await ann.get(path + address).headers[.cacheControl] == "private, no-store", "\(address)")
            }
            #expect(try await ann.post("/api/v1/books/\(book)/return").status == .ok)
            try await expect(.forbidden, "loan_ended", of: held, for: ann, "whose loan has ended")
            #expect(try await lib.delete(path).status == .noContent)
            try await expect(.notFound, of: asked, for: ann, "afterwards")
        }
    }

    /// What everybody gets of each address, with its tag.
    private func open(_ addresses: [String], to app: TestApp) async throws -> [String: String] {
        var tags: [String: String] = [:]
        for address in addresses {
            let answer = try await app.get(address)
            #expect(answer.status == .ok, "\(address): \(answer.text.prefix(300))")
            let caching = answer.headers[.cacheControl] ?? ""
            if !address.contains("?v=") { #expect(!caching.contains("immutable"), "\(address): \(caching)") }
            #expect(answer.headers[.eTag] != nil, "\(address)")
            tags[address] = answer.headers[.eTag]
        }
        return tags
    }
}

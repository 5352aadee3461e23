import Community
import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

@Suite(.database)
struct ExportRoutesTests {
    @Test func `an archive is its reader's alone, and goes after seven days, with another, and when it is deleted`()
        async throws
    {
        try await withApp(leaving: .outbox) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let bob = app.as(try await app.world.given.account("bob"))
            #expect(try await app.post("/api/v1/me/export").status == .unauthorized)
            let first = try await ann.post("/api/v1/me/export").json["id"]
            #expect(try await ann.post("/api/v1/me/export").json["id"] == first)
            try await app.world.work()
            #expect(try await bob.get("/api/v1/me/export").status == .notFound)
            #expect(try await bob.get("/api/v1/me/export/archive").status == .notFound)

            let second = try await ann.post("/api/v1/me/export").json["id"]
            #expect(second != first)
            #expect(try await ann.get("/api/v1/me/export/archive").code == "not_ready")
            try await app.world.work()
            #expect(try await ann.get("/api/v1/me/export/archive").status == .ok)
            for _ in 0..<2 { #expect(try await ann.delete("/api/v1/me/export").status == .noContent) }
            #expect(try await ann.get("/api/v1/me/export").status == .notFound)

            // A job that went with its worker is not waited for: after six hours another may be asked for.
            let lost = try await ann.post("/api/v1/me/export").json["id"]
            try await app.world.asSuperuser("delete from job where kind = 'leaving.export'")
            app.world.clock.advance(by: .seconds(6 * 3600 - 1))
            #expect(try await ann.post("/api/v1/me/export").json["id"] == lost)
            app.world.clock.advance(by: .seconds(1))
            #expect(try await ann.post("/api/v1/me/export").json["id"] != lost)
            try await app.world.work()
            app.world.clock.advance(by: .seconds(7 * 86_400))
            #expect(try await ann.get("/api/v1/me/export/archive").status == .notFound)
            try await app.world.community.leaving.sweep()
            #expect(try await app.world.asSuperuser("select count(*) from reader_export_part") == [["0"]])
        }
    }

    @Test func `more than five a day are too many`() async throws {
        try await withApp(leaving: .outbox) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            for _ in 0..<5 {
                #expect(try await ann.post("/api/v1/me/export").status == .accepted)
                try await app.world.work()
            }
            #expect(try await ann.post("/api/v1/me/export").status == .tooManyRequests)
        }
    }

    @Test func `an archive is of one moment, whatever is written while it is made`() async throws {
        try await withApp(leaving: .outbox) { app in
            let world = app.world
            let ann = try await world.given.account("ann")
            let book = try await world.given.book()
            let places = world.community.places
            _ = try await places.mark(Places.Said(percent: 10), label: "early", in: book, by: ann.id)
            let reader = app.as(ann)
            _ = try await reader.post("/api/v1/me/export")
            let failed = try await world.meeting {
                _ = try await places.mark(Places.Said(percent: 20), label: "late", in: book, by: ann.id)
                // The archive comes to this table before it comes to the bookmarks.
                try await world.database.script("lock table praise in access exclusive mode")
            } _: {
                try await world.work()
            }
            #expect(failed == 0)
            let files = try CanaryTests.unpacked(try await reader.get("/api/v1/me/export/archive").body)
            let bookmarks = try JSONValue.parse(files["data/bookmark.json"] ?? []).value.elements
            #expect(bookmarks.compactMap { $0["label"]?.text } == ["early"])
        }
    }

    @Test func `a large table comes in several files, every row once, and identifiers are strings`() async throws {
        try await withApp(leaving: .outbox) { app in
            let ann = try await app.world.given.account("ann")
            let books = try await app.world.given.books(
                (0..<450).map { Catalog.NewBook(key: "k\($0)", title: "Book \($0)", authors: ["A"], year: 1999) })
            // 20,000 bytes that do not compress to nothing.
            let body = String((0..<20_000).map { _ in "abcdefghijklmnopqrstuvwxyz ".randomElement() ?? "a" })
            for (number, book) in books.enumerated() {
                try await app.world.asSuperuser(
                    """
                    insert into review (id, reader_id, work_id, rating, body, counted, created_at)
                    values (\(number + 1), \(ann.id), \(book), 4, '\(body)', false, now())
                    """)
            }
            let reader = app.as(ann)
            _ = try await reader.post("/api/v1/me/export")
            #expect(try await app.world.work() == 0)
            let files = try CanaryTests.unpacked(try await reader.get("/api/v1/me/export/archive").body)
            let parts = files.filter { $0.key.hasPrefix("data/review") && !$0.key.contains("_") }
            // A file ends with the row with which it is full.
            #expect(parts.count == 3 && parts.allSatisfy { $0.value.count < Limits.leaving.exportedFile + 30_000 })
            var rows: [JSONValue] = []
            for part in parts { rows += try JSONValue.parse(part.value).value.elements }
            #expect(Set(rows.compactMap { $0["id"]?.text }) == Set((1...450).map(String.init)))
            #expect(rows.allSatisfy { $0["book_title"]?.text?.hasPrefix("Book") == true })
            let cover = try JSONValue.parse(files["export.json"] ?? []).value
            let table = cover["tables"]?.elements.first { $0["name"] == "review" }
            #expect(table?["rows"] == 450 && table?["files"]?.elements.count == 3)
            #expect(cover["tables"]?.elements.count == Community.personalTables.count { $0.unexported == nil })
        }
    }
}

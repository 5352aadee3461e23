import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// When a reader chooses another setting, the books of their library are told of by one job.
@Suite(.database) struct GateUnlockLibraryTests {
    @Test func `a library that does not go by at once is told of whole, book by book`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, author) = (try await world.given.reader(), try await world.given.reader())
            let books = try await world.given.books(
                (0..<Limits.gate.openedBooks * 2 + 5).map {
                    Catalog.NewBook(key: "b\($0)", title: "Book \($0)", authors: ["Ada"], year: 1999)
                })
            for book in books {
                _ = try await world.given.thread(on: book, by: author, scope: .finished)
                try await world.given.shelved(book, .want, by: ann)
            }
            _ = try await world.community.gate.change(isOff: true, by: ann)
            #expect(try await world.jobs("gate.unlock") == 0)
            #expect(try await world.jobs("gate.unlock_library") == 1)
            let told = try await world.told(ann)
            #expect(told.count == books.count)
            for book in books { #expect(told.filter { $0.contains(#""book": {"id": "\#(book)"}"#) }.count == 1) }
            #expect(try await world.jobs("gate.unlock_library") == 0)
        }
    }

    @Test func `to and fro makes one job, and no other within the hour`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.reader()
            let board = try await GateBoard(in: world)
            try await world.given.position(.part(7000), in: board.book, by: ann)
            _ = try await world.told(ann)
            func choose(isOff: Bool) async throws { _ = try await world.community.gate.change(isOff: isOff, by: ann) }
            func flip() async throws { for round in 0..<9 { try await choose(isOff: round % 2 == 0) } }

            try await flip()
            #expect(try await world.jobs("gate.unlock_library") == 1)
            #expect(try await world.told(ann) == [board.data([8000, 9000, 10_000])])

            // Again within the hour: it waits for its end, and tells once what is open then.
            try await choose(isOff: false)
            try await flip()
            #expect(try await world.jobs("gate.unlock_library") == 1)
            #expect(try await world.told(ann) == [])
            let wait = try await world.asSuperuser(
                """
                select due_at between now() + interval '59 minutes' and now() + interval '61 minutes'
                  from job where kind = 'gate.unlock_library'
                """)
            #expect(wait == [["t"]])
            try await world.asSuperuser("update job set due_at = now() where kind = 'gate.unlock_library'")
            #expect(try await world.told(ann) == [board.data([8000, 9000, 10_000])])

            // Where the gates have shut again meanwhile, nothing is told.
            world.clock.advance(by: .seconds(7200))
            try await choose(isOff: false)
            try await choose(isOff: true)
            try await choose(isOff: false)
            #expect(try await world.told(ann) == [])
            #expect(try await world.jobs("gate.unlock_library") == 0)
        }
    }

    @Test func `a step that the reader makes while it is looked at what opens is told of, once`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.reader()
            let board = try await GateBoard(in: world)
            try await world.given.position(.part(2000), in: board.book, by: ann)
            try await world.clearOutbox()
            // The account is held until the telling waits for it, with what the first step opened.
            _ = try await world.meeting {
                try await world.given.position(.part(5000), in: board.book, by: ann)
            } _: {
                try await world.tellOfOpenGates()
            }
            try await world.tellOfOpenGates()
            let told = try await world.outbox().filter { $0.kind == "posts.unlocked" }.map(\.data)
            #expect(told == [board.data([1000, 2000, 3000, 4000, 5000])])
        }
    }

    @Test(arguments: [Groups.Openness.public, .private])
    func `posts on the boards of groups are told of to their members`(visibility: Groups.Openness) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (author, ann, ben) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            let book = try await world.given.book()
            let group = try await world.given.club(by: author, visibility, with: [(ann, .member)])
            let other = try await world.given.club(by: author, visibility, name: "Other")
            let scope = try world.upto(3000)
            let thread = try await world.given.thread(in: group, by: author, about: book, scope: scope)
            _ = try await world.given.thread(in: other, by: author, about: book, scope: scope)
            _ = try await world.given.thread(in: group, by: author, about: nil)
            for reader in [ann, ben] { try await world.given.position(.part(2999), in: book, by: reader) }
            #expect(try await world.told(ann) == [])

            try await world.given.position(.part(3000), in: book, by: ann)
            #expect(try await world.told(ann) == [World.unlocked([thread.post], of: book)])
            try await world.given.position(.part(3000), in: book, by: ben)
            #expect(try await world.told(ben) == [])
        }
    }
}

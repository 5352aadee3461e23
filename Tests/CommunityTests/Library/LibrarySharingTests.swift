import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct LibrarySharingTests {
    @Test func `a link opens one shelf, but nothing that was hidden one by one, until it is revoked`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.account()
            let store = world.community.library
            for level in Visibility.allCases {
                let book = try await world.given.book("\(level)")
                try await world.given.shelved(book, by: reader.id, visibility: level)
            }
            try await world.given.shelved(try await world.given.book("usual"), by: reader.id)
            try await world.given.shelved(try await world.given.book("read"), .read, by: reader.id)
            try await world.community.profiles.change([.shelves: .private], for: reader.id)
            let token = try await store.share(.want, by: reader.identity)

            func titles(_ token: Token, _ viewer: Viewer = .anonymous) async throws -> Set<String> {
                let page = try await store.shelf(
                    sharedAs: token.text, for: viewer, sort: .title, page: PageRequest(limit: 100))
                #expect(page.reader.id == reader.id)
                return Set(page.page.items.map(\.book.title))
            }
            #expect(try await titles(token) == ["members", "public", "usual"])
            #expect(try await titles(token, reader.viewer) == ["private", "friends", "members", "public", "usual"])
            #expect(try await store.shared(token.text, for: .anonymous) == .shelf(.want, of: reader.reader))

            let second = try await store.share(.want, by: reader.identity)
            let gone = Failure.notFound("link like this")
            await #expect(throws: gone) { try await titles(token) }
            #expect(try await titles(second).count == 3)
            try await store.unshare(.want, by: reader.id)
            await #expect(throws: gone) { try await titles(second) }
            try await store.unshare(.want, by: reader.id)
        }
    }

    @Test func `a link shows no rating that its holder may not see`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.account()
            let store = world.community.library
            for level in [Visibility.members, .public] {
                let book = try await world.given.book("\(level)")
                try await world.given.shelved(book, .read, by: reader.id)
                try await world.given.review(by: reader.id, of: book, rating: 4, visibility: level)
            }
            let token = try await store.share(.read, by: reader.identity)
            let page = try await store.shelf(
                sharedAs: token.text, for: .anonymous, sort: .title, page: PageRequest()
            ).page
            #expect(page.items.map(\.rating?.stars) == [nil, 4])
            let rated = try await store.shelf(
                sharedAs: token.text, for: .anonymous, filter: Library.Filter(isRated: true), page: PageRequest()
            ).page
            #expect(rated.items.map(\.book.title) == ["public"])
        }
    }

    @Test func `a link opens a list whatever its level, and goes with it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (reader, other) = (try await world.given.account(), try await world.given.account())
            let store = world.community.library
            let list = try await store.make(
                Library.NewList(title: "Sea", visibility: .private), by: reader.identity)
            _ = try await store.put(try await world.given.book("One"), on: list.id, at: .keep, by: reader.identity)
            let token = try await store.share(list.id, by: reader.identity)

            let books = try await store.books(sharedAs: token.text, for: .anonymous, page: PageRequest())
            #expect(books.items.map(\.book.title) == ["One"])
            guard case .list(let shared) = try await store.shared(token.text, for: other.viewer) else {
                Issue.record("it is no list")
                return
            }
            #expect((shared.id, shared.visibility) == (list.id, nil))
            await #expect(throws: Failure.notFound("list \(list.id)")) {
                try await store.share(list.id, by: other.identity)
            }
            await #expect(throws: Failure.notFound("link to this shelf")) {
                try await store.shelf(sharedAs: token.text, for: .anonymous, page: PageRequest())
            }
            try await store.remove(list.id, by: reader.id)
            await #expect(throws: Failure.notFound("link like this")) {
                try await store.books(sharedAs: token.text, for: .anonymous, page: PageRequest())
            }
        }
    }

    @Test func `no link is guessed, kept as it is, or outlives a block or a suspension`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (reader, blocked) = (try await world.given.account(), try await world.given.account())
            let store = world.community.library
            let token = try await store.share(.read, by: reader.identity)
            #expect(token.text.utf8.count == 4 + 43)
            let dump = try await world.asSuperuser("select digest::text || id || reader_id from share_link")
            #expect(dump.count == 1)
            #expect(!"\(dump)".contains(token.text))
            let gone = Failure.notFound("link like this")
            for wrong in ["", "cps_", token.text + "A", "cpl_" + token.text.dropFirst(4)] {
                await #expect(throws: gone) { try await store.shared(wrong, for: .anonymous) }
            }
            await #expect(throws: gone) { try await store.shared(token.text, for: .outsider) }
            try await world.asSuperuser(
                "insert into block (blocker_id, blocked_id, at) values (\(reader.id), \(blocked.id), now())")
            await #expect(throws: gone) { try await store.shared(token.text, for: blocked.viewer) }
            try await world.asSuperuser("update account set state = 'suspended' where id = \(reader.id)")
            await #expect(throws: gone) { try await store.shared(token.text, for: .anonymous) }
        }
    }
}

extension Signed {
    /// As others see the account.
    fileprivate var reader: Accounts.Reader { Accounts.Reader(id: id, username: username, name: nil) }
}

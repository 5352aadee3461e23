import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// Who hears of what, and who may change it.
@Suite(.database)
struct LibraryAudienceTests {
    @Test func `a lower level takes a book back from all who heard of it, before it is told to the others`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let (reader, friend) = (try await world.given.reader(), try await world.given.reader())
            try await world.given.friendship(reader, friend)
            let book = try await world.given.book()
            try await world.community.profiles.change([.activity: .public], for: reader)
            try await world.given.shelved(book, by: reader)
            try await world.clearOutbox()

            try await world.given.shelved(book, by: reader, visibility: .private)

            let rows = try await world.asSuperuser(
                "select kind, topics::text, subject_kind, subject_id from outbox order by position")
            #expect(rows.count == 2)
            // Members saw it until now; from now on its reader alone.
            #expect(rows.first == ["shelf.removed", "{reader:\(reader),book:\(book)}", "level", "2"])
            #expect(rows.last?.prefix(3) == ["shelf.moved", "{reader:\(reader)}", "shelf"])
            #expect(try await world.community.feed.home(of: friend, page: PageRequest()).page.items.isEmpty)
        }
    }

    @Test func `a book's topic hears of a move only where members may`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            try await world.given.shelved(book, by: reader)
            #expect(try await world.outbox().last?.topics == "{reader:\(reader)}")
            try await world.community.profiles.change([.activity: .members], for: reader)
            try await world.given.shelved(book, .reading, by: reader)
            #expect(try await world.outbox().last?.topics == "{reader:\(reader),book:\(book)}")
            try await world.given.shelved(book, .paused, by: reader, visibility: .friends)
            #expect(try await world.outbox().last?.topics == "{reader:\(reader)}")
            try await world.community.library.remove(book, by: reader)
            #expect(try await world.outbox().last?.topics == "{reader:\(reader)}")
        }
    }

    @Test func `changed settings are told once, to friends`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let cast = [try await world.given.reader(), try await world.given.reader(), try await world.given.reader()]
            try await world.given.friendship(cast[0], cast[1])
            try await world.community.profiles.change([.shelves: .members, .activity: .friends], for: cast[0])
            #expect(try await world.outbox().isEmpty)

            try await world.community.profiles.change([.shelves: .private, .lists: .friends], for: cast[0])

            let events = try await world.outbox()
            #expect(events.map(\.kind) == ["visibility.changed"])
            #expect(events.first?.topics == "{reader:\(cast[0])}")
            let level = Int64(Visibility.friends.rawValue)
            #expect(
                try await world.asSuperuser("select subject_id, data ->> 'kinds' from outbox")
                    == [["\(level)", "[\"shelves\", \"lists\"]"]])
            let event = LoggedEvent.about(level, of: cast[0].rawValue, kind: .level)
            #expect(
                try await Feed.Audience(world.database).visible([event], to: cast.map(\.rawValue))
                    == [Set(cast.prefix(2).map(\.rawValue))])
        }
    }

    @Test func `two devices that change different settings at once both have their way`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let store = world.community.profiles
            let levels: [Privacy.Kind: Visibility] = [.shelves: .friends, .lists: .private, .activity: .members]
            try await withThrowingTaskGroup { group in
                for (kind, level) in levels {
                    group.addTask { _ = try await store.change([kind: level], for: reader) }
                }
                try await group.waitForAll()
            }
            #expect(try await store.privacy(of: reader) == Privacy(levels))
        }
    }

    @Test func `what is for friends is for friends now: not for strangers, not for who was one, not for the blocked`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (reader, friend) = (try await world.given.account(), try await world.given.account())
            let (stranger, blocked) = (try await world.given.account(), try await world.given.account())
            for other in [friend, blocked] { try await world.given.friendship(reader, other) }
            let store = world.community.library
            try await world.given.shelved(try await world.given.book("Emma"), by: reader.id, visibility: .friends)
            let list = try await store.make(
                Library.NewList(title: "Ours", visibility: .friends), by: reader.identity)

            func sees(_ viewer: Viewer) async throws -> Bool {
                let shelf = try await world.titles(.want, of: reader.id, for: viewer)
                let counts = try await store.counts(of: reader.id, for: viewer)
                let lists = try await store.lists(of: reader.id, for: viewer, page: PageRequest()).items
                let isFound: Bool
                do {
                    isFound = try await store.list(list.id, for: viewer).title == "Ours"
                } catch Failure.notFound {
                    isFound = false
                }
                #expect(Set([shelf == ["Emma"], counts.all == 1, lists.count == 1, isFound]).count == 1)
                return isFound
            }
            #expect(try await sees(friend.viewer))
            #expect(try await !sees(stranger.viewer))
            #expect(try await !sees(.anonymous))
            try await world.community.friends.remove(friend.id, of: reader.id)
            #expect(try await !sees(friend.viewer))
            #expect(try await sees(blocked.viewer))
            try await world.community.friends.block(blocked.username, by: reader.id)
            await #expect(throws: Failure.notFound("list \(list.id)")) {
                try await store.list(list.id, for: blocked.viewer)
            }
            await #expect(throws: Failure.notFound("reader \(reader.username)")) {
                try await store.lists(of: reader.username, for: blocked.viewer, page: PageRequest())
            }
        }
    }

    @Test func `a frozen reader changes nothing, and may revoke a link`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.account()
            let book = try await world.given.book()
            let store = world.community.library
            try await world.given.shelved(book, by: reader.id)
            let list = try await store.make(Library.NewList(title: "Mine"), by: reader.identity)
            _ = try await store.put(book, on: list.id, at: .keep, by: reader.identity)
            _ = try await store.share(list.id, by: reader.identity)
            try await world.asSuperuser("update account set state = 'frozen' where id = \(reader.id)")

            // What the caller knew of the account is older than its end.
            let frozen = Failure.forbidden(
                code: .accountFrozen, "this account is frozen: it reads and does not write")
            await #expect(throws: frozen) { try await store.put(Library.Move(.read), on: book, by: reader.id) }
            await #expect(throws: frozen) { try await store.remove(book, by: reader.id) }
            await #expect(throws: frozen) {
                try await world.community.profiles.change([.shelves: .public], for: reader.id)
            }
            await #expect(throws: frozen) { try await store.make(Library.NewList(title: "x"), by: reader.identity) }
            await #expect(throws: frozen) {
                try await store.change(list.id, Library.ListChange(title: "x"), by: reader.identity)
            }
            await #expect(throws: frozen) {
                _ = try await store.put(book, on: list.id, at: .first, by: reader.identity)
            }
            await #expect(throws: frozen) { try await store.take(book, off: list.id, by: reader.identity) }
            await #expect(throws: frozen) { try await store.remove(list.id, by: reader.id) }
            await #expect(throws: frozen) { try await store.share(.want, by: reader.identity) }
            await #expect(throws: frozen) { try await store.share(list.id, by: reader.identity) }

            try await store.unshare(list.id, by: reader.id)
        }
    }

    @Test func `nothing is written for an account that has ended meanwhile`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.account()
            let book = try await world.given.book()
            try await world.community.accounts.close(reader.id)
            let store = world.community.library
            await #expect(throws: Failure.self) { try await store.put(Library.Move(.want), on: book, by: reader.id) }
            await #expect(throws: Failure.self) {
                try await store.make(Library.NewList(title: "x"), by: reader.identity)
            }
            await #expect(throws: Failure.self) { try await store.share(.want, by: reader.identity) }
            await #expect(throws: Failure.self) {
                try await world.community.profiles.change([.shelves: .public], for: reader.id)
            }
            #expect(try await world.remains() == [])
        }
    }

    @Test func `what is left of a library when its account has ended is found`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.account()
            try await world.community.accounts.close(reader.id)
            try await world.asSuperuser(
                """
                insert into privacy (reader_id) values (\(reader.id));
                insert into book_list (id, reader_id, title, created_at, changed_at) values (1, \(reader.id), 'x', now(), now());
                insert into share_link (id, reader_id, digest, list_id, created_at)
                values (1, \(reader.id), sha256('x'), 1, now());
                """)
            #expect(try await world.remains().count == 3)
        }
    }

    @Test func `many hands at once make no more lists than one reader may have`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.account()
            let store = world.community.library
            try await world.asSuperuser(
                """
                insert into book_list (id, reader_id, title, created_at, changed_at)
                select n, \(reader.id), 'x', now(), now() from generate_series(1, \(Limits.library.lists - 1)) n
                """)
            let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        do {
                            _ = try await store.make(Library.NewList(title: "x"), by: reader.identity)
                            return true
                        } catch Failure.conflict(code: .tooManyLists, _) {
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(made == 1)
        }
    }
}

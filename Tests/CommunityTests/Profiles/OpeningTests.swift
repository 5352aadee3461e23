import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// The one call that opens an app.
@Suite(.database)
struct OpeningTests {
    @Test func `it gives what the single calls give, from the beginning of each list`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann", name: "Ann")
            let community = world.community
            var books: [ID<Catalog.Work>] = []
            for number in 0..<25 { books.append(try await world.given.book("Book \(number)")) }
            for (number, book) in books.enumerated() {
                try await world.given.shelved(book, Library.Status.allCases[number % 2], by: ann.id)
            }
            for _ in 0..<22 {
                try await world.given.friendship(ann.id, try await world.given.account().id)
            }
            try await community.profiles.change([.bio: .private], for: ann.id)
            for book in books {
                _ = try await community.lending.checkOut(book, by: ann.id)
                _ = try await community.praise.put(.favourite, on: book, by: ann.id)
                _ = try await community.places.mark(Places.Said(percent: 50), label: nil, in: book, by: ann.id)
            }
            try await world.database.run(Accounts.AddToTally(of: ann.id, unreadMessages: 3, unreadNotifications: 4))

            let opening = try await community.profiles.opening(of: ann.id)

            #expect(try await opening.own.account == community.profiles.own(ann.id).account)
            #expect(opening.own.picture == nil)
            #expect(opening.privacy == Privacy([.bio: .private]))
            #expect(try await opening.counts == community.library.counts(of: ann.id, for: ann.viewer))
            for status in Library.Status.allCases {
                let page = try await community.library.shelf(
                    Library.Shelf(status), of: "ann", for: ann.viewer,
                    page: PageRequest(limit: Limits.profiles.openingEntries)
                ).page.items
                #expect(opening.entries.filter { $0.status == status } == page, "\(status)")
            }
            #expect(opening.entries.count == 2 * Limits.profiles.openingEntries)
            #expect(
                try await opening.friends
                    == community.friends.friends(
                        of: ann.id, PageRequest(limit: Limits.profiles.openingFriends)
                    ).items)
            #expect(
                try await opening.own.favourites
                    == community.praise.marks(
                        .favourite, of: ann.id, for: ann.viewer, page: PageRequest(limit: Limits.profiles.favourites)
                    ).items)
            #expect(
                try await opening.borrowed
                    == community.lending.borrowed(
                        by: ann.id, page: PageRequest(limit: Limits.profiles.openingBorrowed)
                    ).items)
            #expect(opening.borrowed.count == 20)
            let titles = (0..<25).map { "Book \($0)" }.sorted()
            #expect(opening.borrowed.map(\.book.title) == Array(titles.prefix(20)))
            #expect(
                try await opening.bookmarks
                    == community.places.bookmarks(
                        of: ann.id, page: PageRequest(limit: Limits.profiles.openingBookmarks)
                    ).items)
            #expect(opening.own.favourites.count == 20 && opening.bookmarks.count == 20)
            #expect(opening.friends.count == 20 && opening.own.account.friends == 22)
            #expect(opening.unread == Accounts.Unread(messages: 3, notifications: 4))
            #expect(
                try await opening.top.map(\.id) == community.catalog.books(PageRequest(limit: 20)).items.map(\.id))
            #expect(try await opening.covers == community.media.covers(of: opening.top.map(\.id)))
            #expect(opening.top.count == 20 && opening.covers.count == 20)
        }
    }

    @Test func `a new reader's is empty and whole, and who is gone has none`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, gone) = (try await world.given.account(), try await world.given.account())
            let opening = try await world.community.profiles.opening(of: ann.id)
            #expect(
                opening.entries.isEmpty && opening.borrowed.isEmpty && opening.friends.isEmpty && opening.top.isEmpty)
            #expect(opening.unread == .nothing && opening.counts.all == 0)
            try await world.community.accounts.close(gone.id)
            await #expect(throws: Failure.notFound("account")) {
                try await world.community.profiles.opening(of: gone.id)
            }
        }
    }

    /// Whatever is told at or before the position is in the answer.
    @Test func `nothing is lost between the position and what was read`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.reader()
            let community = world.community
            var books: [ID<Catalog.Work>] = []
            for _ in 0..<ProofCount.of(40) { books.append(try await world.given.book()) }
            let relay = EventLog.Relay(database: world.database, bell: Bell(), logger: world.logger, moved: {})
            let shelved = books
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for book in shelved {
                        try await world.given.shelved(book, by: reader)
                        try await relay.moveAll()
                    }
                }
                group.addTask {
                    var count = 0
                    while count < shelved.count {
                        let opening = try await community.profiles.opening(of: reader)
                        let told = try await world.asSuperuser(
                            "select count(*) from event where kind = 'shelf.moved' and seq <= \(opening.position.seq)")
                        let before = told.first?.first.flatMap { $0 }.flatMap { Int($0) } ?? 0
                        #expect(opening.counts.all >= before)
                        count = before
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `the books read most are asked for once in their time, and then by everybody who opens`() async throws {
        try await withWorld(settings: { $0.topBooksAge = .seconds(3_600) }) { world in
            let ann = try await world.given.account("ann")
            let first = try await world.given.book("First")
            let before = try await world.community.profiles.opening(of: ann.id)
            _ = try await world.given.book("Second")
            let after = try await world.community.profiles.opening(of: ann.id)

            #expect(before.top.map(\.id) == [first] && after.top.map(\.id) == [first])
            #expect(after.covers == before.covers && after.covers.count == 1)
        }
    }

    @Test func `it reads no table whole`() async throws {
        try await withWorld { world in
            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash)
                select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
                  from generate_series(1, 5000) n;
                insert into privacy (reader_id) select n from generate_series(1, 5000) n;
                insert into reader_tally (reader_id) select n from generate_series(1, 5000) n;
                insert into friend_tally (reader_id, friends) select n, 20 from generate_series(1, 5000) n;
                insert into friendship (reader_id, friend_id, since)
                select n, (n + d) % 5000 + 1, now() from generate_series(1, 5000) n, generate_series(1, 20) d;
                analyze
                """)
            let statements: [any Statement.Type] = [
                Profiles.Statements.PrivacyOf.self, Accounts.Statements.UnreadOf.self, Accounts.Statements.Own.self,
                Accounts.Statements.Profile.self, Friends.Statements.OfViewer.self,
            ]
            for statement in statements.flatMap({ $0.prepared }) {
                let plan = try await world.genericPlan(of: statement)
                let scans = plan.scans(of: ["account", "privacy", "reader_tally", "friendship", "friend_tally"])
                #expect(scans.isEmpty, "\(statement.name):\n\(plan)")
            }
        }
    }
}

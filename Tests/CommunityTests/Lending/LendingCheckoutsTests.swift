import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct LendingCheckoutsTests {
    @Test func `a book without copies is checked out by everybody, is never due, and counts once a reader and day`()
        async throws
    {
        try await withWorld { world in
            let (ann, ben) = (try await world.given.reader(bornHoursAgo: 0), try await world.given.reader())
            let book = try await world.given.book("Emma")
            let store = world.community.lending
            let first = try await store.checkOut(book, by: ann).checkout
            #expect(first.dueAt == nil && first.copy == nil && first.returnedAt == nil)
            #expect(first.library?.name == "Library")
            #expect(first.reader?.id == ann)
            // Twice is once.
            guard case .before(let same) = try await store.checkOut(book, by: ann) else {
                Issue.record("checked out twice")
                return
            }
            #expect(same == first)
            _ = try await store.checkOut(book, by: ben)
            #expect(try await store.timesCheckedOut(book) == 2)
            // To and fro on one day is one time, the next day is another.
            let back = try await store.giveBack(book, by: ann)
            #expect(back.returnedAt == world.clock.now())
            #expect(try await store.giveBack(book, by: ann) == back)
            _ = try await store.checkOut(book, by: ann)
            #expect(try await store.timesCheckedOut(book) == 2)
            _ = try await store.giveBack(book, by: ann)
            world.clock.advance(by: .seconds(86_400))
            _ = try await store.checkOut(book, by: ann)
            #expect(try await store.timesCheckedOut(book) == 3)
            #expect(try await world.community.catalog.book(book).checkouts == 3)
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test func `checking out sets no status, makes no act and tells nobody`() async throws {
        try await withWorld { world in
            let (ann, book) = (try await world.given.reader(), try await world.given.book())
            _ = try await world.community.lending.checkOut(book, by: ann)
            #expect(try await world.community.library.statuses(of: [book], for: ann).isEmpty)
            #expect(try await world.community.library.readers(of: book) == (0, 0, 0))
            #expect(try await world.asSuperuser("select count(*) from activity") == [["0"]])
            #expect(try await world.outbox().isEmpty)
        }
    }

    @Test func `20 parallel checkouts of the last copy give exactly one`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let librarian = try await world.given.account(role: .librarian)
            let book = try await world.given.book()
            try await world.given.copy(of: book, in: .server, by: librarian)
            var readers: [ID<Accounts.Account>] = []
            for _ in 0..<20 { readers.append(try await world.given.reader()) }
            let store = world.community.lending
            let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
                for reader in readers {
                    group.addTask {
                        do {
                            return try await store.checkOut(book, by: reader).checkout.copy != nil
                        } catch Failure.conflict(let code, _) where code == .allOut {
                            return false
                        }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(taken == 1)
            #expect(try await store.timesCheckedOut(book) == 1)
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test func `20 parallel checkouts of one reader are one`() async throws {
        try await withWorld { world in
            let (ann, book) = (try await world.given.reader(), try await world.given.book())
            let store = world.community.lending
            let checkouts = try await withThrowingTaskGroup(of: ID<Lending.Checkout>.self) { group in
                for _ in 0..<20 { group.addTask { try await store.checkOut(book, by: ann).checkout.id } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(checkouts.count == 1)
            #expect(try await store.timesCheckedOut(book) == 1)
        }
    }

    @Test func `with copies each reader has one, due after the library's days, and the next gets it once it is back`()
        async throws
    {
        try await withWorld(leaving: .jobs) { world in
            let librarian = try await world.given.account(role: .librarian)
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            let store = world.community.lending
            let copy = try await world.given.copy(of: book, in: .server, by: librarian, label: "A 12")
            let taken = try await store.checkOut(book, by: ann).checkout
            #expect(taken.copy == Lending.Checkout.Item(id: copy.id, label: "A 12"))
            #expect(taken.dueAt == world.clock.now() + .seconds(21 * 86_400))
            let allOut = Failure.conflict(code: .allOut, "every copy of this book is out")
            await #expect(throws: allOut) { try await store.checkOut(book, by: ben) }
            await #expect(throws: Failure.copyOut) { try await store.remove(copy.id, by: librarian.identity) }
            _ = try await store.giveBack(book, by: ann)
            #expect(try await store.checkOut(book, by: ben).checkout.copy?.id == copy.id)
            // At the desk: a librarian may, another reader may not know.
            let other = try await world.given.account()
            let open = try #require(try await store.borrowed(by: ben, page: PageRequest()).items.first)
            await #expect(throws: Failure.notFound("checkout \(open.id)")) {
                try await store.takeBack(open.id, by: other.identity)
            }
            for _ in 1...2 {
                #expect(try await store.takeBack(open.id, by: librarian.identity).returnedAt != nil)
            }
            try await store.remove(copy.id, by: librarian.identity)
            #expect(try await store.checkOut(book, by: ben).checkout.dueAt == nil)
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test func `a copy is renewed three times, never by less than a day, and only where it is due`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let librarian = try await world.given.account(role: .librarian)
            let ann = try await world.given.reader()
            let (book, free) = (try await world.given.book(), try await world.given.book())
            let store = world.community.lending
            await #expect(throws: Failure.notFound("checkout of book \(book)")) {
                try await store.renew(book, by: ann)
            }
            _ = try await store.checkOut(free, by: ann)
            await #expect(throws: Failure.conflict(code: .neverDue, "this is never due")) {
                try await store.renew(free, by: ann)
            }
            try await world.given.copy(of: book, in: .server, by: librarian)
            let taken = try await store.checkOut(book, by: ann).checkout
            #expect(try await store.renew(book, by: ann) == taken)
            for number in 1...3 {
                world.clock.advance(by: .seconds(10 * 86_400))
                let renewed = try await store.renew(book, by: ann)
                #expect(renewed.renewals == number)
                #expect(renewed.dueAt == world.clock.now() + .seconds(21 * 86_400))
            }
            world.clock.advance(by: .seconds(10 * 86_400))
            await #expect(
                throws: Failure.conflict(
                    code: .tooManyRenewals, "it was renewed 3 times: return it first")
            ) { try await store.renew(book, by: ann) }
        }
    }

    @Test(arguments: [false, true])
    func `who is removed from a library at the moment of checking out or renewing gets nothing more from it`(
        renews: Bool
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account(), try await world.given.account())
            try await world.given.friendship(ann, ben)
            let store = world.community.lending
            let club = try await world.given.group(by: ann, with: [(ben, .reader)])
            let book = try await world.given.book()
            try await world.given.copy(of: book, in: club, by: ann)
            if renews {
                _ = try await store.checkOut(book, from: club, by: ben.id)
                world.clock.advance(by: .seconds(10 * 86_400))
            }
            await #expect(throws: Failure.notFound("library \(club)")) {
                try await world.meeting {
                    try await store.remove(ben.username, from: club, by: ann.identity)
                } _: {
                    _ =
                        renews
                        ? try await store.renew(book, from: club, by: ben.id)
                        : try await store.checkOut(book, from: club, by: ben.id).checkout
                }
            }
            #expect(try await store.timesCheckedOut(book) == (renews ? 1 : 0))
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test func `a reader is told once that a copy is due soon and once that it is overdue, again after a renewal`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let librarian = try await world.given.account(role: .librarian)
            let ann = try await world.given.reader()
            let (book, other) = (try await world.given.book("Emma"), try await world.given.book())
            let store = world.community.lending
            try await world.given.copy(of: book, in: .server, by: librarian)
            try await world.given.copy(of: other, in: .server, by: librarian)
            _ = try await store.checkOut(book, by: ann)
            _ = try await store.checkOut(other, by: ann)
            _ = try await store.giveBack(other, by: ann)
            func told(afterDays days: Int) async throws -> [String] {
                world.clock.advance(by: .seconds(days * 86_400))
                try await world.clearOutbox()
                for _ in 1...2 { try await store.tellDue() }
                let events = try await world.outbox()
                #expect(events.allSatisfy { $0.topics == "{inbox:\(ann)}" && $0.data.contains("Emma") })
                return events.map(\.kind)
            }
            #expect(try await told(afterDays: 18) == [])
            #expect(try await told(afterDays: 1) == ["checkout.due"])
            _ = try await store.renew(book, by: ann)
            #expect(try await told(afterDays: 2) == [])
            #expect(try await told(afterDays: 17) == ["checkout.due"])
            #expect(try await told(afterDays: 3) == ["checkout.overdue"])
            #expect(try await told(afterDays: 30) == [])
        }
    }

    @Test
    func `borrowed books are listed by title, mine and those of a library, and who has them is for those who may know`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            let cid = try await world.given.account("cid")
            for friend in [ben, cid] { try await world.given.friendship(ann, friend) }
            let id = try await world.given.group(
                by: ann, visibility: .public, with: [(ben, .reader), (cid, .reader)])
            let store = world.community.lending
            for title in ["Zadig", "emma", "The Sea", "Ada"] {
                let book = try await world.given.book(title)
                try await world.given.copy(of: book, in: id, by: ann)
                _ = try await store.checkOut(book, from: id, by: title == "Ada" ? cid.id : ben.id)
            }
            _ = try await store.checkOut(try await world.given.book("Middlemarch"), by: ben.id)

            func titles(_ page: Page<Lending.Checkout, Lending.CheckoutKey>) -> [String] {
                page.items.map(\.book.title)
            }
            let mine = try await store.borrowed(by: ben.id, page: PageRequest(limit: 3))
            #expect(titles(mine) == ["emma", "Middlemarch", "The Sea"])
            let next = try #require(mine.next)
            #expect(titles(try await store.borrowed(by: ben.id, page: PageRequest(.after(next)))) == ["Zadig"])
            let whole = try await store.checkouts(of: id, for: .anonymous, page: PageRequest())
            #expect(titles(whole) == ["Ada", "emma", "The Sea", "Zadig"])
            #expect(whole.items.allSatisfy { $0.reader == nil })
            let forAnn = try await store.checkouts(of: id, for: ann.viewer, page: PageRequest()).items
            #expect(forAnn.map(\.reader?.username) == ["cid", "ben", "ben", "ben"])
            let forCid = try await store.checkouts(of: id, for: cid.viewer, page: PageRequest()).items
            #expect(forCid.map(\.reader?.username) == ["cid", nil, nil, nil])
            // Of what has no copy nobody knows who has it.
            let librarian = try await world.given.account(role: .librarian)
            let digital = try await store.checkouts(of: .server, for: librarian.viewer, page: PageRequest()).items
            #expect(digital.map(\.reader) == [nil])
        }
    }

    @Test func `the copies of a library are listed by date, title and author, to and fro`() async throws {
        try await withWorld { world in
            let ann = try await world.given.account()
            let store = world.community.lending
            let own = ID<Lending.SharedLibrary>.own(of: ann.id)
            for (title, author) in [("Emma", "Austen"), ("Persuasion", "Austen"), ("Ada", "Nabokov"), ("Ada", "Zoo")] {
                try await world.given.copy(of: try await world.given.book(title, by: author), by: ann)
            }
            func names(_ page: Page<Lending.Copy, Lending.CopyKey>) -> [String] {
                page.items.map { $0.book.title + "/" + ($0.book.authors.first?.name ?? "") }
            }
            let orders: [(Lending.Sort, [String])] = [
                (.added, ["Ada/Zoo", "Ada/Nabokov", "Persuasion/Austen", "Emma/Austen"]),
                (.title, ["Ada/Nabokov", "Ada/Zoo", "Emma/Austen", "Persuasion/Austen"]),
                (.author, ["Emma/Austen", "Persuasion/Austen", "Ada/Nabokov", "Ada/Zoo"]),
            ]
            for (sort, expected) in orders {
                let first = try await store.copies(of: own, for: ann.viewer, sort: sort, page: PageRequest(limit: 3))
                #expect(names(first) == Array(expected.prefix(3)))
                let second = try await store.copies(
                    of: own, for: ann.viewer, sort: sort, page: PageRequest(.after(try #require(first.next)), limit: 3))
                #expect(names(second) == [expected[3]])
                let back = try await store.copies(
                    of: own, for: ann.viewer, sort: sort,
                    page: PageRequest(.before(try #require(second.previous)), limit: 3))
                #expect(names(back) == names(first))
            }
            let found = try await store.copies(of: own, for: ann.viewer, words: "nABOkov", page: PageRequest())
            #expect(names(found) == ["Ada/Nabokov"])
            #expect(try await store.library(own, for: ann.viewer).copies == 4)
        }
    }

    @Test func `a copy may name an edition of its book and no other`() async throws {
        try await withWorld { world in
            let ann = try await world.given.account()
            let store = world.community.lending
            let isbn = try ISBN("9780439023481")
            let (book, other) = (try await world.given.book(isbn: isbn), try await world.given.book())
            let editions = try await world.asSuperuser("select id from edition where work_id = \(book)")
            let edition = try #require(
                editions.first?.first.flatMap { $0 }.flatMap { ID<Catalog.Edition>(text: $0) })
            let copy = try await store.add(book, edition: edition, to: .own(of: ann.id), by: ann.identity)
            #expect(copy.edition == edition)
            let unknown = Failure.invalid("/edition_id", .unknown, "is no edition of this book")
            await #expect(throws: unknown) {
                try await store.add(other, edition: edition, to: .own(of: ann.id), by: ann.identity)
            }
            let changed = try await store.change(
                copy.id, Lending.CopyChange(edition: .set(nil), label: .set("Hall")), by: ann.identity)
            #expect(changed.edition == nil && changed.label == "Hall")
            await #expect(throws: Failure.invalid("/label", .tooShort, "holds no text")) {
                try await store.change(copy.id, Lending.CopyChange(label: .set(" ")), by: ann.identity)
            }
        }
    }

    @Test func `copies, checkouts and their count follow a book into the one that it was merged into`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let librarian = try await world.given.account(role: .librarian)
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let (from, target) = (try await world.given.book("Old"), try await world.given.book("New"))
            let store = world.community.lending
            for book in [from, target] {
                let copy = try await world.given.copy(of: book, in: .server, by: librarian)
                #expect(copy.library == .server)
                _ = try await store.checkOut(book, by: ann)
            }
            _ = try await store.giveBack(from, by: ann)
            _ = try await store.checkOut(from, by: ben)

            try await world.community.catalog.merge(
                .book(from), into: .book(target), by: Catalog.Helper(World.terminal))

            // Both of Ann's were on one day.
            #expect(try await store.timesCheckedOut(target) == 2)
            #expect(try await store.timesCheckedOut(from) == 0)
            #expect(
                try await store.copies(of: .server, for: .anonymous, page: PageRequest()).items.map(\.book.title)
                    == ["New", "New"])
            #expect(try await store.borrowed(by: ben, page: PageRequest()).items.map(\.book.title) == ["New"])
            // A call that still names the old one means the new one.
            guard case .before = try await store.checkOut(from, by: ben) else {
                Issue.record("a merged book was checked out again")
                return
            }
            _ = try await store.giveBack(from, by: ben)
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test func `a frozen reader takes nothing, adds nothing, and returns what it has`() async throws {
        try await withWorld { world in
            let ann = try await world.given.account()
            let (book, other) = (try await world.given.book(), try await world.given.book())
            let store = world.community.lending
            _ = try await store.checkOut(book, by: ann.id)
            try await world.asSuperuser("update account set state = 'frozen' where id = \(ann.id)")
            let frozen = Failure.forbidden(
                code: .accountFrozen, "this account is frozen: it reads and does not write")
            await #expect(throws: frozen) { try await store.checkOut(other, by: ann.id) }
            await #expect(throws: frozen) { try await world.given.copy(of: other, by: ann) }
            await #expect(throws: frozen) { try await store.renew(book, by: ann.id) }
            #expect(try await store.giveBack(book, by: ann.id).returnedAt != nil)
        }
    }

    @Test func `recounts find what is wrong`() async throws {
        try await withWorld { world in
            let (ann, book) = (try await world.given.account(), try await world.given.book())
            try await world.given.copy(of: book, by: ann)
            _ = try await world.community.lending.checkOut(book, by: ann.id)
            #expect(try await world.lendingDifferences() == [])
            for breakage in [
                "update work_checkout set n = n + 1", "update library set copies = copies + 1 where kind = 'own'",
                "update library set members = members + 1 where kind = 'own'",
                "update copy set holder_id = \(ann.id)", "update library_member set role = 'reader'",
            ] {
                let lines = try await world.lendingDifferences(after: breakage)
                #expect(lines.count == 1, "\(breakage): \(lines)")
            }
        }
    }
}

extension World {
    /// What the recounts find after `breakage`, which is mended again.
    fileprivate func lendingDifferences(after breakage: String) async throws -> [String] {
        let tables = ["work_checkout", "library", "library_member", "copy"]
        let save = tables.map { "create table saved_\($0) as table \($0);" }.joined()
        try await asSuperuser(save + breakage)
        let lines = try await lendingDifferences()
        let mend = """
            set session_replication_role = replica;
            update work_checkout set n = saved.n from saved_work_checkout saved where saved.work_id = work_checkout.work_id;
            update library set copies = saved.copies, members = saved.members from saved_library saved where saved.id = library.id;
            update library_member set role = saved.role from saved_library_member saved
             where (saved.library_id, saved.reader_id) = (library_member.library_id, library_member.reader_id);
            update copy set holder_id = saved.holder_id from saved_copy saved where saved.id = copy.id;
            """
        try await asSuperuser(mend + tables.map { "drop table saved_\($0);" }.joined())
        return lines
    }
}

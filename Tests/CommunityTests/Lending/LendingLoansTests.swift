import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// A friend lends a copy.
@Suite(.database)
struct LendingLoansTests {
    /// Two friends and a copy of the first.
    private struct Scene {
        let lender, borrower: Signed
        let book: ID<Catalog.Work>
        let copy: ID<Lending.Copy>
        let store: Lending.Store

        init(_ world: World) async throws {
            (lender, borrower) = (try await world.given.account("ann"), try await world.given.account("ben"))
            try await world.given.friendship(lender, borrower)
            book = try await world.given.book("Emma")
            copy = try await world.given.copy(of: book, by: lender).id
            store = world.community.lending
            try await world.clearOutbox()
        }
    }

    @Test func `each step from asking to returning is told to the other`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let (store, lender, borrower) = (scene.store, scene.lender.id, scene.borrower.id)
            var expected: [String] = []
            func told(_ kind: String, _ reader: ID<Accounts.Account>) async throws {
                expected.append("\(kind) {inbox:\(reader)}")
                #expect(try await world.outbox().map { "\($0.kind) \($0.topics)" } == expected)
            }
            let asked = try await store.ask(for: scene.copy, by: scene.borrower.identity)
            #expect(asked.direction == .in && asked.state == .asked && asked.reader?.username == "ann")
            #expect(try await store.ask(for: scene.copy, by: scene.borrower.identity) == asked)
            try await told("loan.asked", lender)

            let due = CalendarDate(days: world.clock.now().day.days + 30)
            for _ in 1...2 {
                let agreed = try await store.accept(asked.id, until: due, by: lender)
                #expect(agreed.direction == .out && agreed.state == .accepted && agreed.due == due)
            }
            try await told("loan.accepted", borrower)
            #expect(try await store.borrowed(by: borrower, page: PageRequest()).items.isEmpty)

            for _ in 1...2 {
                #expect(try await store.handOver(asked.id, by: lender).state == .out)
            }
            try await told("loan.handed_over", borrower)
            let had = try #require(try await store.borrowed(by: borrower, page: PageRequest()).items.first)
            #expect(had.copy?.id == scene.copy && had.book.title == "Emma" && had.library?.name == "ann")
            #expect(had.dueAt == Timestamp(microseconds: Int64(due.days + 1) * 86_400_000_000))
            #expect(try await store.timesCheckedOut(scene.book) == 1)
            #expect(try await store.copy(scene.copy, for: scene.lender.viewer).out?.reader?.username == "ben")
            await #expect(throws: Failure.conflict(code: .lenderDecides, "ask who lent it for more time")) {
                try await store.renew(scene.book, from: .own(of: lender), by: borrower)
            }

            for reader in [borrower, lender] {
                #expect(try await store.giveBack(asked.id, by: reader).state == .returned)
            }
            try await told("loan.returned", lender)
            #expect(try await store.borrowed(by: borrower, page: PageRequest()).items.isEmpty)
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test func `a returned book ends its loan however it is returned`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let store = scene.store
            for isByBorrower in [true, false] {
                let loan = try await store.ask(for: scene.copy, by: scene.borrower.identity)
                let out = try await store.handOver(loan.id, by: scene.lender.id)
                try await world.clearOutbox()
                if isByBorrower {
                    _ = try await store.giveBack(scene.book, to: .own(of: scene.lender.id), by: scene.borrower.id)
                } else {
                    _ = try await store.takeBack(try #require(out.checkout), by: scene.lender.identity)
                }
                #expect(try await store.loan(loan.id, of: scene.lender.id).state == .returned)
                let other = isByBorrower ? scene.lender.id : scene.borrower.id
                #expect(try await world.outbox().map(\.topics) == ["{inbox:\(other)}"])
            }
        }
    }

    @Test func `a question is declined or taken back, and what is over stays over`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let (store, lender, borrower) = (scene.store, scene.lender.id, scene.borrower.id)
            let first = try await store.ask(for: scene.copy, by: scene.borrower.identity)
            for _ in 1...2 { #expect(try await store.decline(first.id, by: lender).state == .declined) }
            await #expect(throws: Failure.conflict(code: .loanOver, "it was declined already")) {
                try await store.handOver(first.id, by: lender)
            }
            let second = try await store.ask(for: scene.copy, by: scene.borrower.identity)
            #expect(second.id != first.id)
            for _ in 1...2 { #expect(try await store.withdraw(second.id, by: borrower).state == .withdrawn) }
            await #expect(throws: Failure.conflict(code: .notOut, "it was not handed over")) {
                try await store.giveBack(second.id, by: borrower)
            }
            // Nobody takes the other's step.
            let third = try await store.ask(for: scene.copy, by: scene.borrower.identity)
            let gone = Failure.notFound("loan \(third.id)")
            await #expect(throws: gone) { try await store.accept(third.id, by: borrower) }
            await #expect(throws: gone) { try await store.withdraw(third.id, by: lender) }
            await #expect(throws: Failure.invalid("/due", .outOfRange, "must lie ahead, within ten years")) {
                try await store.accept(third.id, until: CalendarDate(days: 0), by: lender)
            }
            #expect(
                try await store.loans(.out, of: lender, page: PageRequest()).items.map(\.state)
                    == [.asked, .withdrawn, .declined])
            #expect(try await store.loans(.in, of: lender, page: PageRequest()).items.isEmpty)
            #expect(
                try await world.outbox().map(\.kind)
                    == ["loan.asked", "loan.declined", "loan.asked", "loan.withdrawn", "loan.asked"])
        }
    }

    @Test func `only friends ask, and nobody learns of a loan between others`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let store = scene.store
            let stranger = try await world.given.account()
            await #expect(throws: Failure.notFound("copy \(scene.copy)")) {
                try await store.ask(for: scene.copy, by: stranger.identity)
            }
            await #expect(throws: Failure.conflict(code: .yourOwn, "this copy is yours")) {
                try await store.ask(for: scene.copy, by: scene.lender.identity)
            }
            _ = try await store.change(
                .own(of: scene.lender.id), Lending.LibraryChange(visibility: .set(.public)), by: scene.lender.identity)
            await #expect(
                throws: Failure.forbidden(
                    code: .notFriends, "friends lend to each other: ask for friendship first")
            ) { try await store.ask(for: scene.copy, by: stranger.identity) }
            let loan = try await store.ask(for: scene.copy, by: scene.borrower.identity)
            let gone = Failure.notFound("loan \(loan.id)")
            await #expect(throws: gone) { try await store.loan(loan.id, of: stranger.id) }
            await #expect(throws: gone) { try await store.accept(loan.id, by: stranger.id) }
            await #expect(throws: gone) { try await store.giveBack(loan.id, by: stranger.id) }
        }
    }

    @Test func `the end of a friendship withdraws what was asked or agreed, and leaves out what is out`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let store = scene.store
            let second = try await world.given.copy(of: try await world.given.book(), by: scene.lender)
            let out = try await store.ask(for: scene.copy, by: scene.borrower.identity)
            _ = try await store.handOver(out.id, by: scene.lender.id)
            let agreed = try await store.ask(for: second.id, by: scene.borrower.identity)
            _ = try await store.accept(agreed.id, by: scene.lender.id)

            try await world.community.friends.remove(scene.borrower.id, of: scene.lender.id)

            #expect(try await store.loan(agreed.id, of: scene.lender.id).state == .withdrawn)
            #expect(try await store.loan(out.id, of: scene.borrower.id).state == .out)
            await #expect(throws: Failure.notFound("copy \(second.id)")) {
                try await store.ask(for: second.id, by: scene.borrower.identity)
            }
            // The book comes back all the same.
            #expect(try await store.giveBack(out.id, by: scene.borrower.id).state == .returned)
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test func `after a block neither sees whose loan it is nor hears that it has ended`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let store = scene.store
            let loan = try await store.ask(for: scene.copy, by: scene.borrower.identity)
            _ = try await store.handOver(loan.id, by: scene.lender.id)
            try await world.community.friends.block(scene.borrower.username, by: scene.lender.id)

            for reader in [scene.lender.id, scene.borrower.id] {
                #expect(try await store.loan(loan.id, of: reader).reader == nil)
            }
            #expect(try await store.copy(scene.copy, for: scene.lender.viewer).out?.reader == nil)
            #expect(try await store.borrowed(by: scene.borrower.id, page: PageRequest()).items.map(\.library) == [nil])
            await #expect(throws: Failure.notFound("copy \(scene.copy)")) {
                try await store.copy(scene.copy, for: scene.borrower.viewer)
            }
            _ = try await store.giveBack(loan.id, by: scene.borrower.id)
            let row = try await world.asSuperuser(
                "select owner_id, subject_kind, subject_id from outbox where kind = 'loan.returned'")
            #expect(row == [["\(scene.borrower.id)", "level", "2"]])
            let event = LoggedEvent.about(2, of: scene.borrower.id.rawValue, kind: .level)
            #expect(
                try await Feed.Audience(world.database).visible([event], to: [scene.lender.id.rawValue]) == [[]])
        }
    }

    @Test func `who looks after a library takes a lent copy back, and both of the loan are told`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let cid = try await world.given.account("cid")
            try await world.given.friendship(scene.lender, cid)
            let own = ID<Lending.SharedLibrary>.own(of: scene.lender.id)
            try await world.given.member(cid, as: .contributor, of: own, by: scene.lender)
            let loan = try await scene.store.ask(for: scene.copy, by: scene.borrower.identity)
            _ = try await scene.store.handOver(loan.id, by: scene.lender.id)
            let out = try await scene.store.checkouts(of: own, for: scene.lender.viewer, page: PageRequest()).items[0]

            _ = try await scene.store.takeBack(out.id, by: cid.identity)

            #expect(try await scene.store.copy(scene.copy, for: scene.lender.viewer).out == nil)
            #expect(try await scene.store.loan(loan.id, of: scene.borrower.id).state == .returned)
            #expect(
                try await world.asSuperuser(
                    "select topics::text from outbox where kind = 'loan.returned' order by 1"
                ).map { $0[0] }
                    == [scene.lender.id, scene.borrower.id].map { "{inbox:\($0)}" }.sorted())
        }
    }

    @Test func `an account that ends takes its loans along and gives back what it had`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let loan = try await scene.store.ask(for: scene.copy, by: scene.borrower.identity)
            _ = try await scene.store.handOver(loan.id, by: scene.lender.id)
            try await world.community.accounts.close(scene.borrower.id)
            #expect(try await scene.store.copy(scene.copy, for: scene.lender.viewer).out == nil)
            #expect(try await scene.store.loans(.out, of: scene.lender.id, page: PageRequest()).items.isEmpty)
            #expect(try await scene.store.timesCheckedOut(scene.book) == 0)
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test func `of two handed over at once one is`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let cid = try await world.given.account("cid")
            try await world.given.friendship(scene.lender, cid)
            let store = scene.store
            let lender = scene.lender.id
            let loans = [
                try await store.ask(for: scene.copy, by: scene.borrower.identity).id,
                try await store.ask(for: scene.copy, by: cid.identity).id,
            ]
            let out = try await withThrowingTaskGroup(of: Bool.self) { group in
                for loan in loans {
                    group.addTask {
                        do {
                            return try await store.handOver(loan, by: lender).state == .out
                        } catch Failure.conflict(let code, _) where code == .copyOut {
                            return false
                        }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(out == 1)
            #expect(try await world.lendingDifferences() == [])
        }
    }
}

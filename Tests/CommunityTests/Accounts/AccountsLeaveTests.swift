import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct AccountsLeaveTests {
    private let origin = Accounts.Origin(address: "203.0.113.9")

    private func signIn(_ login: String, in world: World) async throws -> Accounts.SignedIn {
        let accounts = world.community.accounts
        let recognised = try await accounts.recognise(login: login, password: Given.password, from: origin)
        return try await accounts.signIn(recognised, from: origin)
    }

    @Test func `who leaves is unseen and signed out at once, and is there again after signing in within 30 days`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let accounts = world.community.accounts
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let book = try await world.given.book()
            try await world.given.friendship(ann, bob)
            try await world.given.review(by: ann.id, of: book)
            world.clock.advance(by: .seconds(2 * 86_400))
            try await world.work()

            let due = try await accounts.leave(ann.id)

            #expect(due == world.clock.now() + .seconds(30 * 86_400))
            #expect(try await accounts.identify(token: ann.token) == nil)
            await #expect(throws: Failure.notFound("reader")) {
                try await accounts.profile(of: "ann", for: bob.viewer)
            }
            #expect(try await world.work() == 0)
            #expect(try await world.community.reviews.tally(of: book).n == 0)
            #expect(world.mail.sent(to: "ann@example.org").last?.text.contains(String(due.text.prefix(10))) == true)
            #expect(try await world.everyDifference() == [])

            world.clock.advance(by: .seconds(30 * 86_400 - 1))
            try await accounts.closeDeparted()
            let back = try await signIn("ann", in: world)
            #expect(back.account.state == .active)
            try await world.work()
            #expect(try await accounts.profile(of: "ann", for: bob.viewer).relation == .friends)
            #expect(try await world.community.reviews.tally(of: book).n == 1)
            world.clock.advance(by: .seconds(10))
            try await accounts.closeDeparted()
            #expect(try await accounts.own(ann.id).state == .active)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `after 30 days the account is deleted, and signing in finds nobody`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            try await accounts.leave(ann.id)
            try await world.work()
            world.clock.advance(by: .seconds(30 * 86_400))
            try await accounts.closeDeparted()
            await #expect(throws: Failure.wrongCredentials("The login or the password is wrong.")) {
                _ = try await signIn("ann", in: world)
            }
            #expect(try await world.asSuperuser("select state from account where id = \(ann.id)") == [["deleted"]])
            #expect(try await world.asSuperuser("select count(*) from departure") == [["0"]])
            #expect(try await world.work() == 0)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `a limited account that comes back is limited`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann", state: .limited)
            try await world.community.accounts.leave(ann.id)
            #expect(try await signIn("ann", in: world).account.state == .limited)
        }
    }

    @Test func `leaving twice does not put the day off`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let due = try await accounts.leave(ann.id)
            world.clock.advance(by: .seconds(86_400))
            try await accounts.leave(ann.id)
            #expect(
                try await world.asSuperuser(
                    "select count(*) from departure where due_at = '\(due.text)' and account_id = \(ann.id)") == [["1"]]
            )
            #expect(
                try await world.asSuperuser("select state_before from account where id = \(ann.id)") == [["active"]])
        }
    }

    @Test func `who comes back while the others of the day are deleted stays`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let due = try await accounts.leave(ann.id)
            world.clock.advance(by: .seconds(30 * 86_400))
            // The list of the day has been read, and then the owner is back.
            _ = try await signIn("ann", in: world)
            await #expect(throws: Failure.notFound("departure")) {
                try await accounts.close(ann.id, departedBefore: due)
            }
            #expect(try await accounts.own(ann.id).state == .active)
        }
    }

    @Test func `one account that cannot be deleted keeps no other, and the job says so`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let accounts = world.community.accounts
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            try await accounts.leave(ann.id)
            world.clock.advance(by: .seconds(1))
            try await accounts.leave(bob.id)
            try await world.asSuperuser(
                """
                create function refuse() returns trigger language plpgsql as $$
                begin if new.id = \(ann.id) and new.state = 'deleted' then raise 'no'; end if; return new; end $$;
                create trigger refuse before update on account for each row execute function refuse()
                """)
            world.clock.advance(by: .seconds(30 * 86_400))
            await #expect(throws: PostgresError.self) { try await accounts.closeDeparted() }
            #expect(
                try await world.asSuperuser("select username, state from account order by id")
                    == [["ann", "leaving"], [nil, "deleted"]])
            try await world.asSuperuser("drop function refuse cascade")
        }
    }

    @Test func `what moderators decide of a leaving account holds when its owner is back`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            try await accounts.leave(ann.id)
            try await accounts.freeze("ann", by: World.terminal, reason: "test")
            try await accounts.suspend("ann", by: World.terminal, reason: "test")
            await #expect(throws: Accounts.Suspended(reason: "test", until: nil)) {
                _ = try await signIn("ann", in: world)
            }
            try await accounts.unsuspend("ann", by: World.terminal, reason: "test")
            #expect(try await world.asSuperuser("select state from account where id = \(ann.id)") == [["leaving"]])
            #expect(try await signIn("ann", in: world).account.state == .frozen)

            // A suspended one is deleted on its day all the same.
            try await accounts.restore("ann", by: World.terminal, reason: "test")
            try await accounts.leave(ann.id)
            try await accounts.suspend("ann", by: World.terminal, reason: "test")
            world.clock.advance(by: .seconds(30 * 86_400))
            try await accounts.closeDeparted()
            #expect(try await world.asSuperuser("select state from account where id = \(ann.id)") == [["deleted"]])
        }
    }

    @Test func `the last owner stays`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let accounts = world.community.accounts
            let owner = try await world.given.account("boss", role: .owner)
            await #expect(
                throws: Failure.conflict(
                    code: .lastOwner, "make another owner first: a server has at least one")
            ) { try await accounts.leave(owner.id) }
        }
    }

    @Test func `a reset lets a leaving reader in again`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            try await accounts.leave(ann.id)
            try await accounts.askForReset(of: "ann@example.org")
            let code = try #require(try await world.codes("cpr_", to: "ann@example.org").last)
            try await accounts.resetPassword(
                try await accounts.admit(
                    Accounts.PasswordReset(token: code, new: Given.password, confirmation: Given.password)))
            #expect(try await signIn("ann", in: world).account.state == .active)
        }
    }
}

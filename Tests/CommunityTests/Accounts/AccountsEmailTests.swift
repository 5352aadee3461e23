import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct AccountsEmailTests {
    private let unknown = Failure.invalid("/token", .unknown, "was used already, has run out or was never sent")

    private func remote(_ settings: inout CommunitySettings) {
        settings.isLoopback = false
        settings.publicURL = "https://books.example"
    }

    private func wish(_ email: String, password: String = Given.password) -> Accounts.EmailWish {
        Accounts.EmailWish(email: email, confirmation: email, password: password)
    }

    /// Asks for another address and gives the code that was mailed there.
    private func ask(
        _ email: String, for account: ID<Accounts.Account>, password: String = Given.password, in world: World
    ) async throws -> String {
        let admitted = try await world.community.accounts.admit(wish(email, password: password), of: account)
        _ = try await world.community.accounts.changeEmail(to: admitted)
        return try #require(try await world.codes("cpe_", to: email).last)
    }

    @Test
    func `an address changes when the code that was mailed there is used, and the former one is told`() async throws {
        try await withWorld(leaving: .jobs, settings: remote) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann", isVerified: false)
            let code = try await ask("New@example.org", for: ann.id, in: world)
            #expect(try await accounts.own(ann.id).email == "ann@example.org")
            #expect(
                world.mail.sent(to: "ann@example.org").map(\.subject) == ["Another address for your account"])

            try await accounts.confirmEmail(token: code)

            let own = try await accounts.own(ann.id)
            #expect(own.email == "New@example.org" && own.isVerified)
            await #expect(throws: unknown) { try await accounts.confirmEmail(token: code) }
            try await world.work()
            let told = world.mail.sent(to: "ann@example.org")
            #expect(told.last?.subject == "Your account has another address")
            #expect(told.allSatisfy { !$0.text.contains("New@example.org") })
            let origin = Accounts.Origin(address: "203.0.113.9")
            _ = try await accounts.recognise(login: "new@EXAMPLE.org", password: Given.password, from: origin)
        }
    }

    @Test func `every fault of a wish is named, and the password is asked for`() async throws {
        try await withWorld { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            var wrong = wish("no address")
            wrong.confirmation = "another"
            await #expect(
                throws: Failure.invalid([
                    .init("/email", .badFormat, "must be an e-mail address such as ann@example.org"),
                    .init("/email_confirmation", .mismatch, "is not the same address"),
                ])
            ) { try await accounts.admit(wrong, of: ann.id) }
            var stolen = wish("new@example.org")
            stolen.password = "not the password"
            await #expect(throws: Accounts.Store.wrongPassword) {
                try await accounts.admit(stolen, of: ann.id)
            }
            for _ in 0..<3 { _ = try await accounts.admit(wish("new@example.org"), of: ann.id) }
            await #expect(throws: Failure.limited(policy: "email_change_account", retryAfter: .seconds(3600))) {
                try await accounts.admit(wish("new@example.org"), of: ann.id)
            }
        }
    }

    @Test func `who wants somebody's address gets the same answer, and never the address`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let accounts = world.community.accounts
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let code = try await ask("bob@example.org", for: ann.id, in: world)
            await #expect(throws: Failure.invalid("/email", .taken, "belongs to an account already")) {
                try await accounts.confirmEmail(token: code)
            }
            #expect(try await accounts.own(bob.id).email == "bob@example.org")
            #expect(try await accounts.own(ann.id).email == "ann@example.org")
        }
    }

    @Test func `another wish replaces the one before, a changed password calls it off, and a day ends it`() async throws
    {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let first = try await ask("first@example.org", for: ann.id, in: world)
            let second = try await ask("second@example.org", for: ann.id, in: world)
            await #expect(throws: unknown) { try await accounts.confirmEmail(token: first) }

            let change = Accounts.PasswordChange(
                present: Given.password, new: "an altogether new one", confirmation: "an altogether new one")
            try await accounts.setPassword(
                try await accounts.prepare(change, of: ann.id), keeping: ann.identity.session)
            await #expect(throws: unknown) { try await accounts.confirmEmail(token: second) }

            let third = try await ask("third@example.org", for: ann.id, password: change.new, in: world)
            world.clock.advance(by: .seconds(86_400))
            await #expect(throws: unknown) { try await accounts.confirmEmail(token: third) }
            try await accounts.sweep()
            #expect(try await world.asSuperuser("select count(*) from email_change") == [["0"]])
        }
    }

    @Test func `a server that sends no mail changes the address at once, and says whose it is`() async throws {
        try await withWorld(settings: { $0.deliversMail = false }) { world in
            let accounts = world.community.accounts
            let (ann, _) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let changed = try await accounts.changeEmail(
                to: try await accounts.admit(wish("new@example.org"), of: ann.id))
            #expect(changed == Accounts.EmailChange(email: "new@example.org", expiresAt: nil))
            #expect(try await accounts.own(ann.id).email == "new@example.org")
            await #expect(throws: Failure.invalid("/email", .taken, "belongs to an account already")) {
                _ = try await accounts.changeEmail(to: try await accounts.admit(wish("BOB@example.org"), of: ann.id))
            }
        }
    }
}

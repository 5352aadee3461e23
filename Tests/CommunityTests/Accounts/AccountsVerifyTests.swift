import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct AccountsVerifyTests {
    private let origin = Accounts.Origin(address: "203.0.113.9")
    private let unknown = Failure.invalid("/token", .unknown, "was used already, has run out or was never sent")

    /// Signs up on a server beyond loopback that sends mail, and gives the code that was mailed.
    private func signUp(_ username: String, in world: World) async throws -> (
        account: ID<Accounts.Account>, code: String
    ) {
        let accounts = world.community.accounts
        let admission = try await accounts.admit(world.given.registration(username), from: origin)
        let new = try await accounts.register(admission, from: origin)
        return (new.account.id, try #require(try await mailedCodes(to: "\(username)@example.org", in: world).last))
    }

    /// Codes in the mails to an address, in order, after the mail queue was worked off.
    private func mailedCodes(to address: String, in world: World) async throws -> [String] {
        let worker = Jobs.Worker(database: world.database, logger: world.logger)
        Mail.register(on: worker, community: world.community)
        try await worker.drain()
        return world.mail.sent(to: address).compactMap { mail in
            mail.text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("cpv_") }.map(String.init)
        }
    }

    private func remote(_ settings: inout CommunitySettings) {
        settings.isLoopback = false
        settings.publicURL = "https://books.example"
    }

    @Test func `a mailed code proves the address, once`() async throws {
        try await withWorld(leaving: .jobs, settings: remote) { world in
            let (account, code) = try await signUp("ann", in: world)
            #expect(try await !world.community.accounts.own(account).isVerified)

            try await world.community.accounts.verifyEmail(token: code)

            #expect(try await world.community.accounts.own(account).isVerified)
            await #expect(throws: unknown) { try await world.community.accounts.verifyEmail(token: code) }
            let mail = try #require(world.mail.sent.first)
            #expect(mail.text.contains("https://books.example"))
        }
    }

    @Test(arguments: [false, true])
    func `a mail leads to the page that takes its code, where there are pages`(hasPages: Bool) async throws {
        func remote(_ settings: inout CommunitySettings) {
            self.remote(&settings)
            settings.hasPages = hasPages
        }
        try await withWorld(leaving: .jobs, settings: remote) { world in
            let accounts = world.community.accounts
            let (account, _) = try await signUp("ann", in: world)
            let email = "ann@example.org"
            try await accounts.admitReset(of: email, from: origin)
            try await accounts.askForReset(of: email)
            let wish = Accounts.EmailWish(
                email: "new@example.org", confirmation: "new@example.org", password: Given.password)
            _ = try await accounts.changeEmail(to: try await accounts.admit(wish, of: account))
            let ways = [
                ("cpv_", "/confirm", email), ("cpr_", "/reset", email), ("cpe_", "/settings/email", "new@example.org"),
            ]
            for (kind, path, address) in ways {
                let code = try #require(try await world.codes(kind, to: address).last)
                let mail = try #require(world.mail.sent(to: address).last { $0.text.contains(code) })
                let lines = mail.text.split(separator: "\n")
                #expect(lines.contains { $0 == code }, "\(mail.text)")
                let link = "https://books.example\(path)?token=\(code)"
                #expect(lines.contains { $0 == link } == hasPages, "\(mail.text)")
            }
        }
    }

    @Test func `of twenty uses of one code at once exactly one succeeds`() async throws {
        try await withWorld(leaving: .jobs, settings: remote) { world in
            let (_, code) = try await signUp("ann", in: world)
            let won = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        do {
                            try await world.community.accounts.verifyEmail(token: code)
                            return true
                        } catch Failure.invalid {
                            return false
                        }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(won == 1)
        }
    }

    @Test func `a code runs out after a day, and none of another form is one`() async throws {
        try await withWorld(settings: remote) { world in
            let (_, code) = try await signUp("ann", in: world)
            world.clock.advance(by: .seconds(86_400))
            for text in [code, "", "cpv_", "\u{1F4DA}", Token.make(.verification, from: world.random).text] {
                await #expect(throws: unknown) { try await world.community.accounts.verifyEmail(token: text) }
            }
            try await world.community.accounts.sweep()
            #expect(try await world.asSuperuser("select count(*) from email_verification")[0] == ["0"])
        }
    }

    @Test func `a code proves nothing for an address that it was not mailed to`() async throws {
        try await withWorld(settings: remote) { world in
            let (account, code) = try await signUp("ann", in: world)
            try await world.asSuperuser(
                "update account set email = 'new@example.org', email_folded = 'new@example.org' where id = \(account)")
            await #expect(throws: unknown) { try await world.community.accounts.verifyEmail(token: code) }
            #expect(try await !world.community.accounts.own(account).isVerified)
        }
    }

    @Test func `another code is mailed only to whom needs one, and nobody learns to whom`() async throws {
        try await withWorld(leaving: .jobs, settings: remote) { world in
            let accounts = world.community.accounts
            let (_, first) = try await signUp("ann", in: world)
            for email in ["ANN@example.org", "nobody@example.org"] {
                try await accounts.admitResend(to: email, from: origin)
                try await accounts.askForVerification(of: email)
            }
            // The call does the same for both, and takes as long; who needs a code is asked afterwards.
            #expect(try await world.asSuperuser("select count(*), count(distinct kind) from job") == [["2", "1"]])
            let waiting = try await world.asSuperuser("select payload::text from job").description
            #expect(!waiting.lowercased().contains("ann@"))
            let codes = try await world.codes("cpv_", to: "ann@example.org")
            #expect(codes.count == 2)
            #expect(world.mail.sent.count == 2)
            // Both work until one is used; then neither does.
            try await accounts.verifyEmail(token: codes[1])
            await #expect(throws: unknown) { try await accounts.verifyEmail(token: first) }

            try await accounts.askForVerification(of: "ann@example.org")
            #expect(try await world.codes("cpv_", to: "ann@example.org").count == 2)
        }
    }

    @Test func `wishes for another code are counted, whether or not the address is known`() async throws {
        try await withWorld(settings: remote) { world in
            for _ in 0..<3 { try await world.community.accounts.admitResend(to: "nobody@example.org", from: origin) }
            await #expect(throws: Failure.limited(policy: "verification_account", retryAfter: .seconds(3600))) {
                try await world.community.accounts.admitResend(to: "Nobody@example.org", from: origin)
            }
        }
    }

    @Test func `on loopback everybody counts as verified`() async throws {
        try await withWorld { world in
            let ann = try await world.given.account("ann", isVerified: false)
            #expect(try await world.community.accounts.identify(token: ann.token)?.isVerified == true)
        }
        try await withWorld("elsewhere", settings: remote) { world in
            let bob = try await world.given.account("bob", isVerified: false)
            let identity = try #require(try await world.community.accounts.identify(token: bob.token))
            #expect(throws: Failure.forbidden(code: .emailUnverified, "verify the e-mail address first")) {
                try identity.mayPost()
            }
            try identity.mayWrite()
        }
    }
}

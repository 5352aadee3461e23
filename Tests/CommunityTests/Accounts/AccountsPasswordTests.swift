import EventLog
import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct AccountsPasswordTests {
    private let origin = Accounts.Origin(address: "203.0.113.9")
    private let unknown = Failure.invalid("/token", .unknown, "was used already, has run out or was never sent")

    private func remote(_ settings: inout CommunitySettings) {
        settings.isLoopback = false
        settings.publicURL = "https://books.example"
    }

    private func change(_ present: String, to new: String) -> Accounts.PasswordChange {
        Accounts.PasswordChange(present: present, new: new, confirmation: new)
    }

    private func reset(_ token: String, to new: String = "an altogether new one") -> Accounts.PasswordReset {
        Accounts.PasswordReset(token: token, new: new, confirmation: new)
    }

    /// A code that was mailed to a reader who forgot the password.
    private func mailedCode(to email: String, in world: World) async throws -> String {
        try await world.community.accounts.admitReset(of: email, from: origin)
        try await world.community.accounts.askForReset(of: email)
        return try #require(try await world.codes("cpr_", to: email).last)
    }

    // MARK: Changing

    @Test func `a changed password signs the others out, keeps this session, and works from now on`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let other = try await accounts.openSession(for: ann.id)
            let (token, _) = try await accounts.makeAccessToken(
                Accounts.NewAccessToken(name: "script", scopes: [.init(.read, "library")], days: 1), for: ann.id)

            let new = try await accounts.prepare(change(Given.password, to: "an altogether new one"), of: ann.id)
            try await accounts.setPassword(new, keeping: ann.identity.session)

            #expect(try await accounts.identify(token: ann.token) != nil)
            #expect(try await accounts.identify(token: token.text) != nil)
            #expect(try await accounts.identify(token: other.text) == nil)
            #expect(try await world.outboxKinds() == ["session.ended"])
            await #expect(throws: Failure.wrongCredentials("The login or the password is wrong.")) {
                _ = try await accounts.recognise(login: "ann", password: Given.password, from: origin)
            }
            _ = try await accounts.recognise(login: "ann", password: "an altogether new one", from: origin)
            #expect(try await world.work() == 0)
            #expect(world.mail.sent(to: "ann@example.org").map(\.subject) == ["Your password was changed"])
        }
    }

    @Test func `every fault of a change is named, and the present password is asked for`() async throws {
        try await withWorld { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            var wrong = change(Given.password, to: "password1")
            wrong.confirmation = "password2"
            await #expect(
                throws: Failure.invalid([
                    .init("/new_password", .tooCommon, "is one of the first that anybody would try"),
                    .init("/new_password_confirmation", .mismatch, "is not the same password"),
                ])
            ) { try await accounts.prepare(wrong, of: ann.id) }
            await #expect(throws: Accounts.Store.wrongPassword) {
                try await accounts.prepare(change("not the password", to: "an altogether new one"), of: ann.id)
            }
        }
    }

    @Test func `of two changes that knew the same password one succeeds`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let one = try await accounts.prepare(change(Given.password, to: "the first new one"), of: ann.id)
            let two = try await accounts.prepare(change(Given.password, to: "the second new one"), of: ann.id)
            try await accounts.setPassword(one, keeping: ann.identity.session)
            await #expect(throws: Accounts.Store.wrongPassword) {
                try await accounts.setPassword(two, keeping: ann.identity.session)
            }
        }
    }

    // MARK: Forgotten

    @Test
    func `a mailed code sets a password once, ends everything that was open, and proves the address`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: remote) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann", isVerified: false)
            let (token, _) = try await accounts.makeAccessToken(
                Accounts.NewAccessToken(name: "script", scopes: [.init(.read, "library")], days: 1), for: ann.id)
            let earlier = try await mailedCode(to: "ann@example.org", in: world)
            let code = try await mailedCode(to: "ANN@example.org".lowercased(), in: world)

            try await accounts.resetPassword(try await accounts.admit(reset(code)))

            for text in [ann.token, token.text] { #expect(try await accounts.identify(token: text) == nil) }
            #expect(try await world.outboxKinds() == ["account.ended"])
            #expect(try await accounts.own(ann.id).isVerified)
            for used in [code, earlier] {
                await #expect(throws: unknown) { try await accounts.admit(reset(used)) }
            }
            _ = try await accounts.recognise(login: "ann", password: "an altogether new one", from: origin)
        }
    }

    @Test func `what the old password has begun does not outlast the reset: no session, no address, no farewell`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs], settings: remote) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let thief = try await accounts.recognise(login: "ann", password: Given.password, from: origin)
            let elsewhere = Accounts.EmailWish(
                email: "thief@example.org", confirmation: "thief@example.org", password: Given.password)
            let wish = try await accounts.admit(elsewhere, of: ann.id)
            let farewell = try await accounts.confirm(password: Given.password, of: ann.id)
            let code = try await mailedCode(to: "ann@example.org", in: world)

            try await accounts.resetPassword(try await accounts.admit(reset(code)))

            await #expect(throws: Failure.wrongCredentials("The login or the password is wrong.")) {
                _ = try await accounts.signIn(thief, from: origin)
            }
            let wrong = Accounts.Store.wrongPassword
            await #expect(throws: wrong) { _ = try await accounts.changeEmail(to: wish) }
            await #expect(throws: wrong) { try await accounts.leave(ann.id, confirmed: farewell) }
            #expect(try await accounts.sessions(of: ann.id).isEmpty)
            #expect(try await world.asSuperuser("select count(*) from email_change") == [["0"]])
            #expect(try await accounts.own(ann.id).state == .active)
        }
    }

    @Test func `a code stands in the mail alone`() async throws {
        try await withWorld(leaving: .jobs) { world in
            _ = try await world.given.account("ann")
            try await world.community.accounts.askForReset(of: "ann@example.org")
            let waiting = try await world.asSuperuser("select payload::text from job").description
            #expect(!waiting.contains("ann@"))
            let code = try #require(try await world.codes("cpr_", to: "ann@example.org").first)
            let stored = try await world.asSuperuser("select password_reset::text from password_reset").description
            #expect(!stored.contains(code))
        }
    }

    @Test func `nobody learns whose address it is: the call does the same for all, and the mail goes to one`()
        async throws
    {
        try await withWorld { world in
            _ = try await world.given.account("ann")
            _ = try await world.given.account("eve", state: .suspended)
            for email in ["ann@example.org", "nobody@example.org", "eve@example.org"] {
                try await world.community.accounts.admitReset(of: email, from: origin)
                try await world.community.accounts.askForReset(of: email)
            }
            #expect(try await world.asSuperuser("select count(*), count(distinct kind) from job") == [["3", "1"]])
            #expect(try await world.work() == 0)
            #expect(world.mail.sent.map(\.to) == ["ann@example.org"])
        }
    }

    @Test func `wishes are counted, whether or not the address is known`() async throws {
        try await withWorld(settings: remote) { world in
            let accounts = world.community.accounts
            _ = try await world.given.account("ann")
            for email in ["ann@example.org", "nobody@example.org"] {
                for _ in 0..<3 { try await accounts.admitReset(of: email, from: origin) }
                await #expect(throws: Failure.limited(policy: "reset_account", retryAfter: .seconds(3600))) {
                    try await accounts.admitReset(of: email.uppercased(), from: origin)
                }
            }
        }
    }

    @Test func `of twenty uses of one code at once exactly one succeeds`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let accounts = world.community.accounts
            _ = try await world.given.account("ann")
            let admitted = try await accounts.admit(reset(try await mailedCode(to: "ann@example.org", in: world)))
            let won = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        do {
                            try await accounts.resetPassword(admitted)
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

    @Test func `a code runs out after an hour, goes with a changed password, and none of another form is one`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let old = try await mailedCode(to: "ann@example.org", in: world)
            world.clock.advance(by: .seconds(3600))
            for text in [old, "", "cpr_", "\u{1F4DA}", Token.make(.reset, from: world.random).text] {
                await #expect(throws: unknown) { try await accounts.admit(reset(text)) }
            }
            try await accounts.sweep()
            #expect(try await world.asSuperuser("select count(*) from password_reset") == [["0"]])

            let code = try await mailedCode(to: "ann@example.org", in: world)
            let new = try await accounts.prepare(change(Given.password, to: "an altogether new one"), of: ann.id)
            try await accounts.setPassword(new, keeping: ann.identity.session)
            await #expect(throws: unknown) { try await accounts.admit(reset(code)) }
        }
    }

    @Test func `where no mail reaches a reader, the owner hands over a code, and that is recorded`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.deliversMail = false }) { world in
            let accounts = world.community.accounts
            _ = try await world.given.account("ann")
            let code = try await accounts.makeReset(of: "ann", by: World.terminal, reason: "asked in person")
            try await accounts.resetPassword(try await accounts.admit(reset(code.text)))
            _ = try await accounts.recognise(login: "ann", password: "an altogether new one", from: origin)
            #expect(
                try await world.asSuperuser("select action, before, after from moderation_action")
                    == [["account.reset_password", "{}", "{}"]])
        }
    }

    @Test func `a server that sends no mail says so`() async throws {
        try await withWorld(settings: { $0.deliversMail = false }) { world in
            _ = await #expect(
                throws: Failure.conflict(code: .noMail, "this server sends no mail: ask its owner")
            ) { try await world.community.accounts.admitReset(of: "ann@example.org", from: origin) }
        }
    }
}

import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct AccountsSignUpTests {
    private let origin = Accounts.Origin(address: "203.0.113.9", device: "Test")

    private func signUp(
        _ registration: Accounts.Registration, in world: World, from origin: Accounts.Origin? = nil
    ) async throws -> Accounts.SignedIn {
        let origin = origin ?? self.origin
        let accounts = world.community.accounts
        return try await accounts.register(try await accounts.admit(registration, from: origin), from: origin)
    }

    private func faults(_ body: () async throws -> Void) async -> [String] {
        do {
            try await body()
            return []
        } catch Failure.invalid(let faults) {
            return faults.map { "\($0.pointer) \($0.code)" }
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `a sign-up makes an account and a session that works at once`() async throws {
        try await withWorld(leaving: .jobs) { world in
            var registration = world.given.registration("Ann_Lee")
            registration.name = "Ann Lee"
            let new = try await signUp(registration, in: world)

            let token = try #require(new.token)
            let identity = try #require(try await world.community.accounts.identify(token: token.text))
            #expect(identity.account == new.account.id)
            #expect(identity.username == "Ann_Lee")
            #expect(identity.role == .member)
            let own = try await world.community.accounts.own(new.account.id)
            #expect(own == new.account)
            #expect(own.name == "Ann Lee")
            #expect(own.friends == 0)
            #expect(own.createdAt == world.clock.now())
        }
    }

    @Test func `nothing that was sent stands in the tables`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let new = try await signUp(world.given.registration(), in: world)
            let token = try #require(new.token?.text)
            for table in ["account", "session", "email_verification", "auth_attempt", "job", "outbox"] {
                let dump = try await world.asSuperuser("select \(table)::text from \(table)").description
                #expect(!dump.contains(Given.password))
                #expect(!dump.contains(token))
                #expect(!dump.contains("203.0.113.9"))
                #expect(!dump.contains("cpv_"))
            }
            let hash = try await world.asSuperuser("select password_hash from account")[0][0]
            #expect(hash?.hasPrefix("$argon2id$") == true)
        }
    }

    @Test func `a taken name is named, in any case, and a taken address where nothing else is at fault`() async throws {
        try await withWorld(leaving: .jobs) { world in
            _ = try await signUp(world.given.registration("ann"), in: world)
            #expect(
                await faults { _ = try await signUp(world.given.registration("ANN"), in: world) } == ["/username taken"]
            )
            var other = world.given.registration("bob")
            other.email = "Ann@Example.ORG"
            other.emailConfirmation = other.email
            #expect(await faults { _ = try await signUp(other, in: world) } == ["/email taken"])
            other.invitation = Token.make(.invitation, from: world.random).text
            #expect(await faults { _ = try await signUp(other, in: world) } == ["/invitation unknown"])
        }
    }

    @Test func `a sign-up with another fault, which makes no account, tells nothing of its address`() async throws {
        try await withWorld(leaving: .jobs) { world in
            _ = try await signUp(world.given.registration("ann"), in: world)
            let found = Failure.Fault("/name", .wrongType, "must be a string, is a number")
            for email in ["ann@example.org", "nobody@example.org"] {
                var registration = world.given.registration("ann")
                (registration.email, registration.emailConfirmation) = (email, email)
                registration.passwordConfirmation = "something else"
                #expect(
                    await faults {
                        _ = try await world.community.accounts.admit(registration, from: origin, besides: [found])
                    } == ["/name wrong_type", "/password_confirmation mismatch", "/username taken"])
                registration.username = "bob"
                #expect(
                    await faults {
                        _ = try await world.community.accounts.admit(registration, from: origin)
                    } == ["/password_confirmation mismatch"])
            }
        }
    }

    @Test func `where one comes by invitation, who has none learns of nobody's name or address`() async throws {
        try await withWorld(leaving: .jobs, settings: { $0.registration = .invite }) { world in
            _ = try await world.given.account("ann")
            let worthless = Token.make(.invitation, from: world.random).text
            for code in [nil, "nonsense", worthless] {
                var registration = world.given.registration("ann", invitation: code)
                let fault = code == nil ? "/invitation required" : "/invitation unknown"
                #expect(await faults { _ = try await signUp(registration, in: world) } == [fault])
                registration.passwordConfirmation = "something else"
                #expect(
                    Set(await faults { _ = try await signUp(registration, in: world) }) == [
                        "/password_confirmation mismatch", fault,
                    ])
            }
            let good = try await world.community.accounts.invite(uses: 1, days: 1, by: World.terminal).code.text
            #expect(
                await faults { _ = try await signUp(world.given.registration("ann", invitation: good), in: world) } == [
                    "/username taken"
                ])
        }
    }

    @Test func `the name of a deleted account is nobody's for ninety days`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let ann = try await world.given.account("Ann")
            try await world.community.accounts.close(ann.id)
            var registration = world.given.registration("aNN")
            #expect(await faults { _ = try await signUp(registration, in: world) } == ["/username taken"])
            registration.passwordConfirmation = "something else"
            #expect(
                await faults { _ = try await signUp(registration, in: world) } == [
                    "/password_confirmation mismatch", "/username taken",
                ])
            await #expect(throws: Failure.invalid("/username", .taken, "is taken")) {
                try await world.given.account("ann")
            }
            world.clock.advance(by: .seconds(90 * 86_400))
            #expect(await faults { _ = try await signUp(world.given.registration("ann"), in: world) } == [])
            try await world.community.accounts.sweep()
        }
    }

    @Test func `of ten who want one name at the same instant one gets it`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let accounts = world.community.accounts
            // All are admitted while the name is free.
            var admitted: [(Accounts.Admission, Accounts.Origin)] = []
            for number in 0..<10 {
                var registration = world.given.registration("ann")
                registration.email = "ann\(number)@example.org"
                registration.emailConfirmation = registration.email
                let origin = Accounts.Origin(address: "203.0.113.\(number)")
                admitted.append((try await accounts.admit(registration, from: origin), origin))
            }
            let outcomes = try await withThrowingTaskGroup(of: [String].self) { group in
                for (admission, origin) in admitted {
                    group.addTask { await faults { _ = try await accounts.register(admission, from: origin) } }
                }
                return try await group.reduce(into: [[String]]()) { $0.append($1) }
            }
            #expect(outcomes.count(where: \.isEmpty) == 1)
            #expect(outcomes.count { $0 == ["/username taken"] } == 9)
            #expect(try await world.asSuperuser("select count(*) from account, session")[0] == ["1"])
        }
    }

    @Test func `sign-ups are counted per address`() async throws {
        try await withWorld(settings: { $0.isLoopback = false }) { world in
            var registration = world.given.registration("x")
            registration.username = "x"
            for _ in 0..<Limits.accounts.signUpsPerAddress {
                #expect(await faults { _ = try await signUp(registration, in: world) } == ["/username too_short"])
            }
            await #expect(throws: Failure.limited(policy: "sign_up_address", retryAfter: .seconds(1800))) {
                try await signUp(registration, in: world)
            }
            let elsewhere = Accounts.Origin(address: "203.0.113.10")
            #expect(
                await faults { _ = try await signUp(registration, in: world, from: elsewhere) } == [
                    "/username too_short"
                ])
            world.clock.advance(by: .seconds(1800))
            #expect(await faults { _ = try await signUp(registration, in: world) } == ["/username too_short"])
        }
    }

    @Test func `a closed server takes nobody`() async throws {
        try await withWorld(settings: { $0.registration = .closed }) { world in
            _ = await #expect(
                throws: Failure.forbidden(code: .registrationClosed, "this server takes no new readers")
            ) {
                try await signUp(world.given.registration(), in: world)
            }
        }
    }

    @Test func `an invitation lets in as many as it says, and counts as proof where no mail is sent`() async throws {
        try await withWorld(settings: {
            $0.registration = .invite
            $0.isLoopback = false
            $0.deliversMail = false
        }) { world in
            let accounts = world.community.accounts
            let invitation = try await accounts.invite(uses: 2, days: 14, by: World.terminal)
            #expect(
                await faults { _ = try await signUp(world.given.registration(), in: world) } == ["/invitation required"]
            )
            #expect(
                await faults { _ = try await signUp(world.given.registration(invitation: "abc"), in: world) } == [
                    "/invitation unknown"
                ])

            let code = invitation.code.text
            // All are let in while there is room; for most there is none when they come to sign up.
            var admitted: [(Accounts.Admission, Accounts.Origin)] = []
            for number in 0..<6 {
                let origin = Accounts.Origin(address: "203.0.113.\(number)")
                let wish = world.given.registration("reader\(number)", invitation: code)
                admitted.append((try await accounts.admit(wish, from: origin), origin))
            }
            let outcomes = try await withThrowingTaskGroup(of: [String].self) { group in
                for (admission, origin) in admitted {
                    group.addTask { await faults { _ = try await accounts.register(admission, from: origin) } }
                }
                return try await group.reduce(into: [[String]]()) { $0.append($1) }
            }
            #expect(outcomes.count(where: \.isEmpty) == 2)
            #expect(outcomes.count { $0 == ["/invitation unknown"] } == 4)
            #expect(try await world.asSuperuser("select count(verified_at) from account")[0] == ["2"])
            #expect(try await world.asSuperuser("select uses from invitation")[0] == ["2"])
        }
    }

    @Test func `an invitation runs out`() async throws {
        try await withWorld(settings: { $0.registration = .invite }) { world in
            let invitation = try await world.community.accounts.invite(uses: 1, days: 1, by: World.terminal)
            world.clock.advance(by: .seconds(86_400))
            #expect(
                await faults {
                    _ = try await signUp(world.given.registration(invitation: invitation.code.text), in: world)
                } == ["/invitation unknown"])
        }
    }

    @Test func `where sign-ups are approved, an account is unseen and shut out until then`() async throws {
        try await withWorld(
            leaving: [.jobs, .outbox],
            settings: {
                $0.registration = .approval
                $0.isLoopback = false
                $0.deliversMail = false
            }
        ) { world in
            let accounts = world.community.accounts
            let new = try await signUp(world.given.registration(), in: world)
            #expect(new.token == nil)
            #expect(!new.account.isApproved)
            let other = try await world.given.account()
            await #expect(throws: Failure.notFound("reader")) {
                try await accounts.profile(of: "ann", for: other.viewer)
            }
            await #expect(throws: Failure.forbidden(code: .awaitingApproval, "this account waits for approval")) {
                try await accounts.recognise(login: "ann", password: Given.password, from: origin)
            }
            #expect(try await accounts.waiting().map(\.username) == ["ann"])

            try await accounts.approve("ann", by: World.terminal, reason: "known here")

            let recognised = try await accounts.recognise(login: "ann", password: Given.password, from: origin)
            let token = try #require(try await accounts.signIn(recognised, from: origin).token)
            #expect(try await accounts.identify(token: token.text)?.isVerified == true)
            #expect(try await accounts.profile(of: "ann", for: other.viewer).username == "ann")
        }
    }
}

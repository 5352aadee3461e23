import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct AccountsSignInTests {
    private let origin = Accounts.Origin(address: "203.0.113.9", device: "Test")
    private let wrong = Failure.wrongCredentials("The login or the password is wrong.")

    @Test func `a reader signs in by username or address, in any case`() async throws {
        try await withWorld { world in
            let ann = try await world.given.account("Ann")
            let accounts = world.community.accounts
            for login in ["ann", "ANN", "ann@example.org", "Ann@EXAMPLE.org"] {
                let recognised = try await accounts.recognise(login: login, password: Given.password, from: origin)
                let new = try await accounts.signIn(recognised, from: origin)
                #expect(new.account.id == ann.id)
                #expect(try await accounts.identify(token: try #require(new.token).text)?.account == ann.id)
            }
        }
    }

    @Test func `a wrong password and an unknown login get one answer`() async throws {
        try await withWorld { world in
            _ = try await world.given.account("ann")
            let accounts = world.community.accounts
            for login in ["ann", "ann@example.org", "nobody", "nobody@example.org", "", "ann "] {
                await #expect(throws: wrong) {
                    try await accounts.recognise(login: login, password: "not the password", from: origin)
                }
            }
        }
    }

    @Test func `after five failures the wait doubles up to a quarter of an hour, and the right password ends it`()
        async throws
    {
        try await withWorld(settings: { $0.limitsRates = false }) { world in
            _ = try await world.given.account("ann")
            let accounts = world.community.accounts
            func fail() async throws {
                await #expect(throws: wrong) {
                    try await accounts.recognise(login: "ann", password: "not the password", from: origin)
                }
            }
            for _ in 0..<5 { try await fail() }
            for wait in [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
                if wait > 0 {
                    await #expect(throws: Failure.limited(policy: "login", retryAfter: .seconds(wait))) {
                        try await accounts.recognise(login: "ANN", password: Given.password, from: origin)
                    }
                }
                world.clock.advance(by: .seconds(wait))
                try await fail()
            }
            world.clock.advance(by: .seconds(900))
            _ = try await accounts.recognise(login: "ann", password: Given.password, from: origin)
            for _ in 0..<5 { try await fail() }
        }
    }

    @Test func `what a server counted whose clock was days ahead makes nobody wait`() async throws {
        try await withWorld { world in
            _ = try await world.given.account("ann")
            let throttle = world.community.accounts.throttle
            let days = Duration.seconds(2 * 86_400)
            world.clock.advance(by: days)
            for _ in 0..<7 {
                world.clock.advance(by: .seconds(2))
                try await throttle.begin(.confirmation, "#1")
            }
            try await throttle.begin(.login, "free")
            for _ in 0..<5 { try await throttle.count(.exportsPerAccount, of: "#1", upTo: 5) }
            await #expect(throws: Failure.limited(policy: "confirm", retryAfter: .seconds(2))) {
                try await throttle.begin(.confirmation, "#1")
            }

            world.clock.advance(by: .seconds(-600))
            try await throttle.begin(.login, "free")
            world.clock.advance(by: .seconds(600) - days)
            try await throttle.begin(.confirmation, "#1")
            try await throttle.count(.exportsPerAccount, of: "#1", upTo: 1)
        }
    }

    @Test func `of a thousand guesses from a hundred addresses at most twenty-five are compared with the password`()
        async throws
    {
        try await withWorld { world in
            let ann = try await world.given.account("ann")
            let accounts = world.community.accounts
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<ProofCount.of(1000) {
                    group.addTask {
                        do {
                            _ = try await accounts.recognise(
                                login: number.isMultiple(of: 2) ? "ann" : "ann@example.org",
                                password: "guess \(number)",
                                from: Accounts.Origin(address: "203.0.113.\(number % 100)"))
                            Issue.record("a guess was right")
                        } catch Failure.limited {
                        } catch Failure.busy {
                        } catch {
                            #expect(error as? Failure == wrong)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let key = world.services.settings.secret.sign(Array("login_account:#\(ann.id)".utf8), for: .attempt)
            let hex = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let compared = try await world.asSuperuser("select count from auth_attempt where key = '\\x\(hex)'")
            // Where too many are compared at once, what was not compared is taken back.
            let count = try #require(compared.first?.first?.flatMap { $0 }.flatMap { Int($0) })
            #expect((1...21).contains(count))
        }
    }

    @Test func `a password that was not compared, because its caller had gone, counts as none`() async throws {
        try await withWorld(settings: { $0.limitsRates = false }) { world in
            let ann = try await world.given.account("ann")
            let accounts = world.community.accounts
            let gone = Presence()
            gone.leave()
            let busy = Failure.busy("too many passwords are being checked", retryAfter: .seconds(2))
            for _ in 0..<30 {
                await #expect(throws: busy) {
                    try await Presence.$current.withValue(gone) {
                        try await accounts.recognise(login: "ann", password: Given.password, from: origin)
                    }
                }
                await #expect(throws: busy) {
                    try await Presence.$current.withValue(gone) {
                        try await accounts.confirm(password: Given.password, of: ann.id)
                    }
                }
            }
            _ = try await accounts.recognise(login: "ann", password: Given.password, from: origin)
            _ = try await accounts.confirm(password: Given.password, of: ann.id)
        }
    }

    @Test func `the password of who is signed in is compared twenty times in an hour`() async throws {
        try await withWorld(settings: { $0.isLoopback = false }) { world in
            let ann = try await world.given.account("ann")
            let accounts = world.community.accounts
            for _ in 0..<Limits.accounts.comparisonsPerHour {
                _ = try await accounts.confirm(password: Given.password, of: ann.id)
            }
            await #expect(throws: Failure.limited(policy: "password_account", retryAfter: .seconds(3600))) {
                try await accounts.confirm(password: Given.password, of: ann.id)
            }
            world.clock.advance(by: .seconds(3600))
            _ = try await accounts.confirm(password: Given.password, of: ann.id)
        }
    }

    @Test func `a username and its address are throttled apart, so that neither tells the other`() async throws {
        try await withWorld(settings: { $0.limitsRates = false }) { world in
            _ = try await world.given.account("ann")
            _ = try await world.given.account("bob")
            let accounts = world.community.accounts
            for _ in 0..<6 {
                await #expect(throws: wrong) {
                    try await accounts.recognise(login: "ann", password: "not it", from: origin)
                }
            }
            await #expect(throws: Failure.limited(policy: "login", retryAfter: .seconds(1))) {
                try await accounts.recognise(login: "ann", password: "not it", from: origin)
            }
            for login in ["ann@example.org", "bob@example.org", "nobody@example.org"] {
                await #expect(throws: wrong) {
                    try await accounts.recognise(login: login, password: "not it", from: origin)
                }
            }
        }
    }

    @Test func `strangers who guess do not lock the owner out where the owner signed in before`() async throws {
        try await withWorld(settings: { $0.limitsRates = false }) { world in
            let ann = try await world.given.account("ann")
            let accounts = world.community.accounts
            let home = Accounts.Origin(address: "198.51.100.7")
            _ = try await accounts.recognise(login: "ann", password: Given.password, from: home)

            for number in 0..<60 {
                await #expect(throws: wrong) {
                    try await accounts.recognise(
                        login: "ann", password: "guess", from: Accounts.Origin(address: "203.0.113.\(number)"))
                }
            }

            // A stranger who knows it now is answered as for any wrong one; the owner comes in, and deletes the account.
            await #expect(throws: wrong) {
                try await accounts.recognise(login: "ann", password: Given.password, from: origin)
            }
            _ = try await accounts.recognise(login: "ann", password: Given.password, from: home)
            try await accounts.confirm(password: Given.password, of: ann.id)
        }
    }

    @Test func `a login that nobody has is throttled like one that somebody has`() async throws {
        try await withWorld(settings: { $0.limitsRates = false }) { world in
            let accounts = world.community.accounts
            for _ in 0..<6 {
                await #expect(throws: wrong) {
                    try await accounts.recognise(login: "nobody", password: "x", from: origin)
                }
            }
            await #expect(throws: Failure.limited(policy: "login", retryAfter: .seconds(1))) {
                try await accounts.recognise(login: "nobody", password: "x", from: origin)
            }
        }
    }

    @Test func `an address has thirty tries in five minutes`() async throws {
        try await withWorld(settings: { $0.isLoopback = false }) { world in
            let accounts = world.community.accounts
            for number in 0..<30 {
                await #expect(throws: wrong) {
                    try await accounts.recognise(login: "n\(number)", password: "x", from: origin)
                }
            }
            await #expect(throws: Failure.limited(policy: "login_address", retryAfter: .seconds(300))) {
                try await accounts.recognise(login: "somebody", password: "x", from: origin)
            }
        }
    }

    @Test func `only the right password learns that an account is suspended`() async throws {
        try await withWorld { world in
            _ = try await world.given.account("ann", state: .suspended)
            let accounts = world.community.accounts
            await #expect(throws: wrong) {
                try await accounts.recognise(login: "ann", password: "not it", from: origin)
            }
            await #expect(throws: Accounts.Suspended(reason: nil, until: nil)) {
                try await accounts.recognise(login: "ann", password: Given.password, from: origin)
            }
        }
    }

    @Test func `a password hashed under other costs is hashed again at the next log-in`() async throws {
        try await withWorld { world in
            let ann = try await world.given.account("ann")
            let old = try await PasswordPool(cost: PasswordHash.Cost(passes: 1, kibibytes: 64, lanes: 1))
                .hash(Given.password, salt: world.random.bytes(16))
            try await world.asSuperuser("update account set password_hash = '\(old.text)' where id = \(ann.id)")
            for _ in 0..<2 {
                _ = try await world.community.accounts.recognise(login: "ann", password: Given.password, from: origin)
                let stored = try await world.asSuperuser("select password_hash from account")[0][0]
                #expect(stored?.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$") == true)
            }
        }
    }

    @Test func `a session that is ended is dead at once, and the servers are told`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann")
            let accounts = world.community.accounts
            try await accounts.end(ann.identity.session, of: ann.id)
            #expect(try await accounts.identify(token: ann.token) == nil)
            await #expect(throws: Failure.notFound("session")) {
                try await accounts.end(ann.identity.session, of: ann.id)
            }
            let rows = try await world.asSuperuser("select kind, topics::text, data ->> 'session' from outbox")
            #expect(rows == [["session.ended", "{control}", ann.identity.session.text]])
        }
    }

    @Test func `what a restore runs ends every session of everybody`() async throws {
        try await withWorld { world in
            let readers = [try await world.given.account("ann"), try await world.given.account("bob")]
            try await world.database.run(Accounts.Statements.EndAllSessions())
            for reader in readers {
                #expect(try await world.community.accounts.identify(token: reader.token) == nil)
            }
        }
    }

    @Test func `nobody ends somebody else's session`() async throws {
        try await withWorld { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            await #expect(throws: Failure.notFound("session")) {
                try await world.community.accounts.end(ann.identity.session, of: bob.id)
            }
            #expect(try await world.community.accounts.identify(token: ann.token) != nil)
        }
    }

    @Test func `a session lives on use, thirty days at a time, for half a year at most`() async throws {
        try await withWorld { world in
            let ann = try await world.given.account("ann")
            let accounts = world.community.accounts
            for _ in 0..<6 {
                world.clock.advance(by: .seconds(29 * 86_400))
                #expect(try await accounts.identify(token: ann.token) != nil)
            }
            world.clock.advance(by: .seconds(6 * 86_400))
            #expect(try await accounts.identify(token: ann.token) == nil)

            let bob = try await world.given.account("bob")
            world.clock.advance(by: .seconds(30 * 86_400))
            #expect(try await accounts.identify(token: bob.token) == nil)

            try await accounts.sweep()
            #expect(try await world.asSuperuser("select count(*) from session")[0] == ["0"])
        }
    }

    @Test func `the use of a session is written at most once a minute`() async throws {
        try await withWorld { world in
            let ann = try await world.given.account("ann")
            func noted() async throws -> Timestamp? {
                try await world.community.accounts.sessions(of: ann.id).first?.lastUsedAt
            }
            let start = world.clock.now()
            world.clock.advance(by: .seconds(59))
            _ = try await world.community.accounts.identify(token: ann.token)
            #expect(try await noted() == start)
            world.clock.advance(by: .seconds(1))
            _ = try await world.community.accounts.identify(token: ann.token)
            #expect(try await noted() == start + .seconds(60))
        }
    }

    @Test func `the twenty-first session ends the one that was least used`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann")
            let accounts = world.community.accounts
            for _ in 0..<20 {
                world.clock.advance(by: .seconds(1))
                let recognised = try await accounts.recognise(login: "ann", password: Given.password, from: origin)
                _ = try await accounts.signIn(recognised, from: origin)
            }
            #expect(try await accounts.sessions(of: ann.id).count == 20)
            #expect(try await accounts.identify(token: ann.token) == nil)
            #expect(try await world.outboxKinds() == ["session.ended"])
        }
    }

    @Test func `a token of another form, or of nobody, identifies nobody`() async throws {
        try await withWorld { world in
            for text in [
                "", "cpl_", "x", Token.make(.session, from: world.random).text,
                Token.make(.invitation, from: world.random).text,
            ] {
                let identity = try await world.community.accounts.identify(token: text)
                #expect(identity == nil)
            }
        }
    }
}

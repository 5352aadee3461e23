import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct AccessTokenTests {
    private let library = Accounts.Scope(.read, "library")

    private func new(_ name: String = "script", days: Int = 30) -> Accounts.NewAccessToken {
        Accounts.NewAccessToken(name: name, scopes: [library], days: days)
    }

    @Test func `a token tells who holds it and what it may, until its day`() async throws {
        try await withWorld { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let (token, made) = try await accounts.makeAccessToken(new(days: 1), for: ann.id)
            let identity = try #require(try await accounts.identify(token: token.text))
            #expect(identity.account == ann.id && identity.scopes == [library])
            #expect(ann.identity.scopes == nil)
            #expect(try await accounts.accessTokens(of: ann.id).map(\.id) == [made.id])

            world.clock.advance(by: .seconds(86_400))
            #expect(try await accounts.identify(token: token.text) == nil)
            #expect(try await accounts.accessTokens(of: ann.id).isEmpty)
            try await accounts.sweep()
            #expect(try await world.asSuperuser("select count(*) from access_token") == [["0"]])
        }
    }

    @Test func `its text is stored nowhere, and its last use is written every ten minutes at most`() async throws {
        try await withWorld { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let (token, _) = try await accounts.makeAccessToken(new(), for: ann.id)
            let rows = try await world.asSuperuser("select access_token::text from access_token").description
            #expect(!rows.contains(token.text))

            func lastUse() async throws -> Timestamp? { try await accounts.accessTokens(of: ann.id)[0].lastUsedAt }
            #expect(try await lastUse() == nil)
            let first = world.clock.now()
            _ = try await accounts.identify(token: token.text)
            #expect(try await lastUse() == first)
            world.clock.advance(by: .seconds(599))
            _ = try await accounts.identify(token: token.text)
            #expect(try await lastUse() == first)
            world.clock.advance(by: .seconds(1))
            _ = try await accounts.identify(token: token.text)
            #expect(try await lastUse() == world.clock.now())
        }
    }

    @Test func `a revoked token is dead, its sockets are told, and nobody revokes another's`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let accounts = world.community.accounts
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let (token, made) = try await accounts.makeAccessToken(new(), for: ann.id)
            #expect(try await accounts.living(sessions: [made.id.rawValue]) == [made.id.rawValue])
            await #expect(throws: Failure.notFound("access token")) {
                try await accounts.revoke(made.id, of: bob.id)
            }
            try await accounts.revoke(made.id, of: ann.id)
            #expect(try await accounts.identify(token: token.text) == nil)
            #expect(try await accounts.living(sessions: [made.id.rawValue]).isEmpty)
            #expect(try await world.outboxKinds() == ["session.ended"])
        }
    }

    @Test(arguments: [Accounts.State.suspended, .leaving]) func `a token ends with its account`(
        state: Accounts.State
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let (token, _) = try await accounts.makeAccessToken(new(), for: ann.id)
            if state == .leaving {
                try await accounts.leave(ann.id)
            } else {
                try await accounts.suspend("ann", by: World.terminal, reason: "test")
            }
            #expect(try await accounts.identify(token: token.text) == nil)
            #expect(try await accounts.living(sessions: [ann.identity.session.rawValue]).isEmpty)

            // A reader who is let in again, or comes back, has none of them.
            if state == .suspended { try await accounts.unsuspend("ann", by: World.terminal, reason: "test") }
            let origin = Accounts.Origin(address: "203.0.113.9")
            _ = try await accounts.signIn(
                try await accounts.recognise(login: "ann", password: Given.password, from: origin), from: origin)
            #expect(try await accounts.own(ann.id).state == .active)
            #expect(try await accounts.identify(token: token.text) == nil)
            #expect(try await accounts.accessTokens(of: ann.id).isEmpty)
        }
    }

    @Test func `a session that is over makes no token any more`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            _ = try await accounts.makeAccessToken(new(), for: ann.id, by: ann.identity.session)
            try await accounts.endSessions(of: ann.id)
            await #expect(throws: Failure.self) {
                try await accounts.makeAccessToken(new(), for: ann.id, by: ann.identity.session)
            }
            #expect(try await accounts.accessTokens(of: ann.id).count == 1)
        }
    }

    @Test func `names, scopes, days and the number of tokens have bounds`() async throws {
        try await withWorld { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            for wrong in [
                Accounts.NewAccessToken(name: "", scopes: [library], days: 1),
                Accounts.NewAccessToken(name: "  ", scopes: [library], days: 1),
                Accounts.NewAccessToken(name: "a\u{202E}b", scopes: [library], days: 1),
                Accounts.NewAccessToken(name: String(repeating: "a", count: 101), scopes: [library], days: 1),
                Accounts.NewAccessToken(name: "a", scopes: [], days: 1),
                Accounts.NewAccessToken(name: "a", scopes: [library], days: 0),
                Accounts.NewAccessToken(name: "a", scopes: [library], days: 367),
            ] {
                await #expect(throws: Failure.self) { try await accounts.makeAccessToken(wrong, for: ann.id) }
            }
            for _ in 0..<Limits.accounts.accessTokens { _ = try await accounts.makeAccessToken(new(), for: ann.id) }
            await #expect(
                throws: Failure.conflict(code: .tooManyTokens, "revoke one of your access tokens first")
            ) { try await accounts.makeAccessToken(new(), for: ann.id) }
        }
    }

    @Test(arguments: ["read:library", "write:catalog_help"]) func `a scope is read as it is written`(text: String) {
        #expect(Accounts.Scope(text)?.description == text)
    }

    @Test(arguments: ["", "read", "read:", ":library", "Read:library", "read:Library", "read:a:b", "admin:library"])
    func `what is no scope is none`(text: String) {
        #expect(Accounts.Scope(text) == nil)
    }
}

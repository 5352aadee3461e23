import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct StreamTicketStoreTests {
    @Test func `tickets that have run out go with the sweep, and with the next one that their session asks for`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let accounts = world.community.accounts
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            func count() async throws -> [[String?]] {
                try await world.asSuperuser("select count(*) from stream_ticket")
            }
            _ = try await accounts.makeStreamTicket(for: ann.identity, origin: nil)
            _ = try await accounts.makeStreamTicket(for: bob.identity, origin: nil)
            world.clock.advance(by: Limits.accounts.streamTicketAge)
            let fresh = try await accounts.makeStreamTicket(for: ann.identity, origin: "https://app.example.org")
            #expect(try await count() == [["2"]])
            try await accounts.sweep()
            #expect(try await count() == [["1"]])

            #expect(try await accounts.holds(ticket: fresh.ticket.text, origin: "https://app.example.org"))
            #expect(try await !accounts.holds(ticket: fresh.ticket.text, origin: nil))
            let identity = try await accounts.redeem(ticket: fresh.ticket.text, origin: "https://app.example.org")
            #expect(identity?.account == ann.id && identity?.session == ann.identity.session)
            #expect(identity?.scopes == nil)
            #expect(try await count() == [["0"]])
        }
    }

    @Test func `a wrong page spends a ticket, too`() async throws {
        try await withWorld { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let made = try await accounts.makeStreamTicket(for: ann.identity, origin: "https://app.example.org")
            #expect(try await accounts.redeem(ticket: made.ticket.text, origin: "https://evil.example") == nil)
            #expect(try await accounts.redeem(ticket: made.ticket.text, origin: "https://app.example.org") == nil)
        }
    }

    @Test func `a session that ends at the same time makes no ticket`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let outcome = try await world.meeting {
                try await accounts.end(ann.identity.session, of: ann.id)
            } _: {
                do {
                    _ = try await accounts.makeStreamTicket(for: ann.identity, origin: nil)
                    return "made"
                } catch let failure as Failure { return "\(failure)" }
            }
            #expect(outcome.hasPrefix("unauthenticated"), "\(outcome)")
            #expect(try await world.asSuperuser("select count(*) from stream_ticket") == [["0"]])
            await #expect(throws: Failure.self) {
                try await accounts.makeStreamTicket(for: ann.identity, origin: nil)
            }
        }
    }

    @Test func `of an account that leaves no ticket stays`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let accounts = world.community.accounts
            let ann = try await world.given.account("ann")
            let (token, _) = try await accounts.makeAccessToken(
                Accounts.NewAccessToken(name: "page", scopes: [.init(.read, "stream")], days: 1), for: ann.id)
            let program = try #require(try await accounts.identify(token: token.text))
            let made = try await accounts.makeStreamTicket(for: program, origin: nil)
            _ = try await accounts.makeStreamTicket(for: ann.identity, origin: nil)
            let redeemed = try await accounts.redeem(ticket: made.ticket.text, origin: nil)
            #expect(redeemed?.scopes == program.scopes && redeemed?.session == program.session)
            _ = try await accounts.makeStreamTicket(for: program, origin: nil)
            let confirmed = try await accounts.confirm(password: Given.password, of: ann.id)
            try await accounts.leave(ann.id, confirmed: confirmed)
            #expect(try await world.asSuperuser("select count(*) from stream_ticket") == [["0"]])
        }
    }
}

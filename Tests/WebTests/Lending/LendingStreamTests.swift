import Postgres
import TestSupport
import Testing

@testable import Community
@testable import Web

/// Loans and dates on open sockets.
@Suite(.database)
struct LendingStreamTests {
    @Test(.requirement("LIB-5"))
    func `the other hears each step of a loan, and a borrower that a copy is due, until the one blocks the other`()
        async throws
    {
        try await withStream { stream in
            let world = stream.world
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            try await world.given.friendship(ann, ben)
            let store = world.community.lending
            let copy = try await world.given.copy(of: try await world.given.book("Emma"), by: ann).id
            let (lender, borrower) = (try await stream.open(ann), try await stream.open(ben))
            for client in [lender, borrower] {
                client.subscribe("inbox")
                try await client.hear("subscribed", on: "inbox")
            }
            func kinds(_ client: WebSocketClient) -> [String?] { client.frames("event").map { $0.text("kind") } }

            let loan = try await store.ask(for: copy, by: ben.identity).id
            try await eventually { kinds(lender) == ["loan.asked"] }
            #expect("\(lender.frames("event"))".contains("Emma"))
            let tomorrow = CalendarDate(days: world.clock.now().day.days + 1)
            _ = try await store.accept(loan, until: tomorrow, by: ann.id)
            _ = try await store.handOver(loan, by: ann.id)
            try await store.tellDue()
            try await eventually { kinds(borrower) == ["loan.accepted", "loan.handed_over", "checkout.due"] }

            try await world.community.friends.block("ben", by: ann.id)
            _ = try await store.giveBack(loan, by: ben.id)
            _ = try await world.given.friendRequest(from: try await world.given.account(), to: ann)
            try await eventually { kinds(lender).last == "friend.requested" }
            #expect(!kinds(lender).contains("loan.returned"))
            for client in [lender, borrower] { await client.cut(isAbrupt: false) }
        }
    }
}

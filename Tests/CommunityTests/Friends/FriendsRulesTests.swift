import Postgres
import TestSupport
import Testing

@testable import Community

struct FriendsRulesTests {
    private typealias Standing = Friends.Standing
    private let request = ID<Friends.Request>(rawValue: 7)

    private func outcome(_ standing: Friends.Standing, isNew: Bool = false, limitsRates: Bool = true) -> String {
        do {
            switch try standing.ask(isNew: isNew, limitsRates: limitsRates) {
            case .send: return "send"
            case .keep: return "keep"
            case .stays: return "stays"
            case .accept: return "accept"
            }
        } catch {
            switch error {
            case .notFound: return "not found"
            case .conflict(let code, _): return code.rawValue
            case .limited(let policy, _): return policy
            default: return "\(error)"
            }
        }
    }

    @Test func `asking is decided by what the two are to each other`() {
        #expect(outcome(Standing()) == "send")
        #expect(outcome(Standing(areFriends: true)) == "already_friends")
        #expect(outcome(Standing(outgoing: request)) == "stays")
        #expect(outcome(Standing(incoming: request)) == "accept")
        #expect(outcome(Standing(declinedAt: Timestamp(seconds: 9))) == "keep")
        // A block tells nothing, whatever else is true.
        #expect(
            outcome(Standing(areFriends: true, isBlocked: true, outgoing: request, incoming: request)) == "not found")
        // A reader who declined may change their mind.
        #expect(outcome(Standing(incoming: request, declinedAt: Timestamp(seconds: 9))) == "accept")
    }

    @Test func `asking has bounds against spam`() {
        #expect(outcome(Standing(ownOpen: 199)) == "send")
        #expect(outcome(Standing(ownOpen: 200)) == "too_many_open_requests")
        #expect(outcome(Standing(declinedAt: Timestamp(seconds: 9), ownOpen: 200)) == "too_many_open_requests")
        #expect(outcome(Standing(theirWaiting: 200)) == "inbox_full")
        #expect(outcome(Standing(ownToday: 99)) == "send")
        #expect(outcome(Standing(ownToday: 100)) == "friend_requests")
        #expect(outcome(Standing(ownToday: 20), isNew: true) == "friend_requests")
        #expect(outcome(Standing(ownToday: 20)) == "send")
        #expect(outcome(Standing(ownToday: 5000), isNew: true, limitsRates: false) == "send")
        #expect(outcome(Standing(ownFriends: 5000)) == "too_many_friends")
        #expect(outcome(Standing(incoming: request, theirFriends: 5000)) == "too_many_friends")
    }
}

import TestSupport
import Testing

@testable import Community

@Suite
struct GroupsRulesTests {
    private static let group: ID<Groups.Group> = ID(rawValue: 9)

    private func refusal(_ body: () throws -> Void) async throws -> String? {
        try await MessagesRefusal.of { try body() }
    }

    private static let joins: [(Groups.Standing, Groups.Entry?, String?)] = [
        (.init(), .enters, nil),
        (.init(role: .member), .stays, nil),
        (.init(isBanned: true), nil, "banned"),
        (.init(role: .owner, isBanned: true), .stays, nil),
        (.init(joining: .request), .asks, nil),
        (.init(joining: .request, hasRequested: true), .waits, nil),
        (.init(joining: .request, isInvited: true), .enters, nil),
        (.init(joining: .invitation), nil, "invitation_needed"),
        (.init(joining: .invitation, isInvited: true), .enters, nil),
        (.init(visibility: .private), nil, "not_found"),
        (.init(visibility: .private, hasRequested: true), nil, "not_found"),
        (.init(visibility: .private, isInvited: true), .enters, nil),
        (.init(visibility: .private, role: .member), .stays, nil),
        (.init(visibility: .private, isBanned: true), nil, "not_found"),
    ]

    @Test(arguments: joins.indices) func `who comes in, who asks, and who is refused`(_ index: Int) async throws {
        let (standing, entry, why) = Self.joins[index]
        var found: Groups.Entry?
        let refused = try await refusal { found = try standing.join(Self.group) }
        #expect(found == entry && refused == why, "\(standing)")
    }

    @Test func `members of open groups invite, in others those who lead them`() async throws {
        for joining in Groups.Joining.allCases {
            for role in [nil] + Groups.Role.allCases.map(Optional.init) {
                let standing = Groups.Standing(joining: joining, role: role)
                let why = try await refusal { try standing.mayInvite(into: Self.group) }
                let expected: String? =
                    role == nil ? "not_a_member" : joining == .open || role ?? .member > .member ? nil : "role_too_low"
                #expect(why == expected, "\(joining) \(String(describing: role))")
            }
        }
    }

    @Test func `owners act on all, moderators on members and strangers, members on nobody`() async throws {
        let others = [nil] + Groups.Role.allCases.map(Optional.init)
        for (role, acts) in [(Groups.Role.owner, others), (.moderator, [nil, .member]), (.member, [])] {
            for other in others {
                let why = try await refusal { try role.mayActOn(other) }
                #expect((why == nil) == acts.contains(other), "\(role) \(String(describing: other))")
            }
        }
    }

    private static let names: [(String, [String])] = [
        ("Readers", []), ("  Readers  ", []), (String(repeating: "é", count: 80), []),
        (String(repeating: "a", count: 81), ["/name too_long"]), ("", ["/name too_short"]),
        (" \u{200B} ", ["/name too_short"]),
        ("a\nb", ["/name bad_format"]), ("a\u{202E}b", ["/name bad_format"]),
    ]

    @Test(arguments: names.indices) func `a name is one line that is seen`(_ index: Int) async throws {
        let (name, faults) = Self.names[index]
        let why = try await refusal { try Groups.NewGroup(name: name).validate() }
        #expect(why == (faults.isEmpty ? nil : faults.joined(separator: ", ")), "\(name)")
    }

    @Test func `what it is about has its bounds`() async throws {
        let long = String(repeating: "a", count: 2_001)
        #expect(try await refusal { try Groups.NewGroup(name: "a", about: String(long.dropLast())).validate() } == nil)
        #expect(try await refusal { try Groups.NewGroup(name: "a", about: long).validate() } == "/description too_long")
        #expect(try await refusal { try Groups.NewGroup(name: "a", about: " ").validate() } == "/description too_short")
        #expect(try await refusal { try Groups.Change(about: .set(long)).validate() } == "/description too_long")
        #expect(try await refusal { try Groups.Change(about: .set(nil)).validate() } == nil)
    }
}

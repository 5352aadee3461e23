import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct AccountsManageTests {
    @Test func `suspending ends sessions, hides the account and leaves a record`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let accounts = world.community.accounts

            try await accounts.suspend("Ann", by: World.terminal, reason: "sells watches")

            #expect(try await accounts.identify(token: ann.token) == nil)
            await #expect(throws: Failure.notFound("reader")) { try await accounts.profile(of: "ann", for: bob.viewer) }
            #expect(try await world.outboxKinds() == ["readers.hidden", "account.ended"])
            let act = try #require(try await Moderation.Store(world.services).history(of: .account(ann.id)).first)
            #expect(act.actor == "cli:tester")
            #expect(act.action == "account.suspend")
            #expect(act.reason == "sells watches")
            #expect(act.before.text == #"{"state": "active"}"#)
            #expect(act.after.text == #"{"state": "suspended"}"#)

            try await accounts.unsuspend("ann", by: World.terminal, reason: "sold all")
            #expect(try await accounts.profile(of: "ann", for: bob.viewer).id == ann.id)
            #expect(try await accounts.identify(token: ann.token) == nil)
        }
    }

    @Test(arguments: [Accounts.State.active, .limited, .frozen])
    func `who is let in again is what they were before`(state: Accounts.State) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann", state: state)
            let accounts = world.community.accounts
            try await accounts.suspend("ann", by: World.terminal, reason: "test")
            try await accounts.unsuspend("ann", by: World.terminal, reason: "test")
            #expect(try await accounts.own(ann.id).state == state)
            let act = try #require(try await Moderation.Store(world.services).history(of: .account(ann.id)).first)
            #expect(act.after.text == #"{"state": "\#(state.rawValue)"}"#)
        }
    }

    @Test func `limiting and freezing go on with the sessions, are recorded and are lifted again`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann")
            let accounts = world.community.accounts
            func state() async throws -> Accounts.State? { try await accounts.identify(token: ann.token)?.state }
            func code(_ body: () async throws -> Void) async -> String? {
                do {
                    try await body()
                    return nil
                } catch Failure.conflict(let code, _) {
                    return code.rawValue
                } catch {
                    return "\(error)"
                }
            }
            let (by, why) = (World.terminal, "test")
            #expect(await code { try await accounts.restore("ann", by: by, reason: why) } == "already_active")
            try await accounts.limit("ann", by: by, reason: why)
            #expect(try await state() == .limited)
            #expect(await code { try await accounts.limit("ann", by: by, reason: why) } == "already_limited")
            try await accounts.freeze("ann", by: by, reason: why)
            #expect(try await state() == .frozen)
            try await accounts.suspend("ann", by: by, reason: why)
            #expect(await code { try await accounts.restore("ann", by: by, reason: why) } == "suspended")
            try await accounts.unsuspend("ann", by: by, reason: why)
            try await accounts.restore("ann", by: by, reason: why)
            #expect(try await accounts.own(ann.id).state == .active)
            let acts = try await Moderation.Store(world.services).history(of: .account(ann.id)).map(\.action)
            #expect(
                acts == [
                    "account.restore", "account.unsuspend", "account.suspend", "account.freeze", "account.limit",
                ])
        }
    }

    @Test func `nothing that a deleted account said stands in the log, the outbox or a stored reply`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann_canary"), try await world.given.account("bob"))
            let book = try await world.given.book()
            func relay() async throws {
                try await EventLog.Relay(database: world.database, bell: Bell(), logger: world.logger, moved: {})
                    .moveAll()
            }
            try await world.given.review(by: ann.id, of: book, body: "canary in the log")
            _ = try await world.given.friendRequest(from: ann, to: bob)
            try await relay()
            try await world.given.review(by: ann.id, of: book, body: "canary in the outbox")
            try await world.given.review(by: bob.id, of: book, body: "stays")
            let seqs = try await world.asSuperuser("select count(*) from event")

            try await world.community.accounts.close(ann.id)

            let dump = try await world.asSuperuser(
                "select event::text from event union all select outbox::text from outbox"
            ).description
            #expect(!dump.contains("canary"))
            #expect(dump.contains("stays"))
            #expect(try await world.asSuperuser("select count(*) from event") == seqs)
            #expect(try await world.remains().isEmpty)
            try await world.asSuperuser("update event set data = '{\"a\": 1}' where owner_id = \(ann.id)")
            #expect(try await !world.remains().isEmpty)
        }
    }

    @Test func `an act that changes nothing is refused and not recorded`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann")
            let accounts = world.community.accounts
            await #expect(throws: Failure.conflict(code: .notSuspended, "this account is not suspended")) {
                try await accounts.unsuspend("ann", by: World.terminal, reason: "why not")
            }
            await #expect(throws: Failure.notFound("reader nobody")) {
                try await accounts.suspend("nobody", by: World.terminal, reason: "why not")
            }
            for reason in ["", "  ", String(repeating: "x", count: 501), "a\u{0}b"] {
                let fault = Failure.invalid(
                    "/reason", .required, "must have 1 to 500 characters, not all blank, without control characters")
                await #expect(throws: fault) {
                    try await accounts.suspend("ann", by: World.terminal, reason: reason)
                }
            }
            #expect(try await Moderation.Store(world.services).history(of: .account(ann.id)).isEmpty)
        }
    }

    @Test func `nobody acts on their equals or betters, nor raises anybody to their own height`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let accounts = world.community.accounts
            var readers: [Accounts.Role: Signed] = [:]
            for role in Accounts.Role.allCases {
                readers[role] = try await world.given.account("the_\(role.rawValue)", role: role)
            }
            _ = try await world.given.account("other_owner", role: .owner)
            for (own, actor) in readers {
                for (role, target) in readers where own != role {
                    if own > role {
                        try await accounts.suspend(target.username, by: actor.actor, reason: "test")
                        try await accounts.unsuspend(target.username, by: actor.actor, reason: "test")
                    } else {
                        await #expect(throws: Failure.self) {
                            try await accounts.suspend(target.username, by: actor.actor, reason: "test")
                        }
                    }
                }
            }
            let moderator = try #require(readers[.moderator])
            for role in [Accounts.Role.moderator, .admin, .owner] {
                await #expect(throws: Failure.self) {
                    try await accounts.setRole(of: "the_member", to: role, by: moderator.actor, reason: "friend")
                }
            }
            try await accounts.setRole(of: "the_member", to: .librarian, by: moderator.actor, reason: "knows books")
            let member = try #require(readers[.member])
            #expect(try await accounts.own(member.id).role == .librarian)
        }
    }

    @Test func `the last owner stays`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let owner = try await world.given.account("owner_one", role: .owner)
            let accounts = world.community.accounts
            let last = Failure.conflict(code: .lastOwner, "make another owner first: a server has at least one")
            await #expect(throws: last) { try await accounts.close(owner.id) }
            await #expect(throws: last) {
                try await accounts.suspend("owner_one", by: World.terminal, reason: "test")
            }
            await #expect(throws: last) {
                try await accounts.setRole(of: "owner_one", to: .member, by: World.terminal, reason: "test")
            }
            _ = try await world.given.account("owner_two", role: .owner)
            try await accounts.close(owner.id)
        }
    }

    @Test func `two owners who suspend each other at once do not leave the server without one`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            for round in 0..<ProofCount.of(100) {
                let (one, other) = (
                    try await world.given.account("one_\(round)", role: .owner),
                    try await world.given.account("other_\(round)", role: .owner)
                )
                try await world.asSuperuser(
                    "update account set role = 'member' where id not in (\(one.id), \(other.id))")
                async let first: Void = world.community.accounts.suspend(
                    one.username, by: World.terminal, reason: "race")
                async let second: Void = world.community.accounts.suspend(
                    other.username, by: World.terminal, reason: "race")
                _ = try? await first
                _ = try? await second
                let left = try await world.asSuperuser(
                    "select count(*) from account where role = 'owner' and state = 'active'")
                #expect(left[0] == ["1"])
            }
        }
    }

    @Test func `an owner is made with a password that sign-up would take`() async throws {
        try await withWorld { world in
            let accounts = world.community.accounts
            let enrolment = Accounts.Enrolment(username: "admin", email: "admin@example.org")
            await #expect(throws: Failure.self) { try await accounts.hash(password: "password", for: enrolment) }
            let hash = try await accounts.hash(password: Given.password, for: enrolment)
            let id = try await accounts.createOwner(enrolment, password: hash, by: World.terminal)
            let own = try await accounts.own(id)
            #expect(own.role == .owner)
            #expect(own.isVerified)
            #expect(
                try await Moderation.Store(world.services).history(of: .account(id)).map(\.action) == [
                    "account.create_owner"
                ])
            await #expect(throws: Failure.invalid("/username", .taken, "is taken")) {
                try await accounts.createOwner(enrolment, password: hash, by: World.terminal)
            }
        }
    }

    @Test(arguments: [
        "update moderation_action set reason = 'x'", "delete from moderation_action", "truncate moderation_action",
    ])
    func `the record of acts is final, for the owner of the tables too`(sql: String) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            _ = try await world.given.account("ann")
            try await world.community.accounts.suspend("ann", by: World.terminal, reason: "test")
            await #expect(throws: PostgresError.self) { try await world.asSuperuser(sql) }
            await #expect {
                try await world.database.script(sql)
            } throws: { ($0 as? PostgresError)?.sqlState == .insufficientPrivilege }
            #expect(try await world.asSuperuser("select count(*) from moderation_action")[0] == ["1"])
        }
    }

    @Test func `a deleted account leaves an empty row and exact counts`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, cid) = (
                try await world.given.account("ann", name: "Ann"), try await world.given.account("bob"),
                try await world.given.account("cid")
            )
            try await world.given.friendship(ann, bob)
            try await world.given.friendship(bob, cid)
            _ = try await world.given.friendRequest(from: cid, to: ann)
            let accounts = world.community.accounts

            try await accounts.close(ann.id)

            #expect(try await accounts.identify(token: ann.token) == nil)
            let row = try await world.asSuperuser(
                "select concat(username, username_folded, email, email_folded, password_hash, name, bio), state, reach from account where id = \(ann.id)"
            )
            #expect(row == [["", "deleted", "-1"]])
            #expect(try await accounts.own(bob.id).friends == 1)
            #expect(try await accounts.own(cid.id).friends == 1)
            #expect(try await world.database.differences(of: Friends.self, "friends").isEmpty)
            #expect(
                try await world.asSuperuser("select count(*) from friend_request where state = 'pending'")[0] == ["0"])
            await #expect(throws: Failure.notFound("account")) { try await accounts.close(ann.id) }
        }
    }

    @Test func `an account is deleted only with its password`() async throws {
        try await withWorld { world in
            let ann = try await world.given.account("ann")
            await #expect(throws: Accounts.Store.wrongPassword) {
                try await world.community.accounts.confirm(password: "not it", of: ann.id)
            }
            try await world.community.accounts.confirm(password: Given.password, of: ann.id)
        }
    }
}

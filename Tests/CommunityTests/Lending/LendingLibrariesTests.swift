import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct LendingLibrariesTests {
    @Test func `each reader has a library from the start, and the server has one`() async throws {
        try await withWorld { world in
            let ann = try await world.given.account("ann", name: "Ann Smith")
            let mine = try await world.community.lending.libraries(of: ann.id, page: PageRequest()).items
            #expect(mine.map(\.kind) == [.server, .own])
            #expect(mine.map(\.name) == ["Library", "ann"])
            #expect(mine.map(\.role) == [.reader, .owner])
            #expect(mine.map(\.visibility) == [.public, nil])
            #expect(mine.map(\.members) == [nil, 1])
            #expect(mine[1].reader?.username == "ann")
            #expect(mine[1].id == .own(of: ann.id))
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test func `a library is made, changed and ended by its owners, and neither an own one nor the server's ends`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            try await world.given.friendship(ann, ben)
            let store = world.community.lending
            let id = try await world.given.group("Class 4b", by: ann, with: [(ben, .contributor)])

            let changed = try await store.change(
                id,
                Lending.LibraryChange(
                    name: .set("Class 5b"), description: .set("Room 7."), visibility: .set(.public), loanDays: .set(14)),
                by: ann.identity)
            #expect(
                [changed.name, changed.description ?? "", changed.visibility?.description ?? ""] == [
                    "Class 5b", "Room 7.", "public",
                ])
            #expect([changed.loanDays, changed.members, changed.version] == [14, 2, 2])
            #expect(try await store.library(id, for: .anonymous).name == "Class 5b")
            // What is so already makes no version.
            #expect(
                try await store.change(id, Lending.LibraryChange(visibility: .set(.public)), by: ann.identity).version
                    == 2)

            let notOwner = Failure.forbidden(code: .notOwner, "only owners of this library may do that")
            await #expect(throws: notOwner) {
                try await store.change(id, Lending.LibraryChange(name: .set("Ben's")), by: ben.identity)
            }
            await #expect(throws: notOwner) { try await store.remove(id, by: ben.identity) }
            await #expect(throws: notOwner) { try await store.remove(.server, by: ann.identity) }
            await #expect(throws: Failure.conflict(code: .permanent, "this library is always there")) {
                try await store.remove(.own(of: ann.id), by: ann.identity)
            }
            await #expect(throws: Failure.invalid("/name", .required, "a library has a name")) {
                try await store.change(id, Lending.LibraryChange(name: .set(nil)), by: ann.identity)
            }

            let book = try await world.given.book()
            try await world.given.copy(of: book, in: id, by: ben)
            _ = try await store.checkOut(book, from: id, by: ben.id)
            await #expect(
                throws: Failure.conflict(
                    code: .copiesOut, "some of its copies are out: have them returned first")
            ) { try await store.remove(id, by: ann.identity) }
            _ = try await store.giveBack(book, to: id, by: ben.id)
            try await store.remove(id, by: ann.identity)
            await #expect(throws: Failure.notFound("library \(id)")) { try await store.library(id, for: ann.viewer) }
            // What was read from it was read.
            #expect(try await store.timesCheckedOut(book) == 1)
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test func `librarians look after the server's library, others read it`() async throws {
        try await withWorld { world in
            let (ann, librarian) = (
                try await world.given.account(), try await world.given.account(role: .librarian)
            )
            let store = world.community.lending
            let book = try await world.given.book()
            #expect(try await store.library(.server, for: librarian.viewer).role == .owner)
            #expect(try await store.library(.server, for: .anonymous).role == nil)
            await #expect(throws: Failure.notFound("library 1")) { try await store.library(.server, for: .outsider) }
            let copy = try await world.given.copy(of: book, in: .server, by: librarian, label: "A 12")
            #expect(try await store.copy(copy.id, for: .anonymous).label == "A 12")
            await #expect(
                throws: Failure.forbidden(code: .notContributor, "only contributors and owners may do that")
            ) { try await world.given.copy(of: book, in: .server, by: ann) }
            await #expect(
                throws: Failure.invalid(
                    "/visibility", .mismatch, "the server's library is for members or public")
            ) {
                try await store.change(
                    .server, Lending.LibraryChange(visibility: .set(.friends)), by: librarian.identity)
            }
            _ = try await store.change(
                .server, Lending.LibraryChange(visibility: .set(.members)), by: librarian.identity)
            await #expect(throws: Failure.notFound("copy \(copy.id)")) {
                try await store.copy(copy.id, for: .anonymous)
            }
            #expect(try await store.copy(copy.id, for: ann.viewer).label == "A 12")
        }
    }

    @Test func `friends are invited, join, change roles, leave and are removed`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            let (cid, dan) = (try await world.given.account("cid"), try await world.given.account("dan"))
            for friend in [ben, cid] { try await world.given.friendship(ann, friend) }
            let store = world.community.lending
            let id = try await world.given.group(by: ann)
            func names(_ viewer: Signed) async throws -> [String] {
                try await store.members(of: id, for: viewer.viewer, page: PageRequest()).items.map(\.reader.username)
            }

            await #expect(
                throws: Failure.forbidden(
                    code: .notFriends, "invite friends: ask this reader for friendship first")
            ) { try await store.invite("dan", as: .reader, into: id, by: ann.identity) }
            try await world.clearOutbox()
            _ = try await store.invite("ben", as: .reader, into: id, by: ann.identity)
            // Again: another role, no second event.
            #expect(try await store.invite("Ben", as: .contributor, into: id, by: ann.identity).role == .contributor)
            #expect(try await world.outbox().map(\.kind) == ["library.invited"])
            #expect(try await world.outbox().map(\.topics) == ["{inbox:\(ben.id)}"])

            // The invited see it and nothing more.
            #expect(try await store.library(id, for: ben.viewer).isInvited)
            #expect(try await names(ann) == ["ann", "ben"])
            await #expect(throws: Failure.notFound("library \(id)")) { try await names(ben) }
            let notMember = Failure.forbidden(code: .notAMember, "only members of this library may do that")
            let book = try await world.given.book()
            await #expect(throws: notMember) { try await store.checkOut(book, from: id, by: ben.id) }
            #expect(try await store.library(id, for: ann.viewer).members == 1)
            await #expect(throws: Failure.notFound("library \(id)")) { try await store.accept(id, by: dan.id) }

            // Who sees it without belonging to it has left it already, and leaving declines nothing.
            try await store.leave(id, by: ben.id)
            #expect(try await store.library(id, for: ben.viewer).isInvited)
            try await store.decline(id, by: ben.id)
            await #expect(throws: Failure.notFound("library \(id)")) { try await store.decline(id, by: ben.id) }
            _ = try await store.invite("ben", as: .contributor, into: id, by: ann.identity)
            for _ in 1...2 { #expect(try await store.accept(id, by: ben.id).members == 2) }
            await #expect(throws: Failure.conflict(code: .alreadyMember, "this reader is a member already")) {
                try await store.invite("ben", as: .reader, into: id, by: ann.identity)
            }
            try await world.given.member(cid, of: id, by: ann)
            #expect(try await names(ben) == ["ann", "ben", "cid"])
            try await world.given.copy(of: book, in: id, by: ben)
            _ = try await store.checkOut(book, from: id, by: cid.id)

            let lastOwner = Failure.conflict(code: .lastOwner, "make another owner first, or end the library")
            await #expect(throws: lastOwner) { try await store.leave(id, by: ann.id) }
            await #expect(throws: Failure.conflict(code: .lastOwner, "make another owner first")) {
                try await store.setRole(of: "ann", to: .reader, in: id, by: ann.identity)
            }
            #expect(try await store.setRole(of: "ben", to: .owner, in: id, by: ann.identity).role == .owner)
            try await store.leave(id, by: ann.id)
            #expect(try await names(ben) == ["ben", "cid"])
            try await store.remove("cid", from: id, by: ben.identity)
            await #expect(throws: Failure.notFound("library \(id)")) {
                try await store.library(id, for: cid.viewer)
            }
            // Who was removed still has the book, and returns it.
            let had = try await store.borrowed(by: cid.id, page: PageRequest()).items
            #expect(had.map(\.library) == [nil])
            #expect(try await store.giveBack(book, to: id, by: cid.id).returnedAt != nil)
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test func `what is for friends is for friends now: not for strangers, not for who was one, not for the blocked`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let owner = try await world.given.account()
            let (friend, former) = (try await world.given.account(), try await world.given.account())
            let (blocked, stranger) = (try await world.given.account(), try await world.given.account())
            for other in [friend, former, blocked] { try await world.given.friendship(owner, other) }
            let store = world.community.lending
            let own = ID<Lending.SharedLibrary>.own(of: owner.id)
            let book = try await world.given.book("Emma")
            let copy = try await world.given.copy(of: book, by: owner).id
            // Members too: parting ends that.
            for other in [former, blocked] { try await world.given.member(other, of: own, by: owner) }
            let group = try await world.given.group(by: owner, with: [(former, .reader), (blocked, .contributor)])

            func sees(_ viewer: Viewer, _ library: ID<Lending.SharedLibrary>) async throws -> Bool {
                func found(_ body: () async throws -> Void) async throws -> Bool {
                    do {
                        try await body()
                        return true
                    } catch Failure.notFound {
                        return false
                    }
                }
                var answers = [
                    try await found { _ = try await store.library(library, for: viewer) },
                    try await found { _ = try await store.copies(of: library, for: viewer, page: PageRequest()) },
                    try await found { _ = try await store.checkouts(of: library, for: viewer, page: PageRequest()) },
                ]
                if library == own { answers.append(try await found { _ = try await store.copy(copy, for: viewer) }) }
                #expect(Set(answers).count == 1)
                return answers[0]
            }
            for viewer in [friend.viewer, former.viewer, blocked.viewer, owner.viewer] {
                #expect(try await sees(viewer, own))
            }
            for viewer in [stranger.viewer, .anonymous, .outsider] { #expect(try await !sees(viewer, own)) }
            #expect(try await sees(former.viewer, group))
            #expect(try await !sees(friend.viewer, group))

            try await world.community.friends.remove(former.id, of: owner.id)
            #expect(try await !sees(former.viewer, own))
            // A household goes on with who is a member.
            #expect(try await sees(former.viewer, group))
            try await world.community.friends.block(blocked.username, by: owner.id)
            for library in [own, group] { #expect(try await !sees(blocked.viewer, library)) }
            await #expect(throws: Failure.notFound("reader \(owner.username)")) {
                try await store.libraries(of: owner.username, for: blocked.viewer, page: PageRequest())
            }
            #expect(try await store.library(own, for: owner.viewer).members == 1)
            #expect(try await store.library(group, for: owner.viewer).members == 2)
            // The reader's level for libraries decides until the library has its own.
            try await world.community.profiles.change([.library: .private], for: owner.id)
            #expect(try await !sees(friend.viewer, own))
            let open = Lending.LibraryChange(visibility: .set(.public))
            #expect(try await store.change(own, open, by: owner.identity).visibility == .public)
            for viewer in [friend.viewer, stranger.viewer, .anonymous] { #expect(try await sees(viewer, own)) }
            let usual = Lending.LibraryChange(visibility: .set(nil))
            #expect(try await store.change(own, usual, by: owner.identity).visibility == nil)
            try await world.community.profiles.change([.library: .friends], for: owner.id)
            // Nothing comes back by itself.
            try await world.community.friends.unblock(blocked.username, by: owner.id)
            for library in [own, group] { #expect(try await !sees(blocked.viewer, library)) }
            #expect(
                try await store.libraries(of: owner.username, for: friend.viewer, page: PageRequest()).items.map(\.id)
                    == [own])
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test func `a block hides a public library from one reader, also through another owner`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account(), try await world.given.account())
            let eve = try await world.given.account()
            try await world.given.friendship(ann, ben)
            let id = try await world.given.group(by: ann, visibility: .public, with: [(ben, .owner)])
            let store = world.community.lending
            #expect(try await store.library(id, for: eve.viewer).role == nil)
            try await world.community.friends.block(eve.username, by: ben.id)
            await #expect(throws: Failure.notFound("library \(id)")) { try await store.library(id, for: eve.viewer) }
            #expect(try await store.library(id, for: .anonymous).members == 2)
            // Two owners who fall out both keep it.
            try await world.community.friends.block(ben.username, by: ann.id)
            for owner in [ann, ben] { #expect(try await store.library(id, for: owner.viewer).role == .owner) }
        }
    }

    @Test func `a link shows what a library holds until it is revoked or its maker is no owner any more`() async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account(), try await world.given.account())
            try await world.given.friendship(ann, ben)
            let store = world.community.lending
            let id = try await world.given.group("Club", by: ann, with: [(ben, .owner)])
            try await world.given.copy(of: try await world.given.book("Emma"), in: id, by: ann)

            func titles(_ token: Token, _ viewer: Viewer = .anonymous) async throws -> [String] {
                try await store.copies(sharedAs: token.text, for: viewer, page: PageRequest()).items.map(\.book.title)
            }
            let gone = Failure.notFound("link like this")
            let first = try await store.share(id, by: ann.identity)
            #expect(try await titles(first) == ["Emma"])
            #expect(try await store.linked(first.text, for: .anonymous)?.reader.id == ann.id)
            let second = try await store.share(id, by: ben.identity)
            await #expect(throws: gone) { try await titles(first) }
            #expect(try await titles(second) == ["Emma"])

            let eve = try await world.given.account()
            try await world.community.friends.block(eve.username, by: ben.id)
            await #expect(throws: gone) { try await titles(second, eve.viewer) }
            _ = try await store.setRole(of: ben.username, to: .contributor, in: id, by: ann.identity)
            await #expect(throws: gone) { try await titles(second) }

            let third = try await store.share(id, by: ann.identity)
            try await world.asSuperuser("update account set state = 'frozen' where id = \(ann.id)")
            try await store.unshare(id, by: ann.id)
            await #expect(throws: gone) { try await titles(third) }
            try await store.unshare(id, by: ann.id)
        }
    }

    @Test func `an account that ends leaves its groups to others and takes everything else with it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account(), try await world.given.account())
            let cid = try await world.given.account()
            for friend in [ben, cid] { try await world.given.friendship(ann, friend) }
            let store = world.community.lending
            let club = try await world.given.group("Club", by: ann, with: [(cid, .reader), (ben, .contributor)])
            let alone = try await world.given.group("Alone", by: ann)
            let (one, two) = (try await world.given.book(), try await world.given.book())
            let kept = try await world.given.copy(of: one, in: club, by: ann)
            try await world.given.copy(of: two, by: ann)
            try await world.given.member(ben, of: .own(of: ann.id), by: ann)
            _ = try await store.checkOut(one, from: club, by: ann.id)
            _ = try await store.checkOut(two, from: .own(of: ann.id), by: ben.id)
            _ = try await store.share(club, by: ann.identity)

            try await world.community.accounts.close(ann.id)

            #expect(try await store.library(club, for: ben.viewer).role == .owner)
            #expect(try await store.library(club, for: cid.viewer).role == .reader)
            #expect(try await store.copy(kept.id, for: ben.viewer).out == nil)
            #expect(try await store.copy(kept.id, for: ben.viewer).addedBy == nil)
            await #expect(throws: Failure.notFound("library \(alone)")) {
                try await store.library(alone, for: ben.viewer)
            }
            #expect(try await store.borrowed(by: ben.id, page: PageRequest()).items.isEmpty)
            #expect(try await store.timesCheckedOut(one) == 0)
            #expect(try await store.timesCheckedOut(two) == 1)
            #expect(try await world.lendingDifferences() == [])
            #expect(try await world.remains() == [])
        }
    }

    @Test func `two owners who end at once leave their library to somebody`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let cid = try await world.given.account()
            for _ in 0..<5 {
                let (ann, ben) = (try await world.given.account(), try await world.given.account())
                for friend in [ben, cid] { try await world.given.friendship(ann, friend) }
                let club = try await world.given.group("Club", by: ann, with: [(cid, .reader), (ben, .owner)])
                try await withThrowingTaskGroup { group in
                    for owner in [ann.id, ben.id] {
                        group.addTask { try await world.community.accounts.close(owner) }
                    }
                    try await group.waitForAll()
                }
                #expect(try await world.community.lending.library(club, for: cid.viewer).role == .owner)
            }
        }
    }

    @Test func `libraries are listed to and fro`() async throws {
        try await withWorld { world in
            let ann = try await world.given.account()
            for number in 1...3 { _ = try await world.given.group("\(number)", by: ann) }
            let store = world.community.lending
            let first = try await store.libraries(of: ann.id, page: PageRequest(limit: 3))
            #expect(first.items.map(\.name) == ["Library", ann.username, "1"])
            let next = try #require(first.next)
            let second = try await store.libraries(of: ann.id, page: PageRequest(.after(next), limit: 3))
            #expect(second.items.map(\.name) == ["2", "3"])
            let previous = try #require(second.previous)
            let back = try await store.libraries(of: ann.id, page: PageRequest(.before(previous), limit: 3))
            #expect(back.items.map(\.id) == first.items.map(\.id))
        }
    }
}

extension World {
    /// What the recounts of the domain find.
    func lendingDifferences() async throws -> [String] {
        try await database.differences(of: Lending.self)
    }
}

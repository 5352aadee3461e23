import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// What readers say of themselves, and who sees it.
@Suite(.database)
struct ProfileTests {
    @Test func `a profile is changed field by field`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann", name: "Ann")
            let store = world.community.profiles
            let first = try await store.change(
                Profiles.Change(bio: .set("  Reads in trains.\r\nWalks. ")), of: ann.id)
            #expect(first.account.bio == "Reads in trains.\nWalks.")
            #expect(first.account.name == "Ann")
            let second = try await store.change(Profiles.Change(name: .set("Ann Ó")), of: ann.id)
            #expect(second.account.name == "Ann Ó" && second.account.bio != nil)
            let third = try await store.change(Profiles.Change(name: .set(nil), bio: .set(nil)), of: ann.id)
            #expect(third.account.name == nil && third.account.bio == nil)
            #expect(try await store.own(ann.id).account == third.account)
            #expect(try await world.outbox().map(\.kind) == Array(repeating: "reader.changed", count: 3))
            try await store.change(Profiles.Change(name: .set(nil)), of: ann.id)
            #expect(try await world.outbox().count == 3)
        }
    }

    @Test(arguments: [
        ("", "too_short"), (String(repeating: "a", count: 51), "too_long"), ("a\u{7}b", "bad_character"),
        ("\u{202E}nna", "bad_character"), ("\u{200B}\u{2060}", "bad_format"), ("Admin", "reserved"),
        ("A d m i n", "reserved"), ("Mоdеrаtоr", "reserved"), ("ÀDMÍN", "reserved"), ("C0mm0np1ace", "reserved"),
        ("ΑDMIN", "reserved"), ("\u{251}dmin", "reserved"), ("аdmin team", "reserved"),
        ("Commonplace Staff", "reserved"), ("The Comm\u{3BF}nplace crew", "reserved"), ("ad\u{200B}min", "reserved"),
        ("ad\u{200B}min team", "reserved"), ("Sta\u{AD}ff writer", "reserved"),
        ("Ｍoderator", "reserved"), ("MODERAT\u{39F}R-in-chief", "reserved"), ("a\u{2066}b", "bad_character"),
    ]) func `a name that is none, or the server's own in whatever letters, is refused`(name: String, code: String) {
        #expect(Profiles.Change(name: .set(name)).faults().map(\.code.rawValue) == [code])
    }

    @Test(arguments: [
        "Ann", "Анна Каренина", "王小明", "Ó", "Admiral", "Nobody's Librarians",
        "Ann, librarian", "Bo Staffan", "System of a Down", "א\u{200F}ב", String(repeating: "é", count: 50),
    ])
    func `a name may be in any script`(name: String) {
        #expect(Profiles.Change(name: .set(name)).faults().isEmpty)
    }

    @Test func `a bio has lines and a length`() {
        #expect(Profiles.Change(bio: .set(String(repeating: "é", count: 500))).faults().isEmpty)
        #expect(Profiles.Change(bio: .set("one\ntwo")).faults().isEmpty)
        #expect(
            Profiles.Change(bio: .set(String(repeating: "e", count: 501))).faults().map(\.code.rawValue) == ["too_long"]
        )
        #expect(Profiles.Change(bio: .set("a\u{0}")).faults().map(\.code.rawValue) == ["bad_character"])
        #expect(Profiles.Change(bio: .set(" \n ")).faults().map(\.code.rawValue) == ["bad_format"])
        #expect(
            Profiles.Change(username: "a b", name: .set(""), bio: .set(" ")).faults().map(\.pointer)
                == ["/username", "/name", "/bio"])
    }

    @Test func `name and bio are seen by those whom the reader lets see them, wherever they stand`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann", name: "Ann")
            let (friend, member) = (try await world.given.account(), try await world.given.account())
            try await world.given.friendship(ann.id, friend.id)
            let community = world.community
            let book = try await world.given.book()
            try await community.profiles.change(Profiles.Change(bio: .set("Reads.")), of: ann.id)
            try await community.profiles.change([.shelves: .public, .lists: .public], for: ann.id)
            try await world.given.review(by: ann.id, of: book)
            try await world.given.shelved(book, by: ann.id)
            _ = try await community.library.make(Library.NewList(title: "Mine"), by: ann.identity)

            /// The levels that the viewer is at: `nil` at none, else whether name and bio are seen.
            func sees(_ viewer: Viewer) async throws -> (name: Bool, bio: Bool) {
                let profile = try await community.accounts.profile(of: "ann", for: viewer)
                let names = [
                    profile.name,
                    try await community.reviews.reviews(of: book, for: viewer, page: PageRequest()).items[0].review?
                        .author.name,
                    try await community.library.counts(of: "ann", for: viewer).reader.name,
                    try await community.library.shelf(
                        Library.Shelf(.want), of: "ann", for: viewer, page: PageRequest()
                    ).reader.name,
                    try await community.library.lists(of: "ann", for: viewer, page: PageRequest()).items[0].author.name,
                ]
                #expect(Set(names).count == 1, "\(names)")
                #expect(profile.showsPicture == (profile.name != nil))
                return (profile.name == "Ann", profile.bio == "Reads.")
            }
            let viewers: [(Viewer, Visibility)] = [
                (ann.viewer, .private), (friend.viewer, .friends), (member.viewer, .members), (.anonymous, .public),
            ]
            for level in Visibility.allCases {
                try await community.profiles.change([.name: level], for: ann.id)
                for (viewer, needed) in viewers {
                    let seen = try await sees(viewer)
                    #expect(seen.name == (level >= needed), "name at \(level) for \(needed)")
                    #expect(seen.bio == (.members >= needed), "bio for \(needed)")
                }
            }
            try await community.profiles.change([.name: .friends, .bio: .friends], for: ann.id)
            #expect(
                try await community.friends.friends(of: friend.id, PageRequest()).items.map(\.reader.name) == ["Ann"])
            #expect(
                try await community.feed.home(of: friend.id, page: PageRequest()).page.items[0].reader?.name == "Ann")
            try await community.friends.remove(friend.id, of: ann.id)
            #expect(try await sees(friend.viewer) == (false, false))
            try await community.friends.block("ann", by: member.id)
            await #expect(throws: Failure.notFound("reader")) {
                try await community.accounts.profile(of: "ann", for: member.viewer)
            }
        }
    }

    @Test func `a new name is told in every event that was logged, in its place, and to friends`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann", name: "Ann")
            let (ben, book) = (try await world.given.account("ben", name: "Ben"), try await world.given.book())
            try await world.given.friendship(ann.id, ben.id)
            try await world.given.review(by: ann.id, of: book, body: "Good.")
            try await world.given.shelved(book, by: ann.id)
            try await world.given.review(by: ben.id, of: book)
            try await EventLog.Relay(database: world.database, bell: Bell(), logger: world.logger, moved: {}).moveAll()
            try await world.given.shelved(book, .reading, by: ann.id)
            let places = "select seq, id, kind from event order by seq"
            let before = try await world.asSuperuser(places)

            try await world.community.profiles.change(
                Profiles.Change(username: "Ann_B", name: .set("Annie")), of: ann.id)

            #expect(try await world.asSuperuser(places) == before)
            let named = """
                select distinct reader ->> 'username', reader ->> 'name'
                  from (select coalesce(data -> 'review' -> 'author', data -> 'reader') as reader from event
                         union all select coalesce(data -> 'review' -> 'author', data -> 'reader') from outbox) said
                 where reader ->> 'username' is not null
                 order by 1
                """
            #expect(try await world.asSuperuser(named) == [["Ann_B", "Annie"], ["ben", "Ben"]])
            #expect(
                try await world.asSuperuser("select data ->> 'review' is null from event where kind = 'review.posted'")
                    == [["f"]])
            #expect(try await world.outbox().last?.kind == "reader.changed")
            #expect(try await world.outbox().last?.topics == "{reader:\(ann.id)}")
            #expect(
                try await world.community.feed.home(of: ben.id, page: PageRequest()).page.items.map(\.reader?.name)
                    .allSatisfy { $0 == "Annie" })

            // What only friends may see stands in no event: those are written once for all.
            try await world.community.profiles.change([.name: .friends], for: ann.id)
            #expect(try await world.asSuperuser(named) == [["Ann_B", nil], ["ben", "Ben"]])
            try await world.given.review(by: ann.id, of: book, rating: 2)
            #expect(try await world.asSuperuser(named) == [["Ann_B", nil], ["ben", "Ben"]])
            try await world.community.profiles.change([.name: .public], for: ann.id)
            #expect(try await world.asSuperuser(named) == [["Ann_B", "Annie"], ["ben", "Ben"]])
        }
    }

    @Test func `what is told of a name changes ten times in a day; to hide it is always possible`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann", name: "Ann")
            let store = world.community.profiles
            func isTaken(_ change: Profiles.Change) async throws -> Bool {
                do {
                    try await store.change(change, of: ann.id)
                    return true
                } catch Failure.limited(let policy, _) {
                    #expect(policy == "name_account")
                    return false
                }
            }
            for number in 1...10 {
                #expect(try await isTaken(Profiles.Change(name: .set("Ann \(number)"))))
            }
            #expect(try await !isTaken(Profiles.Change(name: .set("Ann 11"))))
            #expect(try await !isTaken(Profiles.Change(username: "anna")))
            #expect(try await store.own(ann.id).account.name == "Ann 10")
            // What was refused for another reason is no change; what is not told of anybody neither.
            #expect(try await isTaken(Profiles.Change(bio: .set("Reads."))))
            try await store.change([.name: .friends], for: ann.id)
            #expect(try await isTaken(Profiles.Change(name: .set("Annie"))))
            await #expect(throws: Failure.self) { try await store.change([.name: .members], for: ann.id) }
            #expect(try await store.privacy(of: ann.id)[.name] == .friends)
            #expect(try await isTaken(Profiles.Change(name: .set(nil))))
            world.clock.advance(by: .seconds(86_401))
            try await store.change([.name: .members], for: ann.id)
            #expect(try await isTaken(Profiles.Change(username: "anna", name: .set("Anna"))))
        }
    }

    @Test func `the log is rewritten only where what it tells of a reader changes`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann", name: "Ann")
            try await world.given.review(by: ann.id, of: try await world.given.book())
            try await EventLog.Relay(database: world.database, bell: Bell(), logger: world.logger, moved: {}).moveAll()
            let store = world.community.profiles
            let versions = "select id, xmin from event order by id"
            let written = try await world.asSuperuser(versions)
            #expect(!written.isEmpty)
            try await store.change(Profiles.Change(bio: .set("Reads.")), of: ann.id)
            try await store.change([.name: .public], for: ann.id)
            try await store.change([.bio: .private], for: ann.id)
            #expect(try await world.asSuperuser(versions) == written)
            try await store.change([.name: .friends], for: ann.id)
            let hidden = try await world.asSuperuser(versions)
            #expect(hidden != written)
            try await store.change(Profiles.Change(name: .set("Annie")), of: ann.id)
            #expect(try await world.asSuperuser(versions) == hidden)
        }
    }

    @Test func `a username is another's only once it is free, and changes once in 30 days`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            let store = world.community.profiles
            func rename(_ reader: Signed, _ name: String) async -> String {
                do {
                    return try await store.change(Profiles.Change(username: name), of: reader.id).account.username
                } catch Failure.invalid(let faults) {
                    return faults.map(\.code.rawValue).joined()
                } catch Failure.conflict(let code, _) {
                    return code.rawValue
                } catch {
                    return "\(error)"
                }
            }
            #expect(await rename(ann, "BEN") == "taken")
            #expect(await rename(ann, "admin") == "reserved")
            #expect(await rename(ann, "ANN") == "ANN")
            #expect(await rename(ann, "anna") == "anna")
            #expect(await rename(ann, "annette") == "renamed_lately")
            #expect(await rename(ann, "Anna") == "Anna")
            #expect(await rename(ben, "ann") == "taken")
            await #expect(throws: Failure.notFound("reader")) {
                try await world.community.accounts.profile(of: "ann", for: ben.viewer)
            }
            #expect(try await world.community.accounts.profile(of: "ANNA", for: ben.viewer).id == ann.id)
            world.clock.advance(by: .seconds(31 * 86_400))
            #expect(await rename(ann, "annette") == "annette")
            world.clock.advance(by: .seconds(60 * 86_400))
            #expect(await rename(ben, "ann") == "ann")
        }
    }

    @Test func `of many who want one username at once, one gets it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            var readers: [Signed] = []
            for _ in 0..<6 { readers.append(try await world.given.account()) }
            let store = world.community.profiles
            let won = try await withThrowingTaskGroup(of: Bool.self) { group in
                for reader in readers {
                    group.addTask {
                        do {
                            _ = try await store.change(Profiles.Change(username: "anna"), of: reader.id)
                            return true
                        } catch Failure.invalid(let faults) {
                            #expect(faults.map(\.code.rawValue) == ["taken"])
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(won == 1)
        }
    }

    @Test func `a frozen reader changes no profile, and nothing is left of who is gone`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let frozen = try await world.given.account(state: .frozen)
            let gone = try await world.given.account("gone", name: "Gone")
            let store = world.community.profiles
            await #expect(throws: Failure.self) {
                try await store.change(Profiles.Change(bio: .set("x")), of: frozen.id)
            }
            try await store.change(Profiles.Change(username: "left_by", bio: .set("Bye.")), of: gone.id)
            try await store.change([.bio: .public], for: gone.id)
            try await world.database.run(Accounts.AddToTally(of: gone.id, comments: 1))

            try await world.community.accounts.close(gone.id)

            await #expect(throws: Failure.unauthenticated()) {
                try await store.change(Profiles.Change(bio: .set("x")), of: gone.id)
            }
            for table in ["privacy", "reader_tally"] {
                #expect(try await world.asSuperuser("select 1 from \(table)").isEmpty, "\(table)")
            }
            #expect(try await world.asSuperuser("select renamed_at from account where id = \(gone.id)") == [[nil]])
            #expect(try await world.remains() == [])
        }
    }

    @Test func `counters of comments, friends and groups are stored and recounted`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            try await world.given.friendship(ann.id, ben.id)
            let own = try await world.community.profiles.own(ann.id).account
            #expect((own.friends, own.comments, own.groups) == (1, 0, 0))
            #expect(try await world.database.differences(of: Groups.self, "tallies").isEmpty)

            try await world.database.run(Accounts.AddToTally(of: ann.id, comments: 2, groups: 1, unreadMessages: 3))
            try await world.database.run(Accounts.AddToTally(of: ann.id, comments: -1, unreadMessages: -3))

            let seen = try await world.community.accounts.profile(of: "ann", for: ben.viewer)
            #expect((seen.friends, seen.comments, seen.groups) == (1, 1, 1))
            #expect(try await world.database.differences(of: Groups.self, "tallies").count == 1)
            await #expect(throws: PostgresError.self) {
                try await world.database.run(Accounts.AddToTally(of: ann.id, comments: -2))
            }
        }
    }
}

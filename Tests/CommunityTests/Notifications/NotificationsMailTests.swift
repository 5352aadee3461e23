import Postgres
import TestSupport
import Testing

@testable import Community

/// Mails that tell of what is unread, and the texts of it all.
@Suite(.database)
struct NotificationsMailTests {
    private let delay = Duration.seconds(Limits.notifications.mailDelayMinutes * 60)
    private let pause = Duration.seconds(Limits.notifications.mailPauseMinutes * 60)

    /// Does what is due, as the minute's job does.
    private func mail(_ world: World) async throws {
        #expect(try await world.tell() == 0)
        try await world.community.notifications.mail()
        #expect(try await world.tell() == 0)
    }

    private func ask(_ reader: Signed, as name: String? = nil, in world: World) async throws {
        _ = try await world.given.friendRequest(from: try await world.given.account(name), to: reader)
    }

    @Test func `what is unread after a quarter of an hour is told in one mail, and once`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let book = try await world.given.book("Emma")
            let thread = try await world.given.thread(on: book, by: ann.id, title: "Of matches")
            _ = try await world.community.boards.reply(
                Boards.NewPost(body: "I >!know!< *this*", scope: .scope(.free)), in: thread.id, by: bob.id)
            try await mail(world)
            #expect(world.mail.sent.isEmpty)
            world.clock.advance(by: delay - .seconds(60))
            try await ask(ann, as: "cat", in: world)
            try await mail(world)
            #expect(world.mail.sent.isEmpty)

            world.clock.advance(by: .seconds(60))
            try await mail(world)
            try await mail(world)

            let mails = world.mail.sent(to: ann.email)
            #expect(mails.count == 1 && world.mail.sent.count == 1)
            let text = try #require(mails.first).text
            #expect(mails.first?.subject == "2 notifications for you")
            #expect(
                text == """
                    Hello ann,

                    This has happened at http://127.0.0.1:8080
                    since you were there:

                    * cat wants to be your friend

                    * bob replied to your post
                      in “Of matches”
                      about Emma
                      “I … this”

                    You find all of them in your reading app, where you also choose which ones are mailed to you.

                    """)
        }
    }

    @Test func `at most one mail goes to a reader in an hour`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann")
            try await ask(ann, as: "bob", in: world)
            #expect(try await world.tell() == 0)
            world.clock.advance(by: delay)
            try await mail(world)
            #expect(world.mail.sent.map(\.subject) == ["bob wants to be your friend"])
            let first = try await world.community.notifications.list(of: ann.id).items[0]
            try await world.community.notifications.read(first.id, by: ann.id)
            try await ask(ann, as: "cat", in: world)
            #expect(try await world.tell() == 0)
            world.clock.advance(by: delay)
            try await mail(world)
            #expect(world.mail.sent.count == 1)
            world.clock.advance(by: pause - delay)
            try await mail(world)
            #expect(world.mail.sent.map(\.subject).last == "cat wants to be your friend")
            #expect(world.mail.sent.count == 2)
        }
    }

    @Test(arguments: ["read", "off before", "off after", "inbox off after", "unproven", "blocked", "suspended"])
    func `nothing is mailed of what was read, is not wanted or not to be seen, or to no proven address`(
        _ why: String
    ) async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account(), try await world.given.account())
            let store = world.community.notifications
            func switchOff(_ change: Notifications.SettingChange) async throws {
                _ = try await store.change([.friendRequested: change], of: ann.id)
            }
            if why == "off before" { try await switchOff(.init(mail: false)) }
            _ = try await world.given.friendRequest(from: bob, to: ann)
            #expect(try await world.tell() == 0)
            switch why {
            case "read": try await store.read(try await store.list(of: ann.id).items[0].id, by: ann.id)
            case "off after": try await switchOff(.init(mail: false))
            case "inbox off after": try await switchOff(.init(inbox: false))
            case "unproven": try await world.asSuperuser("update account set verified_at = null where id = \(ann.id)")
            case "blocked": try await world.community.friends.block(bob.username, by: ann.id)
            case "suspended": try await world.asSuperuser("update account set state = 'suspended' where id = \(ann.id)")
            default: break
            }
            world.clock.advance(by: delay)
            try await mail(world)
            #expect(world.mail.sent.isEmpty)
            #expect(try await world.asSuperuser("select 1 from notification where mail_at is not null").isEmpty)
        }
    }

    @Test func `a server that sends no mail plans none`() async throws {
        try await withWorld(leaving: .outbox, settings: { $0.deliversMail = false }) { world in
            let ann = try await world.given.account()
            try await ask(ann, in: world)
            #expect(try await world.tell() == 0)
            #expect(try await world.asSuperuser("select mail_at from notification") == [[nil]])
        }
    }

    @Test(arguments: Notifications.Kind.allCases)
    func `every kind has its text, for one, two and more`(_ kind: Notifications.Kind) {
        let forms = [1, 2, 3, 40].map { count in
            Notifications.Catalogue.text(kind, actors: Array(["ada", "{n}", "cy"].prefix(count)), count: count)
        }
        #expect(!forms.contains(kind.rawValue))
        guard ![.nobody, .act, .decision, .goal].contains(kind.deed) else {
            #expect(Set(forms).count == 1)
            return
        }
        #expect(forms[0].hasPrefix("ada ") && !forms[0].contains("{n}"))
        // A name is never taken for a mark.
        #expect(forms[1].hasPrefix("ada and {n} "))
        #expect(forms[2].hasPrefix("ada and 2 others ") && forms[3].hasPrefix("ada and 39 others "))
    }
}

import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// Who calls, as the owner of the scene's things sees them.
enum Actor: String, CaseIterable, Sendable {
    case anonymous, stranger
    /// In a group of the owner's, and in no conversation.
    case friend
    /// A friend in a conversation with the owner, and in no group of theirs.
    case participant
    /// Was a friend in a conversation with the owner, and is no friend any more.
    case exFriend
    /// Was the same; then the owner has blocked them.
    case blocked
    /// Was the same; then they have blocked the owner.
    case blocker
    case owner, librarian, moderator
    /// Their token was good once.
    case suspended, deleted

    /// Nobody is signed in with what they send.
    var isEnded: Bool { self == .suspended || self == .deleted }

    static let living = Set(allCases.filter { !$0.isEnded })
    static let members = living.subtracting([.anonymous])
}

/// One owner with one thing of each kind, and somebody in every relation to the owner.
struct AccessScene {
    let app: TestApp
    let owner: Signed
    /// All but anonymous.
    let accounts: [Actor: Signed]
    /// What nobody but the owner may read anywhere: one word, this scene's own.
    let secret: String
    /// What stands in paths: `{review}` is the owner's review.
    private(set) var names: [String: String] = [:]

    func `as`(_ actor: Actor) -> TestApp { app.with(token: accounts[actor]?.token) }

    /// `template` with the scene's things in the place of the words in braces. A word that is no thing stays, and the
    /// test fails.
    func path(_ template: String) -> String {
        names.reduce(template) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    init(_ app: TestApp) async throws {
        let given = app.world.given
        self.app = app
        let owner = try await given.account()
        self.owner = owner
        secret = "gardener" + (try app.world.services.ids.make(Never.self).text)
        var accounts: [Actor: Signed] = [.owner: owner]
        for actor in Actor.allCases where actor != .anonymous && actor != .owner {
            let role: Accounts.Role =
                switch actor {
                case .librarian: .librarian
                case .moderator: .moderator
                default: .member
                }
            accounts[actor] = try await given.account(role: role)
        }
        self.accounts = accounts
        names["secret"] = secret
        for (actor, account) in accounts.sorted(by: { $0.value.id < $1.value.id }) {
            try await relate(account, as: actor)
        }
        try await furnish()
        try await gather()
        try await foretell()
    }

    /// Makes an account what it is to the owner.
    private mutating func relate(_ account: Signed, as actor: Actor) async throws {
        let (given, community) = (app.world.given, app.world.community)
        switch actor {
        case .stranger: try await community.friends.mute(owner.username, by: account.id)
        case .friend: try await given.friendship(owner.id, account.id)
        case .participant: try await converse(with: account, "conversation", "message", "answer")
        case .exFriend:
            try await converse(with: account, "formerConversation", "formerMessage", "formerAnswer")
            try await community.friends.remove(account.id, of: owner.id)
        case .blocked:
            try await converse(with: account, "blockedConversation", "blockedMessage", "blockedAnswer")
            try await community.friends.block(account.username, by: owner.id)
        case .blocker:
            try await converse(with: account, "blockerConversation", "blockerMessage", "blockerAnswer")
            try await community.friends.block(owner.username, by: account.id)
        case .suspended:
            try await community.accounts.suspend(account.username, by: World.terminal, reason: "test")
        case .deleted: try await community.accounts.close(account.id)
        case .anonymous, .owner, .librarian, .moderator: break
        }
    }

    /// A friend's conversation with the owner, what the owner said there, and what the friend did: the words for them.
    private mutating func converse(
        with friend: Signed, _ conversation: String, _ message: String, _ answer: String
    ) async throws {
        let given = app.world.given
        try await given.friendship(owner.id, friend.id)
        let talk = try await given.conversation(of: friend, with: owner)
        names[conversation] = talk.text
        names[message] = try await given.message("mine", in: talk, by: owner).id.text
        names[answer] = try await given.message("theirs", in: talk, by: friend).id.text
    }

    /// A private group of the owner's with the friend in it, somebody who wants to be, and a thread about no book.
    private mutating func gather() async throws {
        let given = app.world.given
        let friend = try #require(accounts[.friend])
        let (comrade, applicant, guest) = (
            try await given.account(), try await given.account(), try #require(names["guest"])
        )
        let banned = try await given.account()
        let club = try await given.club(
            by: owner.id, .private, joining: .request, with: [(friend.id, .member), (comrade.id, .member)])
        try await app.world.asSuperuser(
            """
            insert into group_request (group_id, reader_id, at) values (\(club), \(applicant.id), now());
            insert into group_ban (group_id, reader_id, at) values (\(club), \(banned.id), now());
            insert into group_invitation (group_id, reader_id, inviter_id, at)
            select \(club), id, \(owner.id), now() from account where username = '\(guest)'
            """)
        let thread = try await given.thread(in: club, by: owner.id)
        names.merge([
            "club": club.text, "comrade": comrade.username, "applicant": applicant.username, "banned": banned.username,
            "clubThread": thread.id.text, "clubPost": thread.post.text,
        ]) { _, new in new }
    }

    /// What lies ahead of everybody but the owner, who wrote it: a thread, a reply in the thread that is free, a review
    /// and a reply to it. They say the secret. A message to the participant shows the post that opens the thread.
    private mutating func foretell() async throws {
        let (given, reviews) = (app.world.given, app.world.community.reviews)
        let thread = try await given.thread(
            on: try id("book"), by: owner.id, title: secret, scope: .finished, body: secret)
        let reply = try await given.post(
            in: try id("thread"), by: owner.id, answering: try id("post"), scope: .finished, body: secret)
        let book = try await given.book()
        let review = try await given.review(by: owner.id, of: book, body: secret, visibility: .public, spoilers: true)
        let answer = try await reviews.reply(secret, to: review.id, by: owner.id)
        let photo = try await given.photo(
            of: try id("book"), by: owner.id, comment: secret, scope: Gate.end, visibility: .public)
        names["shutPhoto"] = photo.text
        let card = try await given.message("Look", in: try id("conversation"), by: owner, post: thread.post)
        names.merge([
            "shutThread": thread.id.text, "shutPost": thread.post.text, "shutReply": reply.text, "third": book.text,
            "shutReview": review.id.text, "shutAnswer": answer.id.text, "card": card.id.text,
        ]) { _, new in new }
    }

    private func id<Entity>(_ name: String) throws -> ID<Entity> {
        try #require(names[name].flatMap { ID<Entity>(text: $0) })
    }

    /// The owner's things, all for friends at most, and some of the catalogue's.
    private mutating func furnish() async throws {
        let world = app.world
        let mine = app.as(owner)
        let key = try world.services.ids.make(Never.self).text
        var new = Catalog.NewBook(key: key, title: "Book \(key)", authors: ["Ada Example"], year: 1999)
        new.series = [("Series \(key)", "1")]
        new.genres = ["fantasy"]
        let book = try await world.given.books([new])[0].text
        let other = try await world.given.book().text
        let work = try await world.asSuperuser(
            """
            select edition.id, work_author.author_id, work_series.series_id
              from edition
              join work_author using (work_id)
              join work_series using (work_id)
             where work_id = \(book)
            """)[0]
        names.merge([
            "book": book, "other": other, "edition": work[0] ?? "", "author": work[1] ?? "", "series": work[2] ?? "",
            "username": owner.username, "reader": owner.id.text, "width": String(Media.Kind.cover.widths[0]),
            "code": "9780000000002", "genre": "fantasy",
            "volume": book, "shelf": "want", "year": "2026", "hash": String(repeating: "0", count: 64),
        ]) { _, new in new }
        func made(
            _ name: String, _ answer: TestAnswer, _ member: String = "id",
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            names[name] = try #require(answer.json[member]?.text, "\(answer.text)", sourceLocation: sourceLocation)
        }
        try made(
            "review",
            try await mine.put(
                "/api/v1/books/\(book)/review", ["rating": 4, "body": "mine", "visibility": "friends"]))
        try made(
            "reply", try await mine.post("/api/v1/reviews/\(names["review"] ?? "")/replies", ["body": "mine"]))
        _ = try await mine.put("/api/v1/books/\(book)/shelf", ["shelf": "want", "visibility": "friends"])
        try made("list", try await mine.post("/api/v1/me/lists", ["title": "mine", "visibility": "friends"]))
        _ = try await mine.put("/api/v1/lists/\(names["list"] ?? "")/books/\(book)", [:])
        _ = try await mine.put("/api/v1/me/goals/2026", ["books": 12])
        try made("share", try await mine.post("/api/v1/me/shelves/want/link"), "token")
        try made("listShare", try await mine.post("/api/v1/lists/\(names["list"] ?? "")/link"), "token")
        let read = try await mine.put("/api/v1/books/\(other)/shelf", ["shelf": "read", "visibility": "friends"])
        names["reading"] = try #require(read.json["readings"]?[0]?["id"]?.text, "\(read.text)")
        names["photo"] = try await world.given.photo(
            of: try #require(ID(text: book)), by: owner.id, comment: "mine", visibility: .friends
        ).text
        let drawing = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"2\"><desc>\(secret)</desc></svg>"
        let pages = try TestEbooks.illustrated(
            [("a.svg", "image/svg+xml", Array(drawing.utf8))], body: "<p>mine \(secret)</p>")
        try made("ebook", try await mine.keepEbook(pages, at: names["edition"] ?? "", "rights=own_copy"))
        try made("bookmark", try await mine.post("/api/v1/books/\(book)/bookmarks", ["percent": 10]))
        try made("theme", try await mine.post("/api/v1/books/\(book)/themes", ["name": "mine"]))
        try made("folder", try await mine.post("/api/v1/books/\(book)/folders", ["name": "mine"]))
        try made(
            "note",
            try await mine.post(
                "/api/v1/books/\(book)/notes",
                [
                    "title": "mine", "visibility": "friends", "items": [["kind": "text", "body": "mine"]],
                    "place": ["percent": 0],
                ]))
        let note = try await mine.get("/api/v1/notes/\(names["note"] ?? "")")
        names["item"] = try #require(note.json["items"]?[0]?["id"]?.text, "\(note.text)")
        let noted = try await mine.post(
            "/api/v1/books/\(book)/notes",
            ["visibility": "public", "items": [["kind": "text", "body": .string(secret)]], "place": ["percent": 90]])
        names["shutNote"] = try #require(noted.json["id"]?.text, "\(noted.text)")
        names["shutItem"] = try #require(noted.json["items"]?[0]?["id"]?.text, "\(noted.text)")
        try await furnishLibraries(book: book, other: other)
        let (asker, asked) = (try await world.given.account(), try await world.given.account())
        names["incoming"] = try await world.given.friendRequest(from: asker, to: owner).text
        names["outgoing"] = try await world.given.friendRequest(from: owner, to: asked).text
        try made(
            "proposal",
            try await mine.patch("/api/v1/books/\(book)", ["title": .string("Another \(key)"), "reason": "r"]),
            "proposal_id")
        try made(
            "revision", try await self.as(.librarian).patch("/api/v1/books/\(other)", ["year": 1900]), "revision_id")
        names["search"] = key
        try await world.asSuperuser(
            """
            insert into recent_search (id, reader_id, folded, query, at)
            values (\(key), \(owner.id), 'mine', 'mine', now());
            insert into operation (id, reader_id, kind) values (\(key), \(owner.id), 'test.work')
            """)
        names["operation"] = key
        _ = try await world.community.accounts.openSession(for: owner.id)
        names["session"] =
            try await world.community.accounts.sessions(of: owner.id).first { $0.id != owner.identity.session }?.id
            .text
        let (_, token) = try await world.community.accounts.makeAccessToken(
            Accounts.NewAccessToken(name: "mine", scopes: [.init(.read, "library")], days: 1), for: owner.id)
        names["token"] = token.id.text
        let thread = try await world.given.thread(on: try #require(ID(text: book)), by: owner.id)
        (names["thread"], names["post"]) = (thread.id.text, thread.post.text)
        names["notification"] = try await world.given.notification(to: owner.id, of: thread.post).text
        _ = try await app.as(asked).post(
            "/api/v1/reports", ["target": .string("post:\(thread.post)"), "category": "other"])
        names["case"] = try #require(try await world.asSuperuser("select id from moderation_case").first?[0])
        let warning = Moderation.Order(.warn, by: .account(asked.id, .moderator), reason: "r")
        names["act"] = try await world.community.moderation.act(
            warning, on: .named([.thing(Thing(asked.id))]), isDry: true
        ).id?.text
    }

    /// The owner's own library and a household, what stands in them, and what friends asked for.
    private mutating func furnishLibraries(book: String, other: String) async throws {
        let given = app.world.given
        let mine = app.as(owner)
        let (guest, newcomer) = (try await given.account(), try await given.account())
        for friend in [guest, newcomer] { try await given.friendship(owner, friend) }
        let library = owner.id.text
        names.merge(["library": library, "guest": guest.username, "newcomer": newcomer.username]) { _, new in new }
        func made(
            _ name: String, _ answer: TestAnswer, _ member: String = "id",
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> String {
            let text = try #require(answer.json[member]?.text, "\(answer.text)", sourceLocation: sourceLocation)
            names[name] = text
            return text
        }
        func done(_ answer: TestAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(answer.status.kind == .successful, "\(answer.text)", sourceLocation: sourceLocation)
        }
        let group = try made(
            "group", try await mine.post("/api/v1/me/libraries", ["name": "ours", "visibility": "friends"]))
        _ = try made("empty", try await mine.post("/api/v1/me/libraries", ["name": "empty", "visibility": "friends"]))
        done(try await mine.post("/api/v1/libraries/\(group)/members", ["username": .string(guest.username)]))
        done(try await app.as(guest).post("/api/v1/libraries/\(group)/invitation/accept"))
        _ = try made("libraryShare", try await mine.post("/api/v1/libraries/\(library)/link"), "token")

        let copies = "/api/v1/libraries/\(library)/copies"
        let copy = try made("copy", try await mine.post(copies, ["book_id": .string(book)]))
        done(try await mine.post("/api/v1/books/\(other)/checkout", ["library_id": .string(library)]))
        done(try await mine.post("/api/v1/libraries/\(group)/copies", ["book_id": .string(book)]))
        _ = try made(
            "checkout",
            try await app.as(guest).post("/api/v1/books/\(book)/checkout", ["library_id": .string(group)]))

        _ = try made("loan", try await app.as(guest).post("/api/v1/copies/\(copy)/loans"))
        let third = try await mine.post(copies, ["book_id": .string(try await given.book().text)])
        let lent = try made(
            "lent", try await app.as(guest).post("/api/v1/copies/\(third.json["id"]?.text ?? "")/loans"))
        done(try await mine.post("/api/v1/loans/\(lent)/hand-over"))
        let theirs = try await app.as(guest).post(
            "/api/v1/libraries/\(guest.id)/copies", ["book_id": .string(book)])
        _ = try made("question", try await mine.post("/api/v1/copies/\(theirs.json["id"]?.text ?? "")/loans"))
    }
}

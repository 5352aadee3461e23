import EventLog
import Foundation
import MarkdownReading
import Postgres
import TestSupport
import Testing

@testable import Community

/// What events say, one line each, stands in `events.txt` beside this file, as the log holds it: a change of what apps are told is a
/// change of a line.
///
/// `COMMONPLACE_GOLDEN=write` writes the file anew.
@Suite(.database) struct GoldenEventsTests {
    @Test func `every kind of event says what stands in the file`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            try await Samples(world: world).tellAll()

            let rows = try await world.asSuperuser(
                """
                select kind || ' ' || data from outbox where kind like '%.reacted' or data::text !~ '"[0-9]{15}'
                 union all
                select 'state of ' || topic || ' ' || data from stream_state
                """)
            let told = Set(rows.compactMap(\.first).compactMap(\.self).map(Self.legible))
            let lines = try told.sorted() + [Samples.placeholder()]
            if ProcessInfo.processInfo.environment["COMMONPLACE_GOLDEN"] == "write" {
                try (lines.joined(separator: "\n") + "\n").write(to: Self.file, atomically: true, encoding: .utf8)
            }
            let known = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").map(String.init)
            for change in lines.difference(from: known) {
                switch change {
                case .insert(_, let line, _): Issue.record("is told, and does not stand in the file: \(line)")
                case .remove(_, let line, _): Issue.record("stands in the file, and is not told: \(line)")
                }
            }
            let kinds = Set(lines.compactMap { $0.split(separator: " ").first.map(String.init) })
            for kind in Community.eventKinds where !kinds.contains(kind) { Issue.record("no sample of \(kind)") }
        }
    }

    /// Without the identifiers that stores made, and with long runs of slashes as their number.
    private static func legible(_ line: String) -> String {
        line.replacing(/"[0-9]{15,}"/, with: "\"ID\"").replacing(/\/{100,}/) { "/×\($0.output.count)" }
    }

    private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "events.txt")
}

/// Every kind of event at least once, full and bare.
private struct Samples {
    let world: World

    private static let at = Timestamp(microseconds: 1_700_000_000_123_456)
    private static let later = Timestamp(microseconds: 1_700_000_090_000_000)
    private static let ann = Accounts.Reader(id: ID(rawValue: 11), username: "ann", name: "Ann \"A\" / Ä")
    private static let ben = Accounts.Reader(
        id: ID(rawValue: 12), username: "ben", name: nil,
        picture: Accounts.Picture(text: String(repeating: "0f", count: 32) + "Ben, \"B\""))
    private static let book = Catalog.Book(
        id: ID(rawValue: 21), title: "A/B \\ 本\n\u{1}",
        authors: (1...12).map { Catalog.AuthorName(id: ID(rawValue: 30 + $0), name: "Author \($0)") }, year: -20,
        kind: "audiobook",
        cover: Media.Cover(edition: ID(rawValue: 23), hash: Media.Hash(of: [1]), alt: "A/B \"1\""))
    private static let bare = Catalog.Book(id: ID(rawValue: 22), title: "", authors: [])
    private static let body = "Both **this/that** and >!the end!<."
    /// It is larger than an event only if each slash counts as two bytes, as it always has.
    private static let long = String(repeating: "/", count: 7_000)

    func tellAll() async throws {
        try await world.database.transaction { transaction in
            for row in try boards() + reviews() + messages() + shelves() + others() {
                try await EventLog.append(row, in: transaction)
            }
            try await tellPeople(in: transaction)
            try await tellServers(in: transaction)
        }
        try await react()
    }

    /// What a frame tells those to whom a post is shut.
    static func placeholder() throws -> String {
        var exceptions = Exceptions()
        try exceptions.gate(1, behind: Gate.Placeholder(id: 41, kind: "reply", position: 5_000), as: "post")
        return "a shut gate " + (exceptions.verdict.placeholder?.text ?? "")
    }

    private func boards() throws -> [NewEvent] {
        func post(_ text: String, opens: Boards.Kind?, full: Bool) -> Boards.Event.Told {
            let post = Boards.Post(
                id: ID(rawValue: 41), thread: ID(rawValue: 42), number: 3, parent: full ? ID(rawValue: 43) : nil,
                answers: full ? ID(rawValue: 44) : nil, depth: 2, author: Self.ben, opens: opens,
                scope: full ? Gate.Scope(position: 2_500) ?? .free : .free,
                also: full ? Boards.Also(book: ID(rawValue: 22), scope: .finished) : nil,
                quoted: full ? ID(rawValue: 45) : nil, text: ShownText(whole: text), createdAt: Self.at,
                replies: 4, reactions: full ? [.wow: 2, .like: 1] : [:], ownReactions: [.love], version: 2,
                editedAt: full ? Self.later : nil, isMuted: true)
            return Boards.Event.Told(post, by: Self.ann, Markdown.render(text), ID(rawValue: 46))
        }
        let thread = Boards.Event.Thread(
            id: ID(rawValue: 42), kind: .question, book: ID(rawValue: 21), group: nil, title: "Why/how?")
        let inGroup = Boards.Event.Thread(
            id: ID(rawValue: 42), kind: .quote, book: nil, group: ID(rawValue: 51), title: nil)
        let moderated = Boards.ModeratedThread(
            id: ID(rawValue: 42), book: ID(rawValue: 21), group: nil, board: 21, author: ID(rawValue: 11),
            role: .member, isLocked: false, isPinned: false, isHidden: false, replies: 0)
        let raised = Boards.ModeratedPost(
            id: ID(rawValue: 41), number: 3, parent: nil, author: ID(rawValue: 11), role: .member, scope: .free,
            isDeleted: false, isHidden: true, counts: true, level: .friends, isUnderTombstone: false)
        func gone(_ book: ID<Catalog.Work>?, _ group: ID<Groups.Group>?, isLast: Bool) -> Boards.Event {
            .deleted(
                .init(
                    post: ID(rawValue: 41), thread: ID(rawValue: 42), book: book, group: group,
                    author: ID(rawValue: 11), level: .members, isFirst: isLast, isLast: isLast))
        }
        let told: [Boards.Event] = [
            .opened(thread, post(Self.body, opens: .question, full: true)),
            .created(inGroup, post(Self.body, opens: nil, full: false)),
            .created(inGroup, post(Self.long, opens: nil, full: true)),
            .edited(inGroup, post("plain", opens: nil, full: true)),
            gone(ID(rawValue: 21), nil, isLast: true), gone(nil, ID(rawValue: 51), isLast: false),
            .restored(raised, in: moderated), .changed(moderated, isLocked: true, isPinned: false),
        ]
        return try told.map { try $0.row(in: world.services) }
    }

    private func reviews() throws -> [NewEvent] {
        func review(_ text: String?, full: Bool) -> Reviews.Review {
            Reviews.Review(
                id: ID(rawValue: 61), author: Self.ann, book: full ? Self.book : Self.bare,
                rating: full ? Rating(stars: 4.25) : Rating(stars: 4),
                text: text.map(ShownText.init(whole:)), spoilers: full, visibility: full ? .public : .friends,
                levelIsOwn: true, replies: 7, reactions: full ? [.think: 1, .sad: 3] : [:], ownReactions: [.like],
                version: 2, createdAt: Self.at, editedAt: full ? Self.later : nil)
        }
        var unrated = review(Self.body, full: false)
        unrated.rating = nil
        let told: [Reviews.Event] = [
            .posted(review(Self.body, full: true)), .posted(review(Self.long, full: false)),
            .rated(review(nil, full: false)), .edited(unrated), .removed(review(nil, full: true)),
        ]
        func reply(_ text: String, full: Bool) -> Reviews.Reply {
            Reviews.Reply(
                id: ID(rawValue: 62), review: ID(rawValue: 61), number: 2, author: Self.ben,
                text: ShownText(whole: text), spoilers: full, version: 3, createdAt: Self.at,
                editedAt: full ? Self.later : nil)
        }
        let talk: [Reviews.TalkEvent] = [
            .replied(reply(Self.body, full: true), by: Self.ann, text: ID(rawValue: 63)),
            .replied(reply(Self.long, full: false), by: Self.ann, text: ID(rawValue: 63)),
            .edited(reply("plain", full: false), by: Self.ben, text: ID(rawValue: 63)),
            .removed(reply("plain", full: false), level: .members),
        ]
        return try told.map { try $0.row(id: fresh(), text: nil, at: Self.at) }
            + talk.map { try $0.row(of: ID(rawValue: 21), in: world.services) }
    }

    private func messages() throws -> [NewEvent] {
        func message(_ text: String?, _ card: Messages.Card?, full: Bool) -> Messages.Message {
            Messages.Message(
                id: ID(rawValue: 71), conversation: ID(rawValue: 72), seq: 5, author: full ? Self.ann : nil,
                body: text, html: text.map { Markdown.render($0).html }, card: card,
                reply: full ? Messages.Answered(id: ID(rawValue: 73), seq: 4) : nil, version: 1, createdAt: Self.at,
                editedAt: full ? Self.later : nil, deletedAt: text == nil ? Self.later : nil, isHidden: full)
        }
        let told: [Messages.Event] = [
            .sent(message(Self.body, .book(Self.book), full: true), by: Self.ann, text: 74, inbox: ID(rawValue: 12)),
            .sent(message(Self.long, .post(ID(rawValue: 41)), full: false), by: Self.ann, text: 74, inbox: nil),
            .edited(message("plain", nil, full: false), by: Self.ben, text: 74, inbox: nil),
            .deleted(message(nil, nil, full: true), by: Self.ann, text: 74, inbox: nil),
            .read(ID(rawValue: 72), seq: 5, by: Self.ben.id, hasReceipts: true),
        ]
        return try told.map { try $0.row(id: fresh(), at: Self.at) }
    }

    private func shelves() throws -> [NewEvent] {
        func moved(_ from: Library.Status?, _ book: Catalog.Book) -> Library.Event {
            .moved(
                .init(entry: ID(rawValue: 81), reader: Self.ann, book: book, from: from, to: .read, timesRead: 2),
                level: .members)
        }
        func mark(_ kind: Praise.Kind) -> Praise.Mark {
            Praise.Mark(
                id: ID(rawValue: 82), kind: kind, reader: Self.ben, book: Self.book, visibility: .friends,
                createdAt: Self.at, place: 3)
        }
        let moves: [Library.Event] = [
            moved(nil, Self.book), moved(.reading, Self.bare),
            .removed(reader: Self.ann.id, book: Self.book.id, level: .friends),
        ]
        let praise = Praise.Kind.allCases.flatMap { kind -> [Praise.Event] in
            [
                .given(mark(kind), level: .public),
                .removed(kind, reader: Self.ben.id, book: Self.book.id, level: .members),
            ]
        }
        return try moves.map { try $0.row(id: fresh(), at: Self.at) }
            + praise.map { try $0.row(id: fresh(), at: Self.at) }
    }

    private func others() throws -> [NewEvent] {
        let group = ID<Groups.Group>(rawValue: 51)
        let groups: [Groups.Event] = [
            .changed(group, name: "Slow/readers", joining: .request, version: 2), .joined(group, Self.ben),
            .left(group, Self.ben.id), .invited(group, name: "Slow", by: Self.ann, Self.ben.id),
            .requested(group, name: "Slow", by: Self.ben, of: [Self.ann.id]),
            .accepted(group, name: "Slow", by: Self.ann, Self.ben.id),
            .membershipChanged([Self.ann.id, Self.ben.id]),
        ]
        let rescoped = Gate.Rescoped(post: ID(rawValue: 41), thread: ID(rawValue: 42), scope: .finished)
        let lowered = Gate.Rescoped(
            post: ID(rawValue: 41), thread: ID(rawValue: 42), scope: Gate.Scope(position: 100) ?? .free)
        let gate: [Gate.Event] = [
            .unlocked(Gate.Unlocked(book: Self.book.id, posts: [ID(rawValue: 41)], isCut: true), for: Self.ann.id),
            .rescoped(rescoped, isRaised: true, of: Self.ann.id),
            .told(lowered, isRaised: false, text: ID(rawValue: 46), author: Self.ann.id),
        ]
        let notification = Notifications.Event(
            id: ID(rawValue: 91), kind: .postReply, actors: 2, unread: 3, reader: Self.ann.id, actor: Self.ben.id)
        let operations = [nil, 9].map { total in
            Operations.Changed(
                operation: Operations.Operation(
                    id: ID(rawValue: 92), kind: "leaving.export", state: .running, done: 4, total: total,
                    createdAt: Self.at))
        }
        let photo = Photos.Event(photo: ID(rawValue: 93), work: Self.book.id, state: .read, reader: Self.ann.id)
        return try groups.map { try $0.row(in: world.services) } + [try photo.row(world.services)]
            + gate.map { try $0.row(world.services) }
            + [try notification.row(world.services)] + operations.map { try $0.row(for: Self.ann.id, world.services) }
    }

    private func tellPeople(in transaction: Transaction) async throws {
        let friends: [Friends.Event] = [
            .requested(ID(rawValue: 13), by: Self.ann, of: Self.ben.id),
            .accepted(ID(rawValue: 13), by: Self.ben, of: Self.ann.id),
            .friendshipChanged(Self.ann.id, Self.ben.id), .blockChanged(Self.ann.id, Self.ben.id),
            .muteChanged(Self.ann.id),
        ]
        for event in friends { try await event.append(in: transaction, services: world.services) }
        let profiles: [Profiles.Event] = [
            .visibilityChanged(reader: Self.ann.id, kinds: [.name, .shelves]), .readerChanged(Self.ann),
            .readerChanged(Self.ben),
        ]
        for event in profiles { try await event.append(in: transaction, services: world.services) }
        let library = Lending.SharedLibrary(
            id: ID(rawValue: 101), kind: .group, reader: nil, name: "Our/shelf", description: nil, visibility: nil,
            loanDays: nil, members: nil, copies: 0, version: 1, createdAt: Self.at, changedAt: Self.at, role: nil,
            isInvited: false)
        func checkout(_ place: Lending.Checkout.Place?, due: Timestamp?) -> Lending.Checkout {
            Lending.Checkout(
                id: ID(rawValue: 102), book: Self.book, library: place, copy: nil, reader: Self.ben, outAt: Self.at,
                dueAt: due, returnedAt: nil, renewals: 0, key: .init(title: "", id: ID(rawValue: 102)))
        }
        func loan(_ due: CalendarDate?) -> Lending.Loan {
            Lending.Loan(
                id: ID(rawValue: 103), direction: .in, state: .asked, book: Self.bare, copy: nil, label: nil,
                reader: Self.ben, due: due, checkout: nil, askedAt: Self.at, changedAt: Self.at)
        }
        var lending: [Lending.Event] = [
            .invited(Self.ben.id, into: library, as: .contributor, by: Self.ann),
            .due(checkout(.init(id: ID(rawValue: 101), name: "Our/shelf"), due: Self.later), of: Self.ben.id),
            .overdue(checkout(nil, due: nil), of: Self.ben.id),
            .ended(checkout(.init(id: ID(rawValue: 101), name: "Our/shelf"), due: Self.later), of: Self.ben.id),
            .loan(.accepted, loan(nil), by: Self.ann, to: Self.ben.id),
        ]
        for step in Lending.Event.Step.allCases {
            lending.append(.loan(step, loan(CalendarDate(text: "2026-01-31")), by: Self.ann, to: Self.ben.id))
        }
        for event in lending { try await event.append(in: transaction, services: world.services) }
    }

    private func tellServers(in transaction: Transaction) async throws {
        let accounts: [Accounts.Event] = [
            .sessionEnded(ID(rawValue: 14), of: Self.ann.id), .accountEnded(Self.ann.id), .roleChanged(Self.ann.id),
            .readersHidden([Self.ann.id, Self.ben.id]), .readersShown([Self.ben.id]),
        ]
        let about = Moderation.News(
            id: ID(rawValue: 111), state: .open, category: .spam, priority: 250, version: 2)
        for kind in Moderation.EventKind.allCases {
            try Moderation.Event(about: about, kind: kind).append(in: transaction, services: world.services)
        }
        for event in accounts { try await event.append(in: transaction, services: world.services) }
        try await Follows.Event.followChanged([Self.ann.id]).append(in: transaction, services: world.services)
        try await Groups.close(.group(51), to: [Self.ben.id], in: transaction, services: world.services)
        try await Groups.close(.thread(42), to: nil, in: transaction, services: world.services)
        let day = Ranking.Generation(id: 1, span: .day, asOf: Self.at, checkedAt: Self.later)
        try await Ranking.Shown([day]).tell(world.services, in: transaction)
    }

    /// The database puts the counts in, so these are made by the stores.
    private func react() async throws {
        let (author, reader) = (try await world.given.account("writer"), try await world.given.account("fan"))
        let book = try await world.given.book("A book")
        let thread = try await world.given.thread(on: book, by: author.id)
        try await world.community.reactions.react(.like, to: thread.post, by: reader.id)
        try await world.community.reactions.unreact(.like, to: thread.post, by: reader.id)
        let review = try await world.given.review(by: author.id, of: book)
        try await world.community.reactions.react(.wow, to: review.id, by: reader.id)
        let note = try await world.community.notebook.write(
            Notebook.NewNote(title: "A note", place: .part(0), visibility: .members), about: book, by: author.identity)
        try await world.community.reactions.react(.think, to: note.summary.id, by: reader.id)
    }

    private func fresh() throws -> Int64 { try world.services.ids.make(NewEvent.self).rawValue }
}

import Postgres
import TestSupport
import Testing

@testable import Community

/// Replies and reactions to reviews.
@Suite(.database)
struct ReviewsTalkTests {
    private func numbers(_ review: ID<Reviews.Review>, _ viewer: Viewer, in world: World) async throws -> [Int] {
        try await world.community.reviews.replies(to: review, for: viewer, page: PageRequest()).items.map { shown in
            if case .whole(let reply) = shown { reply.number } else { 0 }
        }
    }

    private func counts(_ review: ID<Reviews.Review>, in world: World) async throws -> [String?] {
        try await world.asSuperuser("select replies, reactions from review where id = \(review)")[0]
    }

    @Test func `a review is answered, the answer changed and taken back, and numbers stay`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (author, reader) = (try await world.given.reader(), try await world.given.reader())
            let (store, book) = (world.community.reviews, try await world.given.book())
            let review = try await world.given.review(by: author, of: book, body: "Good.")
            let first = try await store.reply("Is *it*?", to: review.id, by: reader)
            let second = try await store.reply("It is.", to: review.id, by: author)
            #expect([first.number, second.number] == [1, 2])
            #expect(first.text == Reviews.Text(body: "Is *it*?", html: "<p>Is <em>it</em>?</p>", isVeiled: false))
            #expect(try await store.review(review.id, for: .anonymous).review?.replies == 2)

            let edited = try await store.edit(first.id, to: "Is it not?", by: reader)
            #expect(edited.version == 2 && edited.editedAt != nil && edited.number == 1)
            #expect(try await store.edit(first.id, to: "Is it not?", by: reader) == edited)
            #expect(try await store.reply(first.id, for: .anonymous) == .whole(edited))
            try await store.remove(first.id, by: reader)
            _ = try await store.reply("Well.", to: review.id, by: reader)
            #expect(try await numbers(review.id, .anonymous, in: world) == [2, 3])
            await #expect(throws: Failure.notFound("review reply \(first.id)")) {
                try await store.remove(first.id, by: reader)
            }
            #expect(try await world.differences() == [])
            #expect(
                try await world.outbox().map(\.kind) == [
                    "review.posted", "review.replied", "review.replied", "review.reply_edited", "review.reply_removed",
                    "review.replied",
                ])
        }
    }

    @Test func `who may not answer is told why, and nothing is left of it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.isLoopback = false }) { world in
            let author = try await world.given.account()
            let (store, book) = (world.community.reviews, try await world.given.book())
            let review = try await world.given.review(by: author.id, of: book, body: "He dies.", spoilers: true)
            let hidden = try await world.given.review(
                by: author.id, of: try await world.given.book(), body: "Mine.", visibility: .friends)
            let (stranger, blocked) = (try await world.given.account(), try await world.given.account())
            try await world.community.friends.block(blocked.username, by: author.id)
            let unverified = try await world.given.account(isVerified: false)
            try await world.given.shelved(review.book.id, .read, by: unverified.id)
            let frozen = try await world.given.account(state: .frozen)
            await #expect(throws: Failure.reviewGated) { try await store.reply("Why?", to: review.id, by: stranger.id) }
            await #expect(throws: Failure.reviewGated) {
                try await world.community.reactions.react(.sad, to: review.id, by: stranger.id)
            }
            for (reader, id) in [(stranger, hidden.id), (blocked, review.id)] {
                await #expect(throws: Failure.notFound("review \(id)")) {
                    try await store.reply("Why?", to: id, by: reader.id)
                }
                await #expect(throws: Failure.notFound("review \(id)")) {
                    try await world.community.reactions.react(.like, to: id, by: reader.id)
                }
                await #expect(throws: Failure.notFound("review \(id)")) {
                    try await world.community.gate.reveal(.review(id), by: reader.id)
                }
            }
            await #expect(throws: Failure.unverified) {
                try await store.reply("Why?", to: review.id, by: unverified.id)
            }
            #expect(await refusal { _ = try await store.reply("Why?", to: review.id, by: frozen.id) } != nil)
            await #expect(throws: Failure.forbidden(code: .ownThing, "this review is your own")) {
                try await world.community.reactions.react(.like, to: review.id, by: author.id)
            }
            for body in ["", " \n ", String(repeating: "a", count: 10_001)] {
                #expect(await refusal { _ = try await store.reply(body, to: review.id, by: author.id) } != nil)
            }
            #expect(try await world.asSuperuser("select count(*) from review_reply") == [["0"]])
            #expect(try await counts(review.id, in: world) == ["0", "0"])
        }
    }

    @Test func `a reply is left out where its author is not seen, and its place where the gate is shut`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (author, answering) = (try await world.given.account(), try await world.given.account())
            let reader = try await world.given.account()
            let (store, book) = (world.community.reviews, try await world.given.book())
            let review = try await world.given.review(by: author.id, of: book, body: "Good.")
            let reply = try await store.reply("He lives. >!Or not.!<", to: review.id, by: answering.id)
            func shown(_ viewer: Signed) async throws -> [Reviews.ShownReply] {
                try await store.replies(to: review.id, for: viewer.viewer, page: PageRequest()).items
            }
            func bodies(_ viewer: Signed) async throws -> [String] {
                try await shown(viewer).map { if case .whole(let reply) = $0 { reply.text.body } else { "-" } }
            }
            #expect(try await bodies(reader) == ["He lives. >!!<"])
            #expect(try await bodies(answering) == ["He lives. >!Or not.!<"])
            try await world.given.review(by: author.id, of: book, body: "Good.", spoilers: true)
            let place = Gate.Placeholder(id: reply.id.rawValue, kind: "review_reply", position: 10_000)
            #expect(try await shown(reader) == [.gated(place)])
            #expect(try await store.reply(reply.id, for: reader.viewer) == .gated(place))
            #expect(try await bodies(answering) == ["He lives. >!Or not.!<"])
            try await world.community.gate.reveal(.review(review.id), by: reader.id)
            #expect(try await bodies(reader) == ["He lives. >!Or not.!<"])

            try await world.community.friends.block(answering.username, by: reader.id)
            #expect(try await bodies(reader) == [])
            #expect(try await bodies(author) == ["He lives. >!Or not.!<"])
            try await world.community.profiles.change([.discussions: .friends], for: answering.id)
            #expect(try await bodies(author) == [])
            await #expect(throws: Failure.notFound("review reply \(reply.id)")) {
                try await store.reply(reply.id, for: author.viewer)
            }
            #expect(try await bodies(answering) == ["He lives. >!Or not.!<"])
        }
    }

    @Test func `replies are numbered densely and reactions counted exactly when many write at once`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (store, book) = (world.community.reviews, try await world.given.book())
            let review = try await world.given.review(by: try await world.given.reader(), of: book, body: "Good.")
            var readers: [ID<Accounts.Account>] = []
            for _ in 0..<8 { readers.append(try await world.given.reader()) }
            try await withThrowingTaskGroup { group in
                for reader in readers {
                    group.addTask {
                        for round in 0..<3 {
                            _ = try await store.reply("Reply \(round)", to: review.id, by: reader)
                            try await world.community.reactions.react(.like, to: review.id, by: reader)
                            try await world.community.reactions.react(.wow, to: review.id, by: reader)
                            try await world.community.reactions.unreact(.wow, to: review.id, by: reader)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let list = try await store.replies(to: review.id, for: .anonymous, page: PageRequest(limit: 100)).items
            #expect(list.map { if case .whole(let reply) = $0 { reply.number } else { 0 } } == Array(1...24))
            let shown = try #require(try await store.review(review.id, for: .reader(readers[0])).review)
            #expect(shown.replies == 24 && shown.reactions == [.like: 8] && shown.ownReactions == [.like])
            #expect(try await world.differences() == [])
            // What is told last is what there is.
            let told = try await world.outbox().last { $0.kind == "review.reacted" }
            #expect(told?.data.contains(#""reactions": {"like": 8}"#) == true, "\(told?.data ?? "")")
        }
    }

    @Test func `a reply races the end of its review: it is there and counted, or neither is`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (author, reader) = (try await world.given.reader(), try await world.given.reader())
            let store = world.community.reviews
            for _ in 0..<ProofCount.of(200) {
                // So that no rate of writing is met.
                world.clock.advance(by: .seconds(20))
                let book = try await world.given.book()
                let review = try await world.given.review(by: author, of: book, body: "Good.")
                async let removed: Void = store.remove(on: book, by: author)
                async let refused = refusal {
                    _ = try await store.reply("Why?", to: review.id, by: reader)
                    try await world.community.reactions.react(.like, to: review.id, by: reader)
                }
                try await removed
                _ = await refused
            }
            #expect(try await world.asSuperuser("select count(*) from review_reply") == [["0"]])
            #expect(try await world.asSuperuser("select count(*) from review_reaction") == [["0"]])
            #expect(try await world.differences() == [])
        }
    }

    @Test func `replies to reviews and posts are limited together`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (author, reader) = (try await world.given.reader(), try await world.given.reader())
            let (store, book) = (world.community.reviews, try await world.given.book())
            let review = try await world.given.review(by: author, of: book, body: "Good.")
            for _ in 0..<Limits.boards.postsPerMinute - 1 {
                _ = try await store.reply("Again", to: review.id, by: reader)
            }
            func open() async -> String? {
                await refusal {
                    _ = try await world.community.boards.open(
                        Boards.NewThread(title: "A thread", body: "Words"), on: book, by: reader)
                }
            }
            #expect(await open() == nil)
            #expect(await open() == "posts_per_minute")
            let replied = await refusal { _ = try await store.reply("Again", to: review.id, by: reader) }
            #expect(replied == "posts_per_minute")
            world.clock.advance(by: .seconds(61))
            #expect(await open() == nil)
        }
    }

    @Test func `the reviews with most reactions come first, friends' alone where they are asked for, page by page`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (store, book) = (world.community.reviews, try await world.given.book())
            var readers: [ID<Accounts.Account>] = []
            for _ in 0..<5 { readers.append(try await world.given.reader()) }
            var reviews: [ID<Reviews.Review>] = []
            for reader in readers {
                reviews.append(try await world.given.review(by: reader, of: book, body: "Good.").id)
            }
            for (place, loves) in [2, 0, 3, 0, 1].enumerated() {
                for reader in readers.filter({ $0 != readers[place] }).prefix(loves) {
                    try await world.community.reactions.react(.love, to: reviews[place], by: reader)
                }
            }
            let viewer = Viewer.reader(readers[0])
            func page(_ circle: Circle, _ sort: Reviews.Sort, _ start: PageRequest<Reviews.Place>.Start) async throws
                -> Page<Reviews.Shown, Reviews.Place>
            {
                try await store.reviews(
                    of: book, by: circle, sort: sort, for: viewer, page: PageRequest(start, limit: 2))
            }
            var found: [ID<Reviews.Review>] = []
            var start = PageRequest<Reviews.Place>.Start.first
            var last: Page<Reviews.Shown, Reviews.Place>?
            while true {
                let next = try await page(.all, .reactions, start)
                found += next.items.map(\.id)
                last = next
                guard let place = next.next else { break }
                start = .after(place)
            }
            #expect(found == [reviews[2], reviews[0], reviews[4], reviews[3], reviews[1]])
            let back = try await page(.all, .reactions, .before(try #require(last?.previous)))
            #expect(back.items.map(\.id) == [reviews[4], reviews[3]])
            for place in [3, 4] { try await world.given.friendship(readers[0], readers[place]) }
            #expect(try await page(.friends, .reactions, .first).items.map(\.id) == [reviews[4], reviews[3]])
            #expect(try await page(.friends, .newest, .first).items.map(\.id) == [reviews[4], reviews[3]])
            #expect(try await page(.all, .newest, .first).items.map(\.id) == [reviews[4], reviews[3]])
        }
    }

    @Test func `with an account its replies and reactions go, and with a review all that hangs on it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (author, reader) = (try await world.given.reader(), try await world.given.reader())
            let other = try await world.given.reader()
            let (store, book) = (world.community.reviews, try await world.given.book())
            let review = try await world.given.review(by: author, of: book, body: "Good.")
            let own = try await world.given.review(by: reader, of: book, body: "Bad.")
            for who in [reader, other] {
                _ = try await store.reply("Why?", to: review.id, by: who)
                try await world.community.reactions.react(.like, to: review.id, by: who)
            }
            _ = try await store.reply("Why?", to: own.id, by: other)
            try await world.community.reactions.react(.sad, to: own.id, by: other)
            try await world.community.gate.reveal(.review(own.id), by: other)

            try await world.community.accounts.close(reader)

            #expect(try await counts(review.id, in: world) == ["1", "1"])
            #expect(try await world.asSuperuser("select distinct author_id from review_reply") == [[other.text]])
            #expect(try await world.asSuperuser("select distinct reader_id from review_reaction") == [[other.text]])
            #expect(try await world.asSuperuser("select count(*) from reveal") == [["0"]])
            try await store.remove(on: book, by: author)
            for table in ["review_text", "review_reply", "review_reaction", "review_reaction_tally"] {
                #expect(try await world.asSuperuser("select count(*) from \(table)") == [["0"]], "\(table)")
            }
            #expect(try await world.differences() == [])
        }
    }
}

import Postgres
import TestSupport
import Testing

@testable import Community

/// Posts of one account keep their distance in time.
@Suite(.database)
struct BoardsPausesTests {
    /// What a call is refused with, and for how many seconds.
    private func limited(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch Failure.limited(let policy, let wait) {
            return "\(policy) \(wait.components.seconds)"
        } catch Failure.conflict(let code, _) {
            return code.rawValue
        } catch {
            return "\(error)"
        }
    }

    @Test func `a new account waits after each post and longer after each thread`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.spacesPosts = true }) { world in
            let (given, boards, reviews) = (world.given, world.community.boards, world.community.reviews)
            let (new, old) = (try await given.reader(bornHoursAgo: 0), try await given.reader())
            let book = try await given.book()
            let thread = try await given.thread(on: book, by: old)
            let review = try await given.review(by: old, of: book, body: "Good.")
            func say(_ body: String, by reader: ID<Accounts.Account>) async -> String? {
                await limited { _ = try await boards.reply(.init(body: body), in: thread.id, by: reader) }
            }
            func open(_ body: String, by reader: ID<Accounts.Account>) async -> String? {
                await limited { _ = try await boards.open(.init(title: "t", body: body), on: book, by: reader) }
            }
            func answer(_ body: String, by reader: ID<Accounts.Account>) async -> String? {
                await limited { _ = try await reviews.reply(body, to: review.id, by: reader) }
            }
            #expect(await open("1", by: new) == nil)
            #expect(await say("2", by: new) == "post_pause_on_first_day 30")
            #expect(await answer("2", by: new) == "post_pause_on_first_day 30")
            world.clock.advance(by: .seconds(29))
            #expect(await say("2", by: new) == "post_pause_on_first_day 1")
            world.clock.advance(by: .seconds(1))
            #expect(await say("2", by: new) == nil)
            world.clock.advance(by: .seconds(30))
            // An answer to a review is a post here, and a thread is not opened within two minutes of another.
            #expect(await answer("3", by: new) == nil)
            #expect(await say("4", by: new) == "post_pause_on_first_day 30")
            world.clock.advance(by: .seconds(59))
            #expect(await open("4", by: new) == "thread_pause_on_first_day 1")
            world.clock.advance(by: .seconds(1))
            #expect(await open("4", by: new) == nil)

            for number in 0..<3 {
                #expect(await open("a\(number)", by: old) == nil)
                #expect(await say("b\(number)", by: old) == nil)
                #expect(await answer("c\(number)", by: old) == nil)
            }
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `nobody says the same twice within five minutes on one board`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.spacesPosts = true }) { world in
            let (given, boards, reviews) = (world.given, world.community.boards, world.community.reviews)
            let (ann, ben) = (try await given.reader(), try await given.reader())
            let (book, other) = (try await given.book(), try await given.book())
            let threads = [
                try await given.thread(on: book, by: ben), try await given.thread(on: book, by: ben),
                try await given.thread(on: other, by: ben),
            ]
            let (near, far) = (
                try await given.review(by: ben, of: book, body: "Good."),
                try await given.review(by: ben, of: other, body: "Good.")
            )
            func say(_ body: String, in thread: Int, by reader: ID<Accounts.Account>) async -> String? {
                await limited { _ = try await boards.reply(.init(body: body), in: threads[thread].id, by: reader) }
            }
            let first = try await boards.reply(.init(body: "Buy this."), in: threads[0].id, by: ann)
            let before = try await world.boardRows()
            for thread in 0..<2 { #expect(await say("Buy this.", in: thread, by: ann) == "duplicate_post") }
            #expect(
                await limited {
                    _ = try await boards.open(.init(title: "t", body: "Buy this."), on: book, by: ann)
                } == "duplicate_post")
            #expect(
                await limited { _ = try await reviews.reply("Buy this.", to: near.id, by: ann) } == "duplicate_post")
            #expect(try await world.boardRows() == before)
            // Elsewhere, by another, in other words: none of that is the same.
            #expect(await say("Buy this.", in: 2, by: ann) == nil)
            #expect(await say("Buy this.", in: 1, by: ben) == nil)
            #expect(await say("Buy that.", in: 0, by: ann) == nil)
            // What is gone does not stand in the way of what takes its place, and five minutes are enough.
            try await boards.delete(first.post.id, by: ann)
            #expect(await say("Buy this.", in: 1, by: ann) == nil)
            world.clock.advance(by: Limits.boards.samePause - .seconds(1))
            #expect(await say("Buy this.", in: 0, by: ann) == "duplicate_post")
            #expect(await limited { _ = try await reviews.reply("Mine.", to: far.id, by: ann) } == nil)
            #expect(await say("Mine.", in: 2, by: ann) == "duplicate_post")
            world.clock.advance(by: .seconds(2))
            #expect(await say("Buy this.", in: 0, by: ann) == nil)
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test
    func `the board of a book that was merged is that of the book it became, and a group's is its own`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.spacesPosts = true }) { world in
            let (given, boards) = (world.given, world.community.boards)
            let ann = try await given.account("ann")
            let (kept, gone) = (try await given.book(), try await given.book())
            let group = try await given.club(by: try await given.reader(), with: [(ann.id, .member)])
            _ = try await boards.open(.init(title: "t", body: "Again."), on: kept, by: ann.id)
            try await world.asSuperuser("update work set merged_into = \(kept) where id = \(gone)")
            world.clock.advance(by: Limits.boards.threadPauseOnFirstDay)
            #expect(
                await limited {
                    _ = try await boards.open(.init(title: "t", body: "Again."), on: gone, by: ann.id)
                } == "duplicate_post")
            for refused in [nil, "duplicate_post"] {
                #expect(
                    await limited {
                        _ = try await boards.open(
                            .init(title: "t", body: "Again."), in: group, about: kept, by: ann.id)
                    } == refused)
            }
        }
    }

    @Test func `of two that say the same at once one stands`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.spacesPosts = true }) { world in
            let (ann, new) = (try await world.given.reader(), try await world.given.reader(bornHoursAgo: 0))
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let boards = world.community.boards
            @Sendable func say(_ body: String, by reader: ID<Accounts.Account>) async -> String? {
                await limited { _ = try await boards.reply(.init(body: body), in: thread.id, by: reader) }
            }
            let same = try await world.meeting {
                #expect(await say("At once.", by: ann) == nil)
            } _: {
                await say("At once.", by: ann)
            }
            #expect(same == "duplicate_post")
            let soon = try await world.meeting {
                #expect(await say("One.", by: new) == nil)
            } _: {
                await say("Two.", by: new)
            }
            #expect(soon == "post_pause_on_first_day 30")
            #expect(try await world.figure("select posts from thread") == 3)
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `where rates are off nothing is too soon`() async throws {
        try await withWorld(
            leaving: [.outbox, .jobs], settings: { ($0.spacesPosts, $0.limitsRates) = (true, false) }
        ) { world in
            let new = try await world.given.reader(bornHoursAgo: 0)
            let thread = try await world.given.thread(on: try await world.given.book(), by: new)
            for _ in 0..<3 {
                #expect(
                    await limited {
                        _ = try await world.community.boards.reply(.init(body: "b"), in: thread.id, by: new)
                    } == nil)
            }
        }
    }
}

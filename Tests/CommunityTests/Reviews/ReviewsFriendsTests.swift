import Postgres
import TestSupport
import Testing

@testable import Community

/// What friends make of a book, and what becomes of what was said about two that are one.
@Suite(.database)
struct ReviewsFriendsTests {
    @Test
    func `friends on a book show shelf, place, stars and review, each as far as its own level goes`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (community, given) = (world.community, world.given)
            let (reader, book) = (try await given.reader(), try await given.book())
            var friends: [ID<Accounts.Account>] = []
            for _ in 0..<5 {
                let friend = try await given.reader()
                try await given.friendship(reader, friend)
                friends.append(friend)
            }
            let stranger = try await given.reader()
            try await given.shelved(book, .read, by: stranger)
            func found() async throws -> [Reviews.Friend] {
                try await community.reviews.friends(on: book, of: reader, page: PageRequest()).page.items
            }
            #expect(try await found() == [])

            // Each a moment after the other, so that the order is certain.
            world.clock.advance(by: .seconds(1))
            try await given.shelved(book, .reading, by: friends[0])
            try await given.position(.part(4_000), in: book, by: friends[0])
            world.clock.advance(by: .seconds(1))
            let marked = try await given.review(by: friends[1], of: book, rating: 2, body: "He dies.", spoilers: true)
            world.clock.advance(by: .seconds(1))
            try await given.shelved(book, .reading, by: friends[2], visibility: .private)
            try await given.review(by: friends[3], of: book, visibility: .private)
            try await given.shelved(book, .want, by: friends[4])

            let list = try await found()
            #expect(list.map(\.reader.id) == [friends[4], friends[1], friends[0]])
            #expect(list.map(\.shelf?.status) == [.want, nil, .reading])
            #expect(list.map(\.position) == [nil, nil, 4_000])
            #expect(list.map(\.rating?.stars) == [nil, 2, nil])
            #expect(list.map(\.review) == [nil, marked.id, nil] && list.map(\.isGated) == [false, true, false])
            let whole = try await community.reviews.friends(on: book, of: reader, page: PageRequest(limit: 2))
            #expect(whole.counts == [.want: 1, .reading: 1], "of all pages")
            let rest = try await community.reviews.friends(
                on: book, of: reader, page: PageRequest(.after(try #require(whole.page.next)), limit: 2))
            #expect(rest.page.items.map(\.reader.id) == [friends[0]])
            let back = try await community.reviews.friends(
                on: book, of: reader, page: PageRequest(.before(try #require(rest.page.previous)), limit: 2))
            #expect(back.page.items.map(\.reader.id) == [friends[4], friends[1]])

            try await community.profiles.change([.position: .private], for: friends[0])
            try await community.profiles.change([.shelves: .private], for: friends[4])
            try await community.friends.remove(friends[1], of: reader)
            #expect(try await found().map(\.reader.id) == [friends[0]])
            #expect(try await found().map(\.position) == [nil])
        }
    }

    @Test func `what hangs on two reviews of one reader is one's when their books become one`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (store, given) = (world.community.reviews, world.given)
            let (ann, ben, cas) = (try await given.reader(), try await given.reader(), try await given.reader())
            let (from, into) = (try await given.book(), try await given.book())
            let kept = try await given.review(by: ann, of: into, body: "Older.")
            let also = try await given.review(by: cas, of: from, body: "Another's.", spoilers: true)
            world.clock.advance(by: .seconds(60))
            let gone = try await given.review(by: ann, of: from, body: "Newer.", spoilers: true)
            for (review, reader) in [(kept, ben), (kept, cas), (gone, ben)] {
                try await world.community.gate.reveal(.review(review.id), by: reader)
                _ = try await store.reply("To \(review.id)", to: review.id, by: reader)
                try await world.community.reactions.react(.like, to: review.id, by: reader)
            }
            try await world.community.reactions.react(.sad, to: gone.id, by: ben)

            try await world.community.catalog.merge(
                .book(from), into: .book(into), reason: "one book",
                by: Catalog.Helper(World.terminal))

            let review = try await store.review(of: into, by: ann)
            #expect(review.id == kept.id && review.body == "Newer." && review.spoilers)
            #expect(review.replies == 3 && review.reactions == [.like: 2, .sad: 1])
            let replies = try await store.replies(to: kept.id, for: .reader(ann), page: PageRequest()).items
            #expect(
                replies.compactMap {
                    if case .whole(let reply) = $0 { "\(reply.number) \(reply.text.body)" } else { nil }
                }
                    == ["1 To \(kept.id)", "2 To \(kept.id)", "3 To \(gone.id)"])
            let history = try await world.community.texts.history(of: kept.id, for: .reader(ann), page: PageRequest())
                .items
            #expect(
                history.map { if case .whole(_, let text, _) = $0.shown { text.body } else { "-" } } == [
                    "Newer.", "Older.",
                ])
            let reveals = try await world.community.gate.reveals(of: ben, page: PageRequest()).items
            #expect(reveals.map(\.subject) == [.review(kept.id)])
            #expect(try await store.review(also.id, for: .reader(cas)).review?.book.id == into)
            #expect(try await store.review(also.id, for: .reader(ben)).review == nil)
            #expect(try await world.differences() == [])
        }
    }
}

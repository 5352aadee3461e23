import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// Who gets what of an event, asked in every way, in a community that chance has made and goes on changing.
@Suite(.database)
struct FeedDrawnTests {
    @Test(.timeLimit(.minutes(ProofCount.minutes)))
    func `asked by exception, an event is for each of many viewers what it is for the one who is asked about alone`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let community = try await DrawnCommunity(world, random: TestRandom(for: "pairs"))
            let audience = Feed.Audience(world.database)
            let count = ProofCount.of(100_000)
            // Pairs by the subject of the event and what the viewer has of it.
            var (pairs, forms) = (0, [String: Int]())
            let kinds = ["none", "level", "text", "review_text", "review_reply", "message", "shelf"]
            let wanted = kinds.flatMap { ["\($0) whole", "\($0) hidden"] } + ["text gated", "review_text gated"]
            // Chance may leave one out of a twentieth: then it draws on.
            var isOver = false
            while !isOver {
                for _ in 0..<4 { try await community.change() }
                let offers = (0..<30).map { _ in community.offer() }
                let alone = offers.flatMap { offer in offer.viewers.map { Offered(offer.event, to: [$0]) } }
                var expected = try await audience.verdicts(on: alone)[...]
                // As the hub asks, and both other ways, which it would ask of fewer and of more.
                let asked = [
                    try await audience.verdicts(on: offers),
                    try await CheckedAudience(audience).verdicts(on: offers),
                ]
                for (place, offer) in offers.enumerated() {
                    var hearing = Hearing()
                    for (viewer, verdict) in zip(offer.viewers, expected) {
                        let one = Hearing(verdict, among: [viewer])
                        hearing.seen.formUnion(one.seen)
                        hearing.gated.formUnion(one.gated)
                        hearing.placeholder = hearing.placeholder ?? one.placeholder
                    }
                    expected = expected.dropFirst(offer.viewers.count)
                    let found = asked.map { Hearing($0[place], among: offer.viewers) }
                    guard found.allSatisfy({ $0 == hearing }) else {
                        Issue.record("\(offer.event), pairs \(pairs): \(hearing) is not one of \(found)")
                        return
                    }
                    let (kind, hidden) = (
                        offer.event.subjectKind ?? "none",
                        offer.viewers.count - hearing.seen.count - hearing.gated.count
                    )
                    forms["\(kind) whole", default: 0] += hearing.seen.count
                    forms["\(kind) gated", default: 0] += hearing.gated.count
                    forms["\(kind) hidden", default: 0] += hidden
                    pairs += offer.viewers.count
                }
                isOver = pairs >= (Self.holds(wanted, forms) ? count : 10 * count)
            }
            for form in wanted { #expect(forms[form, default: 0] > 0, "\(forms)") }
        }
    }

    private static func holds(_ wanted: [String], _ forms: [String: Int]) -> Bool {
        wanted.allSatisfy { forms[$0, default: 0] > 0 }
    }
}

/// Thirty readers, with everything between them on which it depends what they see of each other.
private final class DrawnCommunity {
    private let world: World
    private let random: TestRandom
    private var readers: [ID<Accounts.Account>] = []
    private var clubs: [ID<Groups.Group>] = []
    private var posts: [PostRow] = []
    private var events: [LoggedEvent] = []

    init(_ world: World, random: TestRandom) async throws {
        (self.world, self.random) = (world, random)
        let given = world.given
        for _ in 0..<30 { readers.append(try await given.reader()) }
        let books = [try await given.book(), try await given.book(), try await given.book()]
        for (number, book) in books.enumerated() {
            try await world.asSuperuser(
                """
                insert into shelf_entry (id, reader_id, work_id, status, position, title_key, author_key, counted,
                                         added_at, moved_at)
                select 10 * row_number() over (order by account.id) + \(number), account.id, \(book), 'reading', 0,
                       'x', 'x', false, now(), now()
                  from account
                """)
            let reviews = readers.prefix(8 * (number + 1)).suffix(8)
            for (place, reader) in reviews.enumerated() {
                let review = try await given.review(
                    by: reader, of: book, body: "A thought.", visibility: .public, spoilers: place < 3)
                guard place >= 3 else { continue }
                _ = try await world.community.reviews.reply("Another.", to: review.id, by: some())
            }
            let thread = try await given.threadRow(by: some(), on: book).thread
            for turn in 0..<10 {
                let also = turn == 0 ? (book: books[(number + 1) % books.count], scope: 4_000) : nil
                let scope = random.number(in: 0...10_000)
                posts.append(try await given.postRow(by: some(), in: thread, scope: scope, also: also))
            }
        }
        for visibility in Groups.Openness.allCases {
            let members = readers.prefix(15)
            let club = try await given.club(
                by: readers[0], visibility, name: visibility.rawValue, with: members.dropFirst().map { ($0, .member) })
            clubs.append(club)
            for reader in members.suffix(3) {
                let thread = try await given.thread(in: club, by: reader)
                events.append(
                    event("thread.renamed", on: [.thread(thread.id.rawValue), .group(club.rawValue)], owner: nil))
            }
        }
        for _ in 0..<3 {
            let (one, other, conversation) = try await given.correspondents()
            readers += [one.id, other.id]
            for sender in [one, other] { try await given.message("Hello", in: conversation, by: sender) }
        }
        // All that the stores have told of it.
        try await EventLog.Relay(database: world.database, bell: Bell(), logger: world.logger, moved: {}).moveAll()
        events += try await EventLog.Reader(world.database).events(after: 0, limit: 500)
    }

    private func some() -> ID<Accounts.Account> { readers[random.number(in: 0..<readers.count)] }

    private func two() -> (ID<Accounts.Account>, ID<Accounts.Account>) {
        let first = random.number(in: 0..<readers.count)
        return (readers[first], readers[(first + random.number(in: 1..<readers.count)) % readers.count])
    }

    /// One thing more, or less, between readers.
    func change() async throws {
        let (one, other) = two()
        let number = random.number(in: 0..<posts.count)
        let (post, scope) = (posts[number], random.number(in: 0...10_000))
        switch random.number(in: 0..<11) {
        case 0:
            try await world.asSuperuser(
                "insert into block values (\(one), \(other), now()) on conflict do nothing")
        case 1: try await world.asSuperuser("delete from block where blocker_id = \(one) or blocked_id = \(one)")
        case 2, 3:
            try await world.asSuperuser(
                """
                insert into friendship values (\(one), \(other), now()), (\(other), \(one), now())
                on conflict do nothing
                """)
        case 4: try await world.asSuperuser("delete from friendship where \(one) in (reader_id, friend_id)")
        case 5:
            try await world.asSuperuser(
                """
                insert into mute values (\(one), \(other), now()) on conflict do nothing;
                delete from mute where reader_id = \(other)
                """)
        case 6:
            try await world.asSuperuser(
                "update shelf_entry set position = \(scope) where reader_id in (\(one), \(other))")
        case 7:
            try await world.asSuperuser(
                "update post set hidden_at = case when hidden_at is null then now() end where id = \(post.id)")
        case 8: posts[number] = try await world.given.edited(post)
        case 9:
            let level = random.number(in: 0...3)
            try await world.asSuperuser(
                """
                insert into privacy (reader_id, discussions, shelves, activity) values (\(one), \(level), \(level), \(level))
                on conflict (reader_id)
                do update set discussions = \(level), shelves = \(level), activity = \(level);
                update review set visibility = \(level) where reader_id = \(other)
                """)
        default:
            let club = clubs[random.number(in: 0..<clubs.count)]
            try await world.asSuperuser(
                """
                delete from group_member where group_id = \(club) and reader_id = \(one) and role = 'member';
                insert into group_member (group_id, reader_id, role, joined_at) values (\(club), \(other), 'member', now())
                on conflict do nothing
                """)
        }
    }

    /// Some event that happened or might have, and those who listen: from one to all.
    func offer() -> Offered {
        let listeners = random.number(in: 1...readers.count)
        let viewers = readers.filter { _ in random.number(in: 0..<readers.count) < listeners }.map(\.rawValue)
        let (one, other) = two()
        let reader = Topic.reader(one.rawValue)
        let drawn: LoggedEvent
        switch random.number(in: 0..<10) {
        case 0..<4: drawn = events[random.number(in: 0..<events.count)]
        case 4..<6:
            let post = posts[random.number(in: 0..<posts.count)]
            drawn = event(
                "post.created", on: [.thread(post.thread)], owner: post.author, .text, post.text)
        case 6:
            let level = Int64(random.number(in: 0...3))
            drawn = event("test.happened", on: [reader, .book(1)], owner: one, .level, level)
        case 7:
            let place = (readers.firstIndex(of: one) ?? 0) + 1
            drawn = event("shelf.moved", on: [reader], owner: one, .shelf, Int64(10 * place))
        case 8:
            let topics = [Topic.inbox(other.rawValue)] + (random.once(in: 2) ? [reader] : [])
            drawn = event("test.happened", on: topics, owner: one)
        default: drawn = event("test.happened", on: [reader], owner: one)
        }
        return Offered(drawn, to: viewers)
    }

    private func event(
        _ kind: String, on topics: [Topic], owner: ID<Accounts.Account>?, _ subject: EventSubject? = nil,
        _ value: Int64? = nil
    ) -> LoggedEvent {
        LoggedEvent(
            seq: 1, id: 1, kind: kind, version: 1, places: topics.map { .init(topic: $0, prev: 0) },
            owner: owner?.rawValue, subjectKind: subject?.name, subject: value, at: world.clock.now(),
            data: JSON(bytes: Array("{}".utf8)))
    }
}

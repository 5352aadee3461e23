import Postgres
import TestSupport
import Testing

@testable import Community

/// What decides about a post, without a database.
struct BoardsWriteRulesTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    private func source(
        _ id: Int64, number: Int = 2, depth: Int = 0, path: String = "", scope: Int = 0, also: Boards.Also? = nil,
        stands: Bool = true, isSeen: Bool = true, isOpen: Bool = true
    ) throws -> Boards.Source {
        Boards.Source(
            id: ID(rawValue: id), number: number, parent: ID(rawValue: 5), depth: depth, path: path,
            scope: try #require(Gate.Scope(position: scope)), also: also, stands: stands, isSeen: isSeen,
            isOpen: isOpen)
    }

    private func ground(
        _ sources: [Boards.Source], answering parent: Int64? = nil, quoting quoted: Int64? = nil,
        isLocked: Bool = false
    ) throws -> Boards.Ground {
        let rows = sources.map {
            Boards.Ground.Row(
                work: ID(rawValue: 9), group: nil, kind: .question, isLocked: isLocked, isAdmitted: true, source: $0)
        }
        let new = Boards.NewPost(body: "b", parent: parent.map(ID.init), quoted: quoted.map(ID.init))
        return try Boards.Ground(rows, of: ID(rawValue: 3), for: new)
    }

    @Test func `a page is the same ten-thousandth for posts as for readers`() {
        for (page, pages, position) in [(0, 7, 0), (1, 3, 3333), (2, 3, 6666), (299, 300, 9966), (300, 300, 10_000)] {
            #expect(Boards.SaidScope.page(page, of: pages) == Gate.Scope(position: position).map { .scope($0) })
        }
        for (page, pages) in [(1, 0), (-1, 5), (6, 5), (0, -3)] {
            #expect(Boards.SaidScope.page(page, of: pages) == nil)
        }
    }

    @Test func `a title is one line that is seen`() {
        func code(_ title: String) -> String? {
            do throws(Failure) {
                try Boards.NewThread(title: title, body: "b").validate()
                return nil
            } catch .invalid(let faults) {
                return faults.first?.code.rawValue
            } catch {
                return "\(error)"
            }
        }
        #expect(code("  Who is it?  ") == nil)
        #expect(Boards.NewThread(title: "\n Who? ", body: "b").title == "Who?")
        #expect(code(String(repeating: "é", count: 200)) == nil)
        #expect(code(String(repeating: "a", count: 201)) == "too_long")
        for blank in ["", "   ", "\u{200B}", "\u{2060}\u{FE0F}"] {
            #expect(code(blank) == "too_short", "\(blank.debugDescription)")
        }
        for bad in ["a\nb", "a\u{0}b", "a\u{202E}b", "a\u{2028}b", "a\u{7F}b", "a\u{2066}b"] {
            #expect(code(bad) == "bad_format", "\(bad.debugDescription)")
        }
    }

    @Test func `a reply gives away at least what it answers and quotes`() throws {
        let first = try source(1, number: 1, scope: 1000)
        let (low, high) = (try source(2, scope: 2000), try source(3, scope: 7000))
        #expect(try ground([first]).scope.position == 1000)
        #expect(try ground([first, low], answering: 2).scope.position == 2000)
        #expect(try ground([first, low, high], answering: 2, quoting: 3).scope.position == 7000)
        #expect(try ground([first, high], quoting: 3).scope.position == 7000)
    }

    @Test func `a reply takes over the other book of what it answers, and two of them are refused`() throws {
        let (one, two) = (ID<Catalog.Work>(rawValue: 11), ID<Catalog.Work>(rawValue: 12))
        let half = try #require(Gate.Scope(position: 5000))
        let low = try #require(Gate.Scope(position: 100))
        let first = try source(1, number: 1, also: Boards.Also(book: one, scope: half))
        #expect(try ground([first]).also(with: nil) == Boards.Also(book: one, scope: half))
        #expect(try ground([first]).also(with: Boards.Also(book: one, scope: low))?.scope == half)
        #expect(try ground([first]).also(with: Boards.Also(book: one, scope: .finished))?.scope == .finished)
        #expect(throws: Failure.self) { try ground([first]).also(with: Boards.Also(book: two, scope: low)) }
        let other = try source(2, also: Boards.Also(book: two, scope: low))
        #expect(throws: Failure.self) { try ground([first, other], quoting: 2).also(with: nil) }
        #expect(try ground([try source(1, number: 1)]).also(with: nil) == nil)
    }

    @Test func `what is not there cannot be answered, and what lies ahead neither`() async throws {
        let first = try source(1, number: 1)
        func outcome(_ sources: [Boards.Source], isLocked: Bool = false) async -> String? {
            await refusal { _ = try ground(sources, answering: sources.count > 1 ? 2 : nil, isLocked: isLocked) }
        }
        #expect(await outcome([]) == "no thread")
        #expect(await outcome([first]) == nil)
        #expect(await outcome([first], isLocked: true) == "thread_locked")
        #expect(await outcome([try source(1, number: 1, isOpen: false)]) == "post_gated")
        #expect(await outcome([first, try source(4)]) == "no post")
        #expect(await outcome([first, try source(2)]) == nil)
        #expect(await outcome([first, try source(2, stands: false)]) == "no post")
        #expect(await outcome([first, try source(2, isSeen: false)]) == "no post")
        #expect(await outcome([first, try source(2, isOpen: false)]) == "post_gated")
        #expect(await outcome([first, try source(2, isSeen: false, isOpen: false)]) == "no post")
        // An answer that is open can be answered although the first post was raised since.
        #expect(await outcome([try source(1, number: 1, isOpen: false), try source(2)]) == nil)
    }

    @Test func `replies nest to depth six and stand beside each other beyond it`() throws {
        let step = ID<Boards.Post>(rawValue: 0xAB).step
        #expect(step == "00000000000000ab")
        let first = try source(1, number: 1)
        let flat = try ground([first]).place
        #expect(flat == Boards.Ground.Place(parent: nil, depth: 0, path: ""))
        let nested = try ground([first, try source(2, depth: 5, path: step + step)], answering: 2).place
        #expect(nested == Boards.Ground.Place(parent: ID(rawValue: 2), depth: 6, path: step + step))
        let beside = try ground([first, try source(2, depth: 6, path: step + step + "0000000000000002")], answering: 2)
            .place
        #expect(
            beside
                == Boards.Ground.Place(parent: ID(rawValue: 5), depth: 6, path: step + step, beside: ID(rawValue: 2)))
    }

    @Test(
        arguments: [
            (Boards.Recent(), true, nil, nil),
            (Boards.Recent(postsInMinute: 9, postsInHour: 199, repliesInDay: 9, threadsInDay: 2), true, nil, nil),
            (Boards.Recent(postsInMinute: 10), false, "posts_per_minute", "posts_per_minute"),
            (Boards.Recent(postsInHour: 200), false, "posts_per_hour", "posts_per_hour"),
            (Boards.Recent(repliesInDay: 10), true, "replies_on_first_day", nil),
            (Boards.Recent(repliesInDay: 10), false, nil, nil),
            (Boards.Recent(threadsInDay: 3), true, nil, "threads_on_first_day"),
            (Boards.Recent(threadsInDay: 49), false, nil, nil),
            (Boards.Recent(threadsInDay: 50), false, nil, "threads_per_day"),
            (Boards.Recent(lastPost: Self.now - .seconds(30), lastThread: Self.now - .seconds(120)), true, nil, nil),
            (Boards.Recent(lastPost: Self.now), false, nil, nil),
            (Boards.Recent(lastThread: Self.now), false, nil, nil),
            (Boards.Recent(lastThread: Self.now - .seconds(119)), true, nil, "thread_pause_on_first_day"),
            (
                Boards.Recent(lastPost: Self.now - .seconds(29)), true, "post_pause_on_first_day",
                "post_pause_on_first_day"
            ),
            (Boards.Recent(postsInMinute: 10, saidTheSame: true), false, "duplicate_post", "duplicate_post"),
        ] as [(Boards.Recent, Bool, String?, String?)])
    func `who wrote much waits`(recent: Boards.Recent, isNew: Bool, reply: String?, thread: String?) async {
        #expect(await refusal { try recent.mayReply(isNew: isNew, at: Self.now) } == reply)
        #expect(await refusal { try recent.mayOpen(isNew: isNew, at: Self.now) } == thread)
    }
}

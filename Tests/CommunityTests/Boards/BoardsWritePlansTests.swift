import Postgres
import TestSupport
import Testing

@testable import Community

/// What writing reads of large boards goes by index, however much stands there.
@Suite(.database(.filled(BoardsPlansRows.sql)))
struct BoardsWritePlansTests {
    @Test func `a writer in a thread of ten thousand reads a few rows of it`() async throws {
        try await withWorld { world in
            // The thread, two of its posts, and somebody who has written much.
            let (thread, post, other, last) = (10_000_000, 10_005_000, 10_005_001, "9223372036854775807")
            let calls: [(PreparedText, String, String, Int)] = [
                (Accounts.Statements.LockWriter.prepared[0], "account: 7", "account_pkey", 1),
                (
                    Boards.Statements.ReplyGround.prepared[0],
                    "viewer: 2500, thread: \(thread), parent: \(post), quoted: \(other)", "post_pkey", 3
                ),
                (
                    Boards.Statements.ReplyGround.prepared[0],
                    "viewer: 2500, thread: \(thread), parent: null, quoted: null", "post_pkey", 1
                ),
                (
                    Boards.Statements.Recent.prepared[0],
                    "account: 7, dayAgo: \(post), hourAgo: \(post), minuteAgo: \(post), newSince: now(), pauseAgo: \(post), place: \(thread), body: 'body'",
                    "post_of_author", 100
                ),
                (Boards.Statements.LockThreadOf.prepared[0], "post: \(post)", "thread_pkey", 1),
                (Boards.Statements.StandingPost.prepared[0], "viewer: 7, post: \(post)", "post_pkey", 1),
                (Texts.Statements.SeeTexts<Boards.Post>.prepared[0], "viewer: 7, thing: \(post)", "post_pkey", 1),
                (
                    Texts.Statements.History<Boards.Post>.prepared(.onward),
                    "viewer: 7, thing: \(post), place: \(last), limit: 21",
                    "post_text_of_post", 21
                ),
                (
                    Texts.Statements.History<Boards.Post>.prepared(.back),
                    "viewer: 7, thing: \(post), place: 0, limit: 21",
                    "post_text_of_post", 21
                ),
                (
                    Texts.Statements.DropOldTexts<Boards.Post>.prepared[0], "thing: \(post), holding: \(post)",
                    "post_text_of_post", 6
                ),
                // Who watches as many threads as one may: only the first post in a thread counts them.
                (
                    Boards.Statements.MarkWritten.prepared[0], "reader: 1, thread: \(thread), number: 3, at: now()",
                    "thread_reader_of_thread", 1
                ),
                (
                    Boards.Statements.Uncount.prepared[0], "thread: \(thread), isFirst: false, at: now()",
                    "thread_pkey", 2
                ),
                (
                    Boards.Statements.CountScope.prepared[0], "thread: \(thread), scope: 5::smallint, by: 1",
                    "thread_pkey", 1
                ),
            ]
            for (statement, arguments, index, most) in calls {
                let plan = try await world.executed(statement, arguments)
                #expect(plan.scans(of: BoardsReadPlansTests.tables).isEmpty, "\(statement.name):\n\(plan)")
                #expect(plan.rows(through: index).map { $0 <= most } == true, "\(statement.name):\n\(plan)")
            }
        }
    }
}

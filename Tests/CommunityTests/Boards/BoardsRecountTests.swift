import Postgres
import TestSupport
import Testing

@testable import Community

/// Each rule of `commonplace check` about boards finds what breaks it.
@Suite(.database)
struct BoardsRecountTests {
    /// What breaks a rule behind the program's back, and the rule.
    enum Break: String, CaseIterable, Sendable {
        case posts = "update thread set posts = posts + 1"
        case replies = "update thread set replies = replies + 1"
        case threadReactions = "update thread set reactions = reactions + 1"
        case lastPost = "update thread set last_post_id = last_post_id - 1"
        case answers = "update post set replies = replies + 1 where number = 1"
        case reactions = "update post set reactions = reactions + 1 where number = 2"
        case reaction = "delete from post_reaction"
        case tally = "update post_reaction_tally set n = n + 1"
        case scope = "update board_scope set posts = posts + 1"
        case noScope = "delete from board_scope"
        case scopeOfPost = "update post set scope = 7 where number = 2"
        case number = "update post set number = 9 where number = 2"
        case depth = "update post set depth = 2 where number = 2"
        case path = "update post set path = lpad(to_hex(id), 16, '0') where number = 2"
        case text = "update post set text_id = (select text_id from post where number = 1) where number = 2"
        case title = "update thread set title = 'Another'"
        case deleted = "update post set deleted_at = now(), text_id = null where number = 2"
        case emptied = """
            with gone as (update post set deleted_at = now(), text_id = null returning id)
            update thread set replies = 0 where (select count(*) from gone) > 0
            """
        case marker = "update thread_reader set read_number = 9"
        case home = "update thread set home_id = 7"
        case author = "update thread set author_id = (select min(id) from account where id <> author_id)"
        case hidden = "update thread set hidden_at = now()"
        case comments = "update reader_tally set comments = comments + 1"
        case noComments = "delete from reader_tally"
        case noWords = "delete from post_search where post_id = (select id from post where number = 2)"
        case oldWords = "update post_search set text_id = text_id + 1"
        case wordsOnBoard = "update post_search set board_id = board_id + 1"
        case wordsNowhere = "update post_search set words = ts_delete(words, '#' || thread_id)"
        case wordsElsewhere = "update post_search set words = words || '#7'::tsvector"

        var rules: Set<String> {
            switch self {
            case .posts: ["threads"]
            case .replies, .threadReactions, .lastPost: ["threads"]
            case .answers: ["posts"]
            case .reactions: ["post_reactions"]
            case .reaction: ["post_reactions", "post_tallies"]
            case .tally: ["post_tallies"]
            case .scope, .noScope, .scopeOfPost: ["scopes"]
            case .number: ["numbers"]
            case .depth, .path: ["trees"]
            case .text: ["texts", "words"]
            case .title: ["texts"]
            case .deleted: ["threads", "posts", "scopes", "texts", "comments", "words"]
            case .emptied: ["posts", "scopes", "texts", "comments", "openings", "words"]
            case .marker: ["markers"]
            case .home: ["homes"]
            case .author: ["openings"]
            case .hidden: ["openings", "scopes"]
            case .comments, .noComments: ["comments"]
            case .noWords, .oldWords: ["words"]
            case .wordsOnBoard, .wordsNowhere, .wordsElsewhere: ["word_places"]
            }
        }
    }

    private func broken(in world: World) async throws -> Set<String> {
        let findings = try await world.database.findings(of: Boards.self).filter { !$0.lines.isEmpty }
        return Set(findings.map { $0.name.replacing("boards.recount_", with: "") })
    }

    private func furnish(_ world: World) async throws -> (ann: Signed, thread: MadeThread) {
        let (ann, ben) = (try await world.given.account(), try await world.given.reader())
        let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
        let reply = try await world.given.post(in: thread.id, by: ben, answering: thread.post)
        try await world.community.reactions.react(.like, to: reply, by: ann.id)
        return (ann, thread)
    }

    @Test(arguments: Break.allCases)
    func `what is broken by hand is found, by its rule alone`(broken: Break) async throws {
        try await withWorld(leaving: .outbox) { world in
            _ = try await furnish(world)
            #expect(try await self.broken(in: world) == [])
            try await world.asSuperuser(broken.rawValue)
            #expect(try await self.broken(in: world) == broken.rules)
        }
    }

    @Test func `what a deleted account left is found once no job is about to take it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, _) = try await furnish(world)
            try await world.community.accounts.close(ann.id)
            #expect(try await broken(in: world) == [])
            try await world.asSuperuser("update job set state = 'dead', ended_at = now()")
            #expect(try await broken(in: world) == ["remains"])
            try await world.asSuperuser("delete from job")
            #expect(try await broken(in: world) == ["remains"])
            let lines = try await world.remains()
            #expect(lines.count == 3, "\(lines)")
        }
    }
}

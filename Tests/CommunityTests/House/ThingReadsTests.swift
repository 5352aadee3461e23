import Postgres
import TestSupport
import Testing

@testable import Community

/// What a viewer reads of things goes through the facts of their kind, or stands here with its reason.
@Suite struct ThingReadsTests {
    /// Statements for a viewer that read rows of a kind and ask otherwise, by the beginnings of their names.
    private static let otherwise: [(kind: any ThingKind.Type, statements: [String], reason: String)] = [
        (
            Reviews.Review.self,
            ["library.basis", "reviews.lock_mine", "reviews.mine", "reviews.basis", "reviews.held"],
            "It is the viewer's own."
        ),
        (
            Reviews.Review.self, ["feed.acts", "ranking.among_friends"],
            "The level of the act decides, which is that of its review where it has one."
        ),
        (Reviews.Reply.self, ["reviews.standing_reply"], "It is the viewer's own."),
        (
            Notebook.Note.self, ["notebook.own_notes", "notebook.find_index", "notebook.find_walk"],
            "They are the viewer's own."
        ),
        (Photos.Photo.self, ["notebook.find_index", "notebook.find_walk"], "They are the viewer's own."),
        (
            Messages.Message.self,
            ["messages.conversation", "messages.list", "messages.message", "messages.page", "messages.standing_in"],
            "They ask for the conversation, and show a message whose sender is not seen without its words."
        ),
        (
            Groups.Group.self, ["groups.directory", "groups.invitations"],
            "The directory has public groups alone; who is invited into a group sees it."
        ),
        (
            Groups.Group.self, ["groups.is_open_to", "groups.members", "groups.of_reader"],
            "Who is in a group is told to its members, and of a public one to all: not to who is merely invited."
        ),
        (
            Groups.Group.self, ["notifications.list", "notifications.tidy", "notifications.to_mail"],
            "`Notifications+There` asks whether the group is shown, and what the viewer is to it."
        ),
        (Library.List.self, ["library.one_list"], "A shared link shows a list to those whom its level would not."),
        (
            Boards.Post.self,
            [
                "boards.followed_threads", "boards.found_threads", "boards.hottest_threads", "boards.one_thread",
                "boards.pinned_threads", "boards.thread_seen", "boards.threads", "feed.threads",
            ],
            "A thread is read with its first post: one that is gone leaves the thread to its answers, and is said to be."
        ),
        (
            Boards.Post.self, ["boards.find_thread", "boards.thread_basis", "things.see_thread"],
            "The facts of a thread ask whether its first post is gone."
        ),
        (Boards.Post.self, ["feed.first_posts"], "`thread.is_seen` is worked out once for each thread, above it."),
        (Boards.Post.self, ["gate.shelved"], "It counts what opens, and tells no post."),
    ]

    /// Statements that read rows of a kind and do not ask whether they are hidden, by the beginnings of their names.
    private static let unasked: [(statements: [String], reason: String)] = [
        (
            ["boards.hold_author_of", "boards.hold_pins", "groups.lead_of", "reviews.author_of"],
            "Moderators act on what is hidden, too."
        ),
        (
            ["boards.posts_to_bury", "boards.threads_to_clear", "boards.has_said", "media.files_of_owner"],
            "The end of an account takes all that it said."
        ),
        (["groups.threads_of"], "The end of a group takes all that was said in it."),
        (["leaving.export", "leaving.pictures"], "An account's own copy holds what it said."),
        (
            ["boards.recent", "groups.counts_of", "library.lists_of"],
            "What was hidden counts against its author's limits all the same."
        ),
        (
            [
                "library.glance_at", "photos.count_in", "notebook.find_index", "notebook.find_walk",
                "notebook.items_to_export", "notebook.known_origins", "notebook.notes_within",
                "notebook.places_of",
            ], "It is the reader's own."
        ),
        (
            ["photos.picture_to_read", "photos.to_read", "photos.unread"],
            "A hidden photograph is read, too: its owner alone sees the words."
        ),
        (["media.size_of"], "What is hidden takes room, too."),
        (["photos.file_of"], "A hidden photograph is private meanwhile; who decides about it sees its file."),
        (
            ["media.cover", "media.former_profile", "media.profile_of", "media.proposed_covers"],
            "What is withheld is no reader's picture meanwhile; covers are the catalogue's."
        ),
        (
            ["boards.author_reacted_to", "notebook.author_reacted_to", "reviews.author_reacted_to"],
            "It asks for a reaction: what is told names the post and quotes nothing."
        ),
        (
            ["moderation.audit", "moderation.one_act", "moderation.public_log"],
            "The record of acts asks whether something stands in a private group, hidden or not."
        ),
        (["gate.reveals"], "What a reader revealed is told by identifiers alone."),
        (["feed.places"], "It is told of those threads alone that `Feed.Statements.Threads` gives."),
        (["groups.board_exceptions"], "It asks for the group; `Boards.Statements` asks for the thread."),
        (
            ["notifications.followers", "notifications.talkers"],
            "Whom a post may concern; what puts the notification asks for the post."
        ),
    ]

    /// What is private while it is hidden, and what says so.
    private static let lowered: [(kind: any ThingKind.Type, columns: [String])] = [
        (Reviews.Review.self, ["review.visibility", "stands.visibility", "counted"]),
        (Library.List.self, ["book_list.visibility"]),
        (Notebook.Note.self, ["note.visibility"]),
    ]

    /// What nearly every statement names, and whose facts each asks in its own way.
    private static let everywhere: [any ThingKind.Type] = [
        Accounts.Account.self, Catalog.Work.self, Catalog.Author.self, Catalog.Series.self, Media.Picture.self,
    ]

    @Test(arguments: Community.things.filter { kind in !everywhere.contains { $0 == kind } })
    func `what is read of a kind for a viewer asks whether the viewer may see it`(kind: any ThingKind.Type) {
        let asked = Self.asked(of: kind)
        let excused = Self.otherwise.filter { $0.kind == kind }.flatMap(\.statements)
        let reads = Self.reads(of: kind).filter { $0.isForViewer }
        let without = reads.filter { !asked.allSatisfy(Self.bare($0.text).contains) }.map(\.name)
        #expect(reads.count >= 2)
        #expect(without.filter { name in !excused.contains { name.hasPrefix($0) } }.sorted() == [])
        // Who asks now is taken off the list.
        #expect(excused.filter { name in !without.contains { $0.hasPrefix(name) } } == [])
    }

    @Test func `what can be hidden is not read without asking whether it is`() {
        var without = Set<String>()
        for kind in Community.things {
            var columns = kind.facts.isHidden.text.matches(of: /[a-z_]+\.([a-z_]+)/).map { String($0.1) }
            guard !columns.isEmpty else { continue }
            columns += Self.lowered.filter { $0.kind == kind }.flatMap(\.columns)
            for read in Self.reads(of: kind) where !read.writes {
                // The group's being hidden is not the thread's.
                var text = read.text.replacing("opened.hidden_at", with: "")
                // Nor is a picture's that of what its reader says, or of what is said of a book.
                if kind != Media.Picture.self {
                    text = text.replacing("seen.hidden_at", with: "").replacing("covering.hidden_at", with: "")
                }
                guard !columns.contains(where: text.contains) else { continue }
                without.insert(read.name)
            }
        }
        let excused = Self.unasked.flatMap(\.statements)
        #expect(without.filter { name in !excused.contains { name.hasPrefix($0) } }.sorted() == [])
        #expect(excused.filter { name in !without.contains { $0.hasPrefix(name) } } == [])
    }

    private struct Read {
        let name: String
        let text: String
        let isForViewer: Bool

        /// It writes, or locks what is to be written.
        var writes: Bool { text.contains(/\b(insert into|update|delete from|for key share)\b/) }
    }

    /// Every statement of the community that reads rows of a kind.
    private static func reads(of kind: any ThingKind.Type) -> [Read] {
        Community.domains.flatMap { StatementTypes.of($0) }.flatMap { statement in
            statement.prepared.filter { tables(in: $0.text).contains(kind.facts.table.text) }
                .map { Read(name: $0.name, text: $0.text, isForViewer: statement is any ForViewer.Type) }
        }
    }

    /// Without the group that every predicate of boards asks for (`Groups.opens`).
    private static func tables(in text: String) -> Set<String> {
        Set(text.matches(of: /\b(?:from|join)\s+([a-z_]+)(?!\s+opened\b)/).map { String($0.1) })
    }

    /// What a statement has to say to have asked: all that `and` joins outside of brackets.
    private static func asked<Kind: ThingKind>(of _: Kind.Type) -> [String] {
        var text = (Kind.isSeen() as SQL<Probe>).text[...]
        if text.first == "(", parts(of: text).count == 1 { text = text.dropFirst().dropLast() }
        return parts(of: text).map { bare(String($0)) }
    }

    private static func parts(of text: Substring) -> [Substring] {
        var (parts, depth, start) = ([Substring](), 0, text.startIndex)
        for at in text.indices {
            if text[at] == "(" { depth += 1 }
            if text[at] == ")" { depth -= 1 }
            if depth == 0, text[at...].hasPrefix(" and ") {
                parts.append(text[start..<at])
                start = text.index(at, offsetBy: 5)
            }
        }
        return parts + [text[start...]]
    }

    /// Without white space, parameters and their types.
    private static func bare(_ text: String) -> String {
        text.replacing(/\$\d+(::[a-z]+)?/, with: "$").filter { !$0.isWhitespace }
    }

    private struct Probe: Statement, ForViewer {
        static let sql: SQL<Self> = "select \(\.viewer)"
        let viewer: Viewer
    }
}

import JSONWriting
import Postgres

/// The spoiler gate: no reader is shown what lies ahead of them in a book, unless they ask for it.
///
/// Every post has a **scope**: `free`, `upto P` or `finished`. Every reader has a **gate** for every work: how far they
/// may be told of it, in ten-thousandths. What a reader may not see yet never leaves the server: in its place stands
/// `{id, gated, kind, position}`.
///
/// - **Gate of a reader for a work**: 10000 once any reading of it was finished or it stands on "read" (imports
///   included); unless they switched on "gate my re-read" and are in it again: then, and before, the furthest place of this reading; 0
///   for anonymous readers, for books that are not in their library and for readers who log nothing. 10000 also where
///   the gate is off everywhere or all of the book was revealed.
/// - **A post opens** to its author, to readers who have revealed it or its thread, and where its scope is not beyond
///   the gate for the work of its thread and, where it names a later work of the series, its other scope not beyond
///   that work's gate.
/// - **A review** with the spoiler mark opens where the gate is at the end of the book, to its reader, and to readers
///   who have revealed it; so do the replies to it (`opensReview`). All other reviews, and stars, are free.
/// - **Who wrote it** is withheld with the words: no placeholder on boards, in threads, of reviews and their replies or
///   on the stream names an author, nor does the event of a post or reply that is taken away; that of a review names
///   its reader, whose stars it takes back. Two places name an author beside a placeholder: the posts of one reader
///   (`/readers/X/posts`), whom the viewer chose to look at, and a notification, whose actors it is about. They show
///   nothing of the post but its kind and position.
/// - **Inline spoilers** `>!…!<` are withheld below gate 10000, whatever the scope of the post, and in reviews and
///   replies to them.
/// - **Scope of a new post**: as said; otherwise the author's own position while they are reading the book, else
///   `finished`; `free` for non-fiction and poetry. The reply says which it was. A post tells everybody who sees it how
///   far its author was; an author who shows their position to nobody (`Privacy.Kind.position` private, which is
///   stricter than usual) has `finished` instead, unless nobody sees what they say on boards. A reply, a quote and a
///   card take at least the scope of their source; at the last depth, where answers stand side by side, that is the
///   post that is answered, which may give away less than the one that both stand below.
/// - **Spoils more**: readers whose gate is past a point mark a post with it. Two such marks, or one by a moderator (on
///   posts of lower roles, as in all that moderators do), raise the scope at once, to the highest position on which
///   they agree, and with it the scopes of whatever answers or quotes the post; only moderators lower it, that post
///   alone. The author is told. Marks of an account's first day, and of accounts that are not in good standing, do not
///   count.
/// - **Settled**: a moderator's decision about a scope, higher, lower or the same, in whichever call, is recorded with
///   how many marks counted until then. None of those counts from then on; they are kept, and a reader who says so anew
///   is counted again. A scope that stays is no news: nobody is told.
/// - **Unlocked**: when a reader's gate opens, one `posts.unlocked` tells their inbox how many posts of the book it
///   opened that they may see, on the book's board and on those of their groups. Whatever moves a gate (the shelf, the
///   journal, a reveal of the book) runs `unlocking` behind that, with the gate as it was; a setting has the whole
///   library told of, book by book, once an hour at most; and a merge of two books tells those who were further in the
///   one what it opened of the other, but for posts that name it as a later book. What waits to be told of a step as
///   its book becomes one with another is told of the posts of that book alone, likewise. The number is exact up to
///   1,000, with `more` beyond that; where a gate opens more than 20,000 posts, it is counted among the newest 20,000
///   (of the 100,000 nearest to the gate), and `more` says so.
///
/// **Limits**: `Limits.Gate`. **Tables**: `gate_setting`, `reveal`, `spoiler_mark`; it raises and lowers `post.scope`
/// and `board_scope`. **Counters**: none; `recounts` looks at the scopes of answers and quotes, and at `post.work_id`.
/// **Events** (v1): `posts.unlocked` to `inbox:R`; `post.raised`, `post.lowered` to the author's inbox, and to
/// `thread:T` with the post's text for subject. **Jobs**: `Unlock`, `UnlockLibrary`, `UnlockMerged`. Locks are taken in
/// the order account, thread, post, board_scope, whose rows go by scope upward.
package enum Gate {
    enum Statements {}
}

extension Gate {
    /// Ten-thousandths of a work that mean all of it.
    package static let end = 10_000

    /// How much of a work a post gives away.
    package struct Scope: Hashable, Comparable, Sendable {
        /// 0 nothing, P up to that ten-thousandth, 10000 the end.
        package let position: Int16

        /// `nil` outside 0…10000.
        package init?(position: Int) {
            guard (0...Gate.end).contains(position) else { return nil }
            self.position = Int16(position)
        }

        private init(known: Int16) { position = known }

        /// Gives nothing away.
        package static let free = Scope(known: 0)
        /// For those who have finished the book.
        package static let finished = Scope(known: Int16(Gate.end))

        package static func < (left: Scope, right: Scope) -> Bool { left.position < right.position }
    }

    /// The `state` of what is shown whole; a placeholder is `gated`, a tombstone `deleted`.
    package static let shown = "shown"

    /// What stands in the place of what the reader may not see yet; no more than this leaves the server.
    package struct Placeholder: Hashable, Sendable, JSONForm {
        package let id: Int64
        /// `reply`, or the kind of the thread that it opens; `review` or `review_reply`.
        package let kind: String
        /// Where it opens: ten-thousandths of the book. All of it where a later book is given away, too: to a reader
        /// who is there and finds it shut, it is that book that shuts it.
        package let position: Int

        package func put(into object: JSONObject) {
            object.put("id", String(id))
            object.put("state", "gated")
            object.put("kind", kind)
            object.put("position", position)
        }
    }
}

extension Gate.Scope: PostgresValue {
    package static var postgresType: PostgresType { .int2 }
    package func encode(into bytes: inout [UInt8]) { position.encode(into: &bytes) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Self {
        guard let scope = Self(position: Int(try Int16.decode(bytes, type: type))) else {
            throw PostgresError(.decoding, message: "no such scope")
        }
        return scope
    }
}

extension Gate.Scope: JSONWritable {
    /// `"free"`, `"finished"` or `{"upto": P}`.
    package func write(to output: JSONOutput) {
        switch self {
        case .free, .finished: output.write(self == .free ? "free" : "finished")
        default: output.object { $0.put("upto", position) }
        }
    }
}

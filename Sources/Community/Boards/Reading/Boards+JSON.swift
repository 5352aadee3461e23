import JSONWriting

// The form of threads and posts in replies and in events: the same, so that a client that hears of a post need not ask
// for it.

extension Boards.Kind: Encodable {}
extension Boards.Watching: Encodable {}
extension Reaction: Encodable {}

extension Boards.Also: JSONForm {
    package func put(into object: JSONObject) {
        object.put("book_id", book)
        object.put("scope", scope)
    }
}

extension Boards.Post: JSONForm {
    /// `kind` is that of a placeholder: `reply`, or the kind of the thread that it opens.
    package var kindName: String { opens?.rawValue ?? Self.reply }

    /// The kind of a post that opens no thread.
    package static let reply = "reply"

    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("state", Gate.shown)
        object.put("thread_id", thread)
        object.put("number", number)
        object.put("parent_id", parent)
        object.put("in_reply_to", answers)
        object.put("depth", depth)
        object.put("author", author)
        object.put("kind", kindName)
        object.put("scope", scope)
        object.put("also", also)
        object.put("quoted_id", quoted)
        object.put("body", text.body)
        object.put("html", text.html)
        object.put("is_veiled", text.isVeiled)
        object.put("reply_count", replies)
        object.put("reactions", ReactionCounts(reactions))
        object.put("my_reactions", Reaction.allCases.filter(ownReactions.contains))
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("edited_at", editedAt)
        // Events, which are for all, leave it out.
        if let isMuted { object.put("is_muted", isMuted) }
    }
}

extension Boards.Tombstone: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("state", "deleted")
        object.put("number", number)
        object.put("parent_id", parent)
        object.put("depth", depth)
    }
}

extension Boards.Shown: JSONWritable {
    /// A post, `{id, state: "gated", kind, position}`, or `{id, state: "deleted", number, parent_id, depth}`.
    package func write(to output: JSONOutput) {
        switch self {
        case .whole(let post): post.write(to: output)
        case .gated(let placeholder): placeholder.write(to: output)
        case .tombstone(let tombstone): tombstone.write(to: output)
        }
    }
}

extension Boards.Thread: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("state", Gate.shown)
        object.put("book_id", book)
        object.put("group_id", group)
        object.put("author", author)
        object.put("kind", kind)
        object.put("title", title)
        object.put("excerpt", excerpt)
        object.put("scope", scope)
        object.put("reply_count", replies)
        object.put("reaction_count", reactions)
        object.put("post_count", posts)
        object.put("unread_count", unread)
        object.put("watching", watching)
        object.put("is_locked", isLocked)
        object.put("is_pinned", isPinned)
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("last_post_at", lastPostAt)
        object.put("is_muted", isMuted)
    }
}

extension Boards.ShownThread: JSONWritable {
    /// A thread, or `{id, state: "gated", kind, position}`.
    package func write(to output: JSONOutput) {
        switch self {
        case .whole(let thread): thread.write(to: output)
        case .gated(let placeholder): placeholder.write(to: output)
        }
    }
}

extension Boards.OpenThread: JSONWritable {
    /// A thread with `first_post` and `read_number`, or `{id, state: "gated", kind, position}`.
    package func write(to output: JSONOutput) {
        guard case .whole(let whole) = thread else { return thread.write(to: output) }
        output.object { object in
            whole.put(into: object)
            object.put("first_post", first)
            object.put("read_number", readNumber)
        }
    }
}

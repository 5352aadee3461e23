import JSONWriting
import Postgres

// The form of conversations and messages in replies and in events: the same, so that a client that hears of a message
// need not ask for it.

extension Messages.Card: JSONForm {
    package func put(into object: JSONObject) {
        switch self {
        case .book(let book):
            object.put("kind", "book")
            object.put("book", book)
        case .post(let id):
            object.put("kind", "post")
            object.put("id", id)
        case .shown(_, let post):
            object.put("kind", "post")
            object.put("post", post)
        case .note(let id):
            object.put("kind", "note")
            object.put("id", id)
        case .shownNote(_, let note):
            object.put("kind", "note")
            object.put("note", note)
        }
    }
}

extension Messages.Message: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("conversation_id", conversation)
        object.put("seq", seq)
        object.put("author", author)
        object.put("body", body)
        object.put("html", html)
        object.put("card", card)
        object.put("reply_to", reply)
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("edited_at", editedAt)
        object.put("deleted_at", deletedAt)
        object.put("is_hidden", isHidden)
    }
}

extension Messages.Preview: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("seq", seq)
        object.put("author", author)
        object.put("text", text)
        object.put("has_card", hasCard)
        object.put("created_at", createdAt)
        object.put("deleted_at", deletedAt)
        object.put("is_hidden", isHidden)
    }
}

extension Messages.Conversation: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("reader", reader)
        object.put("can_write", canWrite)
        object.put("is_archived", isArchived)
        object.put("is_muted", isMuted)
        object.put("unread_count", unread)
        object.put("read_seq", readSeq)
        object.put("their_read_seq", theirReadSeq)
        object.put("last_seq", lastSeq)
        object.put("last_message", last)
        object.put("created_at", createdAt)
        object.put("active_at", activeAt)
    }
}

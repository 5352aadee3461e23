import JSONWriting
import MarkdownReading
import Postgres

extension Boards.Event {
    /// The payload of a post that is told: the post, its thread, and whether the text is cut between characters. What
    /// is cut is rendered anew, so that its HTML is whole.
    static func data(_ post: Boards.Post, in thread: Thread) throws -> JSON {
        try JSON.fitting(Limits.boards.bodyBytes) { object, room in
            let isCut = post.text.body.utf8.count > room
            var told = post
            if isCut {
                let cut = Markdown.render(
                    post.text.body.clipped(to: room).text ?? "", linking: Markdown.linked(in: post.text.html))
                told.text = Boards.Text(
                    body: cut.veiled?.body ?? cut.body, html: cut.veiled?.html ?? cut.html,
                    isVeiled: post.text.isVeiled)
            }
            object.put("post", told)
            object.put("thread", thread)
            object.put("is_cut", isCut)
        }
    }
}

extension JSONObject {
    /// A post of which is not told what it says: `{"id", "thread_id"}`.
    func put(_ key: StaticString, placeOf post: ID<Boards.Post>, in thread: ID<Boards.Thread>) {
        put(key) {
            $0.put("id", post)
            $0.put("thread_id", thread)
        }
    }
}

extension Boards.Event.Thread: JSONForm {
    func put(into object: JSONObject) {
        object.put("id", id)
        object.put("kind", kind)
        if let title { object.put("title", title) }
        object.put("book_id", book)
        object.put("group_id", group)
    }
}

// Without its author: those to whom it was gated until now were never told whose it was, and what is left of a post
// says so of none.
extension Boards.Event.Gone: JSONForm {
    func put(into object: JSONObject) {
        object.put("post", placeOf: post, in: thread)
        object.put("thread") {
            $0.put("id", thread)
            $0.put("book_id", book)
            $0.put("group_id", group)
            $0.put("is_gone", isLast)
        }
    }
}

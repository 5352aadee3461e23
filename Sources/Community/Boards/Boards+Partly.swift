// What is shown to whoever may not read all of it: a program whose access token writes on boards and does not
// read them.

extension Boards.Post {
    /// The same without its text, as if all of it were veiled.
    package var withoutWords: Boards.Post {
        Boards.Post(
            id: id, thread: thread, number: number, parent: parent, answers: answers, depth: depth, author: author,
            opens: opens, scope: scope, also: also, quoted: quoted,
            text: Boards.Text(body: "", html: "", isVeiled: true), replies: replies, reactions: reactions,
            ownReactions: ownReactions, version: version, createdAt: createdAt, editedAt: editedAt, isMuted: isMuted)
    }
}

import Postgres

extension Boards {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Threads that somebody opened. They stay for the answers of others, without a title: see `Recounts.Remains`.
        .init("thread", owner: "t.author_id", work: "t.work_id", isKept: true),
        // Posts, whose rows stay as tombstones.
        .init("post", owner: "t.author_id", hidden: ["path"], isKept: true),
        // What they say, and said before. Taken away by a job (`Forget`), as reactions are.
        .init(
            "post_text", source: "post_text t join post on post.id = t.post_id", owner: "post.author_id", isKept: true),
        // The same, as it is searched; gone with the texts.
        .init(
            "post_search", source: "post_search t join post on post.id = t.post_id", owner: "post.author_id",
            unexported: "Made of the texts, which are exported.", isKept: true),
        Post.personalReactions(isKept: true),
        // How far threads were read, and which are followed or muted.
        .init("thread_reader", key: "t.thread_id"),
        // Boards that are followed or muted.
        .init("board_reader", key: "t.work_id", work: "t.work_id"),
        // How far all threads of boards were read.
        .init("board_read", key: "t.board_id"),
    ]
}

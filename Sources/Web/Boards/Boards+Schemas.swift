import Community

extension Boards {
    /// The forms of threads and posts in replies.
    enum Schemas {
        private static let position = Schema.integer(0...Gate.end)
        private static let number = Schema.integer(1...Int(Int32.max))
        private static let count = Schema.integer(0...Int(Int32.max))

        /// `free`, `finished` or `{upto}`.
        static let scope = Schema.either([
            .choice(["free", "finished"]), .object("ScopeUpto", ["upto": .integer(1...Gate.end - 1)]),
        ])

        static let also = Schema.object("AlsoSpoils", ["book_id": .id, "scope": scope])

        static let kind = Schema.choice(Kind.allCases.map(\.rawValue))
        static let watching = Schema.choice(Watching.allCases.map(\.rawValue))
        static let reaction = Schema.choice(Reaction.allCases.map(\.rawValue))

        /// The state of what is shown whole, beside `gated` and `deleted`.
        static let shown = Schema.choice([Gate.shown])

        /// What stands in the place of what lies ahead of the reader; it has no other member.
        static let placeholder = Schema.object(
            "Gated",
            [
                "id": .id, "state": .choice(["gated"]), "kind": .choice(Kind.allCases.map(\.rawValue) + [Post.reply]),
                "position": position,
            ])

        static let tombstone = Schema.object(
            "DeletedPost",
            ["id": .id, "state": .choice(["deleted"]), "number": number, "parent_id": .orNull(.id), "depth": depth])

        private static let depth = Schema.integer(0...Limits.boards.depth)

        /// `parent_id`: below which post it stands in the tree; `in_reply_to`: which it answers, another one only at
        /// the last depth, where answers stand side by side. `body` is Markdown, `html` the same rendered and safe;
        /// `is_veiled`: words of inline spoilers are missing from both. `is_muted`: the caller has muted the author;
        /// events, which all get, do not have it.
        static let whole = Schema.object(
            "Post",
            [
                "id": .id, "state": shown, "thread_id": .id, "number": number, "parent_id": .orNull(.id),
                "in_reply_to": .orNull(.id), "depth": depth, "author": Accounts.Routes.reader,
                "kind": .choice(Kind.allCases.map(\.rawValue) + [Post.reply]),
                "scope": scope, "also": .orNull(also), "quoted_id": .orNull(.id), "body": .string, "html": .string,
                "is_veiled": .boolean, "reply_count": count, "reactions": .map(number),
                "my_reactions": .array(reaction), "version": number, "created_at": .time,
                "edited_at": .orNull(.time), "is_muted": .boolean,
            ])

        /// A post as somebody is shown it.
        static let post = Schema.either([whole, placeholder, tombstone])

        private static let threadMembers: KeyValuePairs<String, Schema> = [
            "id": .id, "state": shown, "book_id": .orNull(.id), "group_id": .orNull(.id),
            "author": .orNull(Accounts.Routes.reader), "kind": kind,
            "title": .orNull(.string), "excerpt": .orNull(.string), "scope": scope, "reply_count": count,
            "reaction_count": count,
            "post_count": number,
            "unread_count": .orNull(count), "watching": .orNull(watching), "is_locked": .boolean, "is_pinned": .boolean,
            "version": number, "created_at": .time, "last_post_at": .time, "is_muted": .boolean,
        ]

        /// Author and title are null once the first post is deleted.
        static let wholeThread = Schema.object("Thread", threadMembers)

        /// A thread as somebody is shown it on a board.
        static let thread = Schema.either([wholeThread, placeholder])

        /// A thread as somebody is shown it who opens it.
        static let openThread = Schema.either([
            .record(
                name: "OpenThread",
                threadMembers.map { Schema.Property(name: $0.key, schema: $0.value, isRequired: true) } + [
                    Schema.Property(name: "first_post", schema: post, isRequired: true),
                    Schema.Property(name: "read_number", schema: .orNull(count), isRequired: true),
                ]), placeholder,
        ])

        /// `gate`: how far the caller may be told of the book; `post_count`: all that stand; `ahead_count`: those of them
        /// beyond that, whosever they are.
        static let board = Schema.object(
            "Board", ["gate": position, "post_count": count, "ahead_count": count, "watching": .orNull(watching)])
    }
}

import Postgres

extension Boards.Statements {
    /// What `posts` needs of its source: all of `post`, and of its thread `level`, how far the viewer may be told of its
    /// book, `book_id`.
    static let ofPost: Fragment = "post.*, thread.kind, thread.work_id as book_id, thread.level"

    /// The thread of the post in scope, joined for each; no row where it is hidden.
    static func itsThread<S: ForViewer>() -> SQL<S> {
        """
        cross join lateral (
                       select thread.id, thread.kind, thread.work_id, \(Gate.level(viewer: .viewer, work: "thread.work_id")) as level,
                              \(threadIsSeen()) as is_seen
                         from thread
                        where thread.id = post.thread_id
                          and thread.hidden_at is null
                        limit 1) thread
        """
    }

    /// The columns that `Boards.Shown` reads. In scope are `post`, the `kind` of its `thread`, whether it is `opened`,
    /// and `text` and `author`: both without a row where the post does not open.
    static func shownColumns<S: ForViewer>() -> SQL<S> {
        """
        post.id, post.number, post.parent_id, post.depth, \(postStands) as stands, opened.is_open,
               \(Gate.told(isOpen: "opened.is_open")) as scope,
               case when post.number = 1 then thread.kind end as opens, post.thread_id, post.answers_id,
               author.id, author.username, author.shown, text.also_work_id, text.also_scope, text.quoted_id,
               case when text.is_veiled then text.veiled_body else text.body end as body,
               case when text.is_veiled then text.veiled_html else text.html end as html,
               text.is_veiled, post.created_at, post.replies,
               \(Boards.Post.reactionColumns(isShown: "text.id is not null")),
               post.version, post.edited_at, author.is_muted
        """
    }

    /// What `shownColumns` needs of the text of `post`, of `reader`, who wrote it, and of the book of `thread`.
    static func shownText<S: ForViewer>(level: SQL<S>) -> SQL<S> {
        """
        text.id, text.body, text.html, text.veiled_body, text.veiled_html,
                      text.veiled_body is not null and not \(Gate.unveils(viewer: .viewer, level: level)) as is_veiled,
                      post.also_work_id, post.also_scope, post.quoted_id
        """
    }

    /// What `shownColumns` needs of `reader`, who wrote `post`.
    static func shownAuthor<S: ForViewer>() -> SQL<S> {
        """
        \(Accounts.Reader.columns(of: "reader")), \(Friends.isMuted(viewer: .viewer, by: "reader.id")) as is_muted
        """
    }

    /// What the viewer is shown of the posts that `source` gives, as `Boards.Shown` reads it, behind `keys`. Where a
    /// post does not open or is gone, what it says and who says it are null; where the viewer is not shown inline
    /// spoilers, those are left out. `isLooked`: the source is made with `bounded`, and what `Boards.BoundedRow` reads
    /// stands before all.
    static func posts<S: ForViewer>(
        _ source: SQL<S>, keys: [Fragment] = [], isLooked: Bool = false, order: SQL<S> = ""
    ) -> SQL<S> {
        """
        select \(leading(keys, of: "post", isLooked: isLooked))
               \(shownColumns())
          from (\(source)) post
         cross join lateral (select post.thread_id as id, post.kind, post.book_id as work_id, post.level) thread
         cross join lateral (
               select \(isLooked ? "post.is_seen" : "true") and \(Gate.opens(viewer: .viewer, level: "thread.level")) as is_open limit 1) opened
          left join lateral (
               select \(shownText(level: "thread.level"))
                 from post_text text
                where text.id = post.text_id
                  and \(postStands)
                  and opened.is_open
                limit 1) text on true
          left join lateral (
               select \(shownAuthor())
                 from account reader
                where reader.id = post.author_id
                  and text.id is not null
                limit 1) author on true
        \(order)
        """
    }
}

extension Boards.Shown: RowReadable {
    /// Reads the columns that `Boards.Statements.posts` gives, up to `is_muted`.
    package init(_ columns: inout Columns) throws {
        let (id, number): (ID<Boards.Post>, Int) = (try columns("id"), try columns("number"))
        let (parent, depth): (ID<Boards.Post>?, Int) = (try columns("parent_id"), try columns("depth"))
        let (stands, isOpen): (Bool, Bool) = (try columns("stands"), try columns("is_open"))
        guard stands else {
            try columns.skip(through: "is_muted")
            self = .tombstone(Boards.Tombstone(id: id, number: number, parent: parent, depth: depth))
            return
        }
        let (scope, opens): (Gate.Scope, Boards.Kind?) = (try columns("scope"), try columns("opens"))
        guard isOpen else {
            try columns.skip(through: "is_muted")
            self = .gated(
                Gate.Placeholder(
                    id: id.rawValue, kind: opens?.rawValue ?? Boards.Post.reply, position: Int(scope.position)))
            return
        }
        let (thread, answers): (ID<Boards.Thread>, ID<Boards.Post>?) = (
            try columns("thread_id"), try columns("answers_id")
        )
        self = .whole(
            Boards.Post(
                id: id, thread: thread, number: number, parent: parent, answers: answers ?? parent, depth: depth,
                author: try Accounts.Reader(&columns), opens: opens, scope: scope,
                also: try columns.part(through: "also_scope", Boards.Also.init), quoted: try columns("quoted_id"),
                text: Boards.Text(
                    body: try columns("body"), html: try columns("html"), isVeiled: try columns("is_veiled")),
                createdAt: try columns("created_at"), replies: try columns("replies"),
                reactions: try [Reaction: Int](&columns), ownReactions: try Set<Reaction>(&columns),
                version: try columns("version"), editedAt: try columns("edited_at"), isMuted: try columns("is_muted")))
    }
}

extension Boards.Also {
    /// Reads the columns `also_work_id` and `also_scope`.
    init(_ columns: inout Columns) throws {
        self.init(book: try columns("also_work_id"), scope: try columns("also_scope"))
    }
}

extension Boards.Statements {
    /// One post.
    struct OnePost: Statement, ForViewer {
        static let sql: SQL<Self> = posts(
            """
            select \(ofPost)
              from post
             \(itsThread())
             where post.id = \(\.post)
               and (post.author_id = \(\.viewer) or thread.is_seen)
               and \(postIsSeen())
             limit 1
            """)
        let viewer: Viewer, post: ID<Boards.Post>
        typealias Output = Boards.Shown
    }

    /// Those of some posts that the viewer sees and that stand: at most a page of them, in no order.
    struct SomePosts: Statement, ForViewer {
        static let sql: SQL<Self> = posts(
            """
            select \(ofPost)
              from post
             \(itsThread())
             where post.id = any(\(\.ids))
               and \(postStands)
               and (post.author_id = \(\.viewer) or thread.is_seen)
               and \(postIsSeen())
             limit \(\.ids.count, "ids.count")
            """, keys: ["post.id"])
        let viewer: Viewer, ids: [ID<Boards.Post>]

        static func decode(_ columns: inout Columns) throws -> Keyed<Boards.Shown, ID<Boards.Post>> {
            let id: ID<Boards.Post> = try columns("id")
            return Keyed(item: try Boards.Shown(&columns), key: id)
        }
    }

    /// The post that opens a thread.
    struct FirstPost: Statement, ForViewer {
        static let sql: SQL<Self> = posts(
            """
            select \(ofPost)
              from post
             \(itsThread())
             where post.thread_id = \(\.thread)
               and post.number = 1
               and (post.author_id = \(\.viewer) or thread.is_seen)
               and \(postIsSeen())
             limit 1
            """)
        let viewer: Viewer, thread: ID<Boards.Thread>
        typealias Output = Boards.Shown
    }

    /// Posts of a thread that the viewer sees, in the order `sort`; served by that order's index, whatever the depth.
    /// The viewer's gate is asked for once.
    struct Posts: ListStatement, ForViewer {
        static let name = "boards.posts_by"
        static func sql(_ variation: Both<Boards.PostSort, Direction>) -> SQL<Self> {
            let keyset = variation.first.keyset(at: \Self.span.place, variation.second)
            let source = postsLooked(
                at: "post.thread_id = thread.id", seen: postIsSeen(), keyset, limit: "\(\.span.limit)")
            return """
                with place as materialized (
                    select thread.id, thread.kind, thread.work_id,
                           \(Gate.level(viewer: .viewer, work: "thread.work_id")) as level
                      from thread
                     where thread.id = \(\.thread)
                       and \(threadIsSeen())
                )
                \(posts(source, keys: postKeys, isLooked: true, order: " order by \(keyset.order)"))
                """
        }
        let viewer: Viewer, thread: ID<Boards.Thread>, sort: Boards.PostSort, span: Span<Boards.PostKey>
        var variation: Both<Boards.PostSort, Direction> { Both(sort, span.direction) }

        static func decode(_ columns: inout Columns) throws -> Boards.BoundedRow<Boards.Shown, Boards.PostKey> {
            try Boards.BoundedRow(&columns, key: Boards.PostKey.init, item: Boards.Shown.init)
        }
    }

    /// Those of the posts of `place` for which `condition` holds that are `seen`, as `bounded` says.
    private static func postsLooked<S: ForViewer>(
        at condition: SQL<S>, seen: SQL<S>, _ keyset: Keyset<S>, limit: SQL<S>
    ) -> SQL<S> {
        let rows: SQL<S> = bounded(
            """
            select post.*, \(seen) as is_seen,
                   row_number() over (order by \(keyset.order)) as looked
              from post
             where \(condition)
               and \(keyset.condition)
             order by \(keyset.order)
            """, as: "post", "post.*", order: keyset.order, limit: limit)
        return """
            select \(ofPost)
              from place thread
             cross join lateral (\(rows)) post
            """
    }

    /// All that posts are sorted by, as `Boards.PostKey` reads it.
    private static let postKeys: [Fragment] = ["post.reactions", "post.path", "post.number"]

    /// Direct answers to a post, oldest first; served by the index `post_of_parent`.
    struct Replies: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Boards.PostSort.oldest.keyset(at: \Self.span.place, direction)
            let source = postsLooked(
                at: "post.parent_id = thread.post_id",
                seen: "(post.author_id = \(.viewer) or thread.is_seen) and \(postIsSeen())", keyset,
                limit: "\(\.span.limit)")
            return """
                with place as materialized (
                    select post.id as post_id, thread.kind, thread.work_id, thread.level, thread.is_seen
                      from post
                     \(itsThread())
                     where post.id = \(\.post)
                )
                \(posts(source, keys: postKeys, isLooked: true, order: " order by \(keyset.order)"))
                """
        }
        let viewer: Viewer, post: ID<Boards.Post>, span: Span<Boards.PostKey>

        static func decode(_ columns: inout Columns) throws -> Boards.BoundedRow<Boards.Shown, Boards.PostKey> {
            try Boards.BoundedRow(&columns, key: Boards.PostKey.init, item: Boards.Shown.init)
        }
    }

    /// What one reader wrote and still stands, newest first, as far as the viewer sees it; served by the index
    /// `post_of_author`. A viewer who does not see what that reader says is told so before any of it is looked at.
    struct PostsOf: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("post.id", "\(\.span.place)", direction)
            return posts(
                """
                select \(ofPost)
                  from post
                 \(itsThread())
                 where post.author_id = \(\.author)
                   and \(isSeen("\(\.author)"))
                   and \(keyset.condition)
                   and \(postStands)
                   and (post.author_id = \(\.viewer) or thread.is_seen)
                   and \(postIsSeen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """, keys: ["post.id"], order: " order by \(keyset.order)")
        }
        let viewer: Viewer, author: ID<Accounts.Account>, span: Span<ID<Boards.Post>>

        static func decode(_ columns: inout Columns) throws -> Keyed<Boards.Shown, ID<Boards.Post>> {
            let id: ID<Boards.Post> = try columns("id")
            return Keyed(item: try Boards.Shown(&columns), key: id)
        }
    }

    /// What was written about one stretch of a book, on its board and on those of groups, what gives away most first; as
    /// far as the viewer sees it and is there. Index `post_opening`.
    struct TalkAt: ListStatement, ForViewer {
        static let name = "boards.talk_at"
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["post.scope", "post.id"], ["\(\.span.place.scope, as: Int16.self)", "\(\.span.place.id)"],
                isAscending: false, direction)
            return posts(
                """
                select \(ofPost)
                  from post
                 \(itsThread())
                 where post.work_id = \(\.work)
                   and post.scope > \(\.after, as: Int16.self)
                   and post.scope <= \(\.upTo, as: Int16.self)
                   and post.scope > 0
                   and post.deleted_at is null
                   and post.hidden_at is null
                   and \(keyset.condition)
                   and \(Gate.opens(viewer: .viewer, level: "thread.level"))
                   and (post.author_id = \(.viewer) or thread.is_seen)
                   and \(postIsSeen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """, keys: ["post.scope", "post.id"], order: " order by \(keyset.order)")
        }
        let viewer: Viewer, work: ID<Catalog.Work>, after: Int, upTo: Int, span: Span<Boards.TalkKey>

        static func decode(_ columns: inout Columns) throws -> Keyed<Boards.Shown, Boards.TalkKey> {
            let key = Boards.TalkKey(scope: try columns("scope"), id: try columns("id"))
            return Keyed(item: try Boards.Shown(&columns), key: key)
        }
    }
}

import Postgres

extension Boards.Statements {
    /// The columns that `posts` needs of its source, beside those of `threadOfPost`.
    static let postColumns: Fragment = """
        post.id, post.thread_id, post.number, post.author_id, post.parent_id, post.depth, post.path, post.quoted_id,
                       post.scope, post.also_work_id, post.also_scope, post.text_id, post.replies, post.reactions, post.version,
                       post.created_at, post.edited_at, post.deleted_at, post.hidden_at, post.answers_id
        """

    /// What `posts` needs of the thread: `level` is how far the viewer may be told of its book.
    static let threadOfPost: Fragment = "thread.kind, thread.work_id, thread.level"

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

    /// Names and counts of the reactions to a post that opens, and the names of the viewer's own; null where there are none.
    private static func reactionColumns<S: ForViewer>() -> SQL<S> {
        """
        case when text.id is not null and post.reactions > 0
                    then array(select tally.name from post_reaction_tally tally
                                where tally.post_id = post.id and tally.n > 0 order by tally.name) end,
               case when text.id is not null and post.reactions > 0
                    then array(select tally.n from post_reaction_tally tally
                                where tally.post_id = post.id and tally.n > 0 order by tally.name) end,
               case when text.id is not null and post.reactions > 0
                    then array(select mine.name from post_reaction mine
                                where mine.post_id = post.id and mine.reader_id = \(.viewer)) end
        """
    }

    /// What the viewer $1 is shown of the posts that `source` gives. Where a post does not open or is gone, whatever it says and who says
    /// it are null; inline spoilers are left out for whoever is not shown them. `isLooked`: the source is made with
    /// `bounded`.
    static func posts<S: ForViewer>(_ source: SQL<S>, isLooked: Bool = false, order: SQL<S> = "") -> SQL<S> {
        let sight = sight(of: "post", isLooked: isLooked)
        return """
            select post.id, post.number, post.parent_id, post.depth, \(postStands), opened.is_open,
                   \(Gate.told(isOpen: "opened.is_open")),
                   case when post.number = 1 then post.kind end, post.path, post.reactions, post.thread_id,
                   author.id, author.username, author.name, text.also_work_id, text.also_scope, text.quoted_id,
                   case when text.is_veiled then text.veiled_body else text.body end,
                   case when text.is_veiled then text.veiled_html else text.html end,
                   text.is_veiled, post.replies, post.version, post.created_at, post.edited_at,
                   \(reactionColumns()), author.is_muted, \(sight.isSeen), \(sight.isLast), post.answers_id
              from (\(source)) post
             cross join lateral (select post.thread_id as id, post.work_id, post.level) thread
             cross join lateral (
                   select \(sight.isSeen) and \(Gate.opens(viewer: .viewer, level: "thread.level")) as is_open limit 1) opened
              left join lateral (
                   select text.id, text.body, text.html, text.veiled_body, text.veiled_html,
                          text.veiled_body is not null
                          and not \(Gate.unveils(viewer: .viewer, level: "thread.level")) as is_veiled,
                          post.also_work_id, post.also_scope, post.quoted_id
                     from post_text text
                    where text.id = post.text_id
                      and \(postStands)
                      and opened.is_open
                    limit 1) text on true
              left join lateral (
                   select reader.id, reader.username,
                          \(Privacy.shown("reader.name", .name, viewer: .viewer, owner: "reader.id")) as name,
                          \(Friends.isMuted(viewer: .viewer, by: "reader.id")) as is_muted
                     from account reader
                    where reader.id = post.author_id
                      and text.id is not null
                    limit 1) author on true
            \(order)
            """
    }

    static func shownPost(_ row: borrowing Row) throws -> Boards.Shown {
        let id: ID<Boards.Post> = try row[0]
        let number: Int32 = try row[1]
        let depth: Int16 = try row[3]
        guard try row[4] else {
            return .tombstone(
                Boards.Tombstone(id: id, number: Int(number), parent: try row[2], depth: Int(depth)))
        }
        let scope: Gate.Scope = try row[6]
        let opens: Boards.Kind? = try row[7]
        guard try row[5] else {
            return .gated(
                Gate.Placeholder(
                    id: id.rawValue, kind: opens?.rawValue ?? Boards.Post.reply, position: Int(scope.position)))
        }
        let alsoBook: ID<Catalog.Work>? = try row[14]
        let (replies, version): (Int32, Int32) = (try row[20], try row[21])
        return .whole(
            Boards.Post(
                id: id, thread: try row[10], number: Int(number), parent: try row[2], answers: try row[30],
                depth: Int(depth), author: Accounts.Reader(id: try row[11], username: try row[12], name: try row[13]),
                opens: opens,
                scope: scope, also: try alsoBook.map { Boards.Also(book: $0, scope: try row[15]) },
                quoted: try row[16],
                text: Boards.Text(body: try row[17], html: try row[18], isVeiled: try row[19]),
                replies: Int(replies), reactions: try reactions(row),
                ownReactions: Set((try row[26] as [String]? ?? []).compactMap(Boards.Reaction.init(rawValue:))),
                version: Int(version), createdAt: try row[22], editedAt: try row[23],
                isMuted: try row[27]))
    }

    private static func reactions(_ row: borrowing Row) throws -> [Boards.Reaction: Int] {
        let names: [String] = try row[24] ?? []
        let counts: [Int32] = try row[25] ?? []
        return Dictionary(
            zip(names, counts).compactMap { name, count in
                Boards.Reaction(rawValue: name).map { ($0, Int(count)) }
            }, uniquingKeysWith: +)
    }
}

extension Boards.Statements {
    /// One post.
    struct OnePost: Statement, ForViewer {
        static let name = "boards.one_post"
        static let sql: SQL<Self> = posts(
            """
            select \(postColumns), \(threadOfPost)
              from post
             \(itsThread())
             where post.id = \(\.post)
               and (post.author_id = \(\.viewer) or thread.is_seen)
               and \(postIsSeen())
             limit 1
            """)
        let viewer: Viewer
        let post: ID<Boards.Post>

        static func decode(_ row: borrowing Row) throws -> Boards.Shown { try shownPost(row) }
    }

    /// Those of some posts that the viewer sees and that stand: at most a page of them, in no order.
    struct SomePosts: Statement, ForViewer {
        static let name = "boards.some_posts"
        static let sql: SQL<Self> = posts(
            """
            select \(postColumns), \(threadOfPost)
              from post
             \(itsThread())
             where post.id = any(\(\.ids))
               and \(postStands)
               and (post.author_id = \(\.viewer) or thread.is_seen)
               and \(postIsSeen())
             limit \(\.ids.count, "ids.count")
            """)
        let viewer: Viewer
        let ids: [ID<Boards.Post>]

        static func decode(_ row: borrowing Row) throws -> Boards.Placed<Boards.Shown, ID<Boards.Post>> {
            Boards.Placed(item: try shownPost(row), key: try row[0])
        }
    }

    /// The post that opens a thread.
    struct FirstPost: Statement, ForViewer {
        static let name = "boards.first_post"
        static let sql: SQL<Self> = posts(
            """
            select \(postColumns), \(threadOfPost)
              from post
             \(itsThread())
             where post.thread_id = \(\.thread)
               and post.number = 1
               and (post.author_id = \(\.viewer) or thread.is_seen)
               and \(postIsSeen())
             limit 1
            """)
        let viewer: Viewer
        let thread: ID<Boards.Thread>

        static func decode(_ row: borrowing Row) throws -> Boards.Shown { try shownPost(row) }
    }

    /// Posts of a thread that the viewer sees, in the order `Order`; served by that order's index, whatever the depth. The viewer's gate is
    /// asked for once.
    struct Posts<Order: Boards.PostOrder, Way: OldDirection>: Statement, ForViewer {
        static var name: String { "boards.posts_by_\(Order.name)_\(Way.name)" }
        static var sql: SQL<Self> {
            let keyset = Keyset<Self>(
                Order.columns, Order.parameters.map { $0.of(\Self.place) }, isAscending: Order.isAscending, Way.self)
            let source = postsLooked(
                at: "post.thread_id = thread.id", seen: postIsSeen(), keyset, limit: "\(\.limit)")
            return """
                with place as materialized (
                    select thread.id, thread.kind, thread.work_id,
                           \(Gate.level(viewer: .viewer, work: "thread.work_id")) as level
                      from thread
                     where thread.id = \(\.thread)
                       and \(threadIsSeen())
                )
                \(posts(source, isLooked: true, order: " order by \(keyset.order)"))
                """
        }
        let viewer: Viewer
        let thread: ID<Boards.Thread>
        let place: Boards.PostKey
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Boards.Sighted<Boards.Shown, Boards.PostKey> {
            try placed(row, Order.self)
        }
    }

    /// Those of the posts of `place` for which `condition` holds that are `seen`, as `bounded` says.
    private static func postsLooked<S: ForViewer>(
        at condition: SQL<S>, seen: SQL<S>, _ keyset: Keyset<S>, limit: SQL<S>
    ) -> SQL<S> {
        let rows: SQL<S> = bounded(
            """
            select \(postColumns), \(seen) as is_seen,
                   row_number() over (order by \(keyset.order)) as looked
              from post
             where \(condition)
               and \(keyset.condition)
             order by \(keyset.order)
            """, as: "post", "\(postColumns), post.is_seen, post.looked", order: keyset.order, limit: limit)
        return """
            select post.*, \(threadOfPost)
              from place thread
             cross join lateral (\(rows)) post
            """
    }

    fileprivate static func placed<Order: Boards.PostOrder>(
        _ row: borrowing Row, _: Order.Type
    ) throws -> Boards.Sighted<Boards.Shown, Boards.PostKey> {
        let (number, reactions): (Int32, Int32) = (try row[1], try row[9])
        let whole = Boards.PostKey(rank: Int(reactions), path: try row[8], number: Int(number))
        let isSeen: Bool = try row[28]
        return Boards.Sighted(item: isSeen ? try shownPost(row) : nil, key: Order.key(whole), isLast: try row[29])
    }

    /// Direct answers to a post, oldest first; served by the index `post_of_parent`.
    struct Replies<Way: OldDirection>: Statement, ForViewer {
        static var name: String { "boards.replies_\(Way.name)" }
        static var sql: SQL<Self> {
            let keyset = Keyset<Self>(
                ["post.number"], ["\(\.place.number, as: Int32.self)::integer"], isAscending: true, Way.self)
            let source = postsLooked(
                at: "post.parent_id = thread.post_id",
                seen: "(post.author_id = \(.viewer) or thread.is_seen) and \(postIsSeen())", keyset, limit: "\(\.limit)"
            )
            return """
                with place as materialized (
                    select post.id as post_id, \(threadOfPost), thread.is_seen
                      from post
                     \(itsThread())
                     where post.id = \(\.post)
                )
                \(posts(source, isLooked: true, order: " order by \(keyset.order)"))
                """
        }
        let viewer: Viewer
        let post: ID<Boards.Post>
        let place: Boards.PostKey
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Boards.Sighted<Boards.Shown, Boards.PostKey> {
            try placed(row, Boards.PostsOldest.self)
        }
    }

    /// What one reader wrote and still stands, newest first, as far as the viewer sees it; served by the index `post_of_author`. Whoever does
    /// not see what that reader says is told so before any of it is looked at.
    struct PostsOf<Way: OldDirection>: Statement, ForViewer {
        static var name: String { "boards.posts_of_\(Way.name)" }
        static var sql: SQL<Self> {
            let keyset = Keyset<Self>(["post.id"], ["\(\.place)"], isAscending: false, Way.self)
            return posts(
                """
                select \(postColumns), \(threadOfPost)
                  from post
                 \(itsThread())
                 where post.author_id = \(\.author)
                   and \(isSeen("\(\.author)"))
                   and \(keyset.condition)
                   and \(postStands)
                   and (post.author_id = \(\.viewer) or thread.is_seen)
                   and \(postIsSeen())
                 order by \(keyset.order)
                 limit \(\.limit)
                """, order: " order by \(keyset.order)")
        }
        let viewer: Viewer
        let author: ID<Accounts.Account>
        let place: ID<Boards.Post>
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Boards.Placed<Boards.Shown, ID<Boards.Post>> {
            Boards.Placed(item: try shownPost(row), key: try row[0])
        }
    }
}

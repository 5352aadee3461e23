import Postgres

// What the viewer is shown of their notifications, `notice`. Whether it is there for them stands in
// `Notifications+There+Statements.swift`.
extension Notifications.Statements {
    /// Notifications of the viewer on `condition`, with all that is shown of each; whether what they show is open is
    /// asked for as many as there are in the end.
    static func items<S: ForViewer>(_ condition: SQL<S>, joined: SQL<S> = "", order: SQL<S>, limit: SQL<S>) -> SQL<S> {
        """
        select notice.id, notice.kind, notice.at, notice.is_read, notice.is_seen, notice.n,
               \(Notifications.Item.actorColumns()),
               \(Notifications.Post.columns),
               \(Notifications.Thread.columns),
               \(Notifications.Review.columns),
               \(Notifications.ReviewReply.columns),
               \(Notifications.Group.columns),
               \(Catalog.Book.columns),
               \(Notifications.Act.columns),
               \(Notifications.Report.columns),
               notice.goal_year,
               \(body)
          from (select notice.id, notice.kind, notice.subject_id, notice.at, notice.read_at is not null as is_read,
                       notice.seen_at is not null as is_seen, told.n, told.actors,
                       \(shownPost) as post_id,
                       case when notice.kind in (\(Notifications.Kind.list(.reviewReply, .reviewReaction)))
                            then notice.subject_id end as review_id,
                       case when notice.kind in (\(Notifications.Kind.list(.reviewReply)))
                            then told.cause_id end as reply_id,
                       case when notice.kind in (\(Notifications.Kind.list(.groupInvitation, .groupRequest, .groupAdmission)))
                            then notice.subject_id end as group_id,
                       case when notice.kind in (\(Notifications.Kind.list(.goal))) then notice.subject_id end as goal_year
                  from notification notice
                 cross join lateral (\(named())) told
                \(joined)
                 where notice.reader_id = \(.viewer)
                   and \(condition)
                   and (told.n > 0 or \(isShownAlone()))
                 order by \(order)
                 limit \(limit)) notice
          left join lateral (\(post())) shown on notice.post_id is not null
          left join lateral (\(talk())) talk on notice.review_id is not null
          left join lateral (\(act())) acted on notice.kind in (\(Notifications.Kind.list(.act)))
          left join lateral (\(decidedReport())) decided on notice.kind in (\(Notifications.Kind.list(.decision)))
          left join reading_group met on met.id = coalesce(notice.group_id, shown.group_id)
          left join work on work.id = coalesce(shown.work_id, talk.work_id)
         order by \(order)
        """
    }

    /// Who is named: how many, the newest of them, and the newest thing that they did.
    private static func named<S: ForViewer>() -> SQL<S> {
        """
        select count(*) as n,
                       (array_agg(actor.actor_id order by actor.at desc, actor.cause_id desc, actor.actor_id desc))
                           [1:\(Limits.notifications.shownActors)] as actors,
                       (array_agg(actor.cause_id order by actor.at desc, actor.cause_id desc, actor.actor_id desc))
                           [1] as cause_id
                  from notification_actor actor
                 where actor.notification_id = notice.id
                   and \(actorIsShown())
        """
    }

    /// The post that `notice` shows.
    private static let shownPost: Fragment = """
        case when notice.kind in (\(Notifications.Kind.list(.nobody))) then notice.subject_id
                    when notice.kind in (\(Notifications.Kind.list(.post, .postReaction))) then told.cause_id end
        """

    /// The post that it shows, as far as the viewer's gate lets; whether it may be shown at all was asked before.
    private static func post<S: ForViewer>() -> SQL<S> {
        """
        select post.id, post.number, \(Gate.told()) as scope, post.text_id, post.thread_id, thread.kind, thread.work_id,
                      thread.group_id,
                      case when post.number = 1 then thread.kind end as opens,
                      \(Gate.opens(viewer: .viewer, level: "known.level")) as is_open,
                      opening.is_open as title_is_open, opening.scope as title_scope,
                      case when opening.is_open and opening.stands then thread.title end as title
                 from post
                 join thread on thread.id = post.thread_id
                cross join lateral (select \(Gate.level(viewer: .viewer, work: "thread.work_id")) as level limit 1) known
                cross join lateral (
                      select \(Gate.told()) as scope, \(Boards.Statements.postStands) as stands,
                             \(Gate.opens(viewer: .viewer, level: "known.level")) as is_open
                        from post
                       where post.thread_id = thread.id
                         and post.number = 1
                       limit 1) opening
                where post.id = notice.post_id
                limit 1
        """
    }

    /// The review that it shows, and the reply, in the same way: a reply keeps the mark that it was written under.
    private static func talk<S: ForViewer>() -> SQL<S> {
        """
        select stood.id, stood.work_id, said.id as reply_id, said.number, gate.is_open,
                      said.author_id = \(.viewer) or gate.is_open and not said.spoilers or gate.is_unveiled as reply_is_open,
                      case when said.id is not null then coalesce(said.veiled_body, said.body)
                           else (select coalesce(text.veiled_body, text.body)
                                   from review_text text where text.id = stood.text_id) end as body
                 from review stood
                 left join review_reply said on said.id = notice.reply_id
                cross join lateral (
                      select \(Gate.opensReview(viewer: .viewer)) as is_open,
                             \(Gate.unveilsReview(viewer: .viewer)) as is_unveiled
                        from (values (stood.id, stood.reader_id, stood.work_id, stood.spoilers))
                             review (id, reader_id, work_id, spoilers)
                       limit 1) gate
                where stood.id = case when notice.reply_id is null then notice.review_id
                                      else (select review_id from review_reply where id = notice.reply_id) end
                limit 1
        """
    }

    /// What moderators did to the viewer; of an act on many the first, and how many there are. Index
    /// `moderation_action_of_author`.
    private static func act<S: ForViewer>() -> SQL<S> {
        """
        select act.action, \(Moderation.Statements.target(of: "act.subject_kind", "act.subject_id")) as target,
                      (select count(*)
                         from moderation_action one
                        where one.author_id = \(.viewer)
                          and (one.id = notice.subject_id or one.act = notice.subject_id)) as n,
                      act.reason, act.expires_at, act.actor = 'system' as is_by_machine
                 from moderation_action act
                where act.author_id = \(.viewer)
                  and (act.id = notice.subject_id or act.act = notice.subject_id)
                order by act.id
                limit 1
        """
    }

    /// The beginning of what the post, the reply or the review says, where that is open.
    private static let body: Fragment = """
        case when shown.is_open
                    then (select left(coalesce(text.veiled_body, text.body), \(Limits.notifications.excerpt * 10))
                            from post_text text where text.id = shown.text_id)
                    when case when talk.reply_id is null then talk.is_open else talk.reply_is_open end
                    then left(talk.body, \(Limits.notifications.excerpt * 10)) end as body
        """
}

extension Notifications.Item: RowReadable {
    /// Reads a row of `Statements.items`.
    package init(_ columns: inout Columns) throws {
        id = try columns("id")
        kind = Notifications.Kind(rawValue: try columns("kind"))
        at = try columns("at")
        isRead = try columns("is_read")
        isSeen = try columns("is_seen")
        actorCount = try columns("n")
        actors = try Self.actors(&columns)
        post = try columns.part(through: "is_open", Notifications.Post.init)
        thread = try columns.part(through: "title", Notifications.Thread.init)
        review = try columns.part(through: "is_open", Notifications.Review.init)
        reply = try columns.part(through: "reply_is_open", Notifications.ReviewReply.init)
        group = try columns.part(through: "name", Notifications.Group.init)
        book = try columns.part(through: "author_names", Catalog.Book.init)
        act = try columns.part(through: "is_by_machine", Notifications.Act.init)
        report = try columns.part(through: "state", Notifications.Report.init)
        goal = try (columns("goal_year") as Int?).map(Notifications.Goal.init)
        let body: String? = try columns("body")
        excerpt = body.map(Notifications.excerpt)
    }

    fileprivate static func actorColumns<S: ForViewer>() -> SQL<S> {
        """
        notice.actors,
               array(select reader.username from unnest(notice.actors) with ordinality named (id, place)
                       join account reader on reader.id = named.id order by named.place) as usernames,
               array(select coalesce(\(Accounts.Reader.picture(of: "named.id", for: .viewer)), '')
                       from unnest(notice.actors) with ordinality named (id, place)
                       join account reader on reader.id = named.id order by named.place) as pictures,
               array(select coalesce(\(Privacy.shown("reader.name", .name, viewer: .viewer, owner: "reader.id")), '')
                       from unnest(notice.actors) with ordinality named (id, place)
                       join account reader on reader.id = named.id order by named.place) as names
        """
    }

    private static func actors(_ columns: inout Columns) throws -> [Accounts.Reader] {
        let ids: [ID<Accounts.Account>] = try columns("actors") ?? []
        let usernames: [String] = try columns("usernames")
        let (pictures, names): ([String], [String]) = (try columns("pictures"), try columns("names"))
        return zip(zip(ids, usernames), zip(pictures, names)).map { known, shown in
            Accounts.Reader(
                id: known.0, username: known.1, name: shown.1.isEmpty ? nil : shown.1,
                picture: Accounts.Picture(text: shown.0))
        }
    }
}

extension Notifications.Post {
    fileprivate static let columns: Fragment =
        "shown.id, shown.thread_id, shown.number, shown.opens, shown.scope, shown.is_open"

    fileprivate init(_ columns: inout Columns) throws {
        let (id, thread): (ID<Boards.Post>, ID<Boards.Thread>) = (try columns("id"), try columns("thread_id"))
        let (number, opens): (Int, String?) = (try columns("number"), try columns("opens"))
        let scope: Gate.Scope = try columns("scope")
        self =
            try columns("is_open")
            ? .whole(id, thread: thread, number: number)
            : .gated(Gate.Placeholder(id: id.rawValue, kind: opens ?? Boards.Post.reply, position: Int(scope.position)))
    }
}

extension Notifications.Thread {
    fileprivate static let columns: Fragment =
        "shown.thread_id, shown.kind, shown.title_scope, shown.title_is_open, shown.title"

    fileprivate init(_ columns: inout Columns) throws {
        let (id, kind): (ID<Boards.Thread>, String) = (try columns("thread_id"), try columns("kind"))
        let scope: Gate.Scope = try columns("title_scope")
        let (isOpen, title): (Bool, String?) = (try columns("title_is_open"), try columns("title"))
        self =
            isOpen
            ? .whole(id, title: title)
            : .gated(Gate.Placeholder(id: id.rawValue, kind: kind, position: Int(scope.position)))
    }
}

extension Notifications.Review: RowReadable {
    fileprivate static let columns: Fragment = "talk.id, talk.is_open"

    package init(_ columns: inout Columns) throws {
        let id: ID<Reviews.Review> = try columns("id")
        self =
            try columns("is_open")
            ? .whole(id) : .gated(Gate.Placeholder(id: id.rawValue, kind: Reviews.kind, position: Gate.end))
    }
}

extension Notifications.ReviewReply {
    fileprivate static let columns: Fragment =
        "talk.reply_id, talk.id as review_id, talk.number, talk.reply_is_open"

    fileprivate init(_ columns: inout Columns) throws {
        let (id, review): (ID<Reviews.Reply>, ID<Reviews.Review>) = (try columns("reply_id"), try columns("review_id"))
        let number: Int = try columns("number")
        self =
            try columns("reply_is_open")
            ? .whole(id, review: review, number: number)
            : .gated(Gate.Placeholder(id: id.rawValue, kind: Reviews.replyKind, position: Gate.end))
    }
}

extension Notifications.Group: RowReadable {
    fileprivate static let columns: Fragment = "met.id, met.name"

    package init(_ columns: inout Columns) throws {
        self.init(id: try columns("id"), name: try columns("name"))
    }
}

extension Notifications.Act {
    fileprivate static let columns: Fragment =
        "acted.action, acted.target, acted.n, acted.reason, acted.expires_at, acted.is_by_machine"

    fileprivate init(_ columns: inout Columns) throws {
        self.init(
            action: try columns("action"), target: try columns("target"), count: try columns("n"),
            reason: try columns("reason"), until: try columns("expires_at"), isByMachine: try columns("is_by_machine"))
    }
}

extension Notifications.Report {
    fileprivate static let columns: Fragment = "decided.id, decided.target, decided.state"

    fileprivate init(_ columns: inout Columns) throws {
        self.init(id: try columns("id"), target: try columns("target"), state: try columns("state"))
    }
}

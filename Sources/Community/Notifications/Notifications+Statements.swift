import Postgres

extension Notifications {
    /// Every statement of the domain; a test prepares each one.
    package static let statements: [any Statement.Type] =
        [
            Statements.List<Onward>.self, Statements.List<Back>.self, Statements.ToMail.self, Statements.Read.self,
            Statements.ReadThrough.self, Statements.ReadEvery.self, Statements.See.self, Statements.Remove.self,
            Statements.HasOne.self,
            Statements.SettingsOf.self, Statements.PutSetting.self,
        ] + tellStatements + gatherStatements + upkeepStatements
}

// What the viewer $1 is shown of their notifications, `notice`. Whether it is there for them stands in
// `Notifications+There+Statements.swift`.
extension Notifications.Statements {
    /// Who is named: how many, the newest of them, and the newest thing that they did.
    private static func named<S: ForViewer>() -> SQL<S> {
        """
        select count(*) as n,
                       (array_agg(actor.actor_id order by actor.at desc, actor.cause_id desc, actor.actor_id desc))
                           [1:\(Limits.Notifications.shownActors)] as actors,
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
                    when notice.kind in (\(Notifications.Kind.list(.post, .reaction))) then told.cause_id end
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

    /// The review that it shows, and the answer, in the same way: an answer keeps the mark that it was written under.
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

    /// Notifications of the viewer on `condition`, with all that is shown of each; whether what they show is open is
    /// asked for as many as there are in the end.
    private static func items<S: ForViewer>(
        _ condition: SQL<S>, joined: SQL<S> = "", order: SQL<S>, limit: SQL<S>
    ) -> SQL<S> {
        """
        select notice.id, notice.kind, notice.at, notice.is_read, notice.is_seen, notice.n,
               notice.actors,
               array(select reader.username from unnest(notice.actors) with ordinality named (id, place)
                       join account reader on reader.id = named.id order by named.place),
               array(select coalesce(\(Privacy.shown("reader.name", .name, viewer: .viewer, owner: "reader.id")), '')
                       from unnest(notice.actors) with ordinality named (id, place)
                       join account reader on reader.id = named.id order by named.place),
               shown.id, shown.number, shown.opens, shown.scope, shown.is_open,
               case when shown.is_open
                    then (select left(coalesce(text.veiled_body, text.body), \(Limits.Notifications.excerpt * 10))
                            from post_text text where text.id = shown.text_id)
                    when case when talk.reply_id is null then talk.is_open else talk.reply_is_open end
                    then left(talk.body, \(Limits.Notifications.excerpt * 10)) end,
               shown.thread_id, shown.kind, shown.title_is_open, shown.title, shown.title_scope,
               talk.id, talk.is_open, talk.reply_id, talk.number, talk.reply_is_open, met.id, met.name,
               \(Reviews.Statements.book)
          from (select notice.id, notice.kind, notice.at, notice.read_at is not null as is_read,
                       notice.seen_at is not null as is_seen, told.n, told.actors,
                       \(shownPost) as post_id,
                       case when notice.kind in (\(Notifications.Kind.list(.answer, .applause)))
                            then notice.subject_id end as review_id,
                       case when notice.kind in (\(Notifications.Kind.list(.answer)))
                            then told.cause_id end as reply_id,
                       case when notice.kind in (\(Notifications.Kind.list(.invitation, .application, .admission)))
                            then notice.subject_id end as group_id
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
          left join reading_group met on met.id = coalesce(notice.group_id, shown.group_id)
          left join work on work.id = coalesce(shown.work_id, talk.work_id)
         order by \(order)
        """
    }

    /// Where the book begins in a row.
    private static let bookColumn = 27

    private static func item(_ row: borrowing Row) throws -> Notifications.Item {
        let (ids, usernames): ([ID<Accounts.Account>], [String]) = (try row[6] ?? [], try row[7])
        let names: [String] = try row[8]
        let book: ID<Catalog.Work>? = try row[bookColumn]
        let (kind, count, body): (String, Int64, String?) = (try row[1], try row[5], try row[14])
        return Notifications.Item(
            id: try row[0], kind: Notifications.Kind(rawValue: kind),
            actors: zip(ids, zip(usernames, names)).map {
                Accounts.Reader(id: $0, username: $1.0, name: $1.1.isEmpty ? nil : $1.1)
            },
            actorCount: Int(count),
            book: book == nil ? nil : try Reviews.Statements.asBook(row, from: bookColumn),
            thread: try thread(row), post: try post(row), review: try review(row), reply: try reply(row),
            group: try group(row), excerpt: body.map(Notifications.excerpt), at: try row[2], isRead: try row[3],
            isSeen: try row[4])
    }

    private static func post(_ row: borrowing Row) throws -> Notifications.Post? {
        guard let id: ID<Boards.Post> = try row[9] else { return nil }
        let (number, opens): (Int32, String?) = (try row[10], try row[11])
        guard try row[13] else {
            let scope: Gate.Scope = try row[12]
            return .gated(
                Gate.Placeholder(
                    id: id.rawValue, kind: opens ?? Boards.Post.reply, position: Int(scope.position)))
        }
        return .whole(id, thread: try row[15], number: Int(number))
    }

    private static func thread(_ row: borrowing Row) throws -> Notifications.Thread? {
        guard let id: ID<Boards.Thread> = try row[15] else { return nil }
        guard try row[17] else {
            let (kind, scope): (String, Gate.Scope) = (try row[16], try row[19])
            return .gated(Gate.Placeholder(id: id.rawValue, kind: kind, position: Int(scope.position)))
        }
        return .whole(id, title: try row[18])
    }

    private static func review(_ row: borrowing Row) throws -> Notifications.Review? {
        guard let id: ID<Reviews.Review> = try row[20] else { return nil }
        guard try row[21] else {
            return .gated(Gate.Placeholder(id: id.rawValue, kind: Reviews.kind, position: Gate.end))
        }
        return .whole(id)
    }

    private static func reply(_ row: borrowing Row) throws -> Notifications.Answer? {
        guard let id: ID<Reviews.Reply> = try row[22] else { return nil }
        guard try row[24] else {
            return .gated(Gate.Placeholder(id: id.rawValue, kind: Reviews.replyKind, position: Gate.end))
        }
        let number: Int32 = try row[23]
        return .whole(id, review: try row[20], number: Int(number))
    }

    private static func group(_ row: borrowing Row) throws -> Notifications.Group? {
        guard let id: ID<Groups.Group> = try row[25] else { return nil }
        return Notifications.Group(id: id, name: try row[26])
    }

    /// A reader's notifications, newest first; index `notification_list`. What is left out is passed over in it: a
    /// reader has few.
    struct List<Way: OldDirection>: Statement, ForViewer {
        static var name: String { "notifications.list_\(Way.name)" }
        static var sql: SQL<Self> {
            let keyset = Keyset<Self>(
                ["notice.at", "notice.id"], ["\(\.key.time, "key.at")", "\(\.key.id)"], isAscending: false, Way.self)
            return items(
                """
                \(keyset.condition)
                   and (not \(\.filter.isUnread) or notice.read_at is null)
                   and (\(\.filter.kind)::text is null or notice.kind = \(\.filter.kind))
                """, order: keyset.order, limit: "\(\.limit)")
        }
        let viewer: ID<Accounts.Account>
        let key: Notifications.Key
        let limit: Int
        let filter: Notifications.Filter

        static func decode(_ row: borrowing Row) throws -> Notifications.Item { try item(row) }
    }
}

extension Notifications.Statements {
    /// What a mail is to tell a reader of, newest first, as far as its kind is known; index `notification_list`.
    struct ToMail: Statement, ForViewer {
        static let name = "notifications.to_mail"
        static let sql: SQL<Self> = items(
            """
            notice.mail_at is not null
                   and \(kindIsKnown)
                   and coalesce(setting.inbox and setting.mail, notice.kind in (\(Notifications.Kind.mailed)))
            """,
            joined: """
                left join notification_setting setting
                          on setting.reader_id = notice.reader_id and setting.kind = notice.kind
                """, order: "notice.at desc, notice.id desc", limit: "\(\.limit)")
        let viewer: ID<Accounts.Account>
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Notifications.Item { try item(row) }
    }
}

extension Notifications.Kind {
    /// All of them, for an SQL list.
    static var known: Fragment { "\(allCases)" }

    /// The kinds that are usually mailed, for an SQL list.
    static var mailed: Fragment { "\(allCases.filter(\.usual.mail))" }

    /// The kinds with such a deed, for an SQL list.
    static func list(_ deeds: Deed...) -> Fragment { "\(allCases.filter { deeds.contains($0.deed) })" }
}

import EventLog
import JSONWriting
import Jobs
import MarkdownReading
import Postgres

extension Boards {
    /// A post that stands, as who changes it sees it.
    struct Standing: Sendable {
        /// With its text as they see it.
        let post: Post
        /// Its author by the name that everybody is told.
        let told: Accounts.Reader
        let thread: Event.Thread
        let textID: ID<Text>
        /// All of its text, but for plain words and mentions.
        let text: Markdown.Text
        let isLocked: Bool
        let isOpen: Bool
        /// Who sees what its author says, members at most.
        let level: Visibility
        /// Its thread is out of sight for all others.
        let isOut: Bool
        /// Its author's.
        let role: Accounts.Role
        /// Who changes it may write there: in a group its members may.
        let isAdmitted: Bool

        var isFirst: Bool { post.number == 1 }

        /// Throws where `writer` may not make of it what is said: `.notFound` in a thread that is out of sight,
        /// `.forbidden` (`not_author`, `role_too_low`, `not_a_member`, `post_gated`, `thread_locked`, and
        /// `not_moderator` where the scope sinks), `.invalid` (`/title` of a reply, `/reason` where it must be given).
        func mayBecome(_ change: Change, scope: Gate.Scope, by writer: Accounts.Writer) throws(Failure) {
            let isOwn = post.author.id == writer.id
            guard isOwn || writer.isModerator && change.body == nil else { throw .notAuthor }
            guard !isOut else { throw .notFound("post \(post.id)") }
            guard isAdmitted || !isOwn else { throw .notMember }
            guard isOpen else { throw .gated(at: post.scope, also: post.also) }
            if !isOwn { try writer.actor.mayActOn(role) }
            guard !isLocked || writer.isModerator else { throw .locked }
            guard isFirst || change.title == nil else {
                throw .invalid("/title", .unknown, "only the post that opens a thread has a title")
            }
            guard scope >= post.scope || writer.isModerator else { throw .notModerator }
            if isModeration(scope: scope, by: writer) { try Moderation.check(reason: change.reason ?? "") }
        }

        /// What a moderator's decision about its scope is made on.
        var decided: Gate.Decided {
            Gate.Decided(id: post.id, thread: thread.id, author: post.author.id, text: textID, scope: post.scope)
        }

        /// Whether only moderators may do it, so that it is recorded.
        func isModeration(scope: Gate.Scope, by writer: Accounts.Writer) -> Bool {
            post.author.id != writer.id || scope < post.scope
        }
    }
}

extension Boards.Store {
    /// Makes of a post what `change` says: text and title by its author, title and scope by moderators, whose acts are
    /// recorded. Its author may raise the scope; what moderators make of it is decided as by `Gate.Store.setScope`.
    /// What is so already changes nothing.
    ///
    /// `identity`: of the request, whose access token may allow less than their role; `nil`: the role alone counts.
    ///
    /// One transaction: post, text, thread, counters, record, event. Throws `.invalid`; `.notFound` for a post that is
    /// not there for `editor`; `.forbidden` (`account_frozen`, `email_unverified`, `not_author`, `not_moderator`,
    /// `role_too_low`, `thread_locked`, `post_gated`, `not_a_member`); `.preconditionFailed`.
    package func edit(
        _ post: ID<Boards.Post>, _ change: Boards.Change, by editor: ID<Accounts.Account>,
        as identity: Accounts.Identity? = nil, ifVersion version: Precondition = .none
    ) async throws -> Boards.Post {
        try change.validate()
        let text: Markdown.Text? =
            if let body = change.body {
                try await Markdown.written(body, by: editor, in: services.database)
            } else {
                nil
            }
        return try await services.database.transaction { transaction in
            var (writer, standing) = try await lock(post, for: editor, in: transaction)
            writer = writer.limited(by: identity)
            try writer.mayPost(on: services)
            let scope = try await scope(change.scope, of: standing, by: editor, in: transaction)
            try standing.mayBecome(change, scope: scope, by: writer)
            try version.check(standing.post.version)
            let old = standing.post.scope
            if scope != old, standing.isModeration(scope: scope, by: writer) {
                try await Gate.Store(services).decide(
                    scope, on: standing.decided, by: writer.actor, reason: change.reason ?? "",
                    in: transaction)
                standing = try await lock(post, for: editor, in: transaction).1
            }
            let edit = Edit(
                standing, text: text, title: change.title, scope: scope, before: old, at: services.clock.now())
            guard edit.isChange else { return standing.post }
            if scope > standing.post.scope {
                try await Gate.Store(services).raiseAnswers(to: post, to: scope, in: transaction)
            }
            let reason = standing.isModeration(scope: scope, by: writer) ? change.reason ?? "" : nil
            try write(edit, over: standing, by: writer, recording: reason, in: transaction)
            return edit.post
        }
    }

    /// `reason`: of a moderator, whose act is recorded.
    private func write(
        _ edit: Edit, over old: Boards.Standing, by writer: Accounts.Writer, recording reason: String?,
        in transaction: Transaction
    ) throws {
        let id: ID<Boards.Text> = edit.isSaidAnew ? try services.ids.make() : old.textID
        let event = Boards.Event.edited(edit.thread, Boards.Event.Told(edit.post, by: old.told, edit.text, id))
        let record = try EventLog.Statements.Append(event: event.row(in: services))
        let act = try reason.map { try self.act(edit, on: old, by: writer, reason: $0) }
        if let act { try keep(edit, over: old, by: act.id, telling: writer.id != old.post.author.id, in: transaction) }
        let telling = try Jobs.Enqueue(Notifications.Tell.edited(edit.post.id, to: id, by: writer.id))
        try transaction.atCommit { batch in
            edit.write(as: id, over: old, in: &batch)
            if let act { batch.run(Moderation.Statements.Record(actions: [act])) }
            batch.run(record)
            if edit.isSaidAnew, !edit.text.mentions.isEmpty { batch.run(telling) }
        }
    }

    /// Who acts, then the thread of the post, then the post, all locked in one round trip. Throws `.notFound` for a
    /// post that is not there for them.
    func lock(
        _ post: ID<Boards.Post>, for account: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> (Accounts.Writer, Boards.Standing) {
        let (writer, standing) = try await hold(post, for: account, in: transaction)
        guard let standing else { throw Failure.notFound("post \(post)") }
        return (writer, standing)
    }

    /// The same; no post where it is not there for them.
    func hold(
        _ post: ID<Boards.Post>, for account: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> (Accounts.Writer, Boards.Standing?) {
        let (writers, _, _, found) = try await services.database.pipeline(
            Accounts.Statements.LockWriter(account: account),
            Groups.Statements.HoldMemberAt(thread: nil, post: post, reader: account),
            Boards.Statements.LockThreadOf(post: post),
            Boards.Statements.StandingPost(viewer: account, post: post))
        guard let writer = writers.first else { throw Failure.unauthenticated() }
        return (writer, found.first)
    }

    private func scope(
        _ said: Boards.SaidScope?, of standing: Boards.Standing, by editor: ID<Accounts.Account>,
        in transaction: Transaction
    ) async throws -> Gate.Scope {
        guard let said else { return standing.post.scope }
        return try await scope(said, by: editor, in: standing.thread.book, in: transaction)
    }

    /// A title that a moderator changed stands in what the act keeps, not in its record, which is for good.
    private func keep(
        _ edit: Edit, over old: Boards.Standing, by act: ID<Moderation.Action>, telling isTold: Bool,
        in transaction: Transaction
    ) throws {
        let author = old.post.author.id
        if edit.isTitled {
            let said = try JSON.object {
                $0.put("title", old.thread.title)
                $0.put("new_title", edit.thread.title)
            }
            try Moderation.Store(services).keep(said, of: author, in: .post(old.post.id), by: act, in: transaction)
        }
        if isTold { try Moderation.Store(services).tell(author, of: act.rawValue, in: transaction) }
    }

    /// Another title.
    private func act(
        _ edit: Edit, on standing: Boards.Standing, by writer: Accounts.Writer, reason: String
    ) throws -> Moderation.NewAction {
        var act = try Moderation.NewAction(
            id: services.ids.make(), at: services.clock.now(), by: writer.actor, "post.edit",
            on: Boards.Post.facts.name, standing.post.id.rawValue, reason: reason,
            after: edit.isTitled ? ["title": "changed"] : [:])
        act.author = standing.post.author.id
        return act
    }
}

/// A post as it was and as it will be.
private struct Edit: Sendable {
    let post: Boards.Post
    /// With the title where the post opens it.
    let thread: Boards.Event.Thread
    let text: Markdown.Text
    /// Text or title are others than before.
    let isSaidAnew: Bool
    let isTitled: Bool
    /// Its author says that it gives away more.
    let isMoved: Bool
    /// What the text that holds until now has stood under.
    let before: Gate.Scope
    let at: Timestamp

    var isChange: Bool { isSaidAnew || isMoved }

    init(
        _ old: Boards.Standing, text new: Markdown.Text?, title: String?, scope: Gate.Scope, before: Gate.Scope,
        at now: Timestamp
    ) {
        self.before = before
        at = now
        let hasText = new.map { $0.body != old.text.body } ?? false
        text = hasText ? new ?? old.text : old.text
        isTitled = title.map { $0 != old.thread.title } ?? false
        isSaidAnew = hasText || isTitled
        isMoved = scope != old.post.scope
        var thread = old.thread
        thread.title = old.isFirst ? title ?? old.thread.title : nil
        self.thread = thread
        var post = old.post
        post.scope = scope
        if hasText { post.text = Boards.Text(body: text.body, html: text.html, isVeiled: false) }
        if isSaidAnew { post.editedAt = now }
        if isSaidAnew || isMoved { post.version += 1 }
        self.post = post
    }

    /// `id`: of the text that holds from now on.
    func write(as id: ID<Boards.Text>, over old: Boards.Standing, in batch: inout Batch) {
        if isTitled, let title = thread.title {
            batch.run(Boards.Statements.Retitle(thread: thread.id, title: title))
        }
        if isSaidAnew {
            Texts.Revision(id: id, thing: post.id, title: thread.title, text: text, at: at)
                .replace(under: before, in: &batch)
            // The old text comes without its plain words.
            let plain = Markdown.render(text.body).plain
            batch.run(
                Boards.Statements.SetWords(
                    post: post.id, thread: thread.id, text: id,
                    words: WordVector.text(title: thread.title, plain: plain)))
        }
        batch.run(Boards.Statements.ChangePost(post: post, text: id))
        guard isMoved else { return }
        let changes: [(scope: Gate.Scope, by: Int32)] = [(old.post.scope, -1), (post.scope, 1)]
        for change in changes.sorted(by: { $0.scope < $1.scope }) {
            batch.run(Boards.Statements.CountScope(thread: thread.id, scope: change.scope, by: change.by))
        }
    }
}

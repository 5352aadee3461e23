import Postgres

extension Groups {
    enum Statements {}
}

// Who sees what in SQL. It is text and not SQL functions for the reason that `Visibility.predicate` is. The arguments
// are SQL expressions written by us (a column or a parameter), never input.
extension Groups {
    /// SQL: whether moderators let `viewer` see the group in scope as `group`: one that they hide is there for its
    /// owners alone.
    static func isShown<S>(_ group: Fragment, to viewer: SQL<S>) -> SQL<S> {
        """
        (\(group).hidden_at is null
                or exists (select 1 from group_member leader
                            where leader.group_id = \(group).id and leader.reader_id = \(viewer) and leader.role = 'owner'))
        """
    }

    /// SQL: whether what stands in the thread that is in scope as `thread` is there for `viewer`, as far as its group
    /// says: it has none, or a public one, or one that the viewer is in. Never null; nobody sees what stands in a
    /// closed group.
    ///
    /// Every read, count, search, notification and push of a thread or a post has it in its `where`, beside
    /// `Gate.opens`.
    package static func opens<S>(viewer: SQL<S>) -> SQL<S> {
        """
        (thread.group_id is null
                or exists (select 1 from reading_group opened
                            where opened.id = thread.group_id
                              and opened.closed_at is null
                              and \(isShown("opened", to: viewer))
                              and (opened.visibility = 'public'
                                   or exists (select 1 from group_member inside
                                               where inside.group_id = opened.id and inside.reader_id = \(viewer)))))
        """
    }

    /// SQL: whether `viewer` may write in the thread in scope as `thread`, as far as its group says. Never null.
    static func admits<S>(viewer: SQL<S>) -> SQL<S> {
        """
        (thread.group_id is null
                or exists (select 1 from group_member inside
                            where inside.group_id = thread.group_id and inside.reader_id = \(viewer)))
        """
    }
}

extension Groups.Statements {
    /// SQL: whether the viewer is in the `reading_group` in scope.
    private static func isInside<S: ForViewer>() -> SQL<S> {
        """
        exists (select 1 from group_member inside
                          where inside.group_id = reading_group.id and inside.reader_id = \(.viewer))
        """
    }

    /// SQL: whether the viewer is invited into it.
    private static func isInvited<S: ForViewer>() -> SQL<S> {
        """
        exists (select 1 from group_invitation invited
                          where invited.group_id = reading_group.id and invited.reader_id = \(.viewer)
                            and invited.ended_at is null)
        """
    }

    /// SQL: whether there is a page of it for the viewer.
    static func isSeen<S: ForViewer>() -> SQL<S> {
        """
        (reading_group.closed_at is null
                and \(Groups.isShown("reading_group", to: .viewer))
                and (reading_group.visibility = 'public' and \(.viewer)::bigint >= 0 or \(isInside()) or \(isInvited())))
        """
    }

    /// SQL: whether the viewer sees who is in it and follows what happens there: all of a public one, members of a
    /// private one.
    static func isOpen<S: ForViewer>() -> SQL<S> {
        """
        (reading_group.closed_at is null
                and \(Groups.isShown("reading_group", to: .viewer))
                and (reading_group.visibility = 'public' and \(.viewer)::bigint >= 0 or \(isInside())))
        """
    }

    /// The columns that `Groups.Group` is read from, for the viewer; `reading_group` in scope, and `work` from
    /// `book`.
    static func columns<S: ForViewer>() -> SQL<S> {
        """
        reading_group.id, reading_group.name, reading_group.about, reading_group.html, reading_group.joining,
               reading_group.visibility, reading_group.members, \(Catalog.Book.columns),
               reading_group.version, reading_group.created_at, reading_group.active_at,
               (select mine.role from group_member mine where mine.group_id = reading_group.id and mine.reader_id = \(.viewer)) as role,
               reading_group.hidden_at is not null as is_hidden, \(isInvited()) as is_invited,
               exists (select 1 from group_request asked
                        where asked.group_id = reading_group.id and asked.reader_id = \(.viewer)) as has_requested
        """
    }

    /// The book that it reads, or what that was merged into.
    static let book: Fragment = """
        left join work named on named.id = reading_group.work_id
          left join work on work.id = coalesce(named.merged_into, named.id)
        """

    /// One group; no row where there is none for the viewer.
    struct One: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(columns())
              from reading_group
              \(book)
             where reading_group.id = \(\.group)
               and \(isSeen())
            """
        let viewer: Viewer, group: ID<Groups.Group>
        typealias Output = Groups.Group
    }

    /// Groups that a reader is in and that the viewer sees, the newest group first; index `group_member_of_reader`.
    /// Whom the viewer may not see is in none.
    struct OfReader: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("member.group_id", "\(\.span.place)", direction)
            return """
                select \(columns())
                  from group_member member
                  join reading_group on reading_group.id = member.group_id
                  \(book)
                 where member.reader_id = \(\.reader)
                   and \(keyset.condition)
                   and \(isOpen())
                   and \(Visibility.predicate(viewer: .viewer, owner: "member.reader_id", level: "2"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, reader: ID<Accounts.Account>, span: Span<ID<Groups.Group>>
        typealias Output = Groups.Group
    }

    /// What a reader is invited into, the newest group first; index `group_invitation_waiting`.
    struct Invitations: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("invitation.group_id", "\(\.span.place)", direction)
            return """
                select \(columns()), \(Accounts.Reader.columns(of: "inviter")), invitation.at
                  from group_invitation invitation
                  join reading_group on reading_group.id = invitation.group_id
                   and reading_group.closed_at is null and reading_group.hidden_at is null
                  join account inviter on inviter.id = invitation.inviter_id
                  \(book)
                 where invitation.reader_id = \(\.viewer)
                   and invitation.ended_at is null
                   and \(keyset.condition)
                   and \(Visibility.predicate(viewer: .viewer, owner: "invitation.inviter_id", level: "2"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, span: Span<ID<Groups.Group>>

        static func decode(_ columns: inout Columns) throws -> Groups.Invitation {
            Groups.Invitation(
                group: try Groups.Group(&columns), inviter: try Accounts.Reader(&columns), invitedAt: try columns("at"))
        }
    }
}

extension Groups.Group: RowReadable {
    /// Reads the columns of `Groups.Statements.columns`.
    package init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), name: try columns("name"), about: try columns("about"), html: try columns("html"),
            joining: try columns("joining"), visibility: try columns("visibility"), members: try columns("members"),
            book: try columns.part(through: "author_names", Catalog.Book.init), version: try columns("version"),
            createdAt: try columns("created_at"), activeAt: try columns("active_at"), role: try columns("role"),
            isHidden: try columns("is_hidden"), isInvited: try columns("is_invited"),
            hasRequested: try columns("has_requested"))
    }
}

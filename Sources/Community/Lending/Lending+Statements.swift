import Postgres

extension Lending {
    enum Statements {}
}

extension Lending.Statements {
    /// The level of `library` for the viewer: to its members and the invited it is as open as can be.
    private static func level<S: ForViewer>() -> SQL<S> {
        """
        case when exists (select 1 from library_member belonging
                           where belonging.library_id = library.id and belonging.reader_id = \(.viewer)) then 3
             else coalesce(library.visibility,
                           coalesce((select privacy.library from privacy where privacy.reader_id = library.reader_id), 1)) end
        """
    }

    /// The condition under which the viewer sees `library`, which must be in scope: see `Lending`.
    static func seen<S: ForViewer>() -> SQL<S> {
        """
        (library.kind = 'server' and (\(.viewer)::bigint > 0 or \(.viewer) = 0 and library.visibility = 3)
                or exists (select 1 from library_member keeper
                            where keeper.library_id = library.id
                              and keeper.role = 'owner'
                              and keeper.joined_at is not null
                              and \(Visibility.predicate(viewer: .viewer, owner: "keeper.reader_id", level: level())))
                   and (exists (select 1 from library_member own
                                 where own.library_id = library.id
                                   and own.reader_id = \(.viewer)
                                   and own.role = 'owner'
                                   and own.joined_at is not null)
                        or not exists (select 1 from library_member keeper
                                         join block on block.blocker_id = keeper.reader_id and block.blocked_id = \(.viewer)
                                                    or block.blocker_id = \(.viewer) and block.blocked_id = keeper.reader_id
                                        where keeper.library_id = library.id
                                          and keeper.role = 'owner'
                                          and keeper.joined_at is not null)))
        """
    }

    /// What the viewer is in `library`; `mine`, their row of `library_member`, must be in scope.
    static func role<S: ForViewer>() -> SQL<S> {
        """
        case when library.kind <> 'server' then mine.role
                    when exists (select 1 from account self where self.id = \(.viewer) and self.role <> 'member') then 'owner'
                    when \(.viewer)::bigint > 0 then 'reader' end
        """
    }

    /// As it is called; `person`, the account of an own library's reader, must be in scope.
    static let called: Fragment = "coalesce(library.name, person.username)"

    /// The columns that a library is read from; those of `libraryJoins` must be in scope.
    private static func libraryColumns<S: ForViewer>() -> SQL<S> {
        """
        library.kind, library.members, library.id, \(Accounts.Reader.columns(of: "person")), \(called) as called,
               library.description, library.visibility, library.loan_days, library.copies, library.version,
               library.created_at, library.changed_at, \(role()) as role,
               mine.library_id is not null and mine.joined_at is null as is_invited
        """
    }

    static func libraryJoins<S: ForViewer>() -> SQL<S> {
        """
        library
          left join account person on person.id = library.reader_id
          left join library_member mine on mine.library_id = library.id and mine.reader_id = \(.viewer)
        """
    }

    /// Of a group: the first owner stands in another statement.
    struct InsertLibrary: Statement {
        static let sql: SQL<Self> = """
            insert into library (id, kind, name, description, visibility, loan_days, members, created_at, changed_at)
            values (\(\.id), 'group', \(\.new.name), \(\.new.description), \(\.new.visibility), \(\.new.loanDays, as: Int16.self), 1, \(\.at), \(\.at))
            """
        let id: ID<Lending.SharedLibrary>, new: Lending.NewLibrary, at: Timestamp
    }

    /// A reader's own library, without due dates.
    struct InsertOwn: Statement {
        static let sql: SQL<Self> = """
            insert into library (id, kind, reader_id, members, created_at, changed_at)
            values (\(\.reader), 'own', \(\.reader), 1, \(\.at), \(\.at))
            """
        let reader: ID<Accounts.Account>, at: Timestamp
    }

    /// The first owner, who made it.
    struct Found: Statement {
        static let sql: SQL<Self> = """
            insert into library_member (library_id, reader_id, role, invited_at, joined_at)
            values (\(\.library), \(\.reader), 'owner', \(\.at), \(\.at))
            """
        let library: ID<Lending.SharedLibrary>, reader: ID<Accounts.Account>, at: Timestamp
    }

    /// One library, where the viewer may see it.
    struct OneLibrary: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(libraryColumns())
              from \(libraryJoins())
             where library.id = \(\.library)
               and (\(\.isShared)::boolean or \(seen()))
            """
        let viewer: Viewer, library: ID<Lending.SharedLibrary>
        /// Asked for by a link, whose rule stands in `LinkOf`.
        var isShared = false
        typealias Output = Lending.SharedLibrary
    }

    /// Its own columns, locked against every other change of it, its members or their number.
    struct LockLibrary: Statement {
        static let sql: SQL<Self> = """
            select kind, name, description, visibility, loan_days, members, copies
              from library
             where id = \(\.library)
               for no key update
            """
        let library: ID<Lending.SharedLibrary>

        struct Output: Sendable {
            let kind: Lending.Kind
            let said: Lending.NewLibrary
            let members: Int
            let copies: Int
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(
                kind: try columns("kind"),
                said: Lending.NewLibrary(
                    name: try columns("name"), description: try columns("description"),
                    visibility: try columns("visibility"), loanDays: try columns("loan_days")),
                members: try columns("members"), copies: try columns("copies"))
        }
    }

    /// The libraries that a reader belongs to or is invited to, the server's first, then in the order in which they
    /// were made. Index `library_member_of_reader`; at most `Limits.lending.libraries` rows are looked at.
    struct Mine: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("library.id", "\(\.span.place)", isAscending: true, direction)
            return """
                select \(libraryColumns())
                  from \(libraryJoins())
                 where library.id in (select library_id from library_member where reader_id = \(\.viewer) union all select 1::bigint)
                   and \(keyset.condition)
                   and \(seen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, span: Span<ID<Lending.SharedLibrary>>
        typealias Output = Lending.SharedLibrary
    }

    /// The libraries that a reader owns and the viewer may see.
    struct OfReader: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("library.id", "\(\.span.place)", isAscending: true, direction)
            return """
                select \(libraryColumns())
                  from \(libraryJoins())
                 where library.id in (select library_id
                                        from library_member
                                       where reader_id = \(\.reader)
                                         and role = 'owner'
                                         and joined_at is not null)
                   and \(keyset.condition)
                   and \(seen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, reader: ID<Accounts.Account>, span: Span<ID<Lending.SharedLibrary>>
        typealias Output = Lending.SharedLibrary
    }

    struct UpdateLibrary: Statement {
        static let sql: SQL<Self> = """
            update library
               set name = \(\.new.name),
                   description = \(\.new.description),
                   visibility = \(\.new.visibility),
                   loan_days = \(\.new.loanDays, as: Int16.self),
                   version = version + 1,
                   changed_at = \(\.at)
             where id = \(\.library)
            """
        let library: ID<Lending.SharedLibrary>, new: Lending.NewLibrary, at: Timestamp
    }

    /// Whether somebody has a copy of it.
    struct CopiesOut: Statement {
        static let sql: SQL<Self> = """
            select exists (select 1 from checkout where library_id = \(\.library) and returned_at is null and copy_id is not null)
            """
        let library: ID<Lending.SharedLibrary>
        typealias Output = Bool
    }

    /// What is out of libraries that end has come back, as far as anybody is concerned.
    struct CloseCheckouts: Statement {
        static let sql: SQL<Self> =
            "update checkout set returned_at = \(\.at) where library_id = any(\(\.libraries)) and returned_at is null"
        let libraries: [ID<Lending.SharedLibrary>], at: Timestamp
    }

    /// Loans of copies of libraries that end.
    struct CloseLoans: Statement {
        static let sql: SQL<Self> = """
            update loan
               set state = case when loan.state = 'out' then 'returned' else 'withdrawn' end,
                   changed_at = \(\.at)
              from copy
             where copy.library_id = any(\(\.libraries))
               and loan.copy_id = copy.id
               and loan.state in ('asked', 'agreed', 'out')
            """
        let libraries: [ID<Lending.SharedLibrary>], at: Timestamp
    }

    /// Its members, copies and link go with it.
    struct DeleteLibrary: Statement {
        static let sql: SQL<Self> = "delete from library where id = any(\(\.libraries))"
        let libraries: [ID<Lending.SharedLibrary>]
    }
}

extension Lending.SharedLibrary: RowReadable {
    /// Reads the columns of `libraryColumns`.
    package init(_ columns: inout Columns) throws {
        let (kind, members): (Lending.Kind, Int) = (try columns("kind"), try columns("members"))
        self.init(
            id: try columns("id"), kind: kind, reader: try columns.part(through: "shown", Accounts.Reader.init),
            name: try columns("called"), description: try columns("description"), visibility: try columns("visibility"),
            loanDays: try columns("loan_days"), members: kind == .server ? nil : members, copies: try columns("copies"),
            version: try columns("version"), createdAt: try columns("created_at"), changedAt: try columns("changed_at"),
            role: try columns("role"), isInvited: try columns("is_invited"))
    }
}

import JSONWriting
import Postgres

// A moderator for one book's board does there what moderators of the server do, to members and librarians.
extension Boards {
    /// Who moderates the board of a book.
    package struct BookModerators: Sendable, JSONForm {
        package let moderators: [Moderates]

        package struct Moderates: Sendable, JSONForm {
            package let reader: Accounts.Reader
            package let since: Timestamp

            package func put(into object: JSONObject) {
                object.put("reader", reader)
                object.put("appointed_at", since)
            }
        }

        package func put(into object: JSONObject) { object.put("moderators", moderators) }
    }
}

extension Boards.Store {
    /// Those who moderate the board of a book, as far as the viewer may know them, the first ones first. Throws `.notFound`.
    package func moderators(
        of work: ID<Catalog.Work>, for viewer: Viewer
    ) async throws -> Boards.BookModerators {
        guard let book = try await Thing(work).seen(by: viewer, in: services.database) else {
            throw Thing(work).missing
        }
        return Boards.BookModerators(
            moderators: try await services.database.all(
                Boards.Statements.BookModerators(work: ID(rawValue: book.thing.id), viewer: viewer)))
    }

    /// Has a reader moderate the board of a book, or no longer; recorded; nothing where it is so already. Throws `.notFound`, `.forbidden`
    /// (`role_too_low`) for a reader of the same role or a higher one, `.conflict` (`too_many_moderators`), `.invalid` (`/reason`).
    package func setModerator(
        _ username: String, of work: ID<Catalog.Work>, to isModerator: Bool, by actor: Moderation.Actor, reason: String
    ) async throws {
        try Moderation.check(reason: reason)
        try await services.database.transaction { transaction in
            let named = Accounts.Statements.FindByName(folded: Accounts.Username.fold(username))
            guard let standing = try await transaction.first(named), standing.state != .deleted else {
                throw Failure.notFound("reader \(username)")
            }
            try actor.mayActOn(standing.role)
            guard let book = try await transaction.first(Catalog.HoldBook(work: work)) else {
                throw Thing(work).missing
            }
            let reader = standing.account
            let asked = Boards.Statements.Moderates(work: book, reader: reader)
            guard try await transaction.one(asked) != isModerator else { return }
            let changed: Int
            if isModerator {
                try await transaction.run(Boards.Statements.HoldModerators(work: book))
                let bound = Limits.boards.moderators
                guard try await transaction.one(Boards.Statements.CountModerators(work: book)) < bound else {
                    throw Failure.conflict(code: .tooManyModerators, "at most \(bound) readers moderate one board")
                }
                changed = try await transaction.run(
                    Boards.Statements.AddModerator(work: book, reader: reader, at: services.clock.now()))
            } else {
                changed = try await transaction.run(Boards.Statements.DropModerator(work: book, reader: reader))
            }
            guard changed == 1 else { return }
            try await moderation.record(
                isModerator ? "account.appoint" : "account.dismiss", on: .account(reader), by: actor, reason: reason,
                before: ["moderates": isModerator ? "" : book.text], after: ["moderates": isModerator ? book.text : ""],
                in: transaction)
        }
    }
}

extension Boards.Statements {
    struct BookModerators: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(Accounts.Reader.columns(of: "reader")),
                   moderates.since
              from board_moderator moderates
              join account reader on reader.id = moderates.reader_id
             where moderates.work_id = \(\.work)
               and \(Visibility.predicate(viewer: .viewer, owner: "reader.id", level: "\(Visibility.public.rawValue)"))
             order by moderates.since, reader.id
             limit \(Limits.boards.moderators)
            """
        let work: ID<Catalog.Work>, viewer: Viewer

        static func decode(_ columns: inout Columns) throws -> Boards.BookModerators.Moderates {
            Boards.BookModerators.Moderates(reader: try Accounts.Reader(&columns), since: try columns("since"))
        }
    }

    struct Moderates: Statement {
        static let sql: SQL<Self> =
            "select exists (select 1 from board_moderator where work_id = \(\.work) and reader_id = \(\.reader))"
        let work: ID<Catalog.Work>, reader: ID<Accounts.Account>
        typealias Output = Bool
    }

    /// Those who make readers moderate one board take turns.
    struct HoldModerators: Statement {
        static let sql: SQL<Self> =
            "select pg_advisory_xact_lock(hashtextextended('boards.moderators', \(\.work)))"
        let work: ID<Catalog.Work>
    }

    struct CountModerators: Statement {
        static let sql: SQL<Self> = "select count(*) from board_moderator where work_id = \(\.work)"
        let work: ID<Catalog.Work>
        typealias Output = Int
    }

    struct AddModerator: Statement {
        static let sql: SQL<Self> = """
            insert into board_moderator (work_id, reader_id, since) values (\(\.work), \(\.reader), \(\.at)) on conflict do nothing
            """
        let work: ID<Catalog.Work>, reader: ID<Accounts.Account>, at: Timestamp
    }

    struct DropModerator: Statement {
        static let sql: SQL<Self> =
            "delete from board_moderator where work_id = \(\.work) and reader_id = \(\.reader)"
        let work: ID<Catalog.Work>, reader: ID<Accounts.Account>
    }

    struct DropModerations: Statement {
        static let sql: SQL<Self> = "delete from board_moderator where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }

    /// The book on whose board a thread or a post stands, where the reader moderates that; held until that is done.
    struct HoldModeratorAt: Statement {
        static let sql: SQL<Self> = """
            select moderates.work_id
              from board_moderator moderates
             where moderates.reader_id = \(\.reader)
               and moderates.work_id = (select thread.work_id
                                          from thread
                                         where thread.id = coalesce(\(\.thread), (select post.thread_id from post where post.id = \(\.post)))
                                           and thread.group_id is null)
               for key share
            """
        let thread: ID<Boards.Thread>?, post: ID<Boards.Post>?, reader: ID<Accounts.Account>
        typealias Output = ID<Catalog.Work>
    }
}

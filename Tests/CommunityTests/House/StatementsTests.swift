import EventLog
import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct StatementsTests {
    @Test func `every statement is understood by the migrated database, and reads the columns that it says it gives`()
        async throws
    {
        try await withWorld { world in
            for statement in statements {
                do {
                    let check = try await StatementCheck(statement, in: world.database, words: words)
                    for fault in check.faults { Issue.record("\(statement.name): \(fault)") }
                    // A made-up value that `decode` refuses hides the columns behind it.
                    if let why = check.stopped { Issue.record("\(statement.name) reads no further: \(why)") }
                } catch {
                    Issue.record("\(statement.name): \((error as? PostgresError)?.message ?? "\(error)")")
                }
            }
        }
    }

    @Test
    func
        `a column that is not there, surplus, renamed, swapped or of another type is found, and so is a parameter that nothing is bound as`()
        async throws
    {
        try await withWorld { world in
            let wrong: [any Statement.Type] = [
                WrongColumn.self, WrongElement.self, MissingColumn.self, SurplusColumn.self, RenamedColumn.self,
                SwappedColumns.self, WrongParameter.self, ShortSkip.self, ForgottenWhereFalse.self,
            ]
            for statement in wrong {
                let check = try await StatementCheck(statement, in: world.database)
                #expect(check.faults.count == 1, "\(statement.name): \(check.faults)")
            }
            let right = try await StatementCheck(Right.self, in: world.database)
            #expect(right.faults.isEmpty && right.stopped == nil)
        }
    }

    @Test func `statements have names of their own, of the right form`() {
        let names = statements.flatMap { $0.prepared.map(\.name) }
        let shared = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
        #expect(shared == [])
        for name in names {
            #expect(name.utf8.count <= 60)
            #expect(name.wholeMatch(of: /[a-z0-9_]+\.[a-z0-9_]+/) != nil, "\(name)")
        }
    }

    private let statements = StatementTypes.of("Community") + StatementTypes.of("Jobs") + StatementTypes.of("EventLog")
    /// A case of each enumeration that columns hold by name.
    private let words = [
        Catalog.Role.director.rawValue,
        Accounts.Role.member.rawValue, Accounts.Relation.none.rawValue, Accounts.State.active.rawValue,
        Notebook.ItemKind.text.rawValue, Friends.Request.State.pending.rawValue, Activity.Kind.allCases[0].rawValue,
        Sources.Name.google.rawValue,
        Catalog.Thing.Kind.book.rawValue, Catalog.Revision.Action.edit.rawValue,
        Catalog.Proposal.State.open.rawValue, Catalog.Browse.Scope.Kind.genre.rawValue,
        Library.Status.want.rawValue, Library.Reading.Outcome.open.rawValue, PartialDate.Unit.day.rawValue,
        Media.Kind.profile.rawValue, Praise.Kind.favourite.rawValue, Lending.Kind.own.rawValue,
        Lending.Role.reader.rawValue, Lending.Loan.State.asked.rawValue, Leaving.Export.State.ready.rawValue,
        Boards.Kind.discussion.rawValue, Boards.Watching.followed.rawValue,
        Notifications.Kind.postReply.rawValue, Groups.Openness.public.rawValue,
        Groups.Joining.request.rawValue, Groups.Role.moderator.rawValue, Operations.State.done.rawValue,
        Moderation.Category.spam.rawValue, Moderation.Outcome.open.rawValue, Moderation.ReaderState.waiting.rawValue,
        Ebooks.Direction.leftToRight.rawValue, Ebooks.Writing.horizontal.rawValue, Ebooks.Audience.members.rawValue,
        Ebooks.Rights.granted.rawValue, Ebooks.Access.lent.rawValue, Ebooks.Opening.Reason.position.rawValue,
    ]
}

private struct Right: Statement {
    static let name = "test.right"
    static let sql: SQL<Self> =
        "select id, username, created_at, array[role] as roles from account where id = any(\(\.ids))"
    let ids: [Int64]
    static func decode(_ columns: inout Columns) throws -> (Int64, String, Timestamp, [String]) {
        (try columns("id"), try columns("username"), try columns("created_at"), try columns("roles"))
    }
}

private struct WrongColumn: Statement {
    static let name = "test.wrong_column"
    static let sql: SQL<Self> = "select sum(id) from account"
    typealias Output = Int
}

private struct WrongElement: Statement {
    static let name = "test.wrong_element"
    static let sql: SQL<Self> = "select array_agg(username) from account"
    typealias Output = [Int]
}

private struct MissingColumn: Statement {
    static let name = "test.missing_column"
    static let sql: SQL<Self> = "select id from account"
    static func decode(_ columns: inout Columns) throws -> (Int64, String) {
        (try columns("id"), try columns("username"))
    }
}

private struct SurplusColumn: Statement {
    static let name = "test.surplus_column"
    static let sql: SQL<Self> = "select id, username, name from account"
    static func decode(_ columns: inout Columns) throws -> (Int64, String) {
        (try columns("id"), try columns("username"))
    }
}

private struct RenamedColumn: Statement {
    static let name = "test.renamed_column"
    static let sql: SQL<Self> = "select id, username as nickname from account"
    static func decode(_ columns: inout Columns) throws -> (Int64, String) {
        (try columns("id"), try columns("username"))
    }
}

private struct SwappedColumns: Statement {
    static let name = "test.swapped_columns"
    static let sql: SQL<Self> = "select username, email from account"
    static func decode(_ columns: inout Columns) throws -> (String, String) {
        (try columns("email"), try columns("username"))
    }
}

/// Where it is false, one of two columns of the same name stays.
private struct ShortSkip: Statement {
    static let name = "test.short_skip"
    static let sql: SQL<Self> = "select id > 0 as is_real, username, email as username, email from account"
    static func decode(_ columns: inout Columns) throws -> [String] {
        if try columns("is_real") {
            return [try columns("username"), try columns("username"), try columns("email")]
        }
        try columns.skip(through: "username")
        return [try columns("email")]
    }
}

private struct ForgottenWhereFalse: Statement {
    static let name = "test.forgotten_where_false"
    static let sql: SQL<Self> = "select id > 0 as is_real, username from account"
    static func decode(_ columns: inout Columns) throws -> String? {
        try columns("is_real") ? try columns("username") : nil
    }
}

private struct WrongParameter: Statement {
    static let name = "test.wrong_parameter"
    static let sql: SQL<Self> = "select now() + \(\.by)"
    typealias Output = Timestamp
    let by: Int
}

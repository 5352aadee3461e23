import Postgres
import TestSupport
import Testing

@testable import Community

extension World {
    /// What `commonplace check` would say about boards.
    func boardMiscounts() async throws -> [String] {
        try await database.differences(of: Boards.self)
    }

    /// Everything that writing on boards leaves, in order: for what must leave nothing.
    func boardRows() async throws -> [[String?]] {
        var rows: [[String?]] = []
        for table in [
            "thread", "post", "post_text", "post_search", "post_reaction", "board_scope", "thread_reader",
            "reader_tally",
        ] {
            rows += try await asSuperuser("select '\(table)', kept::text from \(table) kept order by 2")
        }
        return rows + (try await asSuperuser("select 'event', kind from outbox order by position"))
    }

    /// The only row of one number.
    func figure(_ sql: String) async throws -> Int {
        let rows = try await asSuperuser(sql)
        return rows.first?.first.flatMap { $0.flatMap { Int($0) } } ?? -1
    }
}

extension Given {
    /// Books of one series, in its order.
    func series(of count: Int) async throws -> [ID<Catalog.Work>] {
        var works: [ID<Catalog.Work>] = []
        for _ in 0..<count { works.append(try await book()) }
        let rows = works.enumerated().map { "(\($1), 1, \(works[0]), \($0 + 1))" }.joined(separator: ", ")
        try await world.asSuperuser(
            """
            insert into series (id, name, folded, author_folded) values (\(works[0]), 'Series', 'series \(works[0])', '');
            insert into work_series (work_id, place, series_id, ordinal) values \(rows)
            """)
        return works
    }

    /// The reader is in the book, in an edition whose chapters begin there.
    func chapters(_ positions: [Int], of book: ID<Catalog.Work>, for reader: ID<Accounts.Account>) async throws {
        try await shelved(book, .reading, by: reader)
        let rows = positions.enumerated().map { "(\($0 + 1), \($1))" }.joined(separator: ", ")
        try await world.asSuperuser(
            """
            update shelf_entry set edition_id = (select min(id) from edition where work_id = \(book))
             where reader_id = \(reader) and work_id = \(book);
            insert into edition_chapter (edition_id, number, position)
            select (select min(id) from edition where work_id = \(book)), number, position from (values \(rows)) said (number, position)
            """)
    }
}

/// What a call is refused with, in a word; `nil` where it is not.
func refusal(_ body: () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch Failure.forbidden(let code, _) {
        return code.rawValue
    } catch Failure.notFound(let what) {
        return "no " + (what.split(separator: " ").first.map(String.init) ?? "")
    } catch Failure.invalid(let faults) {
        return faults.map { "\($0.pointer) \($0.code)" }.joined(separator: ", ")
    } catch Failure.limited(let policy, _) {
        return policy
    } catch Failure.conflict(code: .duplicatePost, _) {
        return "duplicate_post"
    } catch Failure.preconditionFailed {
        return "precondition"
    } catch {
        return "\(error)"
    }
}

import Postgres
import TestSupport
import Testing

@testable import Community

/// Every test watches what its transactions lock (`LockWatch`). Here stands that it sees what it should.
@Suite struct LockOrderTests {
    @Test(arguments: [
        ("select from account where id = 1 for update", ["account"]),
        ("select from account reader join work on true for share of reader", ["account"]),
        ("select from account reader, work book for update of book, reader", ["work", "account"]),
        (
            "with held as (select id from thread for key share) select from held join post on true for no key update of post",
            ["thread", "post"]
        ),
        ("select from job for update skip locked", []),
        ("select substring('x' for 2), 'for update' from account", []),
    ])
    func `the tables that a statement locks are read from its text`(sql: String, tables: [String]) {
        #expect(Locks.tables(of: sql) == tables)
    }

    @Test func `a transaction that locks against the order is told, unless the order says why`() {
        func faults(_ tables: String...) -> [String] {
            let watch = LockWatch()
            watch.look(at: tables.map { SentStatement(name: "lock_\($0)", sql: "select from \($0) for update") })
            return watch.faults
        }
        #expect(faults("account", "thread", "reader_tally") == [])
        #expect(faults("thread", "account") == ["lock_account locks account after lock_thread locked thread"])
        #expect(faults("thread", "post", "thread") == [])
        #expect(faults("poem", "account") == [])
        for exception in LockOrder.exceptions { #expect(faults(exception.first, exception.then) == []) }
    }

    @Test func `every table that some statement locks has one place in the order`() {
        let locked = StatementTypes.of("Community").flatMap { $0.prepared }.flatMap { Locks.tables(of: $0.text) }
        let catalogue: Set = ["source_record", "edition_isbn", "subject", "series"]
        #expect(Set(locked).subtracting(LockOrder.tables).subtracting(catalogue) == [])
        #expect(Set(LockOrder.tables).count == LockOrder.tables.count)
        #expect(LockWatch.turns == Catalog.LockImports.name)
    }
}

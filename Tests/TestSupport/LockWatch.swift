import Community
import Postgres
import Synchronization

/// Sees in which order the transactions of one world lock.
package final class LockWatch: Sendable {
    @TaskLocal package static var isOff = false
    /// By this statement changes of the catalogue take turns (`Catalog.LockImports`).
    package static let turns = "catalog.lock_imports"

    private let found = Mutex<Set<String>>([])

    package init() {}

    /// What was locked against `LockOrder`, each once.
    package var faults: [String] { found.withLock { $0.sorted() } }

    package func look(at sent: [SentStatement]) {
        if Self.isOff || sent.contains(where: { $0.name == Self.turns }) { return }
        var held: [(place: Int, table: String, statement: String)] = []
        for statement in sent {
            for table in Locks.tables(of: statement.sql) where !held.contains(where: { $0.table == table }) {
                // `LockOrderTests` finds tables that the order forgets.
                guard let place = LockOrder.tables.firstIndex(of: table) else { continue }
                for other in held where other.place > place {
                    let isExpected = LockOrder.exceptions.contains { $0.first == other.table && $0.then == table }
                    if !isExpected {
                        note("\(statement.name) locks \(table) after \(other.statement) locked \(other.table)")
                    }
                }
                held.append((place, table, statement.name))
            }
        }
    }

    private func note(_ fault: String) { found.withLock { _ = $0.insert(fault) } }
}

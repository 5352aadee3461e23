import Foundation
import Postgres
import Synchronization
extension Locks {
    private static let lines = Mutex<Set<String>>([])
    static func note(_ sent: [SentStatement]) {
        var seen: [(String, String)] = []
        for one in sent { for table in tables(of: one.sql) where !seen.contains(where: { $0.0 == table }) { seen.append((table, one.name)) } }
        guard seen.count > 1 else { return }
        let line = seen.map { $0.0 + "@" + $0.1 }.joined(separator: " ")
        lines.withLock { lines in
            if lines.insert(line).inserted {
                let file = fopen("/tmp/w/locks.txt", "a")!
                fputs(line + "\n", file)
                fclose(file)
            }
        }
    }
}

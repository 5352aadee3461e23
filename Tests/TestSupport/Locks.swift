import Community
import Postgres
import Synchronization

/// Which tables' rows a statement locks, read from its text.
package enum Locks {
    /// Those of `for update`, `for share` and their like, in the order of the text.
    package static func tables(of sql: String) -> [String] {
        known.withLock { known in
            if let tables = known[sql] { return tables }
            let tables = read(sql)
            known[sql] = tables
            return tables
        }
    }

    private static let known = Mutex<[String: [String]]>([:])

    private static func read(_ sql: String) -> [String] {
        var reader = Reader(words: sql.matches(of: /'[^']*'|[A-Za-z_][A-Za-z_0-9]*|[(),;]/).map { String($0.output) })
        return reader.tables()
    }

    private struct Reader {
        /// One level of brackets.
        struct Scope {
            /// Names of tables by what the level calls them, in order.
            var tables: [(alias: String, table: String)] = []
            var isFrom = false
        }
        let words: [String]
        var scopes = [Scope()]
        var found: [String] = []
        /// What `with` names.
        var ctes: Set<String> = []

        private func word(_ place: Int) -> String { words.indices.contains(place) ? words[place] : "" }

        mutating func tables() -> [String] {
            for place in words.indices where word(place) == "as" && word(place + 1) == "(" {
                ctes.insert(word(place - 1))
            }
            for place in words.indices {
                switch word(place) {
                case "(": scopes.append(Scope())
                case ")": if scopes.count > 1 { scopes.removeLast() }
                case "from" where word(place - 1) != "distinct": name(at: place + 1)
                case "join": name(at: place + 1)
                case "," where scopes[scopes.count - 1].isFrom: name(at: place + 1)
                case "select", "where", "group", "order", "set", "values", "returning", "limit":
                    scopes[scopes.count - 1].isFrom = false
                case "for": lockClause(after: place)
                default: break
                }
            }
            return found
        }

        private mutating func name(at place: Int) {
            let table = word(place)
            guard table.first?.isLetter == true, !ctes.contains(table) else { return }
            let next = word(place + 1) == "as" ? word(place + 2) : word(place + 1)
            scopes[scopes.count - 1].tables += [(next, table), (table, table)]
            scopes[scopes.count - 1].isFrom = true
        }

        private mutating func lock(_ table: String) {
            if !ctes.contains(table), found.last != table { found.append(table) }
        }

        private mutating func lockClause(after place: Int) {
            var end = place + 1
            while ["no", "key"].contains(word(end)) { end += 1 }
            guard ["update", "share"].contains(word(end)) else { return }
            // Who skips what is locked waits for nobody.
            guard word(end + 1) != "skip" else { return }
            let scope = scopes[scopes.count - 1].tables
            guard word(end + 1) == "of" else {
                for (alias, table) in scope where alias == table { lock(table) }
                return
            }
            var named = end + 2
            while true {
                let alias = word(named)
                lock(scope.last { $0.alias == alias }?.table ?? alias)
                guard word(named + 1) == "," else { return }
                named += 2
            }
        }
    }
}

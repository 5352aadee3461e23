import Community
import EventLog
import Foundation
import Postgres
import Synchronization
import Web

/// The statements that the sources declare: no list names them, so none can be forgotten.
///
/// A declaration is found by its indentation, which the formatter guarantees, and turned into the name under which the
/// runtime knows the type.
package enum StatementTypes {
    /// Those of a target, but for private ones.
    package static func of(_ target: String) -> [any Statement.Type] {
        once(target) {
            let found = known.withLock { $0.types(of: target) }
            guard target == "Community" else { return found }
            // Those of generic types are named where they are made.
            let recounts = (Community.domains as [any Recounting.Type] + [EventLog.self, Idempotency.self])
                .map { $0.recountStatement }
            return found + recounts + Community.domains.flatMap(shared)
        }
    }

    /// What requests, jobs and merges of a domain run: all but recounts, which read whole tables by intent.
    package static func of(_ domain: any Domain.Type) -> [any Statement.Type] {
        once(String(reflecting: domain)) {
            of("Community").filter { String(reflecting: $0).hasPrefix(String(reflecting: domain) + ".") }
                + shared(by: domain)
        }
    }

    /// What is found by one name, sought once: many tests ask, and each search takes seconds.
    private static func once(_ name: String, _ find: () -> [any Statement.Type]) -> [any Statement.Type] {
        if let known = found.withLock({ $0[name] }) { return known }
        let types = find()
        found.withLock { $0[name] = types }
        return types
    }

    private static let found = Mutex<[String: [any Statement.Type]]>([:])

    /// Those of a generic type that is made for each domain, or for each kind of its things.
    private static func shared(by domain: any Domain.Type) -> [any Statement.Type] {
        [domain.exceptionsStatement].compactMap(\.self) + domain.things.map { $0.sightStatement }
            + domain.things.compactMap { $0.testimonyStatement } + domain.things.flatMap { $0.contextStatements }
            + domain.mergeStatements
            + known.withLock { $0.types(in: "Community", for: domain.things) }
    }

    private static let known = Mutex(Known())

    private struct Known {
        private var types: [String: [any Statement.Type]] = [:]
        private var declared: [String: Declared] = [:]
        /// Of generic types, by the thing that they are made for.
        private var made: [String: [any Statement.Type]] = [:]

        private mutating func declared(in target: String) -> Declared {
            let found = declared[target] ?? Declared(in: target)
            declared[target] = found
            return found
        }

        /// Those of a generic type, as they are made for some kinds of things: for all that it can be made for.
        mutating func types(in target: String, for things: [any ThingKind.Type]) -> [any Statement.Type] {
            let declared = declared(in: target)
            return things.compactMap { _mangledTypeName($0) }.flatMap { thing -> [any Statement.Type] in
                if let known = made[thing] { return known }
                let types = declared.paths.compactMap { path in
                    // No argument for the types around it.
                    let arguments = String(repeating: "_", count: path.count - 1) + thing
                    return _typeByName(declared.mangled(path, in: target) + "y\(arguments)G") as? any Statement.Type
                }
                made[thing] = types
                return types
            }
        }

        mutating func types(of target: String) -> [any Statement.Type] {
            if let types = types[target] { return types }
            let declared = declared(in: target)
            let found = declared.paths.compactMap { path in
                _typeByName(declared.mangled(path, in: target)) as? any Statement.Type
            }
            types[target] = found
            return found
        }
    }

    private struct Declared {
        /// The letter of each type's kind, by its names from the outermost on.
        private var kinds: [[Substring]: Character] = [:]
        private(set) var paths: [[Substring]] = []

        init(in target: String) {
            let folder = URL(filePath: #filePath).appending(path: "../../../Sources/\(target)").standardized
            for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
                ?? .init()
            where file.pathExtension == "swift" {
                guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
                read(text)
            }
            paths = kinds.keys.sorted { $0.lexicographicallyPrecedes($1) }
        }

        private mutating func read(_ text: String) {
            var within: [(indentation: Int, path: [Substring])] = []
            for line in text.split(separator: "\n") {
                guard
                    let match = line.firstMatch(
                        of:
                            /^( *)(?:package |fileprivate |final )*(extension|enum|struct|class|actor) ([A-Za-z_.]+)[ :<{]/
                    )
                else { continue }
                let indentation = match.1.count
                within.removeAll { $0.indentation >= indentation }
                let path = (within.last?.path ?? []) + match.3.split(separator: ".")
                within.append((indentation, path))
                switch match.2 {
                case "enum": kinds[path] = "O"
                case "struct": kinds[path] = "V"
                case "class", "actor": kinds[path] = "C"
                default: break
                }
            }
        }

        func mangled(_ path: [Substring], in target: String) -> String {
            path.indices.reduce("\(target.utf8.count)\(target)") { name, place in
                name + "\(path[place].utf8.count)\(path[place])\(kinds[Array(path[...place])] ?? "O")"
            }
        }
    }
}

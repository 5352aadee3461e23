/// How people and programs name a thing: `post:7112`, `review:9`, `list:4`, `reader:ann`, `picture:ann`.
package enum Reference: Hashable, Sendable {
    case thing(Thing)
    /// A reader by the username, folded.
    case reader(String)
    /// What a reader has one of, by the word for its kind and the username, folded.
    case one(String, of: String)

    /// Bytes of one.
    package static let length = 3...64
    /// Readers, and what each has one of, go by their names, all else by identifiers.
    private static let reader = "reader"

    /// Reads one. Throws `.invalid` at `pointer` (`bad_format`, or `unknown` with the kinds that there are).
    package static func read(_ text: String, of kinds: [any ThingKind.Type], at pointer: String) throws -> Reference {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard length.contains(text.utf8.count), parts.count == 2 else {
            throw Failure.invalid(pointer, .badFormat, "must be a kind, a colon and which one, as in post:7112")
        }
        let name = Accounts.Username.fold(parts[1].hasPrefix("@") ? String(parts[1].dropFirst()) : parts[1])
        if parts[0] == reader { return .reader(name) }
        var known: [String: any ThingKind.Type] = [:]
        for kind in kinds where kind != Accounts.Account.self { known[kind.facts.name] = kind }
        guard let kind = known[parts[0]] else {
            let names = (known.keys + [reader]).sorted().joined(separator: ", ")
            throw Failure.invalid(pointer, .unknown, "must be of a kind: \(names)")
        }
        if kind.facts.isByReader { return .one(kind.facts.name, of: name) }
        guard let id = ID<Never>(text: parts[1]) else {
            throw Failure.invalid(pointer, .badFormat, "is no identifier behind the colon")
        }
        return .thing(Thing(kind, id.rawValue))
    }
}

import Community
import Web

/// What the address of a page says behind its `?`: each parameter's first value, without those that are empty.
struct Asked: Sendable {
    let pairs: [(name: String, value: String)]

    static let nothing = Asked(pairs: [])

    private init(pairs: [(name: String, value: String)]) { self.pairs = pairs }

    /// Throws `.invalid` for what is no query.
    init(_ context: SiteContext) throws(Failure) {
        let query = try context.query()
        var seen: Set<String> = []
        pairs = query.names.compactMap { name in
            guard let value = query[name], !value.isEmpty, seen.insert(name).inserted else { return nil }
            return (name, value)
        }
    }

    subscript(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// What turning a page keeps: all but the cursor, with `&` behind each.
    var kept: String {
        pairs.filter { $0.name != "cursor" }.map { Query.encode($0.name) + "=" + Query.encode($0.value) + "&" }.joined()
    }
}

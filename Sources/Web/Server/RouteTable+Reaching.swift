import HTTPTypes

extension RouteTable {
    /// The route that takes `method` at `target`, a path with or without query.
    package func route(_ method: HTTPRequest.Method, _ target: String) -> Route? {
        reached(target.prefix { $0 != "?" }.split(separator: "/")).first { $0.method == method }
    }

    /// The routes at a path, as the router decides: at each part a word comes before a parameter. Where that leads to
    /// the middle of a longer path there are none, whatever parameters might have led to.
    func reached(_ parts: [Substring]) -> [Route] {
        let ways = routes.map { (route: $0, path: $0.path.split(separator: "/")) }.filter { way in
            way.path.count >= parts.count && zip(way.path, parts).allSatisfy { $0.takes($1) }
        }
        func shape(_ path: [Substring]) -> [Bool] { path.prefix(parts.count).map(\.isParameter) }
        let first = ways.map { shape($0.path) }.min { $0.lexicographicallyPrecedes($1) { !$0 && $1 } }
        return ways.filter { $0.path.count == parts.count && shape($0.path) == first }.map(\.route)
    }
}

extension Substring {
    fileprivate var isParameter: Bool { contains("{") }

    /// Whether this part of a route's path takes `part` of an address: `@{username}` takes what begins with `@`.
    fileprivate func takes(_ part: Substring) -> Bool {
        guard let open = firstIndex(of: "{") else { return self == part }
        return part.hasPrefix(self[..<open])
    }
}

import FoundationEssentials

/// Where a server is.
struct ServerAddress: Hashable, Sendable {
    let host: String
    let port: Int
    let isSecure: Bool
    /// What stands before `/api/v1`: empty, or `/` and more without a slash at the end.
    let path: String

    init(_ text: String) throws(ClientError) {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty else {
            throw .badAddress("\(text) is not a URL")
        }
        switch parts.scheme {
        case "http", "ws": isSecure = false
        case "https", "wss": isSecure = true
        default: throw .badAddress("\(text) begins with neither http:// nor https://")
        }
        guard parts.query == nil, parts.fragment == nil, parts.user == nil else {
            throw .badAddress("\(text) holds more than scheme, host, port and path")
        }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = parts.port ?? (isSecure ? 443 : 80)
        guard (1...65_535).contains(port) else { throw .badAddress("\(text) has no such port") }
        self.path =
            parts.percentEncodedPath.hasSuffix("/")
            ? String(parts.percentEncodedPath.dropLast()) : parts.percentEncodedPath
    }

    /// As the header `Host` has it.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}

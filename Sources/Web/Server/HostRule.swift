/// Which `Host` a request may name, so that a page of another name that resolves to this server (DNS rebinding) reads nothing and no
/// link is ever made from a stranger's header.
///
/// With `PUBLIC_URL` set: its host and port, and loopback names for probes on the machine itself. Without: loopback names only.
package struct HostRule: Sendable {
    /// `host` or `host:port`, lower case, of `PUBLIC_URL`.
    private let publicAuthority: String?

    package init(publicURL: String?) {
        publicAuthority = publicURL.flatMap(WebOrigin.init)?.authority
    }

    /// `authority` is the value of `Host`.
    package func allows(_ authority: String) -> Bool {
        let authority = authority.lowercased()
        if authority == publicAuthority { return true }
        guard let host = Self.split(authority)?.host else { return false }
        return Self.isLoopback(host: host)
    }

    /// True for `localhost`, names below it, 127.0.0.0/8 and ::1, with or without brackets.
    package static func isLoopback(host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The host of `http://host:port/path`; IPv6 without brackets.
    package static func host(ofURL url: String) -> String? {
        WebOrigin(url).flatMap { split($0.authority)?.host }
    }

    /// True for what browsers send as `Origin`: `https://app.example.org`, with a port where it is not the scheme's own.
    package static func isOrigin(_ text: String) -> Bool {
        guard let origin = WebOrigin(text) else { return false }
        return text.lowercased() == origin.text
    }

    /// `url` without a slash at the end, scheme and host in lower case; `nil` unless it is http or https with a host and without user,
    /// query and fragment.
    package static func normalised(url: String) -> String? {
        guard let origin = WebOrigin(url), !url.contains(where: { "?#@\\ \"<>".contains($0) }),
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let mark = url.firstRange(of: "://")
        else { return nil }
        let path = url[mark.upperBound...].drop { $0 != "/" }
        let trimmed = path.reversed().drop { $0 == "/" }.reversed()
        return origin.scheme + "://" + origin.authority + String(trimmed)
    }

    /// Host and port of `host[:port]`; `nil` where it has another form.
    fileprivate static func split(_ authority: String) -> (host: String, port: Int?)? {
        var host = authority[...]
        var port: Int?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            if !rest.isEmpty {
                guard rest.first == ":", let number = Self.port(rest.dropFirst()) else { return nil }
                port = number
            }
            guard host.utf8.allSatisfy({ (48...58).contains($0) || (97...102).contains($0 | 32) || $0 == 46 }) else {
                return nil
            }
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            guard let number = Self.port(authority[authority.index(after: colon)...]) else { return nil }
            port = number
        }
        let allowed = host.utf8.allSatisfy { byte in
            (48...58).contains(byte) || (97...122).contains(byte | 32) || byte == 45 || byte == 46 || byte == 95
        }
        return host.isEmpty || !allowed ? nil : (String(host), port)
    }

    /// 0 to 65535 in digits and nothing else.
    private static func port(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(text) else { return nil }
        return Int(number)
    }
}

/// Scheme and authority of an http or https address, lower case, without the scheme's own port: what browsers call its origin.
struct WebOrigin: Hashable, Sendable {
    let scheme: String
    /// `host` or `host:port`.
    let authority: String

    /// As browsers write it: `https://app.example.org`.
    var text: String { scheme + "://" + authority }

    /// `nil` for anything but `http(s)://host[:port]` with whatever path behind it.
    init?(_ url: String) {
        guard let mark = url.firstRange(of: "://") else { return nil }
        let scheme = url[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let authority = url[mark.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }.lowercased()
        guard let (_, port) = HostRule.split(authority) else { return nil }
        self.scheme = scheme
        let isOwnPort = port == (scheme == "http" ? 80 : 443)
        self.authority =
            isOwnPort ? String(authority[..<(authority.lastIndex(of: ":") ?? authority.endIndex)]) : authority
    }
}

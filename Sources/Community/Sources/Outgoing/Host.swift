extension Sources {
    /// A server that may be asked: scheme, name and port.
    package struct Host: Hashable, Sendable {
        let isSecure: Bool
        /// Lower case; an IPv6 address without brackets.
        let name: String
        let port: Int

        init(isSecure: Bool, name: String, port: Int) {
            self.isSecure = isSecure
            self.name = name
            self.port = port
        }

        /// Reads `http://127.0.0.1:8081`: a server on this machine, by its address, without a path. `nil` for anything
        /// else.
        package init?(loopback text: String) {
            guard let (host, path) = Self.split(text), path.isEmpty || path == "/", host.isLoopback else { return nil }
            self = host
        }

        /// On this machine, by its address.
        var isLoopback: Bool { name == "::1" || InternetAddress(name).map { $0.isLoopback } ?? false }

        var text: String {
            let shown = name.contains(":") ? "[\(name)]" : name
            return (isSecure ? "https://" : "http://") + shown + (port == (isSecure ? 443 : 80) ? "" : ":\(port)")
        }

        /// Host and the rest, from an address with a scheme. No user, no fragment, nothing but visible ASCII.
        static func split(_ text: some StringProtocol) -> (Host, path: String)? {
            guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
            let isSecure = text.lowercased().hasPrefix("https://")
            guard isSecure || text.lowercased().hasPrefix("http://") else { return nil }
            let rest = text.dropFirst(isSecure ? 8 : 7)
            let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            let path = rest.dropFirst(authority.count)
            guard !authority.contains("@"), !authority.contains("\\"), !path.contains("#") else { return nil }
            var name = authority.lowercased()[...]
            var port = isSecure ? 443 : 80
            if name.hasPrefix("[") {
                guard let end = name.firstIndex(of: "]") else { return nil }
                let tail = name[name.index(after: end)...]
                if !tail.isEmpty {
                    guard tail.first == ":", let number = Int(tail.dropFirst()), (1...65_535).contains(number) else {
                        return nil
                    }
                    port = number
                }
                name = name[..<end].dropFirst()
            } else if let colon = name.firstIndex(of: ":") {
                guard let number = Int(name[name.index(after: colon)...]), (1...65_535).contains(number) else {
                    return nil
                }
                port = number
                name = name[..<colon]
            }
            guard !name.isEmpty else { return nil }
            return (Host(isSecure: isSecure, name: String(name), port: port), String(path))
        }
    }

    /// What is asked of a host: a path that this program made.
    struct Target: Hashable, Sendable {
        let host: Host
        /// Path and query, percent-encoded, with a slash at its beginning.
        let path: String

        init(host: Host, path: String) {
            self.host = host
            self.path = path
        }

        init(_ host: Host, _ segments: [String], query: KeyValuePairs<String, String> = [:]) {
            let path = segments.map { "/" + Self.encoded($0) }.joined()
            let pairs = query.map { Self.encoded($0.key) + "=" + Self.encoded($0.value) }
            self.init(host: host, path: path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")))
        }

        var text: String { host.text + path }

        /// Where a `Location` leads; `nil` for one that is no address.
        func following(_ location: String) -> Target? {
            if location.hasPrefix("/"), !location.hasPrefix("//") {
                guard location.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
                return Target(host: host, path: String(location.prefix { $0 != "#" }))
            }
            guard let (host, path) = Host.split(location.prefix { $0 != "#" }) else { return nil }
            return Target(host: host, path: path.hasPrefix("/") ? path : "/" + path)
        }

        /// Everything but letters, digits and `-._~` as `%XX`.
        static func encoded(_ text: String) -> String {
            var result: [UInt8] = []
            let digits = Array("0123456789ABCDEF".utf8)
            for byte in text.utf8 {
                switch byte {
                case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "~"):
                    result.append(byte)
                default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
                }
            }
            return String(decoding: result, as: UTF8.self)
        }
    }
}

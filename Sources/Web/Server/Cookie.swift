/// A cookie that scripts cannot read and other sites do not send.
package struct Cookie: Sendable {
    let name: String
    let isSecure: Bool
    /// Bytes of a value, at most: nobody's token is longer.
    private static let length = 200

    package init(name: String, isSecure: Bool) { (self.name, self.isSecure) = (name, isSecure) }

    /// `headers`: the values of `Cookie`.
    package func value(in headers: [String]) -> String? {
        for header in headers {
            for pair in header.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0] == name, (1...Self.length).contains(parts[1].utf8.count) else {
                    continue
                }
                return String(parts[1])
            }
        }
        return nil
    }

    /// What sets it for so many seconds; 0 takes it away.
    package func setting(_ value: String, seconds: Int, isForScripts: Bool = false) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(seconds); SameSite=Lax" + (isForScripts ? "" : "; HttpOnly")
            + (isSecure ? "; Secure" : "")
    }
}

extension Site {
    /// Browsers reach the server over TLS.
    package var isSecure: Bool { settings.publicURL?.hasPrefix("https://") == true }

    /// Of a session. A browser takes a name that begins with `__Host-` only from the very host, over TLS, for all paths.
    package var sessionCookie: Cookie {
        Cookie(name: isSecure ? "__Host-commonplace" : "commonplace_dev", isSecure: isSecure)
    }
}

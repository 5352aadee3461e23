import FoundationEssentials

/// The mail server that takes our mails, and how it is spoken to.
///
/// `smtp://user:password@host:port` begins in the clear and goes over to TLS where the server offers it; `smtps://`
/// speaks TLS from the first byte. User and password are percent-encoded and optional. Ports default to 587 and 465.
package struct SMTPServer: Sendable {
    /// When TLS begins.
    enum Security: Sendable {
        /// From the first byte.
        case implicit
        /// By STARTTLS, and nothing is sent without.
        case startTLS
        /// By STARTTLS where it is offered.
        case startTLSWhereOffered
        /// Never: the server is on this machine, where nobody listens in and certificates have no name to show.
        case none
    }

    /// What the server is logged in to with.
    struct Credentials: Sendable {
        let user: String
        let password: String
    }

    let host: String
    let port: Int
    var security: Security
    let credentials: Credentials?

    /// Throws `MailError.refused` with what is wrong with the URL; the message holds no part of it, because it may hold
    /// a password.
    ///
    /// A password never crosses the network in the clear: with one, a server elsewhere has to offer STARTTLS.
    package init(url: String) throws(MailError) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty else {
            throw .refused("the mail server's URL is none: smtp://user:password@host:port")
        }
        guard parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil else {
            throw .refused("the mail server's URL ends in more than host and port")
        }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let isLocal = self.host == "localhost" || self.host == "::1" || self.host.hasPrefix("127.")
        switch (parts.user, parts.password) {
        case (nil, nil): self.credentials = nil
        case (let user?, let password?) where !user.isEmpty && !(user + password).utf8.contains(0):
            self.credentials = Credentials(user: user, password: password)
        default: throw .refused("the mail server's URL has a user without a password, or the other way round")
        }
        switch parts.scheme {
        case "smtps":
            self.security = .implicit
            self.port = parts.port ?? 465
        case "smtp":
            self.security = isLocal ? .none : credentials == nil ? .startTLSWhereOffered : .startTLS
            self.port = parts.port ?? 587
        default: throw .refused("the mail server's URL begins with neither smtp:// nor smtps://")
        }
        guard (1...65_535).contains(self.port) else { throw .refused("the mail server's port is not 1...65535") }
    }
}

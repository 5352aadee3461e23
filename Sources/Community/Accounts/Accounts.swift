import JSONWriting
import Postgres

/// Accounts and sessions: who somebody is here, and how a request proves it.
///
/// **Signing up** needs a username (3 to 30 ASCII letters, digits, underscores; unique in lower case; some are
/// reserved), an e-mail address (unique in lower case) and a password (8 to 256 bytes, exactly as sent, none of the
/// usual ones), the last two typed twice. All faults are named at once, a taken name or address among them; sign-ups
/// are throttled per address. The database decides who was first. Who may sign up at all is the server's registration
/// mode; an invitation lets somebody in under `invite` and skips the wait under `approval`.
///
/// **Verification.** Where the server sends mail, a mailed code (24 hours, once) proves the address; where it does not,
/// an invitation or an approval counts as proof. Who has not proven the address reads and does not post, except on
/// loopback.
///
/// **Log-in** by username or address answers the same, and takes as long, for every name. Passwords are hashed with
/// argon2id on threads that give way to others and take half of the processors at most; at most 32 callers wait,
/// further ones get `.busy`. The throttle stands in Postgres, and where it cannot be asked nobody signs in. It counts:
///
/// - an address: 30 tries in 5 min;
/// - a login as typed, from one address: five failures are free, then the wait doubles from 1 s to 15 min, and says so
///   (`.limited`);
/// - an account, from all addresses: 20 failures are free, then in the same way a try now and then is compared; the
///   others are answered as a wrong password is, so that nobody learns which logins are of one account. Where the
///   account has signed in during the last 90 days this does not count: strangers lock nobody out.
///
/// Asking for the password again (`confirm`) is counted apart, by account.
///
/// **Sessions**: an opaque token of 256 bits, of which only the SHA-256 is stored; over after 30 days without use or
/// 180 days; at most 20, the least recently used makes room. A session ends when its row goes, on every server at once,
/// and the event `session.ended` (or `account.ended`) closes its sockets.
///
/// **Passwords and addresses.** Changing either asks for the present password. A changed password ends the other
/// sessions; a reset, by a code that was mailed (one hour, once), ends all and every access token. A new address is the
/// account's when the code that was mailed there is used (24 hours, once); the former one is told. The wish for a reset
/// is answered alike for every address. Each is counted: three in an hour.
///
/// **Access tokens** open some of it to programs: see `AccessToken`. **Stream tickets** open the stream once to a page
/// in a browser: see `StreamTicket`. **Leaving**: see `Leaving`; an account has 30 days
/// in which to come back.
///
/// **Roles and states**: see `Role` and `State`. A reader who acts on another must stand above them, both before and
/// after; each act leaves a row in `moderation_action` in its own transaction. Who is let in again after a suspension
/// is what they were before. A deleted account keeps its row, empty; the payload of its events is emptied where they
/// stand in the log; its username stays reserved for 90 days, its address is free at once.
///
/// - Tables: `account`, `session`, `email_verification`, `password_reset`, `email_change`, `access_token`, `stream_ticket`,
///   `departure`, `invitation`, `auth_attempt`, `retired_username`; `moderation_action` through
///   `Moderation`.
/// - Events: `session.ended`, `account.ended`, `role.changed` on `control`; `readers.hidden` and `readers.shown` on
///   `server`, where members see an account no more, or again. Jobs: `accounts.sweep` daily,
///   `accounts.depart` hourly, `accounts.mail_reset`, `accounts.mail_verification`.
package enum Accounts {
    /// One person's membership, as that person sees it.
    package struct Account: Sendable, Hashable {
        package let id: ID<Account>
        package let username: String
        package let name: String?
        package let bio: String?
        package let email: String
        /// The address is proven, or needs no proof on this server.
        package private(set) var isVerified: Bool
        /// False while the account waits for approval: it cannot sign in.
        package let isApproved: Bool
        package let role: Role
        package let state: State
        package let friends: Int
        /// What stands on boards, and groups.
        package let comments: Int
        package let groups: Int
        package let createdAt: Timestamp
        /// By its name in the IANA database.
        package let timeZone: String

        /// The same on a server where nobody needs to prove an address.
        var verified: Self {
            var copy = self
            copy.isVerified = true
            return copy
        }
    }

    /// What others see of an account: in lists, beside what it wrote.
    package struct Reader: Sendable, Hashable, JSONForm {
        package let id: ID<Account>
        package let username: String
        package let name: String?
        /// Seen where the name is.
        package let picture: Picture?

        package init(id: ID<Account>, username: String, name: String?, picture: Picture? = nil) {
            self.id = id
            self.username = username
            self.name = name
            self.picture = picture
        }

        package func put(into object: JSONObject) {
            object.put("id", id)
            object.put("username", username)
            object.put("name", name)
            object.put("picture", picture)
        }
    }

    /// The picture of a reader beside what the reader did: one file of it.
    package struct Picture: Sendable, Hashable, JSONForm {
        /// The width of that file in pixels.
        static let width = 192
        /// The name of the file, in hexadecimal digits.
        let hash: String
        /// What it shows, in words; `nil` where nobody said.
        let alt: String?

        package func put(into object: JSONObject) {
            object.put("url", address: "/media/" + hash)
            object.put("alt", alt)
        }
    }

    /// A reader's page, as far as the viewer may see it: a name or bio that is hidden is `nil`, as one that was never
    /// given.
    package struct Profile: Sendable, Hashable {
        package let id: ID<Account>
        package let username: String
        package let name: String?
        package let bio: String?
        package let friends: Int
        package let comments: Int
        package let groups: Int
        package let createdAt: Timestamp
        package let relation: Relation
        /// The request that is open between the two, or looks so to the viewer.
        package let friendRequest: ID<Friends.Request>?
        /// The picture is seen where the name is.
        package let showsPicture: Bool
    }

    /// What the viewer and the other are to each other. Blocks are not among them: the blocked do not see each other.
    package enum Relation: String, Sendable, CaseIterable, Encodable, PostgresText {
        case none
        /// The viewer.
        case oneself = "self"
        case friends
        /// The viewer asked.
        case requested
        /// The other asked, and waits for the viewer.
        case asked
    }

    /// One sign-in on one device, as its owner sees it.
    package struct Session: Sendable, Hashable, Encodable {
        package let id: ID<Session>
        package let createdAt: Timestamp
        /// To the minute.
        package let lastUsedAt: Timestamp
        package let expiresAt: Timestamp
        package let device: String?
        /// IPv4 /24 or IPv6 /64.
        package let network: String?
    }

    /// Where a call comes from.
    package struct Origin: Sendable, Hashable {
        /// One household: an IPv4 address or an IPv6 /64. Counted by the throttles under its HMAC, never stored.
        package let address: String
        /// What the client calls itself; cut at 200 characters.
        package let device: String?

        package init(address: String, device: String? = nil) {
            self.address = address
            self.device = device
        }

        /// What a session remembers of the address.
        var network: String? {
            let parts = address.split(separator: ".", omittingEmptySubsequences: false)
            if parts.count == 4 { return parts[0...2].joined(separator: ".") + ".0/24" }
            return address.contains(":") ? String(address.prefix(50)) : nil
        }

        /// The device without what a terminal or a page would stumble over.
        var deviceName: String? {
            guard let device else { return nil }
            let kept = String(String.UnicodeScalarView(device.unicodeScalars.filter(\.isPrintable).prefix(200)))
            return kept.isEmpty ? nil : kept
        }
    }

    /// A session that has just begun, with its token: the only time that it is seen.
    package struct SignedIn: Sendable {
        package let account: Account
        /// `nil` where the account waits for approval.
        package let token: Token?
        package let session: ID<Session>?
        /// When the session ends.
        package let expiresAt: Timestamp?
    }
}

extension Unicode.Scalar {
    /// Something that is seen by itself: no space, no mark, nothing of no width, not the empty cell of Braille.
    var isVisible: Bool {
        switch properties.generalCategory {
        case .format, .nonspacingMark, .enclosingMark, .control: false
        case _ where value == 0x2800: false
        default: !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
        }
    }

    /// No control character, no line separator, and nothing that turns the direction of the text around it.
    var isPrintable: Bool {
        if isASCII { return value >= 0x20 && value != 0x7F }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        case .format: !turnsDirection
        default: true
        }
    }

    /// An embedding, an override or an isolate, or the end of one.
    var turnsDirection: Bool { (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value) }
}

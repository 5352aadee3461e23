extension Accounts {
    /// What a stranger sends to sign up.
    package struct Registration: Sendable {
        package var username: String
        package var email: String
        package var emailConfirmation: String
        package var password: String
        package var passwordConfirmation: String
        package var name: String?
        /// The code of an invitation.
        package var invitation: String?

        package init(
            username: String, email: String, emailConfirmation: String, password: String, passwordConfirmation: String,
            name: String? = nil, invitation: String? = nil
        ) {
            self.username = username
            self.email = email
            self.emailConfirmation = emailConfirmation
            self.password = password
            self.passwordConfirmation = passwordConfirmation
            self.name = name
            self.invitation = invitation
        }

        /// Every fault that can be seen without the database. Codes: `too_short`, `too_long`, `bad_format`, `reserved`,
        /// `mismatch`, `too_common`, `bad_character`.
        package func faults() -> [Failure.Fault] {
            var faults = Faults()
            Username.check(username, into: &faults)
            Email.check(email, into: &faults)
            faults.require(
                Email.fold(email) == Email.fold(emailConfirmation), "/email_confirmation", .mismatch,
                "is not the same address")
            Password.check(password, username: username, email: email, into: &faults)
            faults.require(
                password.utf8.elementsEqual(passwordConfirmation.utf8), "/password_confirmation", .mismatch,
                "is not the same password")
            if let name { Name.check(name, into: &faults) }
            return faults.all
        }
    }

    /// Usernames: how they are written, compared and refused.
    package enum Username {
        /// What is unique and looked up. Only ASCII letters change.
        package static func fold(_ text: String) -> String { text.lowercasedASCII }

        /// True for 3 to 30 ASCII letters, digits and underscores.
        static func isWord(_ text: String) -> Bool {
            Limits.accounts.username.contains(text.utf8.count) && text.utf8.allSatisfy(\.isWordCharacter)
        }

        static func check(_ text: String, into faults: inout Faults, at pointer: String = "/username") {
            let bounds = Limits.accounts.username
            let count = text.utf8.count
            if count < bounds.lowerBound {
                faults.add(pointer, .tooShort, "must have at least \(bounds.lowerBound) characters")
            } else if count > bounds.upperBound {
                faults.add(pointer, .tooLong, "must have at most \(bounds.upperBound) characters")
            } else if !text.utf8.allSatisfy(\.isWordCharacter) {
                faults.add(pointer, .badFormat, "may have letters a to z, digits and underscores only")
            } else if passesForReserved(text) {
                faults.add(pointer, .reserved, "is reserved")
            }
        }

        /// Whether it is a reserved name, or looks like one. What stands for a space counts for nothing.
        private static func passesForReserved(_ text: String) -> Bool {
            if reserved.contains(fold(text)) { return true }
            let forms = LookAlike.forms(of: text.replacing("_", with: ""))
            return !forms.isDisjoint(with: reservedForms) || !forms.isDisjoint(with: officialForms)
        }

        /// Names shown beside a username that would pass for the server's own.
        static let officialForms = LookAlike.forms(ofNames: [
            "admin", "administrator", "commonplace", "librarian", "moderator", "official", "owner", "security",
            "staff", "support", "sysadmin", "system", "webmaster",
        ])

        /// Words that make any name pass for the server's own: what no reader is called. Many are librarians.
        static let officialWords = LookAlike.forms(ofNames: [
            "admin", "admins", "administrator", "administrators", "commonplace", "moderator", "moderators", "staff",
            "sysadmin", "webmaster",
        ])

        /// As `reserved` looks in small letters: `mall` is not `MAIL`.
        private static let reservedForms = Set(
            reserved.map { LookAlike.skeleton($0.replacing("_", with: "")) })

        /// Names that would pass for the server's own, or that paths need.
        static let reserved: Set<String> = [
            "about", "abuse", "account", "accounts", "admin", "administrator", "all", "anonymous", "api", "app",
            "assets", "author", "authors", "block", "blocks", "blog", "book", "books", "bot", "commonplace", "contact",
            "deleted", "demo", "everyone", "feed", "friends", "genre", "genres", "guest", "help", "here", "home",
            "host", "hostmaster", "inbox", "info", "librarian", "librarians", "library", "list", "lists", "login",
            "logout", "mail", "mailer_daemon", "member", "members", "mod", "moderation", "moderator", "moderators",
            "mods", "news", "nobody", "noreply", "no_reply", "notifications", "null", "official", "owner", "post",
            "postmaster", "privacy", "problems", "reader", "readers", "register", "review", "reviews", "root", "rules",
            "search", "security", "self", "server", "sessions", "settings", "signin", "signup", "staff", "static",
            "status", "stream", "support", "sysadmin", "system", "team", "terms", "undefined", "user", "users",
            "webmaster", "www", "you",
        ]
    }

    /// E-mail addresses. Plain ASCII: what every mail server takes; domains in other scripts in their `xn--` form.
    package enum Email {
        /// What is unique and looked up.
        package static func fold(_ text: String) -> String { text.lowercasedASCII }

        /// Throws `.invalid` for what is no address, whether anybody has it or not.
        package static func check(_ text: String) throws(Failure) {
            var faults = Faults()
            check(text, into: &faults)
            try faults.check()
        }

        static func check(_ text: String, into faults: inout Faults, at pointer: String = "/email") {
            let bounds = Limits.accounts.email
            if text.utf8.count < bounds.lowerBound {
                faults.add(pointer, .tooShort, "must be an e-mail address")
            } else if text.utf8.count > bounds.upperBound {
                faults.add(pointer, .tooLong, "must have at most \(bounds.upperBound) bytes")
            } else if !isAddress(text) {
                faults.add(pointer, .badFormat, "must be an e-mail address such as ann@example.org")
            }
        }

        /// The useful part of RFC 5321: dot-atom, `@`, host of letters, digits and hyphens. No quotes, comments or
        /// address literals.
        static func isAddress(_ text: String) -> Bool {
            let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
            guard parts.count == 2, (1...64).contains(parts[0].count), (1...253).contains(parts[1].count) else {
                return false
            }
            let atoms = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return atoms.allSatisfy { atom in
                !atom.isEmpty && atom.allSatisfy { $0.isAlphanumeric || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
            }
                && labels.allSatisfy { label in
                    (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
                        && label.last != UInt8(ascii: "-")
                        && label.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
                }
        }
    }

    /// Passwords: exact bytes, no rules of composition.
    package enum Password {
        static func check(
            _ text: String, username: String, email: String, into faults: inout Faults, at pointer: String = "/password"
        ) {
            let bounds = Limits.accounts.password
            if text.utf8.count < bounds.lowerBound {
                faults.add(pointer, .tooShort, "must have at least \(bounds.lowerBound) bytes")
            } else if text.utf8.count > bounds.upperBound {
                faults.add(pointer, .tooLong, "must have at most \(bounds.upperBound) bytes")
            } else if text.utf8.contains(0) {
                faults.add(pointer, .badCharacter, "must not hold NUL")
            } else if isGuessable(text, username: username, email: email) {
                faults.add(pointer, .tooCommon, "is one of the first that anybody would try")
            }
        }

        /// True for the passwords of `CommonPasswords`, for one character repeated, and for the reader's own name or
        /// address.
        static func isGuessable(_ text: String, username: String, email: String) -> Bool {
            let folded = text.lowercasedASCII
            let ownWords = [username, email, email.split(separator: "@").first.map(String.init) ?? email].map(
                \.lowercasedASCII)
            return Set(folded.utf8).count < 3 || ownWords.contains(folded) || CommonPasswords.contains(folded)
        }
    }

    /// What an account says about itself: lines of text.
    package enum Bio {
        static func check(_ text: String, into faults: inout Faults, at pointer: String = "/bio") {
            if text.unicodeScalars.count > Limits.accounts.bio.upperBound {
                faults.add(pointer, .tooLong, "must have at most \(Limits.accounts.bio.upperBound) characters")
            } else if !text.unicodeScalars.allSatisfy({ $0.isPrintable || $0 == "\n" }) {
                faults.add(pointer, .badCharacter, "must not hold control characters other than the end of a line")
            } else if !text.unicodeScalars.contains(where: \.isVisible) {
                faults.add(pointer, .badFormat, "must not be blank; leave it out instead")
            }
        }
    }

    /// The name shown beside the username.
    package enum Name {
        static func check(_ text: String, into faults: inout Faults, at pointer: String = "/name") {
            let count = text.unicodeScalars.count
            let bounds = Limits.accounts.name
            if count < bounds.lowerBound {
                faults.add(pointer, .tooShort, "must not be empty; leave it out instead")
            } else if count > bounds.upperBound {
                faults.add(pointer, .tooLong, "must have at most \(bounds.upperBound) characters")
            } else if !text.unicodeScalars.allSatisfy(\.isPrintable) {
                faults.add(pointer, .badCharacter, "must not hold control characters")
            } else if !text.unicodeScalars.contains(where: \.isVisible) {
                faults.add(pointer, .badFormat, "must not be blank")
            } else if passesForOfficial(text) {
                faults.add(pointer, .reserved, "is reserved")
            }
        }

        /// Whether it looks like a name of the server's own, or a word of it does.
        private static func passesForOfficial(_ text: String) -> Bool {
            !LookAlike.forms(of: text).isDisjoint(with: Username.officialForms)
                || LookAlike.words(of: text).contains {
                    !LookAlike.forms(of: $0).isDisjoint(with: Username.officialWords)
                }
        }
    }
}

extension String {
    /// `A` to `Z` in lower case, everything else as it is: the same on every machine and in every language.
    var lowercasedASCII: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    fileprivate var isWordCharacter: Bool { isAlphanumeric || self == UInt8(ascii: "_") }
}

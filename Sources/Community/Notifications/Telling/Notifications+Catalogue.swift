extension Notifications {
    /// Every text of notifications and their mails, in English, keyed by code: a kind, or what a mail says around them.
    ///
    /// A text has forms for one, two and more actors. `{a}` and `{b}` stand for the newest two, `{n}` for how many
    /// there are beside the first; in mails `{n}` is how many notifications there are and `{server}` where the server
    /// is.
    package enum Catalogue {
        struct Forms: Sendable {
            let one: String
            let two: String
            let many: String

            init(_ one: String, _ two: String, _ many: String) {
                self.one = one
                self.two = two
                self.many = many
            }

            /// The usual three, of what they did.
            init(actors deed: String) {
                self.init("{a} " + deed, "{a} and {b} " + deed, "{a} and {n} others " + deed)
            }

            /// One for all numbers.
            init(always text: String) { self.init(text, text, text) }
        }

        static let texts: [String: Forms] = [
            "post.reply": Forms(actors: "replied to your post"),
            "thread.reply": Forms(actors: "wrote in a thread that you follow"),
            "post.mention": Forms(actors: "mentioned you"),
            "post.quote": Forms(actors: "quoted your post"),
            "post.reaction": Forms(actors: "reacted to your post"),
            "post.raised": Forms(always: "Your post is now shown only to readers who are further along in the book"),
            "board.thread": Forms(
                "{a} opened a thread on a board that you follow",
                "{a} and {b} opened threads on boards that you follow",
                "{a} and {n} others opened threads on boards that you follow"),
            "friend.requested": Forms(
                "{a} wants to be your friend", "{a} and {b} want to be your friends",
                "{a} and {n} others want to be your friends"),
            "friend.accepted": Forms(
                "{a} is your friend now", "{a} and {b} are your friends now", "{a} and {n} others are your friends now"),
            "review.reply": Forms(actors: "replied to your review"),
            "review.talk": Forms(actors: "replied to a review that you replied to"),
            "review.mention": Forms(actors: "mentioned you in a reply to a review"),
            "review.reaction": Forms(actors: "reacted to your review"),
            "group.invited": Forms(actors: "invited you into a group"),
            "group.requested": Forms(
                "{a} wants to join a group that you lead", "{a} and {b} want to join a group that you lead",
                "{a} and {n} others want to join a group that you lead"),
            "group.accepted": Forms(actors: "let you into a group"),
            // Of a kind that only a newer program knows.
            "unknown": Forms(always: "Something happened that this server cannot show"),
            "mail.subject": Forms(always: "{n} notifications for you"),
            "mail.opening": Forms(always: "This has happened at {server}\nsince you were there:"),
            "mail.closing": Forms(
                always: """
                    You find all of them in your reading app, where you also choose which ones are mailed to you.
                    """),
        ]

        /// What a notification says of `count` actors and names the newest. `kind`: `nil` for one that is not
        /// known.
        static func text(_ kind: Kind?, actors: [String], count: Int) -> String {
            fill(
                form(kind?.rawValue ?? "unknown", of: count),
                ["a": actors.first ?? "", "b": actors.dropFirst().first ?? "", "n": String(count - 1)])
        }

        /// Of more than one.
        static func mailSubject(_ count: Int) -> String { fill(form("mail.subject", of: count), ["n": String(count)]) }

        static func mailOpening(at server: String) -> String { fill(form("mail.opening", of: 1), ["server": server]) }

        static func mailClosing() -> String { form("mail.closing", of: 1) }

        private static func form(_ code: String, of count: Int) -> String {
            guard let forms = texts[code] else { return code }
            return count <= 1 ? forms.one : count == 2 ? forms.two : forms.many
        }

        /// In one pass: what a name says is never taken for a mark.
        private static func fill(_ form: String, _ words: [String: String]) -> String {
            var text = ""
            var rest = form[...]
            while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
                text += rest[..<open]
                text += words[String(rest[rest.index(after: open)..<close])] ?? ""
                rest = rest[rest.index(after: close)...]
            }
            return text + rest
        }
    }
}

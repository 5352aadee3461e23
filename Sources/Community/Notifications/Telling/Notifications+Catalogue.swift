extension Notifications {
    /// Every text of notifications and their mails, in English, keyed by code: a kind, or what a mail says around them.
    ///
    /// A text has forms for one, two and more actors. `{a}` and `{b}` stand for the newest two, `{n}` for how many
    /// there are beside the first. Of what moderators did `{n}` is to how many things and `{t}` their kind; in mails `{n}`
    /// is how many notifications there are and `{server}` where the server is.
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

            /// Of what moderators did to one thing, and to several.
            init(acts one: String, _ many: String? = nil) {
                self.init("{a} " + one, "{a} " + (many ?? one), "{a} " + (many ?? one))
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
            "goal.reached": Forms(always: "You have read what you set out to read in a year"),
            "moderation.acted": Forms(always: "Moderators did something to you or to what is yours"),
            "moderation.hide": Forms(acts: "took your {t} out of sight", "took {n} of your {t} out of sight"),
            "moderation.unhide": Forms(acts: "brought your {t} back", "brought {n} of your {t} back"),
            "moderation.lock": Forms(acts: "locked your {t}", "locked {n} of your {t}"),
            "moderation.unlock": Forms(acts: "unlocked your {t}", "unlocked {n} of your {t}"),
            "moderation.edit": Forms(acts: "changed the title of your {t}", "changed the titles of {n} of your {t}"),
            "moderation.warn": Forms(acts: "warned you"),
            "moderation.limit": Forms(acts: "limited your account, which only your friends see now"),
            "moderation.freeze": Forms(acts: "froze your account, which reads and does not write now"),
            "moderation.suspend": Forms(acts: "suspended your account"),
            "moderation.unsuspend": Forms(acts: "let your account in again"),
            "moderation.restore": Forms(acts: "made your account what it was before"),
            "moderation.role": Forms(acts: "gave you another role"),
            "moderation.hide_name": Forms(acts: "took your name out of sight"),
            "moderation.unhide_name": Forms(acts: "brought your name back"),
            "moderation.hide_bio": Forms(acts: "took what you say about yourself out of sight"),
            "moderation.unhide_bio": Forms(acts: "brought back what you say about yourself"),
            "moderation.hide_picture": Forms(acts: "took your picture out of sight"),
            "moderation.unhide_picture": Forms(acts: "brought your picture back"),
            "report.decided": Forms(always: "Your report was decided"),
            "report.decided.acted": Forms(always: "Moderators looked at your report and did something"),
            "report.decided.dismissed": Forms(always: "Moderators looked at your report and saw nothing to do"),
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

        /// Without the reason.
        static func text(_ act: Act) -> String {
            let (kind, verb) = (act.action.prefix { $0 != "." }, act.action.drop { $0 != "." })
            let code = texts["moderation" + verb] == nil ? "moderation.acted" : "moderation" + verb
            var thing = String(kind).replacing("_", with: " ")
            if act.count > 1 { thing = thing.hasSuffix("y") ? thing.dropLast() + "ies" : thing + "s" }
            return fill(
                form(code, of: act.count),
                ["a": act.isByMachine ? "The server" : "A moderator", "n": String(act.count), "t": thing])
        }

        static func text(_ report: Report) -> String { form("report.decided." + report.state.rawValue, of: 1) }

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

import Jobs
import Postgres

extension Accounts {
    /// Every mail that an account gets: the catalogue of their texts, in English. None names another address than the
    /// one it goes to.
    enum Letter: Sendable {
        /// The address given at sign-up waits for its proof.
        case confirmAddress(Token)
        /// Somebody wants to set a new password.
        case resetPassword(Token)
        /// The password is another one since now.
        case passwordChanged
        /// To a new address: it becomes the account's with this code.
        case confirmNewAddress(Token)
        /// To the present address: another is wanted.
        case newAddressAsked
        /// To the former address: it is the account's no more.
        case addressChanged
        /// The account is deleted on that day unless its owner comes back.
        case leaving(until: Timestamp)
        /// Moderators, or the server by itself, did this to the account, or took it back.
        case acted(Moderation.Verb, reason: String, until: Timestamp?, byMachine: Bool)

        /// The mail to `addressee`, from the server that `services` is.
        func mail(to addressee: Addressee, from services: Services) -> Mail {
            let paragraphs = ["Hello \(addressee.username),"] + paragraphs(services.settings)
            let text = paragraphs.joined(separator: "\n\n") + "\n"
            return Mail(
                to: addressee.email, subject: subject, text: text, random: services.random,
                publicURL: services.settings.publicURL, account: addressee.account)
        }

        private var subject: String {
            switch self {
            case .confirmAddress: "Confirm your address"
            case .resetPassword: "Set a new password"
            case .passwordChanged: "Your password was changed"
            case .confirmNewAddress: "Confirm your new address"
            case .newAddressAsked: "Another address for your account"
            case .addressChanged: "Your account has another address"
            case .leaving: "Your account will be deleted"
            case .acted(.warn, _, _, _): "The moderators warn you"
            case .acted(.limit, _, _, _): "Your account is limited"
            case .acted(.freeze, _, _, _): "Your account is frozen"
            case .acted(.suspend, _, _, _): "Your account is suspended"
            case .acted(.unsuspend, _, _, _): "You can sign in again"
            case .acted: "Your account is what it was before"
            }
        }

        private func paragraphs(_ settings: CommunitySettings) -> [String] {
            let server = settings.publicURL
            return switch self {
            case .confirmAddress(let code):
                [
                    "somebody, probably you, signed up at \(server) with this address.\n"
                        + "To confirm it, enter this code where you signed up:",
                    Self.shown(code, at: "/confirm", settings),
                    "It works once, within \(Limits.accounts.verificationHours) hours. If it was not you, do nothing.",
                ]
            case .resetPassword(let code):
                [
                    "somebody, probably you, has forgotten the password of this account at\n\(server).\n"
                        + "To set a new one, enter this code there:",
                    Self.shown(code, at: "/reset", settings),
                    "It works once, within \(Limits.accounts.resetMinutes) minutes, and signs you out everywhere.\n"
                        + "If it was not you, do nothing: your password stays as it is.",
                ]
            case .passwordChanged:
                [
                    "the password of this account at \(server)\nwas changed just now. If it was you, all is well.",
                    "If it was not, ask there for a new password at once: that signs out whoever is signed in.",
                ]
            case .confirmNewAddress(let code):
                [
                    "this is to become the address of your account at \(server).\nTo confirm it, enter this code there:",
                    Self.shown(code, at: "/settings/email", settings),
                    "It works once, within \(Limits.accounts.verificationHours) hours. If you know nothing of it, do nothing.",
                ]
            case .newAddressAsked:
                [
                    "somebody, probably you, wants your account at \(server)\n"
                        + "to have another address. Until that one is confirmed, this one stays.",
                    "If it was not you, change your password there: that calls it off.",
                ]
            case .addressChanged:
                [
                    "your account at \(server) has another address since now,\n"
                        + "and mails go there. If it was not you, write to whoever runs the server."
                ]
            case .leaving(let day): Self.leaving(server, until: day)
            case .acted(let verb, let reason, let end, let isByMachine):
                ["\(Self.consequence(of: verb, at: server))", "The reason:", reason]
                    + (end.map { ["It ends on \($0.text.prefix(10)) by itself."] } ?? [])
                    + [isByMachine ? "The server did this by itself." : "A moderator did this."]
            }
        }

        /// The code, and the page that takes it, where readers can open one.
        private static func shown(_ code: Token, at path: String, _ settings: CommunitySettings) -> String {
            guard settings.hasPages else { return code.text }
            return "\(code.text)\n\nOr open this page:\n\n\(settings.publicURL)\(path)?token=\(code.text)"
        }

        private static func consequence(of verb: Moderation.Verb, at server: String) -> String {
            switch verb {
            case .warn: "the moderators of \(server)\nhave a word for you."
            case .limit: "your account at \(server)\nis limited: only your friends see you, and what you say."
            case .freeze: "your account at \(server)\nis frozen: you read, and do not write."
            case .suspend:
                "your account at \(server)\nis suspended: you cannot sign in, and nobody sees what you wrote."
            case .unsuspend: "your account at \(server)\nis suspended no more: sign in as before."
            default: "your account at \(server)\nis neither limited nor frozen any more."
            }
        }

        private static func leaving(_ server: String, until day: Timestamp) -> [String] {
            [
                "you asked for your account at \(server) to be deleted.\n"
                    + "It is hidden since now, and on \(day.text.prefix(10)) it is deleted with everything in it.",
                "If you want to stay, sign in before then.",
            ]
        }
    }
}

extension Accounts {
    /// Tells the holder of an account what was done to it, as part of `transaction`, where this server sends mail and the
    /// address is proven.
    static func tell(
        _ account: ID<Account>, of order: Moderation.Order, in transaction: Transaction, services: Services
    ) async throws {
        guard services.settings.deliversMail,
            let addressee = try await transaction.first(Statements.ProvenAddressee(account: account))
        else { return }
        var isByMachine: Bool { if case .system = order.actor { true } else { false } }
        let letter = Letter.acted(
            order.verb, reason: order.reason, until: order.expiresAt, byMachine: isByMachine)
        try await Mail.Send(letter.mail(to: addressee, from: services), sealedBy: services.settings.secret)
            .enqueue(in: transaction)
    }
}

extension Accounts.Store {
    /// Mails `letter`, as part of `transaction`; nothing where this server sends no mail. A code stands in the mail
    /// alone, sealed while it waits.
    func send(
        _ letter: Accounts.Letter, to addressee: Accounts.Addressee, in transaction: some Queryable
    ) async throws {
        guard services.settings.deliversMail else { return }
        try await Mail.Send(letter.mail(to: addressee, from: services), sealedBy: services.settings.secret)
            .enqueue(in: transaction)
    }
}

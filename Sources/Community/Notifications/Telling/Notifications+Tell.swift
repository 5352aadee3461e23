import Jobs

extension Notifications {
    /// Tells readers of one thing that happened, put into the queue in its transaction. A portion of
    /// `Limits.notifications.batch` readers in one transaction; what is left is another job, from the reader `after`
    /// on.
    package enum Tell: Job {
        package static let kind = "notifications.tell"

        /// A post: to the readers it replies to, mentions or quotes; one that opens a thread to those who follow the
        /// board. The thread's own followers are told by a `Gather`.
        case written(ID<Boards.Post>, by: ID<Accounts.Account>, after: ID<Accounts.Account> = .min)
        /// A post says something else, the text: to those whom it mentions.
        case edited(ID<Boards.Post>, to: ID<Boards.Text>, by: ID<Accounts.Account>)
        /// A reaction to a post: to its author.
        case reacted(to: ID<Boards.Post>, by: ID<Accounts.Account>)
        /// To the post's author. `cause`: an identifier of this one time.
        case raised(ID<Boards.Post>, of: ID<Accounts.Account>, cause: Int64)
        /// A reply to a review: to the review's author, to those whom it mentions and to those who replied before.
        case replied(ID<Reviews.Reply>, by: ID<Accounts.Account>, after: ID<Accounts.Account> = .min)
        /// Such a reply says something else, the text: to those whom it mentions.
        case replyEdited(ID<Reviews.Reply>, to: ID<Reviews.Text>, by: ID<Accounts.Account>)
        /// A reaction to a review: to its author.
        case reviewReacted(to: ID<Reviews.Review>, by: ID<Accounts.Account>)
        /// A request to be let into a group: to those who lead it. `cause`: an identifier of this one time.
        case requested(ID<Groups.Group>, by: ID<Accounts.Account>, cause: Int64)
        /// The decision of a case, `cause`: to those whose reports it decided.
        case decided(ID<Moderation.Case>, cause: ID<Moderation.Action>, after: ID<Accounts.Account> = .min)
        /// What concerns one reader and no post; without `by` nobody is named. `subject`: what it is grouped by beside its
        /// kind; `cause`: what happened, such as a request.
        case told(Kind, to: ID<Accounts.Account>, by: ID<Accounts.Account>?, of: Int64 = 0, cause: Int64)

        /// Who did it; `nil` where nobody is named.
        var actor: ID<Accounts.Account>? {
            switch self {
            case .written(_, let actor, _), .edited(_, _, let actor), .reacted(_, let actor), .replied(_, let actor, _),
                .replyEdited(_, _, let actor), .reviewReacted(_, let actor), .requested(_, let actor, _):
                actor
            case .told(_, _, let actor, _, _): actor
            case .raised, .decided: nil
            }
        }

        package var uniqueKey: String? { Payload(self).uniqueKey }
    }
}

extension Notifications.Tell {
    package init(from decoder: any Decoder) throws {
        self = try Payload(from: decoder).tell
    }

    package func encode(to encoder: any Encoder) throws {
        try Payload(self).encode(to: encoder)
    }

    /// The form in the queue. It never changes: jobs of other versions of this program wait there.
    fileprivate struct Payload: Codable {
        enum What: String, Codable {
            case written, edited, reacted, raised, decided, told
            case replied = "answered"
            case replyEdited = "reworded"
            case reviewReacted = "applauded"
            case requested = "applied"
        }

        let what: What
        /// The actor, by the name under which jobs go with their accounts.
        var account: ID<Accounts.Account>?
        var reader: ID<Accounts.Account>?
        var post: ID<Boards.Post>?
        var kind: Notifications.Kind?
        var subject: Int64 = 0
        /// What happened: told once.
        let cause: Int64
        /// The last reader who was told; 0 before the first, which is no identifier.
        var after: Int64 = 0

        var uniqueKey: String {
            "\(kind?.rawValue ?? what.rawValue) \(cause) \(account?.text ?? "") \(reader?.text ?? "") \(after)"
        }
    }
}

extension Notifications.Tell.Payload {
    init(_ tell: Notifications.Tell) {
        switch tell {
        case .written(let post, let author, let after):
            self.init(what: .written, account: author, post: post, cause: post.rawValue, after: after.rawValue)
        case .edited(let post, let text, let author):
            self.init(what: .edited, account: author, post: post, cause: text.rawValue)
        case .reacted(let post, let reader):
            self.init(what: .reacted, account: reader, post: post, cause: post.rawValue)
        case .raised(let post, let author, let cause):
            self.init(what: .raised, reader: author, post: post, cause: cause)
        case .replied(let reply, let author, let after):
            self.init(what: .replied, account: author, cause: reply.rawValue, after: after.rawValue)
        case .replyEdited(let reply, let text, let author):
            self.init(what: .replyEdited, account: author, subject: reply.rawValue, cause: text.rawValue)
        case .reviewReacted(let review, let reader):
            self.init(what: .reviewReacted, account: reader, cause: review.rawValue)
        case .requested(let group, let reader, let cause):
            self.init(what: .requested, account: reader, subject: group.rawValue, cause: cause)
        case .decided(let about, let cause, let after):
            self.init(what: .decided, subject: about.rawValue, cause: cause.rawValue, after: after.rawValue)
        case .told(let kind, let reader, let actor, let subject, let cause):
            self.init(what: .told, account: actor, reader: reader, kind: kind, subject: subject, cause: cause)
        }
    }

    /// Throws `DecodingError` where something is missing that such a job always has.
    var tell: Notifications.Tell {
        get throws {
            switch what {
            case .written: .written(try given(post), by: try given(account), after: ID(rawValue: after))
            case .edited: .edited(try given(post), to: ID(rawValue: cause), by: try given(account))
            case .reacted: .reacted(to: try given(post), by: try given(account))
            case .raised: .raised(try given(post), of: try given(reader), cause: cause)
            case .replied: .replied(ID(rawValue: cause), by: try given(account), after: ID(rawValue: after))
            case .replyEdited:
                .replyEdited(ID(rawValue: subject), to: ID(rawValue: cause), by: try given(account))
            case .reviewReacted: .reviewReacted(to: ID(rawValue: cause), by: try given(account))
            case .requested: .requested(ID(rawValue: subject), by: try given(account), cause: cause)
            case .decided:
                .decided(ID(rawValue: subject), cause: ID(rawValue: cause), after: ID(rawValue: after))
            case .told:
                .told(try given(kind), to: try given(reader), by: account, of: subject, cause: cause)
            }
        }
    }

    private func given<Value>(_ value: Value?) throws -> Value {
        guard let value else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "\(what.rawValue) lacks a \(Value.self)"))
        }
        return value
    }
}

import HTTPTypes
import TestSupport
import Web

/// What becomes of a call.
enum Outcome: String, Sendable {
    /// It gets through: it is done, or judged by its content.
    case passes
    /// It is about the caller's own, of which there may be none.
    case own
    /// 404: there is no such thing for this caller.
    case hidden
    /// 403.
    case refused
    /// 401.
    case signIn
    /// 200 with the scene's secret, which the owner alone is told.
    case told
    /// 200 with a placeholder in the place of the secret.
    case placeholder
    /// 200 with an empty list.
    case empty
    /// 403: what it is about lies ahead of them.
    case gated
    /// 403: they are no friends any more.
    case notFriends

    func holds(_ answer: TestAnswer, secret: String) -> Bool {
        let code = answer.status.code
        guard code < 500 || code == 501 || code == 503 else { return false }
        return switch self {
        case .passes: ![401, 403, 404, 405].contains(code)
        case .own: ![401, 403, 405].contains(code)
        case .hidden: code == 404
        case .refused: code == 403
        case .signIn: code == 401
        case .told: code == 200 && answer.text.contains(secret)
        case .placeholder: code == 200 && answer.json.hasPlaceholder && !answer.text.contains(secret)
        case .empty: code == 200 && answer.json["items"] == []
        case .gated: code == 403 && ["post_gated", "review_gated", "note_gated"].contains(answer.code)
        case .notFriends: code == 403 && answer.code == "not_friends"
        }
    }
}

extension JSONValue {
    /// Something in it lies ahead of who reads it.
    fileprivate var hasPlaceholder: Bool {
        switch self {
        case .array(let elements): elements.contains(where: \.hasPlaceholder)
        case .object(let members): members["state"] == "gated" || members.values.contains(where: \.hasPlaceholder)
        default: false
        }
    }
}

/// What one route answers to each actor.
struct Expectation: Sendable {
    let passing: Set<Actor>
    let passes: Outcome
    let others: Outcome
    /// Actors between the two: what they see and may not change.
    var between: [Actor: Outcome] = [:]
    /// The path where it is not the route's own with the scene's things.
    var path: String?
    var body: JSONValue?
    /// Which of the scene's words stand in the place of which in path and body.
    var words: [String: String] = [:]

    /// For everybody, signed in or not.
    static let everybody = Expectation(passing: Actor.living, passes: .passes, others: .signIn)
    /// For every member.
    static let members = Expectation(passing: Actor.members, passes: .passes, others: .signIn)
    /// For every member, about their own.
    static let mine = Expectation(passing: Actor.members, passes: .own, others: .signIn)
    /// For the owner and the owner's friends.
    static let friends = Expectation(passing: [.owner, .friend, .participant], passes: .passes, others: .hidden)
    /// For the owner and readers in the owner's group: a friend who is not in it sees nothing of it.
    static let fellows = Expectation(passing: [.owner, .friend], passes: .passes, others: .hidden)
    /// For the two of a conversation: friends who are not in it see nothing of it.
    static let correspondents = Expectation(passing: [.owner, .participant], passes: .passes, others: .hidden)
    /// The same of a conversation with somebody who is no friend any more.
    static let formerCorrespondents = Expectation(passing: [.owner, .exFriend], passes: .passes, others: .hidden)
    /// For nobody: it is there, and hidden from all.
    static let nobody = Expectation(passing: [], passes: .passes, others: .hidden)
    /// For the owner alone.
    static let owner = Expectation(passing: [.owner], passes: .passes, others: .hidden)
    /// For everybody who is not blocked, in either direction.
    static let unblocked = Expectation(
        passing: Actor.living.subtracting([.blocked, .blocker]), passes: .passes, others: .hidden)
    /// For every other member who is not blocked, in either direction.
    static let peers = Expectation(
        passing: Actor.members.subtracting([.blocked, .blocker]), passes: .passes, others: .hidden)
    /// For those who look after the catalogue.
    static let librarians = Expectation(
        passing: [.librarian, .moderator], passes: .passes, others: .refused)
    /// For the owner and those who look after the catalogue.
    static let ownerAndLibrarians = Expectation(
        passing: [.owner, .librarian, .moderator], passes: .passes, others: .hidden)

    /// As `peers`, but not for the owner.
    static let otherPeers = peers.but(.refused, for: .owner)
    /// For those who look after what people say.
    static let moderators = Expectation(passing: [.moderator], passes: .passes, others: .refused)

    /// The stream is there for every member, and tells everybody else to sign in.
    static let everybodySigned = Expectation(passing: Actor.members, passes: .passes, others: .signIn)

    /// Who gets through may still find nothing to act on.
    var lenient: Expectation {
        Expectation(passing: passing, passes: .own, others: others, path: path, body: body)
    }

    /// For the owner; the owner's friends see it, and are told that it is not theirs to change.
    static let ownerBeforeFriends = owner.but(.refused, for: .friend, .participant)
    /// The same of what is in the owner's group.
    static let ownerBeforeFellows = owner.but(.refused, for: .friend)
    /// The same of what the owner said in a conversation.
    static let ownerBeforeCorrespondent = owner.but(.refused, for: .participant)
    /// For the owner; others who see it are told that it is not theirs to change.
    static let ownerBeforePeers = owner.but(.refused, for: peers.passing.subtracting([.owner]))

    /// Everybody who is not blocked sees a placeholder in the place of what the owner said.
    static let placeholders = unblocked.but(.placeholder, for: unblocked.passing.subtracting([.owner]))
        .but(.told, for: .owner)
    /// Readers who are not blocked are told that it lies ahead, but for the owner, who wrote it.
    static let gated = unblocked.but(.gated, for: unblocked.passing.subtracting([.owner]))
    /// On a list for everybody the owner alone finds it.
    static let unfound = everybody.but(.empty, for: Actor.living).but(.told, for: .owner)
    /// The same on a list that is hidden from blocked readers.
    static let unfoundByPeers = unblocked.but(.empty, for: unblocked.passing).but(.told, for: .owner)

    func but(_ outcome: Outcome, for actors: Actor...) -> Expectation { but(outcome, for: Set(actors)) }

    func but(_ outcome: Outcome, for actors: Set<Actor>) -> Expectation {
        var expectation = self
        for actor in actors { expectation.between[actor] = outcome }
        return expectation
    }

    /// About other things of the scene: `["post": "shutPost"]`.
    func about(_ words: [String: String]) -> Expectation {
        var expectation = self
        expectation.words = words
        return expectation
    }

    func at(_ path: String) -> Expectation {
        var expectation = self
        expectation.path = path
        return expectation
    }

    func with(_ body: JSONValue) -> Expectation {
        var expectation = self
        expectation.body = body
        return expectation
    }

    /// What `actor` gets from `route`.
    func outcome(of route: Route, for actor: Actor) -> Outcome {
        // Who proves something with a password or a code, or asks how the server is, shows no token.
        let ignoresTokens = route.access == .open && (route.limit == .auth || route.limit == .unlimited)
        var actor = actor
        if actor.isEnded {
            guard ignoresTokens else { return .signIn }
            actor = .anonymous
        }
        if actor == .anonymous, route.access != .open { return .signIn }
        return between[actor] ?? (passing.contains(actor) ? passes : others)
    }
}

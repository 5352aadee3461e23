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

    func holds(_ answer: TestAnswer) -> Bool {
        let code = answer.status.code
        guard code < 500 || code == 501 || code == 503 else { return false }
        return switch self {
        case .passes: ![401, 403, 404, 405].contains(code)
        case .own: ![401, 403, 405].contains(code)
        case .hidden: code == 404
        case .refused: code == 403
        case .signIn: code == 401
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

    /// For everybody, signed in or not.
    static let everybody = Expectation(passing: Actor.living, passes: .passes, others: .signIn)
    /// For every member.
    static let members = Expectation(passing: Actor.members, passes: .passes, others: .signIn)
    /// For every member, about their own.
    static let mine = Expectation(passing: Actor.members, passes: .own, others: .signIn)
    /// For the owner and the owner's friends.
    static let friends = Expectation(passing: [.owner, .friend], passes: .passes, others: .hidden)
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
    static let otherPeers: Expectation = {
        var expectation = Expectation(
            passing: Actor.members.subtracting([.blocked, .blocker, .owner]), passes: .passes, others: .hidden)
        expectation.between[.owner] = .refused
        return expectation
    }()
    /// For those who look after what people say.
    static let moderators = Expectation(passing: [.moderator], passes: .passes, others: .refused)

    /// The stream is there for every member, and tells everybody else to sign in.
    static let everybodySigned = Expectation(passing: Actor.members, passes: .passes, others: .signIn)

    /// Who gets through may still find nothing to act on.
    var lenient: Expectation {
        Expectation(passing: passing, passes: .own, others: others, path: path, body: body)
    }

    /// For the owner; the owner's friends see it, and are told that it is not theirs to change.
    static let ownerBeforeFriends: Expectation = {
        var expectation = Expectation.owner
        expectation.between[.friend] = .refused
        return expectation
    }()

    /// For the owner; whoever sees it is told that it is not theirs to change.
    static let ownerBeforePeers: Expectation = {
        var expectation = Expectation.owner
        for actor in Expectation.peers.passing where actor != .owner { expectation.between[actor] = .refused }
        return expectation
    }()

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

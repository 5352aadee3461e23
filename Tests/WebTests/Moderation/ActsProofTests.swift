import Community
import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

/// Random acts by all roles over HTTP and at the terminal, half of them undone, against a model of what they make.
@Suite(.database)
struct ActsProofTests {
    /// What the acts make of one thing, and which acts did it, the last at the end.
    private struct Modelled: Equatable {
        let name: String
        let author: Accounts.Role
        var hidden = false, held = false
        /// What the account is while it is not suspended.
        var state = Accounts.State.active
        var suspended = false
    }

    private struct Done {
        let id: ID<Moderation.Bulk>
        let thing: Int
        let aspect: String
        let before: Modelled
        let verb: Moderation.Verb
        /// That of who did it; of somebody at the terminal that of administrators.
        let role: Accounts.Role
        /// Where what it undoes stands.
        var undoes: Int?
        var isUndone = false
    }

    private struct Model {
        var things: [Modelled] = []
        var done: [Done] = []

        /// `nil`: refused with that code; else whether something changes.
        mutating func predict(_ verb: Moderation.Verb, on place: Int, by role: Accounts.Role?) -> (
            code: String?, changes: Bool
        ) {
            let thing = things[place]
            if let role, role <= thing.author, verb != .hold, verb != .release { return ("role_too_low", false) }
            var next = thing
            switch verb {
            case .hide: next.hidden = true
            case .unhide: next.hidden = false
            case .hold: next.held = true
            case .release: next.held = false
            case .suspend: next.suspended = true
            case .unsuspend: next.suspended = false
            case .limit, .freeze, .restore:
                if thing.suspended { return ("suspended", false) }
                next.state = verb == .limit ? .limited : verb == .freeze ? .frozen : .active
            default: break
            }
            things[place] = next
            return (nil, next != thing || verb == .warn)
        }
    }

    private static func aspect(of verb: Moderation.Verb) -> String {
        switch verb {
        case .hide, .unhide: "sight"
        case .suspend, .unsuspend: "suspension"
        case .hold, .release: "hold"
        case .warn: "warn"
        default: "state"
        }
    }

    @Test(.long, .timeLimit(.minutes(ProofCount.minutes)), .requirement("DIS-5"))
    func `random acts by all roles are recorded, each once, and make what the model says`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            var random = TestRandom().fork()
            let given = app.world.given
            let reader = app.as(try await given.account("ann"))
            var actors: [(role: Accounts.Role?, app: TestApp?)] = [(nil, nil)]
            for role: Accounts.Role in [.member, .librarian, .moderator, .moderator, .admin, .owner] {
                actors.append((role, app.as(try await given.account(role: role))))
            }
            var model = Model()
            var posts: [(place: Int, author: Int, post: ID<Boards.Post>)] = []
            let book = try await given.book()
            model.things.append(Modelled(name: "book:\(book)", author: .member))
            for role: Accounts.Role in [.member, .librarian, .member, .moderator] {
                let author = try await given.account(role: role)
                let account = model.things.count
                model.things.append(Modelled(name: "reader:\(author.username)", author: role))
                for _ in 0..<2 {
                    let thread = try await given.thread(on: book, by: author.id)
                    posts.append((model.things.count, account, thread.post))
                    model.things.append(Modelled(name: "post:\(thread.post)", author: role))
                }
            }
            for _ in 0..<ProofCount.of(1_000) {
                let actor = actors[Int.random(in: actors.indices, using: &random)]
                let undoing = !model.done.isEmpty && Bool.random(using: &random)
                let answer: (code: String?, id: ID<Moderation.Bulk>?)
                let expected: String?
                if undoing {
                    let place = Int.random(in: model.done.indices, using: &random)
                    (answer, expected) = try await undo(place, in: &model, by: actor, of: app)
                } else {
                    let place = Int.random(in: model.things.indices, using: &random)
                    let name = model.things[place].name
                    let verbs: [Moderation.Verb] =
                        name.hasPrefix("book")
                        ? [.hold, .release]
                        : name.hasPrefix("post")
                            ? [.hide, .unhide]
                            : [.warn, .limit, .freeze, .suspend, .unsuspend, .restore]
                    let verb = verbs.randomElement(using: &random) ?? .warn
                    let before = model.things[place]
                    let isModerator = actor.role.map { $0 >= .moderator } ?? true
                    let found = isModerator ? model.predict(verb, on: place, by: actor.role) : ("not_moderator", false)
                    expected = found.0
                    answer = try await act(verb, on: name, by: actor, of: app)
                    if expected == nil {
                        #expect((answer.id != nil) == found.1, "\(verb) on \(name)")
                        if let id = answer.id {
                            model.done.append(
                                Done(
                                    id: id, thing: place, aspect: Self.aspect(of: verb), before: before, verb: verb,
                                    role: actor.role ?? .admin))
                        }
                    }
                }
                #expect(answer.code == expected)
            }
            let recorded = try await app.world.asSuperuser("select count(*) from moderation_action")
            #expect(recorded == [["\(model.done.count)"]])
            for (place, author, post) in posts {
                let isSeen = try await reader.get("/api/v1/posts/\(post)").status == .ok
                let account = model.things[author]
                #expect(isSeen == (!model.things[place].hidden && !account.suspended && account.state != .limited))
            }
            for thing in model.things where thing.name.hasPrefix("reader") {
                let state = try await app.world.asSuperuser(
                    "select state from account where username = '\(thing.name.dropFirst("reader:".count))'")
                let expected = thing.suspended ? "suspended" : thing.state.rawValue
                #expect(state.first?[0] == expected, "\(thing.name)")
            }
            let held = try await app.world.asSuperuser("select count(*) from rating_hold")
            #expect(held == [[model.things[0].held ? "1" : "0"]])
            #expect(try await app.world.everyDifference() == [])
        }
    }

    private func act(
        _ verb: Moderation.Verb, on name: String, by actor: (role: Accounts.Role?, app: TestApp?), of app: TestApp
    ) async throws -> (code: String?, id: ID<Moderation.Bulk>?) {
        guard let door = actor.app else {
            return try await terminal {
                let order = Moderation.Order(verb, by: .terminal("root"), reason: "by chance")
                let target = try Reference.read(name, of: Community.acted, at: "/target")
                return try await app.world.community.moderation.bulk(order, on: target).id
            }
        }
        let made = try await door.post(
            "/api/v1/moderation/acts",
            ["verb": .string(verb.rawValue), "target": .string(name), "reason": "by chance"])
        return (made.status == .ok ? nil : made.code, made.json["id"]?.text.flatMap { ID(text: $0) })
    }

    private func terminal(
        _ body: () async throws -> ID<Moderation.Bulk>?
    ) async throws -> (code: String?, id: ID<Moderation.Bulk>?) {
        do { return (nil, try await body()) } catch let failure as Failure { return (failure.code, nil) }
    }

    private func undo(
        _ place: Int, in model: inout Model, by actor: (role: Accounts.Role?, app: TestApp?), of app: TestApp
    ) async throws -> ((code: String?, id: ID<Moderation.Bulk>?), expected: String?) {
        let former = model.done[place]
        let thing = model.things[former.thing]
        let isLater = model.done[(place + 1)...].contains { later in
            later.thing == former.thing && later.aspect == former.aspect && !later.isUndone
                && (later.undoes.map { $0 < place } ?? true)
        }
        var next = thing
        switch former.aspect {
        case "sight": next.hidden = former.before.hidden
        case "suspension": next.suspended = former.before.suspended
        case "hold": next.held = former.before.held
        default: next.state = former.before.state
        }
        var expected: String?
        if let role = actor.role, role < .moderator {
            expected = "not_moderator"
        } else if former.verb == .warn {
            expected = "cannot_be_undone"
        } else if let role = actor.role, former.role > role {
            expected = "role_too_low"
        } else if former.isUndone {
            expected = "undone"
        } else if isLater {
            expected = "changed"
        } else if let role = actor.role, role <= thing.author, former.aspect != "hold" {
            expected = "role_too_low"
        } else if next == thing {
            expected = "changed"
        }
        let answer: (code: String?, id: ID<Moderation.Bulk>?)
        if let door = actor.app {
            let made = try await door.post("/api/v1/moderation/acts/\(former.id)/undo", ["reason": "by chance"])
            answer = (made.status == .ok ? nil : made.code, made.json["id"]?.text.flatMap { ID(text: $0) })
        } else {
            answer = try await terminal {
                let order = Moderation.Order(undoingBy: .terminal("root"), reason: "by chance")
                return try await app.world.community.moderation.undo(former.id, order).id
            }
        }
        if expected == nil, let id = answer.id {
            model.done[place].isUndone = true
            let inverse = former.verb.inverse ?? former.verb
            model.done.append(
                Done(
                    id: id, thing: former.thing, aspect: former.aspect, before: thing, verb: inverse,
                    role: actor.role ?? .admin, undoes: place))
            model.things[former.thing] = next
        }
        return (answer, expected)
    }
}

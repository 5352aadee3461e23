import Community
import HTTPTypes

/// A call that was done before, under the key that it carries again.
package struct DoneCall: Sendable {
    /// What its reply named in `Location`.
    private let location: String?

    fileprivate init(_ stored: Reply) { location = stored.headers[.location] }

    /// What it made, the last part of `Location`. Throws `.notFound` where it made nothing of the kind.
    package func made<Entity>(_ entity: Entity.Type) throws(Failure) -> ID<Entity> {
        guard let name = location?.split(separator: "/").last, let id = ID<Entity>(text: String(name)) else {
            throw .notFound("such thing any more")
        }
        return id
    }
}

extension Reply {
    /// What is kept of a reply that shows what others wrote: its status and where it lives.
    var bare: Reply {
        var reply = Reply(status: status)
        reply.headers[.location] = headers[.location]
        return reply
    }

    /// This stored reply with what is to be seen now. Throws `Problem` (410 `idempotency_gone`) where that is nothing.
    func shown(again: @Sendable (DoneCall) async throws -> Reply) async throws -> Reply {
        do {
            var reply = try await again(DoneCall(self))
            reply.status = status
            reply.headers[.location] = headers[.location]
            reply.headers[.idempotencyReplayed] = headers[.idempotencyReplayed]
            return reply
        } catch let failure as Failure {
            switch failure {
            case .notFound, .forbidden: throw Problem.doneAndGone
            default: throw failure
            }
        }
    }
}

extension Problem {
    /// Not 404, which would tell a client that its call was not done, and never a second effect.
    static var doneAndGone: Problem {
        var problem = Problem(
            .idempotencyGone,
            "What it answered was deleted since then, or is not for you any more. It was done once; do not repeat it.")
        problem.headers[.idempotencyReplayed] = "true"
        return problem
    }
}

import Postgres

/// A kind of things that a gate may keep from readers who know of them: who is not as far in a book gets a placeholder.
package protocol GatedKind: ThingKind {
    /// SQL: whether the viewer may know of the thing in scope, also where only its place is left. Never null.
    static func isMet<S: ForViewer>() -> SQL<S>
    /// SQL: whether the gate of the thing in scope is open to the viewer. Never null.
    static func opens<S: ForViewer>() -> SQL<S>
    /// SQL: whether the viewer is shown inline spoilers of a thing that is open to them. Never null.
    static func unveils<S: ForViewer>() -> SQL<S>
    /// SQL: the `Gate.Scope` of the thing in scope as it is told where it is shut.
    static var toldScope: Fragment { get }
    /// SQL: what a placeholder calls the thing in scope.
    static var word: Fragment { get }
    /// That it is shut.
    static func shut(at scope: Gate.Scope) -> Failure
}

// A kind that has no gate.
extension GatedKind {
    package static func isMet<S: ForViewer>() -> SQL<S> { isSeen() }
    package static func opens<S: ForViewer>() -> SQL<S> { "true" }
    package static func unveils<S: ForViewer>() -> SQL<S> { "true" }
    package static var toldScope: Fragment { "0::smallint" }
    package static var word: Fragment { "\(literal: facts.name)" }
    package static func shut(at scope: Gate.Scope) -> Failure {
        let position = "\(scope.position) of \(Gate.end)"
        // A kind without a code of its own is told as a post is.
        let code = ProblemCode(rawValue: "\(facts.name)_gated") ?? .postGated
        return .forbidden(
            code: code, "it lies ahead of you, at \(position)" + (code == .postGated ? ": reveal it first" : ""))
    }
}

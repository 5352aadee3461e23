import Synchronization

/// Whether the client of a connection still waits: what takes long is not begun for one that has gone.
package final class Presence: Sendable {
    /// Of the caller for whom the current task works; `nil` where nobody can go.
    @TaskLocal package static var current: Presence?

    private let gone = Atomic<Bool>(false)

    package init() {}

    package var isGone: Bool { gone.load(ordering: .relaxed) }
    /// The client has hung up, or said that it sends nothing more.
    package func leave() { gone.store(true, ordering: .relaxed) }
}

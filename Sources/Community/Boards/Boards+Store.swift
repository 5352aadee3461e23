import Postgres

extension Boards {
    /// What readers do on boards: reading in `Boards+Store+Read.swift`; writing in `…+Open.swift`, `…+Reply.swift`,
    /// `…+Edit.swift` and `…+Delete.swift`, with the scopes that they say in `…+Scope.swift`; reactions in
    /// `Kernel/Things/Reactions.swift`, markers in `…+Mark.swift`, searching in `…+Search.swift`. What moderators do stands in
    /// `…+Moderate.swift`, the end of an account in `…+Leave.swift`.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }
    }
}

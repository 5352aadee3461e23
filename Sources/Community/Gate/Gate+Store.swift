import Postgres

extension Gate {
    /// What readers choose about the gate, what they reveal, and what they say of posts: `Gate+Setting.swift`,
    /// `…+Reveal.swift`, `…+Mark.swift`; where the gate stands: `Gate+Look.swift`.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }
    }
}

import Postgres

extension Accounts {
    package struct Store: Sendable {
        let house: House

        package init(_ house: House) { self.house = house }

        /// Who holds this token now; `nil` for anything that is no living session of an account in good standing.
        package func identify(token: String) async throws -> Identity? { nil }
    }
}

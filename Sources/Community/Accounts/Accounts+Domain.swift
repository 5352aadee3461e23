import Postgres

extension Accounts: Domain {
    package static let things: [any ThingKind.Type] = [Account.self]
    package static var eventKinds: [String] { EventKind.names }
}

extension Accounts.Account: ThingKind {
    package static let facts = ThingFacts(
        name: "account", table: "account", author: "account.id", title: "account.username")

    package static func isSeen<S: ForViewer>() -> SQL<S> {
        Visibility.predicate(
            viewer: .viewer, owner: "account.id", level: "\(Visibility.members.rawValue)")
    }
}

extension Thing {
    package static func account(_ id: ID<Accounts.Account>) -> Thing { Thing(id) }
}

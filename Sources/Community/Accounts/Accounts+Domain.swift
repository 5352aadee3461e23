import Postgres

extension Accounts: Domain {
    package static var eventKinds: [String] { EventKind.names }
}

import Postgres

extension Feed: Domain {
    package static var eventKinds: [String] { EventKind.names }
}

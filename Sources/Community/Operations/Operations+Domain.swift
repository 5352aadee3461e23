import Postgres

extension Operations: Domain {
    package static var eventKinds: [String] { EventKind.names }
}

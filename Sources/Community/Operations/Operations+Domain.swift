import Postgres

extension Operations: Domain {
    package static var eventKinds: [String] { EventKind.names }
}

extension Community {
    package var operations: Operations.Store { Operations.Store(services) }
}

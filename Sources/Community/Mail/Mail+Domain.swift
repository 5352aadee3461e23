import Postgres

extension Mail: Domain {
    package static var statements: [any Statement.Type] { [] }
}

import Postgres

extension Profiles {
    static let privacyStatements: [any Statement.Type] = [
        Statements.PrivacyOf.self, Statements.PutPrivacy.self, Statements.DropPrivacy.self,
    ]
}

extension Profiles.Statements {
    /// No row where the reader never chose a level.
    struct PrivacyOf: Statement {
        static let name = "profiles.privacy_of"
        static let sql: SQL<Self> = "select \(Privacy.Kind.columns) from privacy where privacy.reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>

        static func decode(_ row: borrowing Row) throws -> Privacy {
            var privacy = Privacy()
            for (column, kind) in Privacy.Kind.allCases.enumerated() { privacy[kind] = try row[column] }
            return privacy
        }
    }

    struct PutPrivacy: PositionalStatement {
        static let name = "profiles.put_privacy"
        static let sql = """
            insert into privacy (reader_id, \(names.joined(separator: ", ")))
            values ($1, \(names.indices.map { "$\($0 + 2)" }.joined(separator: ", ")))
            on conflict (reader_id) do update
               set \(names.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """
        private static let names = Privacy.Kind.allCases.map(\.rawValue)
        let reader: ID<Accounts.Account>
        let privacy: Privacy

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            for kind in Privacy.Kind.allCases { parameters.append(privacy[kind]) }
        }
    }

    /// For the end of an account.
    struct DropPrivacy: Statement {
        static let name = "profiles.drop_privacy"
        static let sql: SQL<Self> = "delete from privacy where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}

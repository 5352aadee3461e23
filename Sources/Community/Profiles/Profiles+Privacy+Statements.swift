import Postgres

extension Profiles.Statements {
    /// No row where the reader never chose a level.
    struct PrivacyOf: Statement {
        static let sql: SQL<Self> = "select \(Privacy.Kind.columns) from privacy where privacy.reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> Privacy {
            var privacy = Privacy()
            for kind in Privacy.Kind.allCases { privacy[kind] = try columns(column: kind) }
            return privacy
        }
    }

    /// A reader, and the lowest level that the viewer sees of what is the reader's: null where there is none.
    struct LeastSeen: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select account.id,
                   (select min(level)
                      from generate_series(0, 3) level
                     where \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "level")))::smallint as least
              from account
             where account.username_folded = \(\.folded)
            """
        let viewer: Viewer, folded: String

        static func decode(_ columns: inout Columns) throws -> (reader: ID<Accounts.Account>, least: Visibility?) {
            (try columns("id"), try columns("least"))
        }
    }

    struct PutPrivacy: Statement {
        static let sql: SQL<Self> = """
            insert into privacy (reader_id, \(names.joined(separator: ", ") as Fragment))
            values (\(\.reader), \(Privacy.Kind.allCases.map { "\(\.privacy[$0], column: $0)" }.joined(separator: ", ")))
            on conflict (reader_id) do update
               set \(names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ") as Fragment)
            """
        private static let names: [Fragment] = Privacy.Kind.allCases.map { "\(column: $0)" }
        let reader: ID<Accounts.Account>, privacy: Privacy
    }

    /// Touches no row where the database knows no such time zone.
    struct PutTimeZone: Statement {
        static let sql: SQL<Self> = """
            update account
               set time_zone = \(\.zone)
             where id = \(\.reader)
               and (\(\.zone)::text is null or exists (select from pg_timezone_names where name = \(\.zone)))
            """
        let reader: ID<Accounts.Account>, zone: String?
    }

    /// For the end of an account.
    struct DropPrivacy: Statement {
        static let sql: SQL<Self> = "delete from privacy where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}

import Postgres

extension Lending.Statements {
    struct Share: Statement {
        static let sql: SQL<Self> = """
            insert into library_link (library_id, reader_id, digest, created_at)
            values (\(\.library), \(\.reader), \(\.digest), \(\.at))
            on conflict (library_id) do update
               set reader_id = excluded.reader_id,
                   digest = excluded.digest,
                   created_at = excluded.created_at
            """
        let library: ID<Lending.SharedLibrary>, reader: ID<Accounts.Account>, digest: Bytes, at: Timestamp
    }

    /// By an owner of it.
    struct Unshare: Statement {
        static let sql: SQL<Self> = """
            delete from library_link
             where library_id = \(\.library)
               and exists (select 1 from library_member
                            where library_member.library_id = \(\.library)
                              and library_member.reader_id = \(\.reader)
                              and library_member.role = 'owner'
                              and library_member.joined_at is not null)
            """
        let library: ID<Lending.SharedLibrary>, reader: ID<Accounts.Account>
    }

    /// The library that a link opens and who made it, where the viewer may see anything public of that reader.
    struct LinkOf: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(Accounts.Reader.columns(of: "reader")), library_link.library_id
              from library_link
              join account reader on reader.id = library_link.reader_id
             where library_link.digest = \(\.digest)
               and \(Visibility.predicate(viewer: .viewer, owner: "library_link.reader_id", level: "3"))
            """
        let viewer: Viewer, digest: Bytes

        static func decode(
            _ columns: inout Columns
        ) throws -> (reader: Accounts.Reader, library: ID<Lending.SharedLibrary>) {
            (try Accounts.Reader(&columns), try columns("library_id"))
        }
    }
}

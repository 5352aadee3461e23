import Postgres

extension Services {
    /// Gives the database an epoch where it has none: after a backup was restored, which leaves it out, so that no
    /// position in the stream from before is taken for one of now. Changes nothing where there is one.
    package struct DrawEpoch: Statement {
        package static let sql: SQL<Self> = """
            insert into server (epoch)
            select ('x' || substr(md5(gen_random_uuid()::text), 1, 15))::bit(60)::bigint
             where not exists (select 1 from server)
            on conflict (id) do nothing
            """

        package init() {}
    }
}

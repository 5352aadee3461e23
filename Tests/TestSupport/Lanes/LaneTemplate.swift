import Foundation
import Logging
import Migrations
import Postgres

/// The migrated database that lanes are copied from: one for each set of migrations, made once per cluster.
struct LaneTemplate: Sendable {
    let cluster: TestCluster
    let name: String

    /// A shared lane that has grown beyond this is dropped instead of emptied: dead rows would slow every later test in it.
    private static let largestLane = 96 * 1024 * 1024

    /// Makes the template where the cluster has none yet for these migrations, and drops lanes that a dead test process left.
    static func prepare(_ cluster: TestCluster) async throws -> LaneTemplate {
        let checksum = Migration(name: "0001_all", bytes: Array(Migrations.all.map(\.checksum).joined().utf8)).checksum
        let template = LaneTemplate(cluster: cluster, name: "template_\(checksum.prefix(16))")
        let building = "building_\(checksum.prefix(16))"
        try await DirectConnection.onThread {
            let session = try template.maintenance()
            // Held until the session closes: another test process may be making the same template.
            try session.run("select pg_advisory_lock(1)")
            try template.dropAbandoned(session)
            guard try session.value("select true from pg_database where datname = $1", template.name) == nil else {
                return
            }
            try session.run("drop database if exists \(building) with (force)")
            try session.run("create database \(building) template template0")
            try LaneTemplate.fill(cluster.conninfo(database: building))
            try session.run("alter database \(building) rename to \(template.name)")
        }
        return template
    }

    /// `source`: the database that is copied; by default the template, or an empty one.
    func create(_ lane: Lane, from source: String? = nil) async throws {
        try await DirectConnection.onThread {
            let session = try maintenance()
            let source = source ?? (lane.kind == .empty ? "template0" : name)
            try session.run("create database \(lane.name) template \(source)")
        }
    }

    /// Runs `sql` in `lane` as a superuser.
    func fill(_ lane: Lane, with sql: String) async throws {
        try await DirectConnection.onThread {
            _ = try DirectConnection(lane.superuserConninfo, applicationName: "lanes").run(sql)
        }
    }

    func drop(_ lane: Lane) async throws {
        LaneSessions.shared.close(lane)
        try await DirectConnection.onThread {
            _ = try maintenance().run("drop database if exists \(lane.name) with (force)")
        }
    }

    /// Deletes every row and puts back those of the migrations; gives false where the lane was dropped instead.
    func empty(_ lane: Lane) async throws -> Bool {
        let isSmall = try await LaneSessions.shared.use(lane) { session in
            try session.run(
                """
                select pg_terminate_backend(pid, 5000)
                  from pg_stat_activity
                 where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
                """)
            try session.run("select lane_seed.reset()")
            return try Int(session.value("select pg_database_size(current_database())") ?? "0") ?? 0 < Self.largestLane
        }
        if !isSmall { try await drop(lane) }
        return isSmall
    }

    private static func fill(_ conninfo: String) throws {
        let logger = Logger(label: "lanes", factory: { _ in SwiftLogNoOpLogHandler() })
        _ = try Migrator(conninfo: conninfo, migrations: Migrations.all, logger: logger).upBlocking()
        let session = try DirectConnection(conninfo, applicationName: "lanes")
        try session.run(remember)
    }

    private func maintenance() throws -> DirectConnection {
        try DirectConnection(cluster.conninfo(database: "postgres"), applicationName: "lanes")
    }

    private func dropAbandoned(_ session: DirectConnection) throws {
        for row in try session.run("select datname from pg_database where datname like 'lane\\_%'") {
            guard let name = row[0], let pid = name.split(separator: "_").dropFirst().first.flatMap({ pid_t($0) })
            else { continue }
            // Signal 0 asks whether the process exists.
            guard kill(pid, 0) != 0, errno == ESRCH else { continue }
            try session.run("drop database if exists \(name) with (force)")
        }
    }

    /// Copies what migrations put into tables and sequences, and writes the function that empties all tables and puts those rows back.
    /// The function names each table, so that a connection that runs it again plans nothing anew. Triggers and foreign keys sleep
    /// (`session_replication_role`), so that the order of tables does not matter.
    private static let remember = """
        create schema lane_seed;
        create table lane_seed.sequence_position as
            select format('%I.%I', schemaname, sequencename)::regclass as sequence, coalesce(last_value, start_value) as value,
                   last_value is not null as is_called
              from pg_sequences
             where schemaname = 'public';
        do $$
        declare
            relation record;
            has_rows boolean;
            steps text := 'perform set_config(''session_replication_role'', ''replica'', true);';
        begin
            for relation in
                select relname,
                       (select string_agg(quote_ident(attname), ', ')
                          from pg_attribute
                         where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
                  from pg_class
                 where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
                   and relname <> 'schema_migration'
            loop
                steps := steps || format('delete from public.%I;', relation.relname);
                execute format('select exists (select from public.%I)', relation.relname) into has_rows;
                if has_rows then
                    execute format('create table lane_seed.%I as table public.%I', relation.relname, relation.relname);
                    steps := steps || format('insert into public.%I (%s) overriding system value select %s from lane_seed.%I;',
                                             relation.relname, relation.columns, relation.columns, relation.relname);
                end if;
            end loop;
            execute format('create function lane_seed.reset() returns void language plpgsql as %L',
                           'begin ' || steps || ' perform setval(sequence, value, is_called) from lane_seed.sequence_position; end');
        end $$
        """
}

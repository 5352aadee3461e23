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
        try await DirectConnection.onThread {
            _ = try maintenance().run("drop database if exists \(lane.name) with (force)")
        }
    }

    /// Deletes every row and puts back those of the migrations; gives false where the lane was dropped instead.
    func empty(_ lane: Lane) async throws -> Bool {
        let isSmall = try await DirectConnection.onThread {
            let session = try DirectConnection(lane.superuserConninfo, applicationName: "lanes")
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
        try session.run(reset)
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

    /// Copies what migrations put into tables and sequences, to be put back when a lane is emptied.
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
        begin
            for relation in
                select relname from pg_class
                 where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migration'
            loop
                execute format('select exists (select 1 from public.%I)', relation.relname) into has_rows;
                if has_rows then
                    execute format('create table lane_seed.%I as table public.%I', relation.relname, relation.relname);
                end if;
            end loop;
        end $$
        """

    /// Triggers and foreign keys sleep (`session_replication_role`), so that the order of tables does not matter.
    private static let reset = """
        create function lane_seed.reset() returns void language plpgsql as $$
        declare
            relation record;
            columns text;
        begin
            perform set_config('session_replication_role', 'replica', true);
            for relation in
                select relname, to_regclass(format('lane_seed.%I', relname)) as seed from pg_class
                 where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migration'
            loop
                execute format('delete from public.%I', relation.relname);
                if relation.seed is not null then
                    select string_agg(quote_ident(attname), ', ') into columns
                      from pg_attribute
                     where attrelid = format('public.%I', relation.relname)::regclass
                       and attnum > 0 and not attisdropped and attgenerated = '';
                    execute format('insert into public.%I (%s) overriding system value select %s from %s',
                                   relation.relname, columns, columns, relation.seed);
                end if;
            end loop;
            perform setval(sequence, value, is_called) from lane_seed.sequence_position;
        end $$
        """
}

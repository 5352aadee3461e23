import Logging

/// Two roles: `commonplace_owner` owns every table and migrates; `commonplace_app` reads and writes rows and has no DDL.
extension Migrator {
    package static let ownerRole = "commonplace_owner"
    package static let applicationRole = "commonplace_app"

    /// Creates the roles where they are missing and the user may create them, and becomes the owner where the user may.
    ///
    /// A user who may do neither migrates as itself: the one user of a database at a plain hosting service.
    func adoptRoles(_ session: DirectConnection) throws {
        let mayCreate =
            try session.value(
                "select rolsuper or rolcreaterole from pg_roles where rolname = current_user") == "t"
        if mayCreate {
            for role in [Self.ownerRole, Self.applicationRole] where try !exists(role, session) {
                try tolerating([.duplicateObject, .uniqueViolation]) { try session.run("create role \(role) login") }
            }
            let isSuperuser = try session.value("select rolsuper from pg_roles where rolname = current_user") == "t"
            if isSuperuser {
                try handOver(session)
            } else if try !isMember(session) {
                try tolerating([.insufficientPrivilege]) { try session.run("grant \(Self.ownerRole) to current_user") }
            }
        }
        guard try exists(Self.ownerRole, session), try isMember(session) else {
            logger.notice("migrating as the connected user; tables will belong to it")
            return
        }
        try session.run("set role \(Self.ownerRole)")
    }

    /// Gives `commonplace_app` what it needs: on tables to come by default, on those that stand where it has nothing yet. A migration that
    /// revokes a privilege (a log that is only ever appended to) is not undone by this.
    func grantToApplication(_ session: DirectConnection) throws {
        let role = Self.applicationRole
        guard try exists(role, session), try session.value("select current_user") != role else { return }
        try session.run("begin")
        try session.run("grant usage on schema public to \(role)")
        try session.run(
            "alter default privileges in schema public grant select, insert, update, delete on tables to \(role)")
        try session.run("alter default privileges in schema public grant usage, select on sequences to \(role)")
        try session.run(
            """
            do $$
            declare
                relation record;
            begin
                for relation in
                    select c.oid::regclass as name, c.relkind
                      from pg_class c
                     where c.relnamespace = 'public'::regnamespace
                       and c.relkind in ('r', 'p', 'v', 'm', 'S')
                       and c.relowner = current_user::regrole
                       and c.relname <> 'schema_migration'
                       and not exists (select 1 from aclexplode(c.relacl) a where a.grantee = '\(role)'::regrole)
                loop
                    if relation.relkind = 'S' then
                        execute format('grant usage, select on sequence %s to \(role)', relation.name);
                    else
                        execute format('grant select, insert, update, delete on %s to \(role)', relation.name);
                    end if;
                end loop;
            end $$
            """)
        try session.run("revoke all on public.schema_migration from \(role)")
        try session.run("grant select on public.schema_migration to \(role)")
        try session.run("commit")
    }

    /// A superuser may have made the database in any name: the owner must be able to create in it.
    private func handOver(_ session: DirectConnection) throws {
        try session.run(
            """
            do $$
            begin
                execute format('grant connect, create, temporary on database %I to \(Self.ownerRole)', current_database());
                execute format('grant connect, temporary on database %I to \(Self.applicationRole)', current_database());
            end $$
            """)
        try session.run("grant usage, create on schema public to \(Self.ownerRole)")
    }

    private func exists(_ role: String, _ session: DirectConnection) throws -> Bool {
        try session.value("select true from pg_roles where rolname = $1", role) == "t"
    }

    private func isMember(_ session: DirectConnection) throws -> Bool {
        try session.value("select pg_has_role(current_user, '\(Self.ownerRole)', 'member')") == "t"
    }

    /// Several databases of one cluster may be prepared at once, and roles belong to the cluster.
    private func tolerating(_ states: [SQLState], _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as PostgresError where error.sqlState.map(states.contains) ?? false {
            return
        }
    }
}

extension SQLState {
    static let duplicateObject = SQLState(rawValue: "42710")
}

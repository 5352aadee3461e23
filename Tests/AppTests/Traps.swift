import Foundation
import TestSupport
import Testing

/// Statements of a worker stand still at points that a test chooses, until its process is killed there.
enum Traps {
    /// A trigger that runs `wait_in_trap(POINT)` waits while that point is in the table `trap`.
    static let table = """
        create table trap (point integer);
        create function wait_in_trap() returns trigger language plpgsql security definer as $$
        begin
            while exists (select from trap where point = tg_argv[0]::integer) loop perform pg_sleep(0.01); end loop;
            return case tg_op when 'DELETE' then old else new end;
        end $$;
        """

    /// What a worker connects with, so that its sessions are known.
    static func conninfo(of world: World) -> String { world.lane.conninfo + " application_name=works" }

    /// Kills a worker as soon as it stands in a trap, and opens that.
    static func kill(_ worker: RunningProgram, in world: World) async throws {
        try await eventually { try await sessions(waiting: true, in: world) > 0 }
        await worker.kill()
        // The database does to the end what it was told, also for a process that is gone.
        try await world.asSuperuser("delete from trap")
        try await eventually { try await sessions(waiting: false, in: world) == 0 }
        try await world.asSuperuser(
            "update job set lease_until = now() - interval '1 second' where state = 'running'")
    }

    /// Sessions of the program: all, or those that stand in a trap.
    static func sessions(waiting: Bool, in world: World) async throws -> Int {
        let trapped = waiting ? "and wait_event = 'PgSleep'" : ""
        return try await number(
            """
            select count(*) from pg_stat_activity
             where application_name = 'works' and datname = current_database() \(trapped)
            """, in: world)
    }

    static func number(_ sql: String, in world: World) async throws -> Int {
        let value = try await world.asSuperuser(sql).first?.first ?? nil
        return value.flatMap { Int($0) } ?? -1
    }
}

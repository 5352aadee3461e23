import Community
import Foundation
import Postgres
import TestSupport
import Testing

/// `kill -9` of the process that works, at each point of a job's life: what was asked for is done, and once.
@Suite(.serialized, .database(.fresh)) struct WorkerKillProofTests {
    /// Where a job stands still until its process is gone.
    private enum Point: Int, CaseIterable {
        case leasing = 1
        case doing, finishing, committing
    }

    /// Those that ended are in `job_ended`.
    private static let traps = """
        create table job_ended (id bigint);
        create function note_the_end() returns trigger language plpgsql security definer as $$
        begin
            insert into job_ended values (old.id);
            return null;
        end $$;
        create trigger trap_1 before update on job for each row
            when (new.state = 'running' and old.state = 'ready' and new.kind = 'notifications.tell')
            execute function wait_in_trap(1);
        create trigger trap_2 before insert on notification_actor for each row execute function wait_in_trap(2);
        create trigger trap_3 before delete on job for each row
            when (old.kind = 'notifications.tell') execute function wait_in_trap(3);
        create constraint trigger trap_4 after insert on notification_actor deferrable initially deferred
            for each row execute function wait_in_trap(4);
        create trigger note_the_end after delete on job for each row
            when (old.kind = 'notifications.tell') execute function note_the_end();
        """

    @Test(.long, .timeLimit(.minutes(60)))
    func `the process that works is killed at four points of a job, and each job is done once`() async throws {
        let kills = ProofCount.of(100)
        try await withWorld(leaving: [.outbox, .jobs, .leases]) { world in
            try await world.asSuperuser(Traps.table + Self.traps)
            var readers: [Signed] = []
            while readers.count * (readers.count - 1) / 2 < kills { readers.append(try await world.given.account()) }
            let pairs = readers.indices.flatMap { one in (0..<one).map { (readers[one], readers[$0]) } }
            try await withProgram(["COMMONPLACE_UNSAFE_DATABASE": "1"]) { program in
                let environment = ["DATABASE_URL": Traps.conninfo(of: world)]
                var worker = try program.start(["work"], environment: environment)
                for number in 0..<kills {
                    let point = Point.allCases[number % Point.allCases.count]
                    try await world.asSuperuser("insert into trap values (\(point.rawValue))")
                    let pair = pairs[number]
                    _ = try await world.given.friendRequest(from: pair.0, to: pair.1)
                    try await Traps.kill(worker, in: world)
                    worker = try program.start(["work"], environment: environment)
                    try await eventually { try await Self.waiting(in: world) == 0 }
                    let told = try await world.asSuperuser("select count(*) from notification_actor")
                    #expect(told == [["\(number + 1)"]], "\(point)")
                }
                // What has not said that it works yet may not hear the signal either.
                try await eventually { try await Self.present(in: world) }
                let status = await worker.stop()
                #expect(status == 0, "\(worker.errors)")
            }
            let ended = try await world.asSuperuser("select count(*), count(distinct id) from job_ended")
            #expect(ended == [["\(kills)", "\(kills)"]])
            let events = try await world.asSuperuser(
                "select count(*) from outbox where kind = 'notification.new'")
            #expect(events == [["\(kills)"]])
            #expect(try await world.everyDifference() == [])
        }
    }

    /// Whether the one process that is left has said that it works: those that were killed said it earlier.
    private static func present(in world: World) async throws -> Bool {
        try await Traps.number(
            """
            select count(*) from job_worker
             where seen_at > (select min(backend_start) from pg_stat_activity
                               where application_name = 'works' and datname = current_database())
            """, in: world) > 0
    }

    private static func waiting(in world: World) async throws -> Int {
        try await Traps.number("select count(*) from job where kind = 'notifications.tell'", in: world)
    }
}

import Foundation
import Postgres
import TestSupport
import Testing

/// Two processes that work, each of which is stopped in the middle of what it does and goes on later, keep one schedule.
@Suite(.serialized, .database(.fresh)) struct SlotProofTests {
    /// Each insert is noted with its round.
    private static let notes = """
        create table round (number integer);
        insert into round values (0);
        create table noted (round integer, kind text, at_once xid8);
        create table slots (round integer, task text, due_at timestamptz, at_once xid8);
        create function note_job() returns trigger language plpgsql security definer as $$
        begin
            insert into noted select number, new.kind, pg_current_xact_id() from round;
            return null;
        end $$;
        create function note_slot() returns trigger language plpgsql security definer as $$
        begin
            insert into slots select number, new.task, new.due_at, pg_current_xact_id() from round;
            return null;
        end $$;
        create trigger note_job after insert on job for each row execute function note_job();
        create trigger note_slot after insert on job_slot for each row execute function note_slot();
        """

    /// All slots are to be given again: a new round.
    private static let again = "update round set number = number + 1; delete from job; delete from job_slot"

    /// Tasks of ten minutes and more. Of these, too, the clock may bring a second slot within one round.
    private static let rare =
        """
        task not in ('catalog.refresh_browse', 'search.refresh', 'ranking.refresh', 'statistics.check_goals', \
        'notifications.digest')
        """

    @Test(.long, .timeLimit(.minutes(60)))
    func `of two processes one is stopped and goes on, again and again, and each slot gets one job`() async throws {
        let wanted = ProofCount.of(1000)
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            try await world.asSuperuser(Self.notes)
            try await withProgram(["COMMONPLACE_UNSAFE_DATABASE": "1"]) { program in
                let environment = ["DATABASE_URL": world.lane.conninfo]
                let workers = [
                    try program.start(["work"], environment: environment),
                    try program.start(["work"], environment: environment),
                ]
                var tasks = 0
                try await eventually {
                    let before = tasks
                    tasks = try await Self.given(0, in: world)
                    try await Task.sleep(for: .milliseconds(500))
                    return tasks > 10 && tasks == before
                }
                let rounds = (wanted + tasks - 1) / tasks
                for round in 1...rounds {
                    // Somewhere between two looks at the schedules, or in the middle of one.
                    try await Task.sleep(for: .milliseconds(Int(world.random.number(in: 0...1000))))
                    workers[round % 2].signal(SIGSTOP)
                    try await world.asSuperuser(Self.again)
                    try await eventually { try await Self.given(round, in: world) == tasks }
                    workers[round % 2].signal(SIGCONT)
                }
                for worker in workers { #expect(await worker.stop() == 0) }
                print("\(rounds * tasks) slots of \(tasks) tasks, \(rounds) times one of two processes was stopped")
                let twice = try await world.asSuperuser(
                    """
                    select round, task from slots where \(Self.rare) group by round, task, due_at having count(*) <> 1
                    """)
                #expect(twice == [])
                // A slot and its job come at once. A second slot of the round has none while the first one's job waits.
                let alone = try await world.asSuperuser(
                    """
                    select task from slots
                     where \(Self.rare)
                       and (select count(*) from noted where noted.at_once = slots.at_once) <> 1
                       and not exists (
                           select from slots as first
                            where first.round = slots.round
                              and first.task = slots.task
                              and first.due_at < slots.due_at)
                    """)
                #expect(alone == [])
            }
        }
    }

    private static func given(_ round: Int, in world: World) async throws -> Int {
        let value = try await world.asSuperuser(
            "select count(distinct task) from slots where \(rare) and round = \(round)"
        ).first?.first
        return value.flatMap { $0 }.flatMap { Int($0) } ?? -1
    }
}

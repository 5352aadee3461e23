import Community
import Foundation
import Postgres
import TestSupport
import Testing

/// `kill -9` of the process that does an act on many, and of the one that undoes it, at each step: each thing is done once.
@Suite(.serialized, .database(.fresh)) struct BulkKillProofTests {
    /// Where a portion stands still: at its first act, at what became of it, at its commit, and at the end of the whole.
    private static let traps = """
        create trigger trap_1 before insert on moderation_action for each row execute function wait_in_trap(1);
        create trigger trap_2 before update on moderation_target for each row execute function wait_in_trap(2);
        create constraint trigger trap_3 after update on moderation_target deferrable initially deferred
            for each row execute function wait_in_trap(3);
        create trigger trap_4 before update on moderation_bulk for each row
            when (new.state = 'done') execute function wait_in_trap(4);
        """

    @Test(.long, .timeLimit(.minutes(60)))
    func `the process that does an act on many is killed at four points of it, and each thing is done once`()
        async throws
    {
        let kills = ProofCount.of(80)
        try await withWorld(leaving: [.outbox, .jobs, .leases]) { world in
            try await world.asSuperuser(Traps.table + Self.traps)
            let given = world.given
            let (eve, book) = (try await given.account(), try await given.book())
            var targets: [Reference] = []
            for _ in 0..<3 {
                let thread = try await given.thread(on: book, by: eve.id)
                targets.append(.thing(Thing(thread.post)))
                for _ in 0..<2 { targets.append(.thing(Thing(try await given.post(in: thread.id, by: eve.id)))) }
            }
            let moderation = world.community.moderation
            let order = Moderation.Order(.hide, by: .terminal("root"), reason: "a wave")
            try await withProgram(["COMMONPLACE_UNSAFE_DATABASE": "1"]) { program in
                let environment = ["DATABASE_URL": Traps.conninfo(of: world)]
                var worker = try program.start(["work"], environment: environment)
                var former: ID<Moderation.Bulk>?
                for number in 0..<kills {
                    let point = number / 2 % 4 + 1
                    try await world.asSuperuser("insert into trap values (\(point))")
                    let choice: Moderation.Choice = former.map { .undoing($0) } ?? .named(targets)
                    let act = try #require(try await moderation.act(order, on: choice).id)
                    try await Traps.kill(worker, in: world)
                    worker = try program.start(["work"], environment: environment)
                    try await eventually { try await moderation.bulk(act).state == .done }
                    let bulk = try await moderation.bulk(act)
                    #expect(bulk.outcomes[.done] == targets.count, "\(point) \(bulk)")
                    let recorded = try await Traps.number(
                        "select count(*) from moderation_action where act = \(act)", in: world)
                    #expect(recorded == targets.count)
                    let hidden = try await Traps.number(
                        "select count(*) from post where hidden_at is not null", in: world)
                    #expect(hidden == (former == nil ? targets.count : 0))
                    former = former == nil ? act : nil
                }
                let status = await worker.stop()
                #expect(status == 0, "\(worker.errors)")
            }
            #expect(try await world.everyDifference() == [])
        }
    }
}

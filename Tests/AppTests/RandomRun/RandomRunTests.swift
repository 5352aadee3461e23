import Foundation
import Logging
import Postgres
import TestSupport
import Testing

@testable import Client

/// Everything that is counted stays exact, whatever readers do at once through two servers.
@Suite(.serialized) struct RandomRunTests {
    /// A counter, and the rule of `commonplace check` that holds it.
    private static let counters = [
        (
            "update shelf_tally set n = n + 1 where ctid = (select ctid from shelf_tally limit 1)",
            "library.recount_tallies"
        ),
        (
            "update work_shelf set want = want + 1 where ctid = (select ctid from work_shelf limit 1)",
            "library.recount_works"
        ),
        (
            "update work_rating set reviews = reviews + 1 where ctid = (select ctid from work_rating limit 1)",
            "reviews.recount_tallies"
        ),
        (
            "update work_popularity set readers = readers + 1 where ctid = (select ctid from work_popularity limit 1)",
            "reviews.recount_readers"
        ),
        (
            "update work_popularity set recommends = recommends + 1 where ctid = (select ctid from work_popularity limit 1)",
            "praise.recount_recommends"
        ),
        (
            "update work_checkout set n = n + 1 where ctid = (select ctid from work_checkout limit 1)",
            "lending.recount_checkouts"
        ),
        ("update library set copies = copies + 1 where id = 1", "lending.recount_libraries"),
        (
            "update friend_tally set friends = friends + 1 where ctid = (select ctid from friend_tally limit 1)",
            "friends.recount"
        ),
    ]

    @Test(
        .requirement(
            "SHE-2", "RAT-1", "RAT-3", "RAT-4", "RAT-5", "FAV-1", "LIB-3", "PRO-7", "DIS-1", "DIS-2", "DIS-3", "FRI-1",
            "FRI-2"), .timeLimit(.minutes(ProofCount.minutes)))
    func `random acts of many readers through two servers leave every counter exact, and tell no secret to a beginner`()
        async throws
    {
        try await withProgram { program in
            try #require(try await program.run("demo").status == 0)
            let password = UUID().uuidString
            let owner = try await program.run(
                "admin", "create-owner", "librarian", "--email", "librarian@example.org", "--password-stdin",
                input: password + "\n")
            try #require(owner.status == 0, "\(owner.errors)")
            let first = try await program.serve()
            let port = try Program.freePort()
            let second = try await program.serve(port: port)
            let servers = [try program.client(), try CommonplaceClient("http://127.0.0.1:\(port)")]
            let librarian = try await servers[0].logIn("librarian", password: password).client
            let books = try await servers[0].books(limit: 24).items.map(\.id)

            let total = ProofCount.of(10_000)
            let watch = try await SecretWatch(servers, books: books)
            let run = try await RandomRun(
                total, servers: servers, librarian: librarian, companions: watch.companions, scene: watch.scene)
            try await watch.during(run)
            try await watch.open(program)
            let living = try await program.run("check")
            #expect(living.status == 0, "while both serve: \(living.output)\(living.errors)")
            #expect(await first.stop() == 0)
            #expect(await second.stop() == 0)
            watch.expectSilence([first, second])
            print("random run, seed \(TestRandom.seed): \(total) acts\n\(Self.table(run))")
            Self.expectVariety(of: run, total)

            let check = try await program.run("check")
            #expect(check.status == 0, "\(check.output)\(check.errors)")
            try await Self.breakCounters(program)
            let broken = try await program.run("check")
            #expect(broken.status == 1)
            for (_, rule) in Self.counters {
                #expect(broken.output.split(separator: "\n").contains { $0.hasPrefix(rule) }, "\(rule) noticed nothing")
            }
        }
    }

    /// A run in which nothing happened proves nothing.
    private static func expectVariety(of run: RandomRun, _ total: Int) {
        let done = Act.Kind.allCases.reduce(0) { $0 + run.successes($1) }
        #expect(done > total / 4, "most acts were refused")
        for kind: Act.Kind in [.merge, .openThread, .reply, .react, .review] {
            #expect(run.successes(kind) > 0, "\(kind) never did anything")
        }
        guard ProofCount.isFull else { return }
        for kind in Act.Kind.allCases { #expect(run.successes(kind) > 0, "\(kind) never did anything") }
    }

    private static func table(_ run: RandomRun) -> String {
        run.answers.sorted { $0.key.rawValue < $1.key.rawValue }.map { kind, answers in
            let counts = answers.sorted { $0.key < $1.key }.map { "\($0.key) × \($0.value)" }
            return "  \(kind): \(counts.joined(separator: ", "))"
        }.joined(separator: "\n")
    }

    /// Raises each of the counters by one, behind the program's back.
    private static func breakCounters(_ program: Program) async throws {
        try await Behind.run(counters.map(\.0), program)
    }
}

import Jobs
import Postgres

extension Boards {
    /// Computes the heat of every thread that has some anew: it falls with age alone; and counts anew who wrote on
    /// which board. Every ten minutes.
    package struct Cool: Job {
        package static let kind = "boards.cool"
        package static let timeout = Duration.seconds(600)

        package var uniqueKey: String? { "all" }
    }

    /// Has `worker` do the jobs of boards, and when they are due.
    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.schedule("boards.cool", every: Limits.boards.coolsEvery) { Cool() }
        worker.handle(Cool.self) { _, _ in
            do { try await community.boards.cool() } catch {
                // Neither keeps the other from being done.
                try await community.ranking.heatBoards()
                throw error
            }
            try await community.ranking.heatBoards()
        }
        worker.handle(Forget.self) { job, _ in try await community.boards.forget(job.gone) }
    }
}

extension Boards.Store {
    /// Computes the heat of every thread that has some anew, as of now; one that is colder than can be told apart, or
    /// too old, has none any more. Gives how many there were.
    @discardableResult
    package func cool() async throws -> Int {
        let now = services.clock.now()
        let oldest = now - .seconds(Limits.boards.hotDays * 86_400)
        var (after, cooled) = (ID<Boards.Thread>.min, 0)
        while true {
            let threads = try await services.database.all(
                Boards.Statements.CoolThreads(
                    after: after, now: now, oldest: oldest, limit: Limits.boards.cooledAtOnce))
            guard let last = threads.max() else { return cooled }
            (after, cooled) = (last, cooled + threads.count)
        }
    }
}

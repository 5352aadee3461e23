import Postgres

extension Ranking: Domain {
    package static var eventKinds: [String] { EventKind.names }

    /// Takes over what hangs on a work that becomes another.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        MergeStep(
            "move_hold",
            """
            with gone as (
                delete from ranking_hold where work_id = \(\.from) returning reason, until, actor, held_at
            )
            insert into ranking_hold (work_id, reason, until, actor, held_at)
            select \(\.into), reason, until, actor, held_at from gone
                on conflict (work_id) do update
                set reason = excluded.reason, until = excluded.until, actor = excluded.actor, held_at = excluded.held_at
              where excluded.until > ranking_hold.until
            """),
        // Two works that are one have been read since the earlier day.
        MergeStep(
            "move_begun",
            """
            insert into work_begun as begun (work_id, day)
            select \(\.into), day from work_begun where work_id = \(\.from)
                on conflict (work_id) do update set day = excluded.day
             where excluded.day < begun.day
            """),
    ]

    /// Whatever is kept of an account that ends; what it did is taken back where it stands.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.DropGenres(reader: account))
    }
}

import Postgres

extension Praise {
    /// Takes what readers hold up of one work over to another, in the transaction in which a librarian merges them.
    /// Who has both keeps one of a kind, the one of `target`, seen by those who could see both. The counters of
    /// both are made anew.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        // One act stands for a mark: that of the one that stays.
        MergeStep(
            "undo_double_acts",
            """
            with \(doubles("\(\.from)", "\(\.into)"))
            update activity
               set undone_at = \(\.at)
              from doubles
             where activity.subject = doubles.gone
               and activity.undone_at is null
            """),
        // Seen by those who could see both.
        MergeStep(
            "join_marks",
            """
            with \(doubles("\(\.from)", "\(\.into)")), joined as (
                select doubles.kept, gone.created_at, gone.counted, usual.level as usual,
                       case when kept.visibility is not null or gone.visibility is not null
                            then least(coalesce(kept.visibility, usual.level), coalesce(gone.visibility, usual.level))
                       end as visibility
                  from doubles
                  join praise kept on kept.id = doubles.kept
                  join praise gone on gone.id = doubles.gone
                  left join privacy on privacy.reader_id = kept.reader_id
                 cross join lateral (select (case kept.kind when 'favourite' then coalesce(privacy.favourites, 2)
                                                            else coalesce(privacy.reviews, 3) end)::smallint as level) usual
            )
            update praise
               set visibility = joined.visibility,
                   counted = (praise.counted or joined.counted) and coalesce(joined.visibility, joined.usual) >= 2,
                   created_at = least(praise.created_at, joined.created_at)
              from joined
             where praise.id = joined.kept
            """),
        MergeStep(
            "drop_doubles",
            """
            with \(doubles("\(\.from)", "\(\.into)"))
            delete from praise using doubles where praise.id = doubles.gone
            """),
        MergeStep("move_marks", "update praise set work_id = \(\.into) where work_id = \(\.from)"),
        // The recommends of these works from their counted recommendations.
        MergeStep(
            "count_recommends_anew",
            """
            update work_popularity
               set recommends = (select count(*) from praise where praise.work_id = work_popularity.work_id and counted)
             where work_id in (\(\.from), \(\.into))
            """),
    ]

    /// Marks of readers who hold up both works: the one that stays and the one that goes.
    private static func doubles<S>(_ from: SQL<S>, _ into: SQL<S>) -> SQL<S> {
        """
        doubles as (
            select kept.id as kept, gone.id as gone
              from praise kept
              join praise gone on gone.reader_id = kept.reader_id and gone.kind = kept.kind and gone.work_id = \(from)
             where kept.work_id = \(into)
        )
        """
    }
}

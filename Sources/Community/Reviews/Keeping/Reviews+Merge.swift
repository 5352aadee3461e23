import Postgres

extension Reviews {
    /// Takes what readers said about one work over to another, in the transaction that merges them.
    ///
    /// Who said something about both keeps one review, the one of `target`: rating and text of the newer of the two, the older's where the newer has none,
    /// seen by those who could see both, marked or hidden where one of them was. Texts of both are its history; replies, reactions and reveals follow, the replies behind its own. The counters
    /// of both works are made anew.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        // Locks the reviews of both works by readers who said something about both, in their order. That waits for writers who answer one or react to it.
        MergeStep(
            "hold_reviews",
            """
            select from review
             where work_id in (\(\.from), \(\.into))
               and reader_id in (select other.reader_id
                                   from review other
                                   join review own on own.reader_id = other.reader_id and own.work_id = \(\.into)
                                  where other.work_id = \(\.from))
             order by id
               for update
            """),
        // Puts what readers said about both works into their review of the second: marked where one of the two was.
        MergeStep(
            "join_reviews",
            """
            update review
               set rating = case when coalesce(other.edited_at, other.created_at) > coalesce(review.edited_at, review.created_at)
                                 then coalesce(other.rating, review.rating) else coalesce(review.rating, other.rating) end,
                   body = case when coalesce(other.edited_at, other.created_at) > coalesce(review.edited_at, review.created_at)
                               then coalesce(other.body, review.body) else coalesce(review.body, other.body) end,
                   text_id = case when coalesce(other.edited_at, other.created_at) > coalesce(review.edited_at, review.created_at)
                                       and other.body is not null or review.body is null
                                  then other.text_id else review.text_id end,
                   spoilers = review.spoilers or other.spoilers,
                   reply_numbers = review.reply_numbers + other.reply_numbers,
                   replies = review.replies + other.replies,
                   visibility = least(review.visibility, other.visibility),
                   hidden_at = coalesce(review.hidden_at, other.hidden_at),
                   hidden_level = case when review.hidden_at is not null or other.hidden_at is not null
                                       then least(coalesce(review.hidden_level, review.visibility),
                                                  coalesce(other.hidden_level, other.visibility)) end,
                   level_is_own = review.level_is_own or other.level_is_own,
                   counted = (review.counted or other.counted) and least(review.visibility, other.visibility) >= 2,
                   version = review.version + 1,
                   created_at = least(review.created_at, other.created_at),
                   edited_at = \(\.at)
              from review other
             where review.work_id = \(\.into)
               and other.work_id = \(\.from)
               and other.reader_id = review.reader_id
            """),
        // All that both reviews said is the history of the one that stays; what is so no more is as marked as that.
        MergeStep(
            "move_texts",
            """
            update review_text
               set review_id = review.id,
                   spoilers = case when review_text.id = review.text_id then false else review_text.spoilers or review.spoilers end
              from \(both("\(\.from)", "\(\.into)"))
             where review_text.review_id in (review.id, other.id)
            """),
        // Replies to the other follow those to the one that stays.
        MergeStep(
            "move_replies",
            """
            update review_reply
               set review_id = review.id,
                   number = review_reply.number + review.reply_numbers - other.reply_numbers
              from \(both("\(\.from)", "\(\.into)"))
             where review_reply.review_id = other.id
            """),
        // A reader who gave both the same gave it once.
        MergeStep(
            "move_reactions",
            """
            update review_reaction
               set review_id = review.id
              from \(both("\(\.from)", "\(\.into)"))
             where review_reaction.review_id = other.id
               and not exists (select 1 from review_reaction own
                                where own.review_id = review.id
                                  and own.reader_id = review_reaction.reader_id
                                  and own.name = review_reaction.name)
            """),
        MergeStep(
            "drop_joined_tally",
            """
            delete from review_reaction_tally
             using \(both("\(\.from)", "\(\.into)"))
             where review_reaction_tally.review_id = review.id
            """),
        MergeStep(
            "make_joined_tally",
            """
            insert into review_reaction_tally (review_id, name, n)
            select given.review_id, given.name, count(*)::integer
              from \(both("\(\.from)", "\(\.into)"))
              join review_reaction given on given.review_id = review.id
             group by given.review_id, given.name
            """),
        MergeStep(
            "count_joined_reactions",
            """
            update review
               set reactions = (select count(*)::integer from review_reaction given where given.review_id = review.id)
              from review other
             where review.work_id = \(\.into)
               and other.work_id = \(\.from)
               and other.reader_id = review.reader_id
            """),
        // Who revealed both revealed the one that stays.
        MergeStep(
            "move_reveals",
            """
            update reveal
               set review_id = review.id
              from \(both("\(\.from)", "\(\.into)"))
             where reveal.review_id = other.id
               and not exists (select 1 from reveal own
                                where own.reader_id = reveal.reader_id and own.review_id = review.id)
            """),
        // One act of a kind stands for a review: that of the one that stays.
        MergeStep(
            "undo_double_acts",
            """
            update activity
               set undone_at = \(\.at)
              from \(both("\(\.from)", "\(\.into)"))
             where activity.subject = other.id
               and activity.undone_at is null
               and exists (select 1 from activity own
                            where own.subject = review.id
                              and own.kind = activity.kind
                              and own.undone_at is null)
            """),
        // Acts whose review is about to be dropped are acts of the one that stays.
        MergeStep(
            "move_acts",
            """
            update activity
               set subject = review.id
              from \(both("\(\.from)", "\(\.into)"))
             where activity.subject = other.id
               and activity.undone_at is null
            """),
        MergeStep(
            "drop_doubles",
            """
            delete from review
             where work_id = \(\.from)
               and exists (select 1 from review own where own.work_id = \(\.into) and own.reader_id = review.reader_id)
            """),
        MergeStep(
            "move_reviews",
            "update review set work_id = \(\.into), version = version + 1 where work_id = \(\.from)"),
        // Locks the counters of a work, made where there are none: that waits for another that counts, or it counts on from
        // what is made of them. A statement of its own, so that the next one sees what those said who were waited for.
        MergeStep(
            "hold_tally",
            """
            insert into work_rating (work_id)
            values (\(\.into))
                on conflict (work_id) do update
               set n = work_rating.n
            """),
        // Locks the numbers of readers of both works. After the counters, as `Count` and `Catalog.BumpReaders` take them.
        MergeStep(
            "hold_readers",
            "select from work_popularity where work_id in (\(\.from), \(\.into)) order by work_id for update"),
        MergeStep("drop_tally", "delete from work_rating where work_id = \(\.from)"),
        // The counters of one work from its counted reviews.
        MergeStep("make_tally", tallied("\(\.into)")),
        MergeStep(
            "move_hold",
            """
            with gone as (delete from rating_hold where work_id = \(\.from) returning since)
            insert into rating_hold (work_id, since) select \(\.into), since from gone on conflict (work_id) do nothing
            """),
        // The readers of these works from their counted reviews.
        MergeStep(
            "count_readers_anew",
            """
            \(readersCounted())
             where work_id in (\(\.from), \(\.into))
            """),
    ]

    /// SQL: writes the counters of one work from its counted reviews.
    static func tallied<S>(_ work: SQL<S>) -> SQL<S> {
        """
        insert into work_rating (work_id, n, sum, histogram, reviews)
            select \(work), count(rating), coalesce(sum(rating), 0),
                   array(select count(given.rating)::integer
                           from generate_series(1, 20) step
                           left join review given on given.work_id = \(work) and given.counted and given.rating = step
                          group by step
                          order by step),
                   count(body)
              from review
             where work_id = \(work)
               and counted
                on conflict (work_id) do update
               set n = excluded.n, sum = excluded.sum, histogram = excluded.histogram, reviews = excluded.reviews
        """
    }

    /// SQL: writes the readers of works from their counted reviews; a condition follows.
    static func readersCounted<S>() -> SQL<S> {
        """
        update work_popularity
               set readers = (select count(*) from review where review.work_id = work_popularity.work_id and counted)
        """
    }

    /// SQL: the review of the second work, which stays, and as `other` that of the first one by the same reader.
    private static func both<S>(_ from: SQL<S>, _ into: SQL<S>) -> SQL<S> {
        """
        review
              join review other on other.reader_id = review.reader_id and other.work_id = \(from) and review.work_id = \(into)
        """
    }
}

import Postgres

extension Follows {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "merged", "Nobody follows a book or an author that turned out to be another.",
            """
            select 'follow ' || follow.id || ' names book ' || work.id || ', which was merged'
              from follow
              join work on work.id = follow.work_id
             where work.merged_into is not null
            union all
            select 'follow ' || follow.id || ' names author ' || author.id || ', who was merged'
              from follow
              join author on author.id = follow.author_id
             where author.merged_into is not null
            """)
    ]
}

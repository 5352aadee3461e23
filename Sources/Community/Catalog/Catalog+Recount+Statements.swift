import Postgres

extension Catalog {
    /// What `commonplace check` looks at; `work_popularity.readers` is looked at by the reviews.
    package static let recounts: [Recount] = [
        Recount(
            "genres", "The number of works of each genre is that of its works.",
            """
            select 'genre ' || genre.id || ': stored ' || genre.work_count || ' works, counted ' || counted.works
              from genre
             cross join lateral (select count(*) as works from work_genre where genre_id = genre.id) counted
             where counted.works <> genre.work_count
             order by genre.id
            """),
        Recount(
            "imported", "The number of imported ratings of each work is the sum over their sources.",
            """
            select 'book ' || popularity.work_id || ': stored ' || popularity.imported || ' imported ratings, counted '
                   || coalesce(counted.ratings, 0)
              from work_popularity popularity
              left join (select work_id, sum(count) as ratings from imported_rating group by work_id) counted
                on counted.work_id = popularity.work_id
             where popularity.imported <> coalesce(counted.ratings, 0)
             order by popularity.work_id
            """),
        Recount(
            "scopes", "The number of books of each scope is that of its entries.",
            """
            select 'scope ' || scope.kind || ' ' || scope.key || ': stored ' || scope.members || ' books, counted '
                   || coalesce(counted.members, 0)
              from browse_scope scope
              left join (select scope_id, count(*) as members from browse_entry group by scope_id) counted
                on counted.scope_id = scope.id
             where scope.members <> coalesce(counted.members, 0)
             order by scope.id
            """),
        Recount(
            "left_entries", "Every book of a scope stands among all books.",
            """
            select 'book ' || entry.work_id || ' has an entry in scope ' || entry.scope_id || ' and none among all books'
              from browse_entry entry
             where not exists (select 1 from browse_entry whole where whole.scope_id = 0 and whole.work_id = entry.work_id)
             order by entry.work_id, entry.scope_id
            """),
        Recount(
            "entries", "Every listed book can be browsed, and no other.",
            """
            select 'book ' || coalesce(popularity.work_id, entry.work_id)
                   || case when entry.work_id is null then ' is listed and has no entry' else ' has an entry and is not listed' end
              from (select work_id from work_popularity where listed) popularity
              full join (select work_id from browse_entry where scope_id = 0) entry on entry.work_id = popularity.work_id
             where (entry.work_id is null or popularity.work_id is null)
               and not exists (select 1 from browse_mark
                                where browse_mark.work_id = coalesce(popularity.work_id, entry.work_id))
            """),
    ]
}

import Postgres

extension Suggestions {
    /// What `commonplace check` looks at. Who reads what changes after a generation was made, so its scores and numbers
    /// cannot be counted anew; what holds whatever readers do is looked at.
    package static let recounts: [Recount] = [
        Recount(
            "whole", "The generation that is shown is whole: it has as many rows as were written.",
            """
            select 'generation ' || made.id || ': ' || made.row_count || ' rows were written, there are ' || coalesce(counted.n, 0)
                   || case when made.made_at is null then ', and it was not made to its end' else '' end
              from related_current current
              join related_generation made on made.id = current.generation_id
              left join (select generation_id, count(*) as n from related_work group by generation_id) counted
                on counted.generation_id = made.id
             where made.row_count <> coalesce(counted.n, 0)
                or made.made_at is null
            """),
        Recount(
            "ranks", "The neighbours of a work stand without a gap, each once, the most alike first.",
            """
            select 'book ' || work_id || ': ' || other_id || ' stands at ' || rank || ' of its neighbours'
              from (select work_id, other_id, rank,
                           row_number() over (partition by work_id order by rank) as place,
                           lag(score) over (partition by work_id order by rank) < score as rises,
                           count(*) over (partition by work_id, other_id) as times
                      from related_work
                     where generation_id = (select generation_id from related_current)) told
             where place <> rank
                or rises
                or times > 1
            """),
        Recount(
            "both_ways", "What two works have in common is the same from each of them.",
            """
            select 'book ' || one.work_id || ' and ' || one.other_id || ': ' || one.readers || ' readers and ' || other.readers
              from related_current current
              join related_work one on one.generation_id = current.generation_id and one.work_id < one.other_id
              join related_work other
                on other.generation_id = one.generation_id and other.work_id = one.other_id and other.other_id = one.work_id
             where (one.readers, one.score) is distinct from (other.readers, other.score)
            """),
    ]
}

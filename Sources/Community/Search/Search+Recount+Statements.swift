import Postgres

extension Search {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "rows",
            "Every listed work that is not marked is found by what the catalogue says about it now, and no other work is.",
            """
            select 'book ' || coalesce(said.work_id, found.work_id)
                   || case
                          when found.work_id is null then ': not in the search index'
                          when said.work_id is null then ': in the search index, but not listed'
                          else ': the search index holds an earlier state'
                      end
              from (select source.work_id, source.digest
                      from (select \(Search.Statements.sourceColumns)
                              from work_popularity place
                              \(Search.Statements.sourceJoins)
                             where place.listed) source (work_id, title, subtitle, names, aliases, series, genres, subjects,
                                                         editions, publishers, popularity, digest)) said
              full join work_search found on found.work_id = said.work_id
             where said.digest is distinct from found.digest
               and not exists (select 1 from search_stale where search_stale.work_id = coalesce(said.work_id, found.work_id))
            """),
        Recount(
            "vocabulary", "Every word by which a work is found is known, so that it is not taken for a misspelt one.",
            """
            select 'word ' || quote_literal(held.word) || ': in ' || held.ndoc || ' works and unknown'
              from ts_stat('select words from work_search') held
             where not exists (select 1 from search_word where search_word.word = held.word)
            """),
    ]
}

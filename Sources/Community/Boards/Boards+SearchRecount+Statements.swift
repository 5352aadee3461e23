import Postgres

extension Boards {
    static let searchRecounts: [any Recount.Type] = [Recounts.Words.self, Recounts.WordPlaces.self]
}

// Both read whole tables: for `commonplace check`, never for a request.
extension Boards.Recounts {
    struct Words: Recount {
        static let rule = "Each post that is not deleted has the words of its text for searching, and no other has any."
        static let sql: SQL<Self> = """
            select 'post ' || post.id || ' has the text ' || coalesce(post.text_id::text, 'none') || ', and words of '
                   || coalesce(post_search.text_id::text, 'none')
              from post
              left join post_search on post_search.post_id = post.id
             where post.text_id is distinct from post_search.text_id
             limit 1000
            """
    }

    struct WordPlaces: Recount {
        static let rule = "The words of a post are said to be in its thread, on its board, and nowhere else."
        static let sql: SQL<Self> = """
            select 'post ' || post.id || ' of thread ' || thread.id || ' on board ' || thread.board_id
                   || ' is searched elsewhere'
              from post_search
              join post on post.id = post_search.post_id
              join thread on thread.id = post.thread_id
             where (post_search.thread_id, post_search.board_id) <> (thread.id, thread.board_id)
                or not ts_match_vq(post_search.words,
                                   ('''#' || thread.id || ''' & ''#' || thread.board_id || '''')::tsquery)
                or ts_match_vq(ts_delete(post_search.words, array['#' || thread.id, '#' || thread.board_id]),
                               '''#'':*')
             limit 1000
            """
    }
}

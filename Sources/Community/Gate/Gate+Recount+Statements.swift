import Postgres

extension Gate {
    package static let recounts: [Recount] = [
        Recount(
            "sources",
            "What answers or quotes a post gives away at least as much of the same book, unless a moderator said less.",
            """
            select 'post ' || post.id || ' at ' || post.scope || ', its source ' || source.id || ' at ' || source.scope
              from post
              join thread on thread.id = post.thread_id
             cross join lateral (
                   select source.id, source.scope, source.thread_id
                     from post source
                    where source.id in (coalesce(post.answers_id, post.parent_id), post.quoted_id)
                    union all
                   select opening.id, opening.scope, opening.thread_id
                     from post opening
                    where post.parent_id is null
                      and post.number > 1
                      and opening.thread_id = post.thread_id
                      and opening.number = 1) source
              join thread home on home.id = source.thread_id
             where post.scope < source.scope
               and home.work_id = thread.work_id
               and not exists (select 1 from moderation_action
                                where moderation_action.subject_kind = 'post'
                                  and moderation_action.subject_id = post.id
                                  and (moderation_action.action = 'post.scope'
                                       or moderation_action.action = 'post.edit'
                                       and moderation_action.before ->> 'scope'
                                           <> moderation_action.after ->> 'scope'))
            """),
        Recount(
            "works",
            "A post was written about the book that its thread is about, or about one that was merged into it.",
            """
            select 'post ' || post.id || ' was written about ' || coalesce('work ' || post.work_id, 'none')
                   || ', its thread is about ' || coalesce('work ' || thread.work_id, 'none')
              from post
              join thread on thread.id = post.thread_id
              left join work on work.id = post.work_id
             where coalesce(work.merged_into, work.id) is distinct from thread.work_id
            """),
    ]
}

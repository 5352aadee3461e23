import Postgres

// What is there for the viewer of their notifications, `notice`: asked whenever one is read.
extension Notifications.Statements {
    /// SQL: whether this program knows the kind of `notice`. A newer one may run beside it, or have run before it.
    static let kindIsKnown: Fragment = "notice.kind in (\(Notifications.Kind.known))"

    /// SQL: whether the post in scope, of the thread in scope, is there for the viewer: their own wherever they may
    /// read.
    private static func postIsThere<S: ForViewer>() -> SQL<S> {
        """
        (\(Boards.Statements.postStands)
                           and thread.hidden_at is null
                           and \(Groups.opens(viewer: .viewer))
                           and (post.author_id = \(.viewer)
                                or \(Boards.Statements.isSeen("post.author_id")) and \(Boards.Statements.threadIsSeen())))
        """
    }

    /// SQL: whether the post that `id` names is there for the viewer.
    private static func isThere<S: ForViewer>(_ id: SQL<S>) -> SQL<S> {
        """
        exists (select 1
                         from post
                         join thread on thread.id = post.thread_id
                        where post.id = \(id)
                          and \(postIsThere()))
        """
    }

    /// SQL: whether the reply to a review that `id` names stands, and `viewer` sees both of them.
    static func replyIsThere<S>(_ id: SQL<S>, for viewer: SQL<S>) -> SQL<S> {
        """
        exists (select 1
                         from review_reply
                         join review on review.id = review_reply.review_id
                        where review_reply.id = \(id)
                          and \(Reviews.Statements.replyIsSeen(by: viewer)))
        """
    }

    /// SQL: whether the reader `who` is in the group that `notice` is about. A closed one has no members.
    private static func isIn<S>(_ who: SQL<S>) -> SQL<S> {
        """
        exists (select 1 from group_member inside
                                              where inside.group_id = notice.subject_id and inside.reader_id = \(who))
        """
    }

    /// SQL: whether moderators let the viewer see the group that `notice` is about.
    private static func groupIsShown<S: ForViewer>() -> SQL<S> {
        """
        exists (select 1 from reading_group met
                                              where met.id = notice.subject_id and \(Groups.isShown("met", to: .viewer)))
        """
    }

    /// SQL: whether what an `actor` of `notice` did stands, where it is no post and no reply; they are seen.
    private static func deedStands<S: ForViewer>() -> SQL<S> {
        """
        case when notice.kind in (\(Notifications.Kind.list(.postReaction)))
                                    then \(Boards.Post.isReacted(to: "actor.cause_id", by: "actor.actor_id"))
                                         and \(isThere("actor.cause_id"))
                                    when notice.kind in (\(Notifications.Kind.list(.reviewReaction)))
                                    then \(Reviews.Review.isReacted(to: "actor.cause_id", by: "actor.actor_id"))
                                    when notice.kind in (\(Notifications.Kind.list(.friendRequest)))
                                    then exists (select 1 from friend_request
                                                  where friend_request.id = actor.cause_id
                                                    and friend_request.state in ('pending', 'accepted', 'declined'))
                                    when notice.kind in (\(Notifications.Kind.list(.groupInvitation)))
                                    then \(groupIsShown())
                                         and (\(isIn(.viewer))
                                              or exists (select 1 from group_invitation invited
                                                          where invited.group_id = notice.subject_id
                                                            and invited.reader_id = \(.viewer)
                                                            and invited.inviter_id = actor.actor_id
                                                            and invited.ended_at is null))
                                    when notice.kind in (\(Notifications.Kind.list(.groupRequest)))
                                    then \(groupIsShown())
                                         and exists (select 1 from group_member leader
                                                      where leader.group_id = notice.subject_id
                                                        and leader.reader_id = \(.viewer)
                                                        and leader.role <> 'member')
                                         and (\(isIn("actor.actor_id"))
                                              or exists (select 1 from group_request asked
                                                          where asked.group_id = notice.subject_id
                                                            and asked.reader_id = actor.actor_id))
                                    when notice.kind in (\(Notifications.Kind.list(.groupAdmission)))
                                    then \(groupIsShown()) and \(isIn(.viewer))
                                    else true end
        """
    }

    /// SQL: whether an `actor` of `notice` is named to the viewer: what they did stands, and the viewer may see it. Of
    /// a kind that is not known it cannot tell.
    static func actorIsShown<S: ForViewer>() -> SQL<S> {
        """
        \(kindIsKnown)
                   and case when notice.kind in (\(Notifications.Kind.list(.post))) then \(isThere("actor.cause_id"))
                      when notice.kind in (\(Notifications.Kind.list(.reviewReply)))
                      then \(replyIsThere("actor.cause_id", for: .viewer))
                      else \(Visibility.predicate(viewer: .viewer, owner: "actor.actor_id", level: "2"))
                           and \(deedStands()) end
        """
    }

    /// SQL: the viewer's last report in the case that `notice` is about, once it is decided; index `report_of_case`.
    static func decidedReport<S: ForViewer>() -> SQL<S> {
        """
        select report.id, \(Moderation.Statements.target(of: "about.subject_kind", "about.subject_id")) as target, report.state
                 from report
                 join moderation_case about on about.id = report.case_id
                where report.case_id = notice.subject_id
                  and report.reporter_id = \(.viewer)
                  and report.state <> 'open'
                order by report.id desc
                limit 1
        """
    }

    /// SQL: whether `notice`, of which nobody is named to the viewer, says something all the same. What a newer program
    /// told does, as somebody who may not be told what: it is counted as unread like the others.
    static func isShownAlone<S: ForViewer>() -> SQL<S> {
        """
        (notice.kind in (\(Notifications.Kind.list(.nobody))) and \(isThere("notice.subject_id"))
                           or notice.kind in (\(Notifications.Kind.list(.act)))
                           or notice.kind in (\(Notifications.Kind.list(.goal)))
                              and exists (select 1 from goal
                                           where goal.reader_id = \(.viewer)
                                             and goal.year = notice.subject_id
                                             and goal.reached_at is not null)
                           or notice.kind in (\(Notifications.Kind.list(.decision))) and exists (\(decidedReport()))
                           or not \(kindIsKnown))
        """
    }
}

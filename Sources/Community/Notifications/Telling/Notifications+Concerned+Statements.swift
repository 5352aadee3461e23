import Postgres

// Whom it concerns that somebody replied or reacted to a review, that somebody wants to come into a group, and that a
// report was decided.
extension Notifications.Statements {
    /// Which review a reply is to, whose that is, and what the reply says. No row where one of them is gone,
    /// or the reply hidden.
    struct RepliedTo: Statement {
        static let sql: SQL<Self> = """
            select review.id, review.reader_id, reply.body
              from review_reply reply
              join review on review.id = reply.review_id
             where reply.id = \(\.reply)
               and reply.hidden_at is null
            """
        let reply: ID<Reviews.Reply>

        static func decode(
            _ columns: inout Columns
        ) throws -> (review: ID<Reviews.Review>, reader: ID<Accounts.Account>, body: String) {
            (try columns("id"), try columns("reader_id"), try columns("body"))
        }
    }

    /// Who has replied to a review, beyond `after`; index `review_reply_talking`.
    struct Talkers: Statement {
        static let sql: SQL<Self> = """
            select distinct author_id
              from review_reply
             where review_id = \(\.review)
               and author_id > \(\.after)
             order by author_id
             limit \(\.limit)
            """
        let review: ID<Reviews.Review>, after: ID<Accounts.Account>, limit: Int
        typealias Output = ID<Accounts.Account>
    }

    /// Whose reports in a case an act decided, beyond `after`; index `report_of_case`.
    struct Decided: Statement {
        static let sql: SQL<Self> = """
            select distinct report.reporter_id
              from report
              join moderation_action decision on decision.id = \(\.decision)
             where report.case_id = \(\.about)
               and report.decided_at = decision.at
               and report.reporter_id > \(\.after)
             order by report.reporter_id
             limit \(\.limit)
            """
        let about: ID<Moderation.Case>, decision: ID<Moderation.Action>, after: ID<Accounts.Account>, limit: Int
        typealias Output = ID<Accounts.Account>
    }

    /// Owners and moderators of a group that somebody still asks to be let into; index `group_member_leading`. They are
    /// few.
    struct LeadersAsked: Statement {
        static let sql: SQL<Self> = """
            select leader.reader_id
              from group_member leader
             where leader.group_id = \(\.group)
               and leader.role <> 'member'
               and exists (select 1 from group_request asked where asked.group_id = \(\.group) and asked.reader_id = \(\.actor))
             limit \(Limits.groups.leaders + 1)
            """
        let group: ID<Groups.Group>, actor: ID<Accounts.Account>
        typealias Output = ID<Accounts.Account>
    }
}

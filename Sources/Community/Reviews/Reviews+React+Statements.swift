import EventLog
import Postgres

extension Reviews {
    /// What stands before a reader reacts to a review.
    struct ReactionScene: Sendable {
        let state: Accounts.State
        let author: ID<Accounts.Account>
        let book: ID<Catalog.Work>
        let visibility: Visibility
        /// Whether the gate lets the reader see it.
        let isOpen: Bool
    }
}

extension Reviews.Statements {
    /// The account is held against its end. No row where the review is not seen.
    struct ReactionScene: Statement {
        static let sql: SQL<Self> = """
            with reader as (select id, state from account where id = \(\.reader) for share)
            select reader.state, review.reader_id, review.work_id, review.visibility, \(Gate.opensReview(viewer: "\(\.reader)")) as is_open
              from reader
              join review on review.id = \(\.review)
             where \(Visibility.predicate(viewer: "\(\.reader)", owner: "review.reader_id", level: "review.visibility"))
            """
        let reader: ID<Accounts.Account>, review: ID<Reviews.Review>

        static func decode(_ columns: inout Columns) throws -> Reviews.ReactionScene {
            Reviews.ReactionScene(
                state: try columns("state"), author: try columns("reader_id"), book: try columns("work_id"),
                visibility: try columns("visibility"), isOpen: try columns("is_open"))
        }
    }

    /// Affects no row where it is there already, or where the review has gone since.
    struct InsertReaction: Statement {
        static let sql: SQL<Self> = """
            insert into review_reaction (review_id, reader_id, name, at)
            select id, \(\.reader), \(\.reaction), \(\.at) from review where id = \(\.review)
            on conflict do nothing
            """
        let review: ID<Reviews.Review>, reader: ID<Accounts.Account>, reaction: Reaction, at: Timestamp
    }

    struct DeleteReaction: Statement {
        static let sql: SQL<Self> =
            "delete from review_reaction where review_id = \(\.review) and reader_id = \(\.reader) and name = \(\.reaction)"
        let review: ID<Reviews.Review>, reader: ID<Accounts.Account>, reaction: Reaction
    }

    /// Makes those who react to one review take turns until they commit.
    struct BumpReactions: Statement {
        static let sql: SQL<Self> = "update review set reactions = reactions + \(\.by)::integer where id = \(\.review)"
        let review: ID<Reviews.Review>, by: Int32
    }

    /// One more or one less of a name; the review's own row is locked.
    struct BumpTally: Statement {
        static let sql: SQL<Self> = """
            insert into review_reaction_tally as counted (review_id, name, n) values (\(\.review), \(\.reaction), greatest(\(\.by)::integer, 0))
                on conflict (review_id, name) do update set n = counted.n + \(\.by)
            """
        let review: ID<Reviews.Review>, reaction: Reaction, by: Int32
    }

    /// Writes `TalkEvent.reacted` into the outbox with the counts as they are under the lock of the review's row, which
    /// is held. The subject that it is bound to is the review; what is told of is its text, where it has one.
    struct TellReactions: Statement {
        static let sql: SQL<Self> = """
            insert into outbox (id, kind, version, topics, owner_id, subject_kind, subject_id, at, data)
            select \(\.event.id)::bigint, \(\.event.kind)::text, \(\.event.version)::bigint, \(\.event.topicNames, "event.topics")::text[], \(\.event.owner)::bigint,
                   case when review.text_id is null then \(\.event.subjectKind)::text else \(literal: EventSubject.reviewText.name) end,
                   coalesce(review.text_id, review.id), \(\.event.at)::timestamptz,
                   \(\.event.data)::jsonb || jsonb_build_object('reactions', coalesce(
                       (select jsonb_object_agg(tally.name, tally.n)
                          from review_reaction_tally tally
                         where tally.review_id = review.id
                           and tally.n > 0), '{}'))
              from review
             where review.id = \(\.event.subject)
            """
        let event: NewEvent
    }

    /// Every reaction of one account, taken out of the counts; reviews are locked first, in their order. Index
    /// `review_reaction_of_reader`.
    struct RemoveReactionsOf: Statement {
        static let sql: SQL<Self> = """
            with locked as materialized (
                select review.id
                  from review
                 where review.id in (select review_id from review_reaction where reader_id = \(\.reader))
                 order by review.id
                   for no key update
            ), gone as (
                delete from review_reaction
                 using locked
                 where review_reaction.reader_id = \(\.reader)
                   and review_reaction.review_id = locked.id
                returning review_reaction.review_id, review_reaction.name
            ), counted as (
                update review_reaction_tally tally
                   set n = tally.n - 1
                  from gone
                 where tally.review_id = gone.review_id
                   and tally.name = gone.name
            )
            update review
               set reactions = review.reactions - given.n
              from (select review_id, count(*)::integer as n from gone group by review_id) given
             where review.id = given.review_id
            """
        let reader: ID<Accounts.Account>
    }
}

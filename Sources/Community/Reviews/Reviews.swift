import Postgres

/// Ratings and reviews.
///
/// A reader says at most one thing about a work: a rating, a text, or both, in one row of `review`.
///
/// - **Rating**: a quarter of a star to five stars, in quarters. **Text**: Markdown (`Markdown`) of at most 20,000 bytes, in which something can
///   be seen; source and safe HTML given. Each text is kept as history until the text is taken back; of more than
///   `Limits.reviews.texts` the first one and the newest.
/// - **Gate**: bare stars and unmarked reviews are free. A review with the spoiler mark is for those whose gate for the book is at its end, its
///   reader, and readers who revealed it (`Gate.opensReview`): all others get a placeholder, here, in the feed and on the stream. Inline spoilers are
///   withheld likewise. Ratings are shown and counted whatever the mark. A former text and a reply keep the mark that they stood under.
/// - **Replies** are flat, numbered densely in the order of commits under the lock of the review's row, seen at their author's level for discussions
///   where the review is seen, and limited as posts are (`Boards.Recent`). One that is taken back is gone; its number is not given again.
/// - **Reactions**: the six of boards, to what somebody else wrote.
/// - **Notifications**: an answer is told to the review's reader and to readers who answered before, a reaction to its reader (`Notifications`).
/// - **Who sees it**: the level that the reader chose for it, else the reader's level for reviews (public unless
///   changed), through `Visibility.predicate`. `review.visibility` is the level that holds: a change of the settings
///   changes those without one of their own, and a level that was chosen can be put back to following them.
/// - **Who may post**: accounts that are active or limited. Without a verified address only up to level `friends`,
///   except on loopback. In its first day (`newAccountHours`) an account has `Limits.reviews.textsOnFirstDay` reviews with a text; bare stars
///   are not limited, they do not count yet.
/// - **What counts** in `work_rating`: reviews at level members or public of accounts whose reach is public, verified
///   (or on loopback) and at least `newAccountHours` old, of works that have been published (`Catalog.isOut`).
///   `review.counted` says whether one is counted now; the counters are exact for it at every commit, because they
///   change in the transaction that changes the review. When an account comes of age, is verified, suspended or
///   restored, the job `CountReader` brings its reviews in or takes them out.
/// - **Narrowed is taken back**: where the level goes down, `review.removed` goes to all who could see the review, and
///   after it `review.edited` to those who still may. `book:W` hears only of what members may see.
/// - **Hidden** by a moderator (`Hiding`): the level is `private` meanwhile, so that it counts and is told as one that its
///   reader made private; what its reader chooses is `hidden_level`, and holds once it is shown. Of two that are merged
///   one that is hidden hides both. A reply has no level of its own: `hidden_at` is part of `replyIsTold`.
/// - **Stars alone** are given and taken back (`rate`, `unrate`) without touching the text.
/// - **A merged book** is the one that it was merged into: for saying, reading and taking back.
/// - **Unchanged is unchanged**: putting what is there already makes no version, no event, no activity.
/// - **Events** name the text that they tell: one that an edit replaced is delivered to nobody. What hangs on a review goes with it.
///
/// Tables: `review`, `review_text`, `review_reply`, `review_reaction`, `review_reaction_tally`, `work_rating`; acts go to `activity` (domain `Activity`).
/// Events: `review.posted`, `review.edited`, `review.removed`, `book.rated`, to `reader:R` and `book:W`; `review.replied`, `review.reply_edited`,
/// `review.reply_removed`, `review.reacted`, to `book:W`.
/// Jobs: `CountReader` (on change and when an account comes of age), `CountChanged` (daily).
/// Locks are taken in the order account, review, work_rating (by work).
package enum Reviews {}

extension Reviews {

    /// What a `put` did.
    package enum Outcome: Hashable, Sendable {
        case created(Review)
        case changed(Review)
        case unchanged(Review)

        package var review: Review {
            switch self {
            case .created(let review), .changed(let review), .unchanged(let review): review
            }
        }
    }

    /// The counted ratings of a work.
    package struct Tally: Hashable, Sendable {
        /// Counted ratings.
        package let n: Int
        /// Their sum in quarters.
        package let sum: Int
        /// 20 numbers: how many gave a quarter of a star, … five stars.
        package let histogram: [Int]
        /// Counted reviews with a text.
        package let reviews: Int

        package static let none = Tally(n: 0, sum: 0, histogram: Array(repeating: 0, count: 20), reviews: 0)

        /// In stars, `nil` without ratings.
        package var mean: Double? { n == 0 ? nil : Double(sum) / Double(n) / 4 }
    }
}

extension Rating: PostgresValue {
    package static var postgresType: PostgresType { .int2 }
    package func encode(into bytes: inout [UInt8]) { quarters.encode(into: &bytes) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Self {
        guard let rating = Self(quarters: Int(try Int16.decode(bytes, type: type))) else {
            throw PostgresError(.decoding, message: "no such rating")
        }
        return rating
    }
}

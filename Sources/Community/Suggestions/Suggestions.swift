import Postgres

/// What to read next: books that are like a book, and books for a reader, each with the reason why it is shown.
///
/// A **suggestion** is what the server proposes. A *recommendation* is what a reader gives a book (`Praise`).
///
/// **Neighbours.** Once a day the job reads who reads what, and `Neighbours.ItemCosine` says which works go together. A
/// reader has a work there that they read, are reading or have paused. The entry must count (`shelf_entry.counted`): of
/// an account that counts, at level members or wider. A rating below three stars that members may see takes the entry
/// out; one that they may not see says nothing. Wanting a book is left out: it says what a reader hopes, and nobody has
/// measured that it helps. Giving a book up is left out, too. So "37 readers of X read this" counts readers who read,
/// are reading or have paused both. A pair of fewer than two readers is no pair. `related_work` keeps the 100 best
/// neighbours of each work, as one generation that is swapped by one row. A run that is killed leaves the former
/// generation as it is, with its time (`asOf`); the next run takes its rows away. A generation of fewer than 1,000
/// readers is made anew each hour.
///
/// **Related to a work** stand
/// 1. the next listed work of its series;
/// 2. its neighbours and the works that the catalogue says are like it, at most 2 of an author, by
///
///        s = cosine / best cosine · n / (n + 10)  +  content · 10 / (n + 10)
///
///    where n is the number of readers on whose counted shelves the work stands as read, being read or paused. Content
///    compares the 8 rarest authors, subjects and genres of the work. Each weighs ln((listed books + 1) / its books).
///    Content is the weight of those that have the other work among their 40 most popular, divided by the weight of
///    all. So a work that nobody has read has relatives from its first day.
///
/// Works of every kind are compared: a film is related to a book that the same people like or that has its author.
///
/// **For a reader**, of all: each neighbour of the last 100 works on the reader's own shelves (read, being read,
/// paused; private ones, too) has the score
///
///     Σ cosine · 2^(−age / 365 days) · factor
///
/// over those works, of each the best 20 neighbours, or 100 where the generation has 5,000 readers or more. Age runs
/// from the move to the shelf, or, of a book on `read`, from the day on which the last finished reading ended where
/// that is earlier. The factor is 0.3 · (stars − 1) from three stars up: 0.6 to 1.2. It is 0.9 without a rating, −0.5
/// for two stars or fewer, 0 between. The reason names the work that added most. Each tenth book comes from the feed of
/// books (`Ranking.Store.discover`), with the reason that it has there, and so do all behind the last one that the
/// shelves lead to. At most 2 are of one author. All is worked out when it is asked for: what a reader finished counts
/// at once.
///
/// **Of friends**: what friends show the reader now, by how many. A friend recommends a book, gave it four stars or
/// more, or read it. Levels apply (`Visibility.predicate`). Friends who are muted are left out.
///
/// **In no list** stands the work itself, or one that is merged, removed, without a title, not yet published or held
/// out of rankings (`ranking_hold`). Lists for a reader leave out what is on the reader's shelves or was dismissed.
///
/// **What it may give away.** A reason names a book of the viewer's own, never anybody else's; a number is told from 3
/// readers up. Neighbours are as old as their generation. A reader who hides a shelf, ends an account or is suspended
/// stays in its numbers until the next one, a day at most. What the numbers tell was for all members to see when it was
/// read, and nobody can be told apart in them. What friends show is read anew each time.
///
/// Tables: `related_generation`, `related_current`, `related_work`, `dismissed_book`. Job (queue `suggestions`, one at
/// a time): `suggestions.refresh` each 10 minutes, which does nothing where the generation is new enough. Limits:
/// `Limits.Suggestions`. Locks: account, then work held for share.
package enum Suggestions {
    /// One making of the neighbours of all works.
    package struct Generation: Sendable, Hashable {
        package let id: Int64
        /// When the shelves were read.
        package let asOf: Timestamp
        /// Readers whose shelves it is made of.
        package let readers: Int
        /// Neighbours that it has, of all works together.
        package let rows: Int
    }

    /// A book that is like another, and why it is shown.
    package struct Relative: Sendable {
        package enum Reason: Sendable, Hashable {
            /// It is the next of a series.
            case series(id: ID<Catalog.Series>, name: String)
            /// So many readers of the one read it.
            case readers(Int)
            case author(Catalog.AuthorName)
            case genre(Ranking.Genre)
            case subject(String)
        }

        package let book: Catalog.BookItem
        package let reason: Reason
    }

    /// A book for a reader, and why it is shown.
    package struct Suggestion: Sendable {
        package enum Reason: Sendable, Hashable {
            /// So many readers of a book of the reader's own read it, which leads here more than the others.
            case readers(Int, of: Catalog.Book)
            /// So many friends show it, so many of them because they recommend it.
            case friends(Int, recommending: Int)
            /// It is not made of the reader's shelves.
            case discovered(Ranking.Discovery.Reason)
        }

        package let book: Catalog.BookItem
        package let reason: Reason
    }

    /// Why a list is empty.
    package enum Emptiness: String, Sendable, CaseIterable {
        /// Nothing was ever worked out: the job has not run.
        case notMade = "not_made"
        /// Nothing is known that would lead to a book.
        case noData = "no_data"
        /// The reader has no friends.
        case noFriends = "no_friends"
    }

    /// A list, with the time as of which the neighbours are that it is made of.
    package struct List<Item: Sendable>: Sendable {
        package let items: [Item]
        /// `nil` where none were ever made, or it is made of what is there now.
        package let asOf: Timestamp?
        /// `nil` where there are items.
        package let emptiness: Emptiness?
    }
}

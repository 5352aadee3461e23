import JSONWriting
import Postgres

/// The catalogue: what there is to read.
///
/// A **work** is what readers read and talk about; the API calls it a book. It has **editions** (printings, each with
/// its ISBNs), **authors** in the order of the title page, places in **series**, **genres** (a few dozen, for browsing)
/// and **subjects** (the sources' free headings). Every field that is no key may be missing, and nothing fails because
/// of it.
///
/// **Rules.** ISBNs are kept as 13 digits; ISBN-10 and SBN are converted. Titles, names and queries are compared folded
/// (`Normaliser`). Ratings that come with imported data stand in `imported_rating` with their source and never
/// count as our readers'. A work is listed and found when it has a title and is neither merged nor withdrawn. The list
/// of books is ordered by popularity (readers of ours + 3 × those who recommend it), then by imported ratings, then
/// newest first: `work_popularity`, one narrow row a work, whose `readers` the write of a review keeps (`BumpReaders`).
/// The other orders, and all filters, are `Browse`'s. What people add and correct is `Help`'s.
///
/// **The page of a book** is one row: its catalogue half is kept as JSON in `work.page`, built by the first reader
/// after a change. Every change sets it to null and raises `work.version`; it is stored under the work's row lock, so
/// that it is never older than its version.
///
/// **Imports** (`Importer`) read Open Library dumps and CSV files in batches: one transaction each or, where nothing is
/// redirected or deleted, several beside each other within one turn (`LockImports`), of which what is cut off is read
/// again. A record is found again by its source's key (`work_source` and so on) and skipped when its digest is known or
/// its revision is older, so that a second run changes nothing and the order of files does not matter: what is referred
/// to before it is described gets a bare row first, and what a source says about records that are not here is kept
/// (`absent_record`). A redirect merges two things as a librarian does (`Merging`).
///
/// What names a thing of the catalogue stands in this namespace; mechanisms (ISBN, folding, readers and scanners of
/// files) stand beside it.
///
/// **Limits**: `Limits.Catalog`. **Tables**: author, work, work_author, series, work_series, genre, work_genre,
/// subject, work_subject, edition, edition_contributor, edition_isbn, author_source, work_source, edition_source, absent_record,
/// imported_rating, work_popularity, import_run, catalog_revision, catalog_proposal, browse_scope, browse_entry,
/// browse_mark, browse_mean. **Counters**: `genre.work_count`, `work_popularity.imported`, `browse_scope.members`
/// (recounted by `recounts`), `work_popularity.readers` (by the reviews). **Events**: none. **Jobs**: `Browse.Refresh`
/// (every 5 s), `Browse.FixMean` (daily).
package enum Catalog {
    /// What an `ID<Catalog.Work>` names: a book in the API.
    package enum Work {}
    /// One printing, recording or file of a work.
    package enum Edition {}
    /// A person or body that works name.
    package enum Author {}
    /// Works in an order, told apart by name and first author.
    package enum Series {}
    /// One of a few dozen for browsing.
    package enum Genre {}
    /// A source's heading: a topic, a place, a person or a time.
    package enum Subject {}
    /// The reading of one file.
    package enum ImportRun {}

    /// An author as lists and pages name one.
    package struct AuthorName: Hashable, Sendable, JSONForm {
        package let id: ID<Author>
        package let name: String

        package func put(into object: JSONObject) {
            object.put("id", id)
            object.put("name", name)
        }
    }

    /// A book in a list or among search results.
    package struct BookItem: Sendable {
        package let id: ID<Work>
        package let title: String?
        package let subtitle: String?
        /// In the order of the title page, at most 10; those without a name are left out.
        package let authors: [AuthorName]
        /// Of first publication, negative before our era; the earliest edition's where the work's is not known.
        package let year: Int?
        /// `book`, `film`, `show` or `audiobook`.
        package let kind: String
        package let rating: RatingSummary
        /// Readers of ours who rated or reviewed it.
        package let readers: Int
        /// Readers of ours who recommend it.
        package let recommends: Int
        /// Where it stands in the list of books.
        package let popularity: Popularity
    }

    /// The place of a book in the list of books, most read first: a keyset key.
    package struct Popularity: SortKey, Codable {
        /// Readers + 3 × recommends.
        package let score: Int
        package let imported: Int64
        package let id: ID<Work>

        package static let lowest = Popularity(score: -1, imported: -1, id: .min)
        package static let highest = Popularity(score: .max, imported: .max, id: .max)
    }

    /// What our readers gave a book.
    package struct RatingSummary: Hashable, Sendable {
        /// Ratings.
        package let count: Int
        /// Sum of all ratings in quarters of a star.
        package let quarters: Int64
        /// How many gave a quarter, two quarters, … twenty quarters (five stars): 20 entries, or none where there is no
        /// rating.
        package let histogram: [Int32]

        /// 0.25...5, rounded to hundredths; `nil` without ratings.
        package var average: Double? {
            count == 0 ? nil : (Double(quarters) / 4 / Double(count) * 100).rounded() / 100
        }
    }

    /// How many of our readers have a book on which shelf.
    package struct ShelfCounts: Hashable, Sendable, Encodable {
        package let want: Int
        /// Those who paused among them.
        package let reading: Int
        /// Each reader once, however often.
        package let read: Int
    }

    /// A genre with the number of works in it.
    package struct GenreCount: Sendable {
        package let id: ID<Genre>
        /// Stable name in addresses: `science-fiction`.
        package let slug: String
        package let name: String
        package let works: Int
    }
}

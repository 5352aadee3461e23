import Community
import JSONWriting

extension Library.Routes {
    struct CountsBody: Encodable, Sendable {
        let reader: Accounts.Reader
        /// `nil` where the reader keeps them from the caller.
        let shelves: Library.Counts?
        let isPrivate: Bool
    }

    struct MineBody: JSONForm, Sendable {
        let shelves: Library.Counts
        let privacy: Privacy

        func put(into object: JSONObject) {
            object.put("shelves", shelves)
            object.put("visibility", privacy[.shelves])
        }
    }

    static let shelf = Schema.choice(Library.Status.allCases.map(\.rawValue))
    /// That, or all of them.
    static let anyShelf = Schema.choice(Library.Shelf.names)
    static let level = Schema.choice(Visibility.allCases.map(\.description))
    static let partialDate = Schema.string(4...10)

    static let move = Schema.object(
        "ShelfMove", ["shelf": shelf],
        optional: [
            "edition_id": .orNull(.id), "started": .orNull(partialDate), "finished": .orNull(partialDate),
            "visibility": .orNull(level), "note": .orNull(.string(Limits.library.note)),
        ])

    private static let reading = Schema.object(
        "BookReading",
        [
            "id": .id, "outcome": .choice(Library.Reading.Outcome.allCases.map(\.rawValue)),
            "started": .orNull(partialDate), "finished": .orNull(partialDate),
        ])

    static let entry = Schema.object(
        "ShelfEntry",
        [
            "id": .id, "book": Reviews.Routes.book, "shelf": shelf, "edition_id": .orNull(.id),
            "started": .orNull(partialDate), "finished": .orNull(partialDate), "read_count": .integer,
            "rating": .orNull(.number(0.25...5)), "position": .orNull(.integer(0...10_000)),
            "page": .orNull(.integer(0...Limits.places.pages.upperBound)),
            "page_count": .orNull(.integer(Limits.places.pages)),
            "visibility": .orNull(level), "note": .orNull(.string(Limits.library.note)),
            "version": .integer(1...Int(Int32.max)), "added_at": .time, "moved_at": .time,
        ])

    static let shelved = Schema.object(
        "ShelvedBook",
        [
            "id": .id, "book": Reviews.Routes.book, "shelf": shelf, "edition_id": .orNull(.id),
            "started": .orNull(partialDate), "finished": .orNull(partialDate), "read_count": .integer,
            "rating": .orNull(.number(0.25...5)), "position": .orNull(.integer(0...10_000)),
            "page": .orNull(.integer(0...Limits.places.pages.upperBound)),
            "page_count": .orNull(.integer(Limits.places.pages)),
            "visibility": .orNull(level), "note": .orNull(.string(Limits.library.note)),
            "version": .integer(1...Int(Int32.max)), "added_at": .time, "moved_at": .time,
            "readings": .array(reading, count: 0...100),
        ])

    static let shelves = Schema.object(
        "ShelfCounts",
        [
            "all": .integer, "want": .integer, "reading": .integer, "paused": .integer, "read": .integer,
            "stopped": .integer,
        ])

    static let counts = Schema.object(
        "ReaderShelves", ["reader": Accounts.Routes.reader, "shelves": .orNull(shelves), "is_private": .boolean])
    static let mineCounts = Schema.object(
        "MyShelves",
        ["shelves": shelves, "visibility": level])
}

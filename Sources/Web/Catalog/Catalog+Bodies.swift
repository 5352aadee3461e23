import Community
import JSONWriting

extension SiteContext {
    /// Books as lists show them, with their covers, in this order.
    func items(_ books: [Catalog.BookItem]) async throws -> [Catalog.Routes.ItemBody] {
        let covers = try await community.media.covers(of: books.map(\.id))
        return books.map { book in
            Catalog.Routes.ItemBody(item: book, cover: covers[book.id])
        }
    }
}

extension Catalog.Routes {
    /// A book in a list.
    struct ItemBody: JSONForm, Sendable {
        let item: Catalog.BookItem
        let cover: Media.Cover?

        /// As it is shown beside what is about it.
        var book: Catalog.Book { item.book(with: cover) }

        func put(into object: JSONObject) {
            book.put(into: object)
            object.put("subtitle", item.subtitle)
            object.put("rating") {
                $0.put("average", item.rating.average)
                $0.put("count", item.rating.count)
            }
            object.put("reader_count", item.readers)
            object.put("recommendation_count", item.recommends)
        }
    }

    struct GenreBody: JSONForm, Sendable {
        let genre: Catalog.GenreCount
        var books: [ItemBody]?

        func put(into object: JSONObject) {
            object.put("id", genre.id)
            object.put("slug", genre.slug)
            object.put("name", genre.name)
            object.put("book_count", genre.works)
            if let books { object.put("books", books) }
        }
    }

    static let author = Schema.object("AuthorName", ["id": .id, "name": .string])

    static let itemRating = Schema.object(
        "BookItemRating", ["average": .orNull(.number(0.25...5)), "count": .integer])

    static let kind = Schema.choice(Catalog.WorkKind.allCases.map(\.rawValue))

    static let item = Reviews.Routes.book.adding(
        [
            "subtitle": .orNull(.string), "rating": itemRating, "reader_count": .integer,
            "recommendation_count": .integer,
        ],
        as: "BookItem")

    static let genre = Schema.object(
        "Genre", ["id": .id, "slug": .string, "name": .string, "book_count": .integer],
        optional: ["books": .array(item, count: 0...Limits.browse.genreBooks)])

    static let genres = Schema.object("Genres", ["items": .array(genre)])

    static let edition = Schema.object(
        "Edition",
        [
            "id": .id, "title": .orNull(.string), "subtitle": .orNull(.string), "publisher": .orNull(.string),
            "published": .orNull(.string), "year": .orNull(.integer), "pages": .orNull(.integer(Limits.catalog.pages)),
            "minutes": .orNull(.integer(Limits.catalog.minutes)),
            "language": .orNull(.string), "format": .orNull(.string), "isbn13": .orNull(.string(13...13)),
            "isbns": .array(.string(13...13)), "contributors": .array(contributor),
            "access_modes": .array(.choice(Catalog.Accessibility.modes)),
            "accessibility_features": .array(.choice(Catalog.Accessibility.features)),
            "accessibility_hazards": .array(.choice(Catalog.Accessibility.hazards)),
            "accessibility_summary": .orNull(.string),
        ])

    /// Who made a book or an edition.
    static let contributor = Schema.object(
        "Contributor", ["id": .id, "name": .string, "role": .orNull(Catalog.Fact.Part.relator)])

    static let book = Schema.object(
        "Book",
        [
            "id": .id, "kind": kind,
            "form": .orNull(.choice(["fiction", "nonfiction", "poetry"])), "title": .orNull(.string),
            "subtitle": .orNull(.string), "authors": .array(author), "contributors": .array(contributor),
            "cover": .orNull(Media.cover),
            "description": .orNull(.string), "year": .orNull(.integer), "language": .orNull(.string),
            "series": .array(
                .object("BookSeries", ["id": .id, "name": .string, "position": .orNull(.string)])),
            "genres": .array(.object("BookGenre", ["slug": .string, "name": .string])),
            "subjects": .array(
                .object("BookSubject", ["kind": .choice(["topic", "place", "person", "time"]), "name": .string])),
            "editions": .array(edition, count: 0...Limits.catalog.editionsOnPage),
            "rating": .object(
                "BookRating",
                [
                    "average": .orNull(.number(0.25...5)), "count": .integer,
                    "histogram": .array(.integer, count: 20...20),
                ]),
            "reader_count": .integer, "recommendation_count": .integer,
            "shelves": .object("BookShelves", ["want": .integer, "reading": .integer, "read": .integer]),
            "checkout_count": .integer,
            "shelf": .orNull(.choice(Library.Status.allCases.map(\.rawValue))),
            "position": .orNull(.integer(0...10_000)), "my_rating": .orNull(.number(0.25...5)),
            "is_favourite": .boolean, "is_recommended": .boolean,
            "is_checked_out": .boolean, "checkout_library_id": .orNull(.id), "is_followed": .boolean,
            "my_lists": .array(.object("ListName", ["id": .id, "title": .string])),
            "my_photos": .orNull(Photos.Routes.mine), "version": .integer,
        ])
}

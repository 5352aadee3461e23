import Community
import HTTPTypes
import JSONWriting

extension Ebooks.Routes {
    private static let part = Schema.integer(0...Gate.end)
    private static let audience = Schema.choice(Ebooks.Audience.allCases.map(\.rawValue))
    private static let rights = Schema.choice(Ebooks.Rights.allCases.map(\.rawValue))
    private static let number = Schema.integer(1...lastPage)
    private static let layoutNumber = Schema.integer(1...Int(Int32.max))

    private static let fields: KeyValuePairs<String, Schema> = [
        "id": .id, "book": Reviews.Routes.book, "edition_id": .id, "title": .string, "creators": .array(.string),
        "language": .orNull(.string), "direction": .choice(Ebooks.Direction.allCases.map(\.rawValue)),
        "writing": .choice(Ebooks.Writing.allCases.map(\.rawValue)), "page_count": number, "layout": layoutNumber,
        "cover": .orNull(Media.uri), "first_page": Media.uri, "audience": audience, "rights": rights,
        "access": .choice(Ebooks.Access.allCases.map(\.rawValue)), "size": .integer,
        "version": .integer(1...Int(Int32.max)), "created_at": .time, "changed_at": .time,
    ]

    static let ebook = Schema.object("Ebook", fields)

    /// `contents`: in the order of the book, each line with how deep it stands.
    static let opened = Schema.record(
        name: "OpenedEbook",
        (Array(fields) + [("contents", .array(heading))]).map {
            Schema.Property(name: $0, schema: $1, isRequired: true)
        })
    private static let heading = Schema.object(
        "EbookHeading", ["title": .string, "depth": .integer(0...8), "page": number])

    static let page = Schema.object(
        "EbookPage",
        [
            "ebook_id": .id, "page": number, "page_count": number, "layout": layoutNumber,
            "chapter": .object("EbookChapter", ["number": .integer, "title": .orNull(.string)]), "position": part,
            "percent": .number(0...100), "printed_page": .orNull(.string), "html": .string, "text": .string,
            "previous": .orNull(Media.uri), "next": .orNull(Media.uri),
        ])

    static let ebooks = Schema.object("Ebooks", ["items": .array(ebook)])
    static let pageRange = Schema.object("EbookPages", ["items": .array(page, count: 1...Limits.ebooks.range)])

    static let margins = Schema.object(
        "EbookMargins",
        [
            "items": .array(
                .object("EbookMargin", ["page": number, "post_count": .integer]), count: 0...Limits.ebooks.range)
        ])

    static let hit = Schema.object(
        "EbookHit",
        [
            "page": number, "position": part, "chapter": .orNull(.string), "before": .string, "match": .string,
            "after": .string,
        ])

    static let opening = Schema.object(
        "OpenedBook",
        [
            "ebook": opened, "page": page, "opened_at": .choice(Ebooks.Opening.Reason.allCases.map(\.rawValue)),
            "bookmark": .orNull(Places.Routes.bookmark), "place": .orNull(Places.Routes.place),
        ])

    static let question = QueryParameter(
        "q", .string(1...400), "Words that stand on the page; of the last its beginning.", isRequired: true)

    static let change = Schema.object(
        "EbookChange", [:], optional: ["rights": .orNull(rights), "audience": .orNull(audience)])

    static let said = [
        QueryParameter("rights", rights, "By what right it is here.", isRequired: true),
        QueryParameter(
            "audience", audience, "Who reads it; you alone where it is left out. The others are for librarians."),
    ]
    static let layout = QueryParameter(
        "v", layoutNumber, "The layout that counts pages and pictures so: part of the addresses that are given.")
    static let range = [
        QueryParameter("from", number, "The first page; 1 where it is left out."),
        QueryParameter(
            "to", number,
            "The last page: at most \(Limits.ebooks.range - 1) after the first, which is also what it is where it is left out."
        ),
    ]
}

extension SiteContext {
    /// `?rights` and `?audience`. Throws `.invalid`.
    func newEbook() throws(Failure) -> Ebooks.NewEbook {
        let query = try query()
        guard let rights = try query.choice("rights", Ebooks.Rights.self) else {
            throw .invalid("?rights", .required, "say by what right it is here")
        }
        return Ebooks.NewEbook(rights: rights, audience: try query.choice("audience", Ebooks.Audience.self) ?? .me)
    }
}

extension SiteContext {
    /// The page that the path names. Throws `.notFound`.
    func pageNumber() throws(Failure) -> Int {
        guard let number = Int(try text("page")), (1...Ebooks.Routes.lastPage).contains(number) else {
            throw .notFound("page of that number")
        }
        return number
    }

    /// `?from` and `?to`. Throws `.invalid`.
    func pageRange() throws(Failure) -> ClosedRange<Int> {
        let (query, pages, most) = (try query(), 1...Ebooks.Routes.lastPage, Limits.ebooks.range)
        let first = try query.integer("from", in: pages) ?? 1
        let last = try query.integer("to", in: pages) ?? first + most - 1
        guard (first..<first + most).contains(last) else {
            throw .invalid("?to", .outOfRange, "must be \(first) to \(first + most - 1)")
        }
        return first...last
    }
}

extension Problem {
    /// Why an e-book was not taken, or a page is not given.
    init(_ refusal: Ebooks.Refusal) {
        switch refusal {
        case .file(let code, let sentence): self.init(code, sentence)
        case .moved(let page):
            self.init(.pageMoved, "It is page \(page) now.")
            self.page = page
        case .quota:
            self.init(
                .ebookQuota, "At most \(Limits.ebooks.ebooks) e-books of \(Limits.ebooks.quota) bytes in all are kept.")
        case .off: self.init(.ebooksOff, "This server was started without the program that reads them.")
        case .fileMissing: self.init(.unavailable, "The file of this e-book is not in the store.")
        }
    }
}

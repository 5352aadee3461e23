import Community
import Hummingbird
import JSONWriting

extension Photos.Glance: JSONForm {
    package func put(into object: JSONObject) {
        object.put("photo_count", count)
        object.put("newest", newest)
    }
}

extension Photos.Routes {
    private static let turn = Schema.integer(0...270)
    private static let page = Schema.orNull(.integer(0...Limits.places.pages.upperBound))
    private static let words = Schema.string(Limits.photos.words)
    private static let comment = Schema.string(Limits.photos.comment)
    private static let alt = Schema.string(Limits.media.alt)

    static let crop = Media.Routes.part("PhotoCrop")

    /// `visibility` and `words`: null for everybody but the reader. `is_hidden`: a moderator hides it, and its reader
    /// alone sees it; `visibility` is then what it comes back with.
    static let photo = Schema.object(
        "Photo",
        [
            "id": .id, "state": Boards.Schemas.shown, "book": Reviews.Routes.book, "author": Accounts.Routes.reader,
            "page": page, "position": .orNull(.integer(0...Gate.end)), "percent": .orNull(.number(0...100)),
            "comment": .orNull(comment), "alt": .orNull(alt), "visibility": .orNull(Library.Routes.level),
            "is_hidden": .boolean, "rotate": turn, "crop": .orNull(crop), "width": .integer, "height": .integer,
            "widths": .record(
                name: "PhotoWidths",
                Media.Kind.photo.widths.map {
                    Schema.Property(name: "\($0)", schema: Media.uri, isRequired: true)
                }),
            "words": .orNull(
                .object(
                    "PhotoWords",
                    [
                        "state": .choice(Photos.Words.State.allCases.map(\.rawValue)), "text": .orNull(words),
                        "confidence": .orNull(.integer(0...100)),
                    ])),
            "version": .integer(1...Int(Int32.max)), "created_at": .time, "changed_at": .time,
        ])

    /// What stands in the place of what is ahead of the reader; it has no other member.
    static let placeholder = Schema.object(
        "GatedPhoto",
        [
            "id": .id, "state": .choice(["gated"]), "kind": .choice(["photo"]),
            "position": .integer(0...Gate.end),
        ])

    /// A photograph as somebody is shown it.
    package static let shown = Schema.either([photo, placeholder])

    /// Of a book's page: the caller's own.
    static let mine = Schema.object(
        "MyPhotos", ["photo_count": .integer, "newest": .array(photo, count: 0...Limits.photos.onPage)])

    static let change = Schema.object(
        "PhotoChange", [:],
        optional: [
            "page": page, "percent": .orNull(.number(0...100)), "comment": .orNull(comment), "alt": .orNull(alt),
            "visibility": .orNull(Library.Routes.level), "rotate": .orNull(turn), "crop": .orNull(crop),
            "words": .orNull(words),
        ])

    static let places = [
        QueryParameter("page", .integer(0...Limits.places.pages.upperBound), "The page of your copy that it shows."),
        QueryParameter("percent", .number(0...100), "How far in the book it belongs, whatever the page."),
    ]
    static let edits = [
        QueryParameter(
            "rotate", .choice(Media.Edit.Turn.allCases.map { "\($0.rawValue)" }),
            "Degrees by which it is turned to the right; 0 where it is left out."),
        QueryParameter(
            "crop", .string(7...19),
            "What is shown of the turned picture: `left,top,width,height` in thousandths of its sides; all of it where it is left out."
        ),
    ]
    static let said = [
        QueryParameter("comment", comment, "What you say of it, as plain text."),
        QueryParameter("alt", alt, "What the picture shows, in words, for those who do not see it."),
        QueryParameter(
            "visibility", Library.Routes.level, "Who may see it; your setting `photos` decides where it is left out."),
    ]
}

extension SiteContext {
    /// What the parameters say of a new photograph. Throws `.invalid`.
    func newPhoto() throws(Failure) -> Photos.NewPhoto {
        let query = try query()
        let percent = try query.number("percent", in: 0...100)
        return Photos.NewPhoto(
            page: try query.integer("page", in: 0...Limits.places.pages.upperBound),
            position: percent.map(Photos.position), comment: try query.text("comment", bytes: Limits.photos.comment),
            alt: try alt(), visibility: try query.choice("visibility", Library.Routes.Level.self)?.visibility,
            edit: try photoEdit())
    }

    /// `?rotate` and `?crop`. Throws `.invalid`.
    func photoEdit() throws(Failure) -> Media.Edit {
        let query = try query()
        let turns = Media.Edit.Turn.allCases.map { "\($0.rawValue)" }
        let turn = try query.choice("rotate", of: turns).flatMap { Int16($0) }.flatMap(Media.Edit.Turn.init)
        guard let text = query["crop"] else { return Media.Edit(turn: turn ?? .none) }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 4, !numbers.contains(nil) else {
            throw .invalid("?crop", .badFormat, "must be left,top,width,height: four whole numbers")
        }
        let sides = numbers.compactMap(\.self)
        guard let crop = Media.Edit.Crop(left: sides[0], top: sides[1], width: sides[2], height: sides[3]) else {
            throw .invalid("?crop", .outOfRange, Photos.outside)
        }
        return Media.Edit(turn: turn ?? .none, crop: crop)
    }
}

extension Photos {
    static let outside = "must be a part of the picture: thousandths, 1000 of each side in all"

    /// Ten-thousandths of a percentage, as a position in a book is told.
    static func position(percent: Double) -> Int {
        if case .part(let position) = Places.Said(percent: percent) { position } else { 0 }
    }
}

extension Form {
    /// What is to change about a photograph.
    mutating func photoChange() -> Photos.Change {
        var change = Photos.Change()
        let page = optionalInteger("page", in: 0...Limits.places.pages.upperBound)
        change.page = self.change("page", page)
        let percent = optionalNumber("percent", in: 0...100)
        change.position = self.change("percent", percent.map(Photos.position))
        let comment = optionalString("comment", bytes: Limits.photos.comment)
        change.comment = self.change("comment", comment)
        let alt = optionalString("alt", bytes: Limits.media.alt)
        change.alt = self.change("alt", alt)
        let level = optionalChoice("visibility", Library.Routes.Level.self)?.visibility
        change.visibility = self.change("visibility", level)
        let words = optionalString("words", bytes: Limits.photos.words)
        change.words = self.change("words", words)
        change.turn = turn()
        let crop = crop()
        change.crop = self.change("crop", crop)
        return change
    }

    /// `rotate`; null is upright.
    private mutating func turn() -> Media.Edit.Turn? {
        guard has("rotate") else { return nil }
        guard let degrees = optionalInteger("rotate", in: 0...270) else { return Media.Edit.Turn.none }
        let turn = Media.Edit.Turn(rawValue: Int16(degrees))
        if turn == nil { fault("rotate", .unknown, "must be one of 0, 90, 180, 270") }
        return turn
    }

    private mutating func crop() -> Media.Edit.Crop? {
        guard var sides = object("crop") else { return nil }
        let whole = 0...Media.Edit.Crop.whole
        let crop = Media.Edit.Crop(
            left: sides.integer("left", in: whole), top: sides.integer("top", in: whole),
            width: sides.integer("width", in: whole), height: sides.integer("height", in: whole))
        if crop == nil, sides.faults.all.isEmpty { fault("crop", .outOfRange, Photos.outside) }
        add(sides)
        return crop
    }
}

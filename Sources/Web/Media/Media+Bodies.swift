import Community
import HTTPTypes
import JSONWriting

extension Media {
    /// A picture with the address of each fixed width, ascending.
    struct PictureBody: Encodable, Sendable {
        let alt: String?
        let widths: Widths

        init(_ shown: Shown, base: String) {
            alt = shown.alt
            widths = Widths(
                addresses: shown.variants.map { ("\($0.width)", "\(base)/media/\($0.hash)") })
        }
    }

    /// The cover of an edition.
    struct EditionCoverBody: Encodable, Sendable {
        let editionID: ID<Catalog.Edition>
        let isDrawn: Bool
        let alt: String
        let widths: Widths

        enum CodingKeys: String, CodingKey {
            case editionID = "editionId"
            case isDrawn, alt, widths
        }

        init(_ cover: Cover, base: String) {
            editionID = cover.edition
            isDrawn = cover.hash == nil
            alt = cover.alt
            widths = Widths(addresses: Kind.cover.widths.map { ("\($0)", base + cover.path(width: $0)) })
        }
    }

    /// An object of addresses by width, always in the same order.
    struct Widths: JSONForm, Sendable {
        let addresses: [(width: String, url: String)]

        func put(into object: JSONObject) {
            for (width, url) in addresses { object.put(named: width, url) }
        }
    }

    static let uri = Schema.text(format: "uri", bytes: nil)

    private static func widths(_ name: String, _ kind: Kind) -> Schema {
        .record(
            name: name,
            kind.widths.map { Schema.Property(name: "\($0)", schema: uri, isRequired: true) })
    }

    static let picture = Schema.object(
        "Picture", ["alt": .orNull(.string), "widths": widths("PictureWidths", .profile)])

    /// The cover of a book: one address. Its last part but the query is a width, and may be any of those of
    /// `GET /covers/{edition}/{width}`.
    static let cover = Schema.object("Cover", ["url": uri, "alt": .string])

    static let proposedCover = Schema.object(
        "ProposedCover", ["alt": .orNull(.string), "widths": widths("CoverWidths", .cover)])

    static let editionCover = Schema.object(
        "EditionCover",
        ["edition_id": .id, "is_drawn": .boolean, "alt": .string, "widths": widths("CoverWidths", .cover)])
}

extension Media.Routes {
    static var picture: Schema { Media.picture }
    static var editionCover: Schema { Media.editionCover }

    /// A part of a picture, in thousandths of its sides.
    static func part(_ name: String) -> Schema {
        let side = Schema.integer(0...Media.Edit.Crop.whole)
        return .object(name, ["left": side, "top": side, "width": side, "height": side])
    }
}

extension Problem {
    /// Why a picture was not taken.
    init(_ refusal: Media.Refusal) {
        switch refusal {
        case .off:
            self.init(
                .picturesOff, "libvips is not installed here.")
        case .unknownType:
            self.init(
                .unsupportedMediaType,
                "Send a JPEG, PNG, WebP or HEIC as the body, with its `Content-Type` or `application/octet-stream`.")
        case .noHEIC:
            self.init(
                .unsupportedMediaType, "The libvips of this server does not read HEIC. Send a JPEG, PNG or WebP.")
        case .otherType(let declared, let found):
            self.init(
                .unsupportedMediaType, "It is called \(declared) and is \(found).")
        case .damaged(let why):
            self.init(
                .pictureDamaged, "The file is refused: \(why).")
        case .tooManyPixels(let width, let height):
            self.init(
                .pictureTooLarge, "It has \(width) × \(height); at most \(Limits.media.pixels) in all are taken.")
        case .badShape(let width, let height):
            let side = Limits.media.side
            self.init(
                .pictureShape,
                "It has \(width) × \(height); sides of \(side.lowerBound) to \(side.upperBound) are taken, "
                    + "the long one at most \(Limits.media.elongation) times the short one.")
        case .cutTooSmall(let width, let height):
            self.init(
                .pictureShape,
                "The edit leaves \(width) × \(height) of it; \(Limits.media.leastSide) a side must be left at least.")
        case .tooCostly:
            self.init(
                .pictureTooCostly, "Save it anew, without layers or interlacing, and send that.")
        case .quota(.photo):
            self.init(
                .pictureQuota,
                "At most \(Limits.photos.photos) photographs of \(Limits.photos.quota) bytes in all are kept.")
        case .quota(let kind):
            self.init(
                .pictureQuota, "At most \(kind.quota.bytes) bytes are kept.")
        case .noRoom:
            self.init(
                .noRoom, "Try again later.")
            self = retry(after: Limits.media.roomRetry)
        }
    }
}

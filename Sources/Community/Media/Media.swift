import Cryptography
import JSONWriting
import Postgres

/// Pictures: readers' own, covers and photographs (`Photos`), and the files that they are made of.
///
/// **One pipeline.** What comes in is JPEG, PNG, WebP or HEIC by its own header (`ImageHeader`; the name and the
/// declared type prove nothing), at most 8 MiB (photographs 16) and, by that header, at most 24 megapixels. Only its
/// pixels and what tells their colours and the way up go on (`DecoderInput`). libvips decodes it in a process of its own (`Converter`), with limits
/// on memory, time and files, turns it upright, converts it to sRGB and writes a JPEG for each fixed width of its kind;
/// the time is counted by account (`ConversionBudget`). Nothing of the original is kept: no metadata, no second image,
/// no trailing bytes. What cannot be decoded to its end is refused (`Refusal`) and leaves nothing behind.
///
/// **Barcodes** are read from a grey copy: libvips makes it, and `commonplace read-barcodes` reads it in another process
/// under the same limits. Nothing is kept, not even a row.
///
/// **A photograph keeps its master**: upright, uncut, at most `Limits.media.masterSide` on a side. What is shown is made
/// of it by an `Edit`, and anew by each later one. The master itself is shown where nothing was edited, else nowhere.
///
/// **Files** are named by the SHA-256 of their bytes and lie in a `MediaStore`. Each has a row in `media_file`, and a
/// row in `picture_variant` for each picture that uses it; a `picture` belongs to a reader or to the catalogue. A file
/// is durable before any row names it. The sweep removes rows that nothing uses with their files, and files that no row
/// names; a file that is missing is marked and not served until it is back, because people who restore a database may
/// bring the files later.
///
/// **Who may**: every reader who may post shows one picture, and keeps photographs, each within a quota; librarians and
/// above set covers.
/// **Who sees**: an address is the hash of the file and nothing lists them; a file is served while a picture of a
/// reader in good standing, or of the catalogue, uses it. Addresses do not ask who is looking, so that a page can show
/// them: do not hide secrets in them. Photographs have none: `Photos` serves them to those who may see them.
///
/// **Withheld** by a moderator, a reader's picture is shown nowhere, not served at its address and not counted, and given
/// back while they show no other. The sweep erases it after `Limits.moderation.evidence`.
///
/// **Covers.** Every edition and every book has one: ours, else one drawn from title and author (`Painter`), a plain
/// plate where libvips is missing or busy. Librarians set and remove covers, members propose them; each is a revision
/// of the edition. Covers of other catalogues are fetched once (`Sources.FetchCover`) and are ours from then on. No
/// address of a picture ever leads to another server.
///
/// **Limits**: `Limits.Media`. **Tables**: media_file, picture, picture_variant, account_picture, edition_cover,
/// media_tally, catalog_proposal_cover. **Counter**: media_tally, recounted by `recounts`. **Jobs**: `media.sweep`
/// daily, `media.clear` after each removal. **Events**: none. **Locks** are taken in the order account, work, edition,
/// media_file (by hash), media_tally.
package enum Media {
    /// What an `ID<Media.Picture>` names.
    package enum Picture {}

    /// What a picture is for, which decides its fixed widths.
    package enum Kind: String, Variation, PostgresText {
        /// Square: what stands out of the middle square is cut off, and a smaller one is blown up.
        case profile
        /// As it is: fits into its width and twice that in height; a smaller one stays as small.
        case cover
        /// As a cover, with its master beside it; the largest is at most as high as it is wide.
        case photo

        /// Pixels, ascending. Covers come in the six widths that apps know from Google Books.
        package var widths: [Int] {
            switch self {
            case .profile: [48, 96, 192, 384]
            case .cover: [80, 128, 300, 575, 800, 1280]
            case .photo: [320, 1280, Limits.media.masterSide]
            }
        }

        /// The width under which the master of a photograph is kept.
        static let master = 0
    }

    /// How a photograph is shown: its master turned, then cut.
    package struct Edit: Hashable, Sendable {
        /// To the right.
        package enum Turn: Int16, CaseIterable, Sendable {
            case none = 0
            case quarter = 90
            case half = 180
            case threeQuarters = 270
        }

        /// A part of the turned picture, in thousandths of its sides.
        package struct Crop: Hashable, Sendable {
            package let left: Int, top: Int, width: Int, height: Int

            /// `nil` for what is empty or stands out of the picture.
            package init?(left: Int, top: Int, width: Int, height: Int) {
                let sides = 1...Self.whole
                guard left >= 0, top >= 0, sides.contains(width), sides.contains(height),
                    left <= Self.whole - width, top <= Self.whole - height
                else { return nil }
                (self.left, self.top, self.width, self.height) = (left, top, width, height)
            }

            /// Thousandths that are all of it.
            package static let whole = 1000
        }

        package var turn: Turn
        package var crop: Crop?

        package init(turn: Turn = .none, crop: Crop? = nil) {
            (self.turn, self.crop) = (turn, crop)
        }

        /// Shows the master as it is.
        package var isNothing: Bool { turn == .none && crop == nil }
    }

    /// The SHA-256 of a file's bytes: its name and its address.
    package struct Hash: Hashable, Comparable, Sendable {
        package let bytes: [UInt8]

        package init(of content: [UInt8]) { bytes = SHA256.hash(content) }

        init?(bytes: [UInt8]) {
            guard bytes.count == SHA256.byteCount else { return nil }
            self.bytes = bytes
        }

        /// Reads 64 hexadecimal digits in lower case.
        package init?(text: some StringProtocol) {
            guard text.utf8.count == 2 * SHA256.byteCount else { return nil }
            let digits = text.utf8.compactMap { digit -> UInt8? in
                switch digit {
                case 48...57: digit - 48
                case 97...102: digit - 87
                default: nil
                }
            }
            guard digits.count == 2 * SHA256.byteCount else { return nil }
            bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        }

        package var text: String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
        /// Enough of it to tell a picture from the one before: 12 digits.
        package var tag: String { String(text.prefix(12)) }

        package static func < (left: Hash, right: Hash) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
    }

    /// One file of a picture.
    package struct Variant: Hashable, Sendable {
        /// The fixed width that it stands for, in pixels.
        package let width: Int
        package let hash: Hash
    }

    /// A picture as it is shown.
    package struct Shown: Hashable, Sendable {
        /// What it shows, in words; `nil` where nobody said.
        package let alt: String?
        /// Ascending by width.
        package let variants: [Variant]
    }

    /// The cover of an edition, as pages name it.
    package struct Cover: Hashable, Sendable {
        package let edition: ID<Catalog.Edition>
        /// `nil` for one that is drawn.
        package let hash: Hash?
        /// Never empty: where nobody said, it names title and author.
        package let alt: String
    }

    /// A file to be sent.
    package struct File: Sendable {
        package let bytes: [UInt8]
        /// `image/jpeg` or `image/png`.
        package let type: String

        package init(bytes: [UInt8], type: String) {
            self.bytes = bytes
            self.type = type
        }
    }

    /// Why a picture is not taken.
    package enum Refusal: Error, Hashable, Sendable {
        /// This server cannot convert pictures: libvips is not installed.
        case off
        /// Neither JPEG nor PNG nor WebP nor HEIC.
        case unknownType
        /// HEIC, which the libvips of this server cannot decode.
        case noHEIC
        /// Named one thing, being another.
        case otherType(declared: String, found: String)
        /// Begins as a picture and is none that can be decoded to its end.
        case damaged(String)
        case tooManyPixels(width: Int, height: Int)
        /// Too small, too long or too thin.
        case badShape(width: Int, height: Int)
        /// An edit leaves too little of it.
        case cutTooSmall(width: Int, height: Int)
        /// Decoding it takes more time or memory than a picture may.
        case tooCostly
        /// The reader's quota for such pictures.
        case quota(Kind)
        /// The disk: what is left is the database's.
        case noRoom
    }

    /// Throws `.invalid` unless `alt` is nothing, or 1 to 1,000 bytes that are not all blank.
    package static func check(alt: String?, at pointer: String = "?alt") throws(Failure) {
        guard let alt else { return }
        guard Limits.media.alt.contains(alt.utf8.count), !alt.allSatisfy(\.isWhitespace), !alt.utf8.contains(0) else {
            throw .invalid(pointer, .outOfRange, "must have 1 to \(Limits.media.alt.upperBound) bytes")
        }
        guard Wording.isPlain(alt) else { throw .invalid(pointer, .badFormat, Wording.unplain) }
    }
}

extension Media.Hash: PostgresValue {
    package static var postgresType: PostgresType { .bytea }
    package func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: self.bytes) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Media.Hash {
        guard let hash = Media.Hash(bytes: try Bytes.decode(bytes, type: type).bytes) else {
            throw PostgresError(.decoding, message: "not a hash")
        }
        return hash
    }
}

extension Media.Hash: CustomStringConvertible {
    package var description: String { text }
}

extension Media.Cover: JSONForm {
    package func put(into object: JSONObject) {
        object.put("url", address: path(width: Self.pageWidth))
        object.put("alt", alt)
    }
}

extension Media.Cover {
    /// SQL: the cover that stands for `work`, which must be in scope, as `init` reads it; null for a work without
    /// editions. That of the first edition that has one, else of the first.
    static let column: Fragment = """
        (select array[chosen.id::text,
                             case when covering.id is null then ''
                                  else coalesce((select encode(file.hash, 'hex')
                                                   from picture_variant file
                                                  where file.picture_id = covering.id
                                                  order by file.width desc
                                                  limit 1), '') end,
                             coalesce(covering.alt, ''), coalesce(chosen.title, '')]
                   from edition chosen
                   left join edition_cover on edition_cover.edition_id = chosen.id
                   left join picture covering on covering.id = edition_cover.picture_id and covering.hidden_at is null
                  where chosen.work_id = work.id
                    and chosen.withdrawn_at is null
                  order by covering.id is null, chosen.id
                  limit 1)
        """

    /// Reads what `column` gives. `title` and `author`: of the work. `nil` for no parts.
    init?(_ parts: [String], title: String, author: String?) {
        guard parts.count == 4, let edition = ID<Catalog.Edition>(text: parts[0]) else { return nil }
        let ownTitle = parts[3].isEmpty ? title : parts[3]
        let design = Media.CoverDesign(title: ownTitle.isEmpty ? nil : ownTitle, author: author)
        self.init(
            edition: edition, hash: parts[1].isEmpty ? nil : Media.Hash(text: parts[1]),
            alt: parts[2].isEmpty ? design.alt : parts[2])
    }

    /// The fixed width that pages of books name.
    package static var pageWidth: Int { 300 }

    /// The path of its image in one of the fixed widths. It changes with the picture, so that what is behind it may be
    /// kept for ever.
    package func path(width: Int) -> String {
        "/covers/\(edition)/\(width)" + (hash.map { "?v=" + $0.tag } ?? "")
    }
}

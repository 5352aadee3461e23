import JSONWriting
import MarkdownReading
import Postgres

/// Photographs that readers take of their books: of a page, a quotation, a moment.
///
/// - **Kept** is one upright JPEG of at most 4,096 pixels a side without metadata, the master (`Media.Kind.photo`).
///   Nobody keeps the bytes that were sent. What is shown is made of the master by an **edit**: turned by quarters, then
///   cut. Each later edit starts from the master again, and so does taking an edit back; what was cut off is served to
///   nobody, its reader among them.
/// - **Where it belongs**: a page, a percentage, both, or nothing. A page alone is a place in the book where it is known
///   how many pages the reader's copy has, as with positions (`Places`).
/// - **Gate**: a photograph gives the book away up to its place; without one as far as a post of its reader would
///   (`Gate.Usual`), and nothing where the book is none that can be spoiled. Who is not as far gets a placeholder
///   without its reader, its words and its file. What moves it in the book moves its scope.
/// - **Who sees it**: the level that it has, else its reader's `privacy.photos` (usually friends), with blocks and reach
///   as everywhere. Its file is asked for by the photograph's own address, which asks all of that each time; it has no
///   address among `/media`.
/// - **Words in it** are its reader's alone, whatever its level: they are a book's text. So is where the reading of them
///   stands. A job reads them (`Recognizer`), in the language of the edition or those of the settings; another image or
///   edit has them read anew, unless their reader corrected them: what they said is never overwritten. Where tesseract is
///   not installed they are `off`; once it is, at most 500 an hour are taken up.
/// - **Search**: what its reader says of it, its `alt` and the words in it stand in `own_words`.
/// - **Moderation**: hidden, it is its reader's alone. Its file stays meanwhile, also where the reader replaces or
///   deletes it, for `Limits.moderation.evidence`. A moderator sees the file of what is reported while its case is open.
/// - **Its end**: deleted, or with its account: row, words and files go. A merged book is the one that it was merged
///   into.
///
/// **Limits**: `Limits.Photos`, and of pictures `Limits.Media`. **Tables**: photo; rows of own_words of the kind
/// `photo`. **Counter**: media_tally.photo_bytes and .photos, which `Media` keeps. **Events**: `photo.read`, to
/// its reader. **Jobs**: `photos.read`, one at a time in each process; `photos.take_up` hourly; `media.clear` takes files
/// away. Locks are taken in the order account, work, photo, media_file (by hash),
/// media_tally.
package enum Photos {}

extension Photos {
    /// A photograph as one viewer sees it.
    package struct Photo: Hashable, Sendable {
        package let id: ID<Photo>
        package let author: Accounts.Reader
        package let book: Catalog.Book
        package let page: Int?
        /// Ten-thousandths of the work; `nil` where it is not known where in the book it belongs.
        package let position: Int?
        package let comment: String?
        package let alt: String?
        /// Its own level; `nil` where the reader's setting decides, and for everybody but the reader.
        package let visibility: Visibility?
        /// A moderator hides it from all but its reader.
        package let isHidden: Bool
        package let edit: Media.Edit
        /// Pixels of the largest file.
        package let width: Int
        package let height: Int
        /// Changes with what is shown.
        let tag: Media.Hash
        /// `nil` for everybody but its reader.
        package let words: Words?
        /// 1, 2, …: rises with every change.
        package let version: Int
        package let createdAt: Timestamp
        package let changedAt: Timestamp
    }

    /// The words in a photograph, for its reader.
    package struct Words: Hashable, Sendable {
        package enum State: String, Sendable, CaseIterable, Encodable, PostgresText {
            /// They are to be read.
            case waiting
            case read
            /// None were found.
            case unreadable
            /// The reader said what they are.
            case corrected
            /// This server reads none.
            case off
        }

        package let state: State
        package let text: String?
        /// Hundredths; `nil` where nobody said how sure they are.
        package let confidence: Int?
    }

    /// What one viewer is shown of a photograph that they may know of.
    package enum Shown: Hashable, Sendable {
        case whole(Photo)
        /// It is ahead of the viewer in the book.
        case gated(Gate.Placeholder)

        package var photo: Photo? { if case .whole(let photo) = self { photo } else { nil } }

        var id: ID<Photo> {
            switch self {
            case .whole(let photo): photo.id
            case .gated(let placeholder): ID(rawValue: placeholder.id)
            }
        }
    }

    /// Whose photographs of a book are asked for.
    package enum Whose: String, Variation {
        case me, friends, all
    }

    /// The reader's own photographs of a book, for its page.
    package struct Glance: Hashable, Sendable {
        package let count: Int
        /// At most `Limits.photos.onPage`.
        package let newest: [Photo]

        package static let nothing = Glance(count: 0, newest: [])
    }

    /// What is said with a photograph.
    package struct NewPhoto: Hashable, Sendable {
        package var page: Int?
        /// Ten-thousandths.
        package var position: Int?
        package var comment: String?
        package var alt: String?
        package var visibility: Visibility?
        package var edit: Media.Edit

        package init(
            page: Int? = nil, position: Int? = nil, comment: String? = nil, alt: String? = nil,
            visibility: Visibility? = nil, edit: Media.Edit = Media.Edit()
        ) {
            (self.page, self.position, self.alt) = (page, position, alt)
            (self.visibility, self.edit) = (visibility, edit)
            self.comment = comment.map(Markdown.clean)
        }
    }

    /// What a photograph is to show, converted and stored and not shown yet.
    package struct Edited: Sendable {
        package let prepared: Media.Prepared
        let edit: Media.Edit
        /// The picture whose master it was made of.
        let picture: ID<Media.Picture>
    }

    /// What is to change about a photograph.
    package struct Change: Hashable, Sendable {
        package var page: FieldChange<Int> = .keep
        /// Ten-thousandths.
        package var position: FieldChange<Int> = .keep
        package var comment: FieldChange<String> = .keep
        package var alt: FieldChange<String> = .keep
        package var visibility: FieldChange<Visibility> = .keep
        package var turn: Media.Edit.Turn?
        package var crop: FieldChange<Media.Edit.Crop> = .keep
        /// To nothing: they are read anew.
        package var words: FieldChange<String> = .keep

        package init() {}

        /// As it is kept.
        var cleaned: Change {
            var change = self
            if case .set(let text?) = comment { change.comment = .set(Markdown.clean(text)) }
            if case .set(let text?) = words { change.words = .set(Markdown.clean(text)) }
            return change
        }

        var movesPlace: Bool { page != .keep || position != .keep }

        func applied(to old: Media.Edit) -> Media.Edit {
            Media.Edit(turn: turn ?? old.turn, crop: crop.applied(to: old.crop))
        }
    }

    /// Throws `.invalid` for what is said of a photograph; `root` stands before the names in pointers.
    static func check(comment: String?, alt: String?, words: String? = nil, root: String) throws(Failure) {
        var faults = Faults()
        for (name, text, bytes) in [
            ("comment", comment, Limits.photos.comment), ("words", words, Limits.photos.words),
        ] {
            guard let text else { continue }
            Wording.check(text: text, into: &faults, bytes: bytes, at: root + name)
        }
        try faults.check()
        try Media.check(alt: alt, at: root + "alt")
    }
}

extension Photos.Photo: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("state", Gate.shown)
        object.put("book", book)
        object.put("author", author)
        object.put("page", page)
        object.put("position", position)
        object.put("percent", position.map { Double($0) / 100 })
        object.put("comment", comment)
        object.put("alt", alt)
        object.put("visibility", visibility)
        object.put("is_hidden", isHidden)
        object.put("rotate", Int(edit.turn.rawValue))
        object.put("crop", edit.crop)
        object.put("width", width)
        object.put("height", height)
        object.put("widths", Addresses(photo: self))
        object.put("words", words)
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("changed_at", changedAt)
    }

    /// The path of its file in one of the fixed widths.
    package func path(width: Int) -> String { "/api/v1/photos/\(id)/\(width)?v=\(tag.tag)" }

    private struct Addresses: JSONForm {
        let photo: Photos.Photo

        func put(into object: JSONObject) {
            for width in Media.Kind.photo.widths { object.put(named: "\(width)", address: photo.path(width: width)) }
        }
    }
}

extension Photos.Words: JSONForm {
    package func put(into object: JSONObject) {
        object.put("state", state)
        object.put("text", text)
        object.put("confidence", confidence)
    }
}

extension Photos.Shown: JSONWritable {
    package func write(to output: JSONOutput) {
        switch self {
        case .whole(let photo): photo.write(to: output)
        case .gated(let placeholder): placeholder.write(to: output)
        }
    }
}

extension Media.Edit.Crop: JSONForm {
    package func put(into object: JSONObject) {
        object.put("left", left)
        object.put("top", top)
        object.put("width", width)
        object.put("height", height)
    }
}

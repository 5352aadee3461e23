import Postgres

extension Photos {
    enum Statements {}
}

extension Photos.Statements {
    /// The columns of a photograph; what `joins` joins must be in scope. Null from `book` on where its gate is shut.
    static func columns<S: ForViewer>() -> SQL<S> {
        """
        photo.id, gate.is_open, photo.scope, \(Accounts.Reader.columns(of: "reader")), \(Catalog.Book.columns),
               photo.page, photo.position, photo.comment, picture.alt,
               case when photo.reader_id = \(.viewer) then \(wanted) end as visibility,
               photo.hidden_at is not null as is_hidden,
               photo.rotate, photo.crop_left, photo.crop_top, photo.crop_width, photo.crop_height,
               picture.width, picture.height, \(tag) as tag,
               case when photo.reader_id = \(.viewer) then photo.words_state end as words_state,
               case when photo.reader_id = \(.viewer) then photo.words end as words,
               case when photo.reader_id = \(.viewer) then photo.confidence end as confidence,
               photo.version, photo.created_at, photo.changed_at
        """
    }

    /// What `columns` reads beside `photo`.
    static func joins<S: ForViewer>() -> SQL<S> {
        """
        join account reader on reader.id = photo.reader_id
          join work on work.id = photo.work_id
          join picture on picture.id = photo.picture_id
          left join privacy on privacy.reader_id = photo.reader_id
         cross join lateral (select \(Photos.Photo.opens()) as is_open limit 1) gate
        """
    }

    /// The level that its reader wants for it.
    static let wanted: Fragment =
        "case when photo.hidden_at is null then photo.visibility else photo.hidden_level end"

    /// The level at which it is seen, with its reader's `privacy` in scope.
    static let level: Fragment = "coalesce(photo.visibility, privacy.photos, \(Privacy.Kind.photos.usual.rawValue))"

    /// What its addresses are told apart by: the hash of its smallest file.
    private static let tag: Fragment = """
        (select variant.hash
                  from picture_variant variant
                 where variant.picture_id = photo.picture_id
                   and variant.width = \(smallest))
        """
    private static let smallest = Media.Kind.photo.widths[0]

    /// One photograph, where the viewer may know of it.
    struct One: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(columns())
              from photo
              \(joins())
             where photo.id = \(\.photo)
               and \(Photos.Photo.isSeen())
            """
        let viewer: Viewer, photo: ID<Photos.Photo>
        typealias Output = Photos.Shown
    }

    /// Those of some photographs that the viewer may know of, in any order.
    struct These: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(columns())
              from photo
              \(joins())
             where photo.id = any(\(\.photos))
               and \(Photos.Photo.isSeen())
            """
        let viewer: Viewer, photos: [ID<Photos.Photo>]
        typealias Output = Photos.Shown
    }

    /// Photographs of one work that the viewer may know of, newest first: everybody's and friends' by the index
    /// `photo_of_work` or `photo_in_book`, the reader's own by `photo_in_book`.
    struct OfBook: ListStatement, ForViewer {
        static let isPlannedOnce = true
        static func sql(_ variation: Both<Photos.Whose, Direction>) -> SQL<Self> {
            let (whose, direction) = (variation.first, variation.second)
            let keyset = Keyset<Self>("photo.id", "\(\.span.place)", direction)
            let circle: SQL<Self> =
                switch whose {
                case .me: "and photo.reader_id = \(.viewer)"
                case .friends:
                    """
                    and exists (select 1
                                     from friendship
                                    where friendship.reader_id = \(.viewer)
                                      and friendship.friend_id = photo.reader_id)
                    """
                case .all: ""
                }
            return """
                select \(columns())
                  from photo
                  \(joins())
                 where photo.work_id = \(Catalog.resolved("\(\.work)"))
                   and \(keyset.condition)
                   \(circle)
                   and \(Photos.Photo.isSeen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, whose: Photos.Whose, work: ID<Catalog.Work>, span: Span<ID<Photos.Photo>>
        var variation: Both<Photos.Whose, Direction> { Both(whose, span.direction) }
        typealias Output = Photos.Shown
    }

    /// Photographs of one reader that the viewer may know of, newest first. Index `photo_of_reader`.
    struct OfReader: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("photo.id", "\(\.span.place)", direction)
            return """
                select \(columns())
                  from photo
                  \(joins())
                 where photo.reader_id = \(\.reader)
                   and \(keyset.condition)
                   and \(Photos.Photo.isSeen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, reader: ID<Accounts.Account>, span: Span<ID<Photos.Photo>>
        typealias Output = Photos.Shown
    }

    /// How many photographs of a work are the reader's own. Index `photo_in_book`.
    struct CountIn: Statement {
        static let sql: SQL<Self> =
            "select count(*) from photo where reader_id = \(\.reader) and work_id = \(\.work)"
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>
        typealias Output = Int
    }

    /// The file of a photograph in one width, for those who may see it. The master is the largest where nothing was
    /// edited, and no file otherwise. `moderates`: the viewer is a moderator, for whom a case about it is open.
    struct FileOf: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select file.hash, file.type
              from photo
              left join privacy on privacy.reader_id = photo.reader_id
              join picture_variant variant on variant.picture_id = photo.picture_id
              join media_file file on file.hash = variant.hash
             where photo.id = \(\.photo)
               and variant.width = case when \(\.width, as: Int32.self) = \(largest) and photo.rotate = 0 and photo.crop_left is null
                                        then \(Media.Kind.master) else \(\.width, as: Int32.self) end
               and file.missing_at is null
               and (\(Photos.Photo.isSeen()) and \(Photos.Photo.opens())
                    or \(\.moderates)
                       and exists (select 1
                                     from moderation_case about
                                    where about.subject_kind = \(literal: Photos.Photo.facts.name)
                                      and about.subject_id = photo.id
                                      and about.state = 'open'))
            """
        private static let largest = Limits.media.masterSide
        let viewer: Viewer, photo: ID<Photos.Photo>, width: Int, moderates: Bool

        static func decode(_ columns: inout Columns) throws -> (hash: Media.Hash, type: String) {
            (try columns("hash"), try columns("type"))
        }
    }
}

extension Photos.Shown: RowReadable {
    /// Reads the columns of `Photos.Statements.columns`.
    package init(_ columns: inout Columns) throws {
        let (id, isOpen): (ID<Photos.Photo>, Bool) = (try columns("id"), try columns("is_open"))
        let scope: Int = try columns("scope")
        guard isOpen else {
            try columns.skip(through: "changed_at")
            self = .gated(Gate.Placeholder(id: id.rawValue, kind: Photos.Photo.facts.name, position: scope))
            return
        }
        self = .whole(
            Photos.Photo(
                id: id, author: try Accounts.Reader(&columns), book: try Catalog.Book(&columns),
                page: try columns("page"), position: try columns("position"), comment: try columns("comment"),
                alt: try columns("alt"), visibility: try columns("visibility"), isHidden: try columns("is_hidden"),
                edit: try Media.Edit(&columns), width: try columns("width"), height: try columns("height"),
                tag: try columns("tag"), words: try Photos.Words(&columns), version: try columns("version"),
                createdAt: try columns("created_at"), changedAt: try columns("changed_at")))
    }
}

extension Media.Edit {
    /// Reads the columns `rotate` and `crop_left` to `crop_height`.
    init(_ columns: inout Columns) throws {
        let degrees: Int16 = try columns("rotate")
        let (left, top): (Int?, Int?) = (try columns("crop_left"), try columns("crop_top"))
        let (width, height): (Int?, Int?) = (try columns("crop_width"), try columns("crop_height"))
        var crop: Crop?
        if let left, let top, let width, let height { crop = Crop(left: left, top: top, width: width, height: height) }
        self.init(turn: Turn(rawValue: degrees) ?? .none, crop: crop)
    }
}

extension Photos.Words {
    /// Reads the columns `words_state`, `words` and `confidence`; `nil` where nothing is told of them.
    init?(_ columns: inout Columns) throws {
        let state: State? = try columns("words_state")
        let (text, confidence): (String?, Int?) = (try columns("words"), try columns("confidence"))
        guard let state else { return nil }
        self.init(state: state, text: text, confidence: confidence)
    }
}

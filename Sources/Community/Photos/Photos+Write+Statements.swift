import Postgres

extension Photos.Statements {
    /// What a new photograph, or a new place of one, is decided on; its reader's account is locked. `entry`: of the
    /// reader's library, which need not be there.
    struct GroundOf: Statement {
        static let sql: SQL<Self> = """
            select entry.edition_id, coalesce(entry.pages, held.pages, given.pages) as pages,
                   \(Privacy.level(.photos, of: "\(\.reader)"))::smallint as usual
              from (select \(\.reader)::bigint as reader_id) asked
              left join shelf_entry entry on entry.reader_id = asked.reader_id and entry.work_id = \(\.work)
              left join edition held on held.id = entry.edition_id
              left join edition given on given.id = \(\.edition)
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>
        /// That of the photograph, for what the library does not say any more.
        let edition: ID<Catalog.Edition>?

        static func decode(_ columns: inout Columns) throws -> Photos.Ground {
            Photos.Ground(
                edition: try columns("edition_id"), pages: try columns("pages"), usual: try columns("usual"))
        }
    }

    struct Insert: Statement {
        static let sql: SQL<Self> = """
            insert into photo (id, reader_id, work_id, edition_id, picture_id, page, position, scope, comment, visibility,
                               rotate, crop_left, crop_top, crop_width, crop_height, created_at, changed_at)
            values (\(\.id), \(\.reader), \(\.work), \(\.edition), \(\.picture), \(\.place.page, as: Int32.self),
                    \(\.place.position, as: Int16.self), \(\.place.scope), \(\.new.comment), \(\.new.visibility),
                    \(\.new.edit.turn.rawValue, "rotate"), \(\.cut.left, as: Int16.self), \(\.cut.top, as: Int16.self),
                    \(\.cut.width, as: Int16.self), \(\.cut.height, as: Int16.self), \(\.at), \(\.at))
            """
        let id: ID<Photos.Photo>, reader: ID<Accounts.Account>, work: ID<Catalog.Work>
        let edition: ID<Catalog.Edition>?, picture: ID<Media.Picture>, place: Photos.Place, new: Photos.NewPhoto
        let at: Timestamp
        let cut: Cut

        init(
            _ new: Photos.NewPhoto, id: ID<Photos.Photo>, by reader: ID<Accounts.Account>, of work: ID<Catalog.Work>,
            edition: ID<Catalog.Edition>?, picture: ID<Media.Picture>, at place: Photos.Place, now: Timestamp
        ) {
            (self.new, self.id, self.reader, self.work) = (new, id, reader, work)
            (self.edition, self.picture, self.place, at) = (edition, picture, place, now)
            cut = Cut(new.edit.crop)
        }
    }

    /// A crop as columns.
    struct Cut: Sendable {
        let left: Int?, top: Int?, width: Int?, height: Int?

        init(_ crop: Media.Edit.Crop?) {
            (left, top, width, height) = (crop?.left, crop?.top, crop?.width, crop?.height)
        }
    }

    /// A reader's own photograph, as it is now; the account is locked.
    struct Own: Statement {
        static let sql: SQL<Self> = """
            select photo.work_id, photo.edition_id, photo.picture_id, photo.page, photo.position, photo.scope, photo.comment,
                   picture.alt, \(wanted) as visibility, photo.hidden_at is not null as is_hidden,
                   photo.rotate, photo.crop_left, photo.crop_top, photo.crop_width, photo.crop_height,
                   photo.words_state, photo.words, photo.confidence, photo.version,
                   (select variant.hash
                      from picture_variant variant
                     where variant.picture_id = photo.picture_id
                       and variant.width = \(Media.Kind.master)) as master
              from photo
              join picture on picture.id = photo.picture_id
             where photo.id = \(\.photo)
               and photo.reader_id = \(\.reader)
            """
        let photo: ID<Photos.Photo>, reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> Photos.Own {
            Photos.Own(
                work: try columns("work_id"), edition: try columns("edition_id"), picture: try columns("picture_id"),
                place: Photos.Place(
                    page: try columns("page"), position: try columns("position"), scope: try columns("scope")),
                comment: try columns("comment"), alt: try columns("alt"), visibility: try columns("visibility"),
                isHidden: try columns("is_hidden"), edit: try Media.Edit(&columns),
                words: try Photos.Words(&columns) ?? .waiting,
                version: try columns("version"), master: try columns("master"))
        }
    }

    /// Locks a reader's own photograph against every other change of it. No row for somebody else's.
    struct Lock: Statement {
        static let sql: SQL<Self> = """
            select work_id, picture_id, hidden_at is not null as is_hidden
              from photo
             where id = \(\.photo)
               and reader_id = \(\.reader)
               for update
            """
        let photo: ID<Photos.Photo>, reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (work: ID<Catalog.Work>, former: Media.Former) {
            (
                try columns("work_id"),
                Media.Former(picture: try columns("picture_id"), isEvidence: try columns("is_hidden"))
            )
        }
    }

    /// Those of a reader's own photographs of a work that are there, which stay until the commit.
    struct Hold: Statement {
        static let sql: SQL<Self> = """
            select id
              from photo
             where id = any(\(\.photos))
               and reader_id = \(\.reader)
               and work_id = \(\.work)
             order by id
               for key share
            """
        let photos: [ID<Photos.Photo>], reader: ID<Accounts.Account>, work: ID<Catalog.Work>
        typealias Output = ID<Photos.Photo>
    }

    struct Update: Statement {
        static let sql: SQL<Self> = """
            with described as (
                update picture set alt = \(\.own.alt) where id = \(\.own.picture)
            )
            update photo
               set picture_id = \(\.own.picture),
                   page = \(\.own.place.page, as: Int32.self),
                   position = \(\.own.place.position, as: Int16.self),
                   scope = \(\.own.place.scope),
                   comment = \(\.own.comment),
                   visibility = case when hidden_at is null then \(\.own.visibility)::smallint else 0::smallint end,
                   hidden_level = case when hidden_at is not null then \(\.own.visibility)::smallint end,
                   rotate = \(\.own.edit.turn.rawValue, "rotate"),
                   crop_left = \(\.cut.left, as: Int16.self),
                   crop_top = \(\.cut.top, as: Int16.self),
                   crop_width = \(\.cut.width, as: Int16.self),
                   crop_height = \(\.cut.height, as: Int16.self),
                   words_state = \(\.own.words.state),
                   words = \(\.own.words.text),
                   confidence = \(\.own.words.confidence, as: Int16.self),
                   version = version + 1,
                   changed_at = \(\.at)
             where id = \(\.photo)
            """
        let photo: ID<Photos.Photo>, own: Photos.Own, at: Timestamp, cut: Cut

        init(_ photo: ID<Photos.Photo>, to own: Photos.Own, at now: Timestamp) {
            (self.photo, self.own, at) = (photo, own, now)
            cut = Cut(own.edit.crop)
        }
    }

    /// The notes that a photograph stands in give away as much as it does.
    struct RaiseNotes: Statement {
        static let sql: SQL<Self> = """
            update note
               set scope = \(\.scope)
             where id in (select note_id from note_item where photo_id = \(\.photo))
               and scope < \(\.scope)
            """
        let photo: ID<Photos.Photo>, scope: Gate.Scope
    }

    /// Its picture goes by itself.
    struct Delete: Statement {
        static let sql: SQL<Self> = "delete from photo where id = \(\.photo)"
        let photo: ID<Photos.Photo>
    }

    /// Hides a photograph (`at`), with the level that it is to come back with, or brings it back; touches no row where
    /// it is so already.
    struct Hide: Statement {
        static let sql: SQL<Self> = """
            update photo
               set visibility = case when \(\.at)::timestamptz is null then hidden_level else 0::smallint end,
                   hidden_level = case when \(\.at)::timestamptz is not null then visibility end,
                   hidden_at = \(\.at),
                   version = version + 1
             where id = \(\.photo)
               and (hidden_at is null) <> (\(\.at)::timestamptz is null)
            """
        let photo: ID<Photos.Photo>, at: Timestamp?
    }

    /// Whose a photograph is, and its picture.
    struct OwnerOf: Statement {
        static let sql: SQL<Self> = "select reader_id, picture_id from photo where id = \(\.photo) for update"
        let photo: ID<Photos.Photo>
        static func decode(
            _ columns: inout Columns
        ) throws -> (reader: ID<Accounts.Account>, picture: ID<Media.Picture>) {
            (try columns("reader_id"), try columns("picture_id"))
        }
    }

    /// For the end of an account, whose pictures go with it.
    struct RemoveAll: Statement {
        static let sql: SQL<Self> = "delete from photo where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}

import Postgres

extension Photos {
    /// A photograph whose words are to be read.
    struct ToBeRead: Sendable {
        let reader: ID<Accounts.Account>
        /// BCP 47, of its edition; `nil` where that is not known.
        let language: String?
        /// The largest that is shown: of a picture without an edit that is its master.
        let file: Media.Hash
    }
}

extension Photos.Statements {
    /// The image of a photograph that waits for its words.
    struct PictureToRead: Statement {
        static let sql: SQL<Self> = "select picture_id from photo where id = \(\.photo) and words_state = 'waiting'"
        let photo: ID<Photos.Photo>
        static func decode(_ columns: inout Columns) throws -> ID<Media.Picture> { try columns("picture_id") }
    }

    /// What is to be read of a photograph, unless it shows another image by now or has words. The language is that of
    /// its edition, else the one that all editions of the book share.
    struct ToRead: Statement {
        static let sql: SQL<Self> = """
            select photo.reader_id, \(spoken) as language, variant.hash
              from photo
              join lateral (select shown.hash
                              from picture_variant shown
                             where shown.picture_id = photo.picture_id
                               and shown.width in (\(Media.Kind.master), \(Media.Kind.photo.widths.last ?? 0))
                             order by shown.width desc
                             limit 1) variant on true
             where photo.id = \(\.photo)
               and photo.picture_id = \(\.picture)
               and photo.words_state = 'waiting'
            """
        let photo: ID<Photos.Photo>, picture: ID<Media.Picture>

        static func decode(_ columns: inout Columns) throws -> Photos.ToBeRead {
            Photos.ToBeRead(
                reader: try columns("reader_id"), language: try columns("language"), file: try columns("hash"))
        }
    }

    /// SQL, with `photo` in scope.
    private static let spoken: Fragment = """
        (select case when count(distinct edition.language) = 1 then min(edition.language) end
                  from edition
                 where case when photo.edition_id is null then edition.work_id = photo.work_id and edition.withdrawn_at is null
                            else edition.id = photo.edition_id end)
        """

    /// Words of a photograph that waits for those of this image, and of no other. Gives its work where it did.
    struct KeepWords: Statement {
        static let sql: SQL<Self> = """
            update photo
               set words_state = \(\.words.state),
                   words = \(\.words.text),
                   confidence = \(\.words.confidence, as: Int16.self),
                   version = version + 1,
                   changed_at = \(\.at)
             where id = \(\.photo)
               and picture_id = \(\.picture)
               and words_state = 'waiting'
            returning work_id
            """
        let photo: ID<Photos.Photo>, picture: ID<Media.Picture>, words: Photos.Words, at: Timestamp
        static func decode(_ columns: inout Columns) throws -> ID<Catalog.Work> { try columns("work_id") }
    }

    /// Photographs that could not be read, and those that have waited since `before`, oldest first.
    struct Unread: Statement {
        static let sql: SQL<Self> = """
            select photo.id, photo.picture_id, \(spoken) as language
              from photo
             where photo.words_state in ('waiting', 'off')
               and (photo.words_state = 'off' or photo.changed_at < \(\.before))
             order by photo.id
             limit \(Limits.photos.takenUp)
            """
        let before: Timestamp

        struct Output: Sendable {
            let photo: ID<Photos.Photo>
            let picture: ID<Media.Picture>
            let language: String?
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(
                photo: try columns("id"), picture: try columns("picture_id"), language: try columns("language"))
        }
    }

    /// A photograph that was off waits again. One row where it may be read.
    struct Wait: Statement {
        static let sql: SQL<Self> = """
            update photo
               set words_state = 'waiting'
             where id = \(\.photo)
               and picture_id = \(\.picture)
               and words_state in ('waiting', 'off')
            """
        let photo: ID<Photos.Photo>, picture: ID<Media.Picture>
    }
}

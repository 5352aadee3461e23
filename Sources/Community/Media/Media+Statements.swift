import Postgres

extension Media {
    enum Statements {}
}

extension Media.Statements {
    /// One file of a picture that is shown, with the picture's words.
    struct ShownVariant: Sendable, RowReadable {
        let alt: String?
        let variant: Media.Variant

        /// Reads the columns `alt`, `width` and `hash`.
        init(_ columns: inout Columns) throws {
            alt = try columns("alt")
            variant = Media.Variant(width: try columns("width"), hash: try columns("hash"))
        }
    }

    /// What a reader shows, ascending by width.
    struct ProfileOf: Statement {
        static let sql: SQL<Self> = """
            select picture.alt, variant.width, variant.hash
              from account_picture
              join picture on picture.id = account_picture.picture_id
              join picture_variant variant on variant.picture_id = picture.id
             where account_picture.account_id = \(\.account)
             order by variant.width
            """
        let account: ID<Accounts.Account>
        typealias Output = ShownVariant
    }

    /// The picture that a reader shows now, and its bytes.
    struct FormerProfile: Statement {
        static let sql: SQL<Self> = """
            select picture.id, picture.size
              from account_picture
              join picture on picture.id = account_picture.picture_id
             where account_picture.account_id = \(\.account)
            """
        let account: ID<Accounts.Account>
        static func decode(_ columns: inout Columns) throws -> (picture: ID<Media.Picture>, size: Int) {
            (try columns("id"), try columns("size"))
        }
    }

    /// The picture that a moderator took from a reader last, and its bytes.
    struct WithheldProfile: Statement {
        static let sql: SQL<Self> = """
            select picture.id, picture.size
              from picture
             where picture.owner_id = \(\.account)
               and picture.kind = 'profile'
               and picture.hidden_at is not null
             order by picture.hidden_at desc, picture.id desc
             limit 1
            """
        let account: ID<Accounts.Account>
        static func decode(_ columns: inout Columns) throws -> (picture: ID<Media.Picture>, size: Int) {
            (try columns("id"), try columns("size"))
        }
    }

    struct Withhold: Statement {
        static let sql: SQL<Self> = """
            with unshown as (
                delete from account_picture where picture_id = \(\.picture)
            )
            update picture set hidden_at = \(\.at) where id = \(\.picture)
            """
        let picture: ID<Media.Picture>, at: Timestamp
    }

    struct GiveBack: Statement {
        static let sql: SQL<Self> = """
            with shown as (
                insert into account_picture (account_id, picture_id) values (\(\.account), \(\.picture))
            )
            update picture set hidden_at = null where id = \(\.picture)
            """
        let account: ID<Accounts.Account>, picture: ID<Media.Picture>
    }

    struct ShowProfile: Statement {
        static let sql: SQL<Self> = """
            insert into account_picture (account_id, picture_id)
            values (\(\.account), \(\.picture))
                on conflict (account_id) do update set picture_id = excluded.picture_id
            """
        let account: ID<Accounts.Account>, picture: ID<Media.Picture>
    }

    /// Adds to what a reader has stored of a kind, or takes from it, and gives what it is then.
    struct Tally: VariedStatement {
        static func sql(_ kind: Media.Kind) -> SQL<Self> {
            let (bytes, pictures): (Fragment, Fragment) =
                kind == .photo ? ("photo_bytes", "photos") : ("bytes", "pictures")
            return """
                insert into media_tally (account_id, \(bytes), \(pictures))
                values (\(\.account), greatest(\(\.bytes), 0), greatest(\(\.pictures), 0))
                    on conflict (account_id) do update
                   set \(bytes) = media_tally.\(bytes) + \(\.bytes), \(pictures) = media_tally.\(pictures) + \(\.pictures)
                returning \(bytes) as bytes, \(pictures) as pictures
                """
        }
        let account: ID<Accounts.Account>, kind: Media.Kind, bytes: Int, pictures: Int
        var variation: Media.Kind { kind }

        static func decode(_ columns: inout Columns) throws -> (bytes: Int, pictures: Int) {
            (try columns("bytes"), try columns("pictures"))
        }
    }

    /// Every picture that goes with a reader, with the rows that show it and name its files.
    struct RemoveOwned: Statement {
        static let sql: SQL<Self> = "delete from picture where \(goes(with: "\(\.account)"))"
        let account: ID<Accounts.Account>
    }

    struct DropTally: Statement {
        static let sql: SQL<Self> = "delete from media_tally where account_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// Covers that an account gave are from nobody now. Index `picture_added`.
    struct ForgetGiver: Statement {
        static let sql: SQL<Self> = "update picture set added_by = null where added_by = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// The type of a file that may be served to everybody: one that is there, of a picture of the catalogue or of a
    /// reader in good standing, and no photograph's.
    struct FileType: Statement {
        static let sql: SQL<Self> = """
            select file.type
              from media_file file
             where file.hash = \(\.hash)
               and file.missing_at is null
               and exists (select 1
                             from picture_variant variant
                             join picture on picture.id = variant.picture_id
                             left join account owner on owner.id = picture.owner_id
                            where variant.hash = file.hash
                              and picture.kind <> 'photo'
                              and picture.hidden_at is null
                              and (picture.owner_id is null or owner.reach > 0))
            """
        let hash: Media.Hash
        typealias Output = String
    }

    /// The row of a file that has just been stored. Where there is one it is locked, so that no sweep takes it away
    /// meanwhile.
    struct InsertFile: Statement {
        static let sql: SQL<Self> = """
            insert into media_file (hash, size, type, created_at)
            values (\(\.hash), \(\.size), \(\.type), \(\.at))
                on conflict (hash) do update set missing_at = null
            """
        let hash: Media.Hash, size: Int, at: Timestamp
        var type = "image/jpeg"
    }

    struct InsertPicture: Statement {
        static let sql: SQL<Self> = """
            insert into picture (id, kind, owner_id, added_by, alt, width, height, size, created_at)
            values (\(\.id), \(\.prepared.kind), \(\.owner), \(\.addedBy), \(\.alt), \(\.prepared.width), \(\.prepared.height), \(\.prepared.size, "prepared.size"), \(\.at))
            """
        let id: ID<Media.Picture>, prepared: Media.Prepared, owner: ID<Accounts.Account>?
        /// `nil` for one that came from another catalogue.
        let addedBy: ID<Accounts.Account>?, alt: String?, at: Timestamp
    }

    struct InsertVariant: Statement {
        static let sql: SQL<Self> =
            "insert into picture_variant (picture_id, width, hash) values (\(\.picture), \(\.variant.width), \(\.variant.hash))"
        let picture: ID<Media.Picture>, variant: Media.Variant
    }

    struct FilesOf: Statement {
        static let sql: SQL<Self> = "select distinct hash from picture_variant where picture_id = any(\(\.pictures))"
        let pictures: [ID<Media.Picture>]
        typealias Output = Media.Hash
    }

    struct FilesOfOwner: Statement {
        static let sql: SQL<Self> = """
            select distinct variant.hash
              from picture
              join picture_variant variant on variant.picture_id = picture.id
             where \(goes(with: "\(\.account)"))
            """
        let account: ID<Accounts.Account>
        typealias Output = Media.Hash
    }

    /// Whether a picture goes with the account: the reader's own, and what was proposed as a cover and is none. Indexes
    /// `picture_of_owner`, `picture_added`.
    private static func goes<S>(with account: SQL<S>) -> SQL<S> {
        """
        (picture.owner_id = \(account)
                or picture.added_by = \(account)
                   and not exists (select 1 from edition_cover where edition_cover.picture_id = picture.id))
        """
    }

    /// Pictures with the rows that show them and name their files.
    struct RemovePictures: Statement {
        static let sql: SQL<Self> = "delete from picture where id = any(\(\.pictures))"
        let pictures: [ID<Media.Picture>]
    }
}

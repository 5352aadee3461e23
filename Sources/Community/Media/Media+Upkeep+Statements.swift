import Postgres

extension Media.Statements {
    /// Covers whose edition is gone, and proposed ones whose proposal is; what was withheld from readers long ago. The
    /// rest of a reader's pictures goes with the reader.
    struct RemoveUnshown: Statement {
        static let sql: SQL<Self> = """
            delete from picture
             where hidden_at <= \(\.withheld)
                or owner_id is null
                   and created_at <= \(\.before)
                   and not exists (select 1 from edition_cover where edition_cover.picture_id = picture.id)
                   and not exists (select 1 from catalog_proposal_cover proposed where proposed.picture_id = picture.id)
            """
        let before: Timestamp, withheld: Timestamp
    }

    /// SQL: whether a picture or an e-book uses the `media_file` in scope, called `file`.
    private static let isUsed: Fragment = """
        (exists (select 1 from picture_variant variant where variant.hash = file.hash)
                or exists (select 1 from ebook_file book where book.hash = file.hash)
                or exists (select 1 from ebook_picture page where page.hash = file.hash))
        """

    /// Files that nothing uses.
    struct Unused: Statement {
        static let sql: SQL<Self> = """
            select hash
              from media_file file
             where not \(isUsed)
            """
        typealias Output = Media.Hash
    }

    /// Removes the rows of those of some files that nothing uses, and gives their hashes.
    struct RemoveUnused: Statement {
        static let sql: SQL<Self> = """
            delete from media_file
             where hash in (select file.hash
                              from media_file file
                             where file.hash = any(\(\.files))
                               and not \(isUsed)
                             order by file.hash
                               for update skip locked)
            returning hash
            """
        let files: [Media.Hash]
        typealias Output = Media.Hash
    }

    /// Any file; none where there never was a picture.
    struct FirstFile: Statement {
        static let sql: SQL<Self> = "select hash from media_file order by hash limit 1"
        typealias Output = Media.Hash
    }

    /// Files that should be there and whose hash begins with one byte: one in 256.
    struct FilesFrom: Statement {
        static let sql: SQL<Self> = """
            select hash
              from media_file
             where hash >= \(\.first, "first")
               and hash <= \(\.last, "last")
            """
        let shard: UInt8
        private var first: Bytes { Bytes([shard]) }
        private var last: Bytes { Bytes([shard] + Array(repeating: 0xFF, count: 31)) }
        typealias Output = Media.Hash
    }

    struct MarkMissing: Statement {
        static let sql: SQL<Self> =
            "update media_file set missing_at = \(\.at) where hash = \(\.hash) and missing_at is null"
        let hash: Media.Hash, at: Timestamp
    }

    struct Missing: Statement {
        static let sql: SQL<Self> = "select hash from media_file where missing_at is not null limit 10000"
        typealias Output = Media.Hash
    }

    struct MarkFound: Statement {
        static let sql: SQL<Self> = "update media_file set missing_at = null where hash = \(\.hash)"
        let hash: Media.Hash
    }
}

import Jobs
import Logging
import Postgres
import Synchronization

extension Media {
    /// What pictures need beside the database.
    package struct Facilities: Sendable {
        package let store: any MediaStore
        /// `nil`: pictures are off.
        package let converter: Converter?
        package let painter: Painter
        /// Where programs have their private folders; what is left there goes with the sweep.
        let scratch: String
        /// Seconds of conversion by account.
        package let budget = ConversionBudget()

        /// Everything below one folder, with the programs that are installed. Touches nothing yet.
        package init(folder: String, tools: Tools?, services: Services, reserve: Int = 1 << 30) {
            let logger = services.logger
            store = FolderStore(
                folder: folder, clock: services.clock, random: services.random, reserve: reserve,
                reservePercent: reserve == 0 ? 0 : 5)
            scratch = folder + "/scratch"
            converter = tools.map { Converter(tools: $0, folder: folder + "/scratch", random: services.random) }
            painter = Painter(converter: converter, folder: folder + "/drawn", clock: services.clock) { error in
                logger.warning("a cover was not drawn", metadata: ["error": "\(error)"])
            }
        }
    }

    /// A picture that has been converted and stored and is not yet anybody's. Dropped, its files go with the next
    /// sweep.
    package struct Prepared: Sendable {
        package let kind: Kind
        /// Pixels of the largest file that is shown.
        let width: Int
        let height: Int
        let files: [(variant: Variant, bytes: [UInt8])]

        var size: Int { files.reduce(0) { $0 + $1.bytes.count } }
        package var variants: [Variant] { files.map(\.variant) }
    }

    /// What is done with pictures. Covers stand in `Media+Store+Covers.swift`, upkeep in `Media+Jobs.swift`.
    package struct Store: Sendable {
        let services: Services
        package let facilities: Facilities

        package init(_ services: Services, facilities: Facilities) {
            self.services = services
            self.facilities = facilities
        }

        /// Pictures can be converted here.
        package var isOn: Bool { facilities.converter != nil }

        /// Converts and stores what was sent. `type` is what the sender called it: one of the formats that are taken
        /// must not contradict the content. `edit`: of a photograph. The time that it takes is counted to `account`;
        /// `nil` for the server itself.
        ///
        /// Slow, and outside every transaction. Follow it with the write and then with `settle`. Throws `Refusal`,
        /// `Failure.busy`, `.limited`.
        package func prepare(
            _ bytes: [UInt8], type: String, as kind: Kind, edit: Edit = Edit(), for account: ID<Accounts.Account>? = nil
        ) async throws -> Prepared {
            let converter = try await readied(bytes, type: type)
            let files = try await counting(for: account) { taken in
                try await converter.convert(bytes, as: kind, edit: edit, taken: taken)
            }
            return try await keep(files, as: kind)
        }

        /// The converter, for a picture that may be converted. Throws `Refusal` where pictures are off, the header is
        /// wrong or there is no room.
        func readied(_ bytes: [UInt8], type: String) async throws -> Converter {
            guard let converter = facilities.converter else { throw Refusal.off }
            let header = try ImageHeader(bytes)
            guard ImageHeader.Format(type: type) ?? header.format == header.format else {
                throw Refusal.otherType(declared: type, found: header.format.type)
            }
            try header.checkSize()
            try await facilities.store.checkRoom(for: bytes.count)
            return converter
        }

        /// The same of a photograph whose `master` is stored, edited anew. Throws `Refusal.noRoom` where its file is
        /// gone.
        package func prepare(
            _ edit: Edit, of master: Hash, for account: ID<Accounts.Account>
        ) async throws -> Prepared {
            guard let converter = facilities.converter else { throw Refusal.off }
            guard let bytes = try await facilities.store.read(master) else { throw Refusal.noRoom }
            let files = try await counting(for: account) { taken in
                try await converter.edit(edit, master: bytes, taken: taken)
            }
            return try await keep(files, as: .photo)
        }

        /// Stores what a converter made, durably.
        private func keep(_ made: [Converter.File], as kind: Kind) async throws -> Prepared {
            let files = made.map { file in
                (variant: Variant(width: file.width, hash: Hash(of: file.bytes)), bytes: file.bytes)
            }
            guard let largest = files.last else { throw Refusal.damaged("nothing came of it") }
            let result = try ImageHeader(largest.bytes)
            // All of them, or none: what is stored of a picture that has no room to its end waits for the sweep.
            try await facilities.store.checkRoom(for: files.reduce(0) { $0 + $1.bytes.count })
            for file in files { try await facilities.store.put(file.bytes, as: file.variant.hash) }
            return Prepared(kind: kind, width: result.width, height: result.height, files: files)
        }

        func counting<Result>(
            for account: ID<Accounts.Account>?,
            _ convert: (@escaping @Sendable (Duration) -> Void) async throws -> Result
        ) async throws -> Result {
            guard let account else { return try await convert { _ in } }
            let turn = try facilities.budget.begin(account)
            let time = Mutex(Duration.zero)
            defer { facilities.budget.end(turn, took: time.withLock { $0 }) }
            return try await convert { took in time.withLock { $0 = took } }
        }

        /// To be called when the write is committed: puts back what a sweep took between `prepare` and the write.
        package func settle(_ prepared: Prepared) async throws {
            for (variant, bytes) in prepared.files where try await !facilities.store.contains(variant.hash) {
                try await facilities.store.put(bytes, as: variant.hash)
            }
        }

        /// The picture that a reader shows; `nil` for none.
        package func picture(of account: ID<Accounts.Account>) async throws -> Shown? {
            try await services.database.all(Statements.ProfileOf(account: account)).shown
        }

        /// Makes `prepared` the picture that a reader shows, in place of the one before. Gives whether there was none.
        ///
        /// One transaction: picture, files' rows, tally, and what `telling` does. Throws `.invalid` for `alt`, `Refusal.quota`, `.forbidden`
        /// (`account_frozen`), `.unauthenticated` for an account that is gone: converting takes its time.
        @discardableResult
        package func show(
            _ prepared: Prepared, alt: String?, of account: ID<Accounts.Account>, telling: Telling? = nil
        ) async throws -> (shown: Shown, isFirst: Bool) {
            try check(alt: alt)
            let isFirst = try await services.database.transaction { transaction in
                _ = try await lock(account, in: transaction)
                let former = try await transaction.first(Statements.FormerProfile(account: account))
                let picture = try services.ids.make(Picture.self)
                try await insert(prepared, as: picture, owner: account, by: account, alt: alt, in: transaction)
                try await transaction.run(Statements.ShowProfile(account: account, picture: picture))
                if let former { try await Media.remove(former.picture, in: transaction) }
                try await Media.count(
                    .profile, of: account, bytes: prepared.size - (former?.size ?? 0), pictures: former == nil ? 1 : 0,
                    in: transaction)
                try await telling?(account, transaction)
                return former == nil
            }
            return (Shown(alt: alt, variants: prepared.variants), isFirst)
        }

        /// What tells of a reader's picture, in the transaction that changes it.
        package typealias Telling = @Sendable (ID<Accounts.Account>, Transaction) async throws -> Void

        /// Takes a reader's picture away, where there is one. Throws `.forbidden` (`account_frozen`).
        package func removePicture(of account: ID<Accounts.Account>, telling: Telling? = nil) async throws {
            try await services.database.transaction { transaction in
                _ = try await lock(account, in: transaction)
                guard let former = try await transaction.first(Statements.FormerProfile(account: account)) else {
                    return
                }
                try await Media.remove(former.picture, in: transaction)
                try await Media.count(.profile, of: account, bytes: -former.size, pictures: -1, in: transaction)
                try await telling?(account, transaction)
            }
        }

        /// Locks an account that writes. Throws `.forbidden` (`account_frozen`), `.unauthenticated` where it is gone.
        func lock(_ account: ID<Accounts.Account>, in transaction: Transaction) async throws -> Accounts.Standing {
            guard let standing = try await transaction.first(Accounts.Statements.Lock(account: account)) else {
                throw Failure.unauthenticated()
            }
            try standing.state.mayWrite()
            return standing
        }

        /// A file, as long as a picture of the catalogue or of a reader in good standing uses it. Throws `.notFound`.
        package func file(_ hash: Hash) async throws -> File {
            guard let type = try await services.database.first(Statements.FileType(hash: hash)),
                let bytes = try await facilities.store.read(hash)
            else { throw Failure.notFound("picture") }
            return File(bytes: bytes, type: type)
        }

        func insert(
            _ prepared: Prepared, as picture: ID<Picture>, owner: ID<Accounts.Account>?,
            by account: ID<Accounts.Account>?, alt: String?, in transaction: Transaction
        ) async throws {
            let now = services.clock.now()
            let files = Dictionary(prepared.files.map { ($0.variant.hash, $0.bytes.count) }) { first, _ in first }
            try await transaction.batch { batch in
                for (hash, size) in files.sorted(by: { $0.key < $1.key }) {
                    batch.run(Statements.InsertFile(hash: hash, size: size, at: now))
                }
                batch.run(
                    Statements.InsertPicture(
                        id: picture, prepared: prepared, owner: owner, addedBy: account, alt: alt, at: now))
                for variant in prepared.variants {
                    batch.run(Statements.InsertVariant(picture: picture, variant: variant))
                }
            }
        }

    }

    /// Adds to what a reader has stored, or takes from it. Throws `Refusal.quota` for more than may be added.
    static func count(
        _ kind: Kind, of account: ID<Accounts.Account>, bytes: Int, pictures: Int, in transaction: Transaction
    ) async throws {
        let tally = Statements.Tally(account: account, kind: kind, bytes: bytes, pictures: pictures)
        let stored = try await transaction.one(tally)
        guard bytes > 0 || pictures > 0 else { return }
        guard stored.bytes <= kind.quota.bytes, stored.pictures <= kind.quota.pictures else {
            throw Refusal.quota(kind)
        }
    }

    /// Removes a picture with the rows that show it; its files go by a job.
    static func remove(_ picture: ID<Picture>, in transaction: Transaction) async throws {
        try await remove([picture], in: transaction)
    }

    static func remove(_ pictures: [ID<Picture>], in transaction: Transaction) async throws {
        guard !pictures.isEmpty else { return }
        let files = try await transaction.all(Statements.FilesOf(pictures: pictures))
        try await transaction.run(Statements.RemovePictures(pictures: pictures))
        try await Clear(files).enqueue(in: transaction)
    }
}

extension Media.Kind {
    /// What one reader may store.
    package var quota: (bytes: Int, pictures: Int) {
        switch self {
        case .profile: (Limits.media.quota, .max)
        case .photo: (Limits.photos.quota, Limits.photos.photos)
        case .cover: (.max, .max)
        }
    }
}

extension [Media.Statements.ShownVariant] {
    /// The rows of one picture as one value; `nil` for none.
    var shown: Media.Shown? {
        first.map { Media.Shown(alt: $0.alt, variants: map(\.variant)) }
    }
}

import JSONWriting
import Postgres
import Synchronization

extension Ebooks {
    /// What an archive of an e-book will hold.
    package struct Packing: Sendable {
        let cover: [UInt8]
        package let ebook: Ebook
        let pictures: [(number: Int, hash: Media.Hash)]
        /// Bytes of the pages and of the pictures.
        let weight: Int
        package let keeping: Keeping

        /// The same as long as the same would be in it.
        package var tag: String {
            Media.Hash(of: cover + pictures.flatMap { Array("\($0.number) \($0.hash.tag)\n".utf8) }).tag
        }
    }
}

extension Ebooks.Store {
    /// Sees to it that all pictures of an e-book are made, as far as they can be shown.
    ///
    /// Where this server converts no pictures, those that are not made are left out.
    ///
    /// Throws `.notFound` for an e-book that the reader may not know of, `.unauthenticated` and `.forbidden` as for pages,
    /// `.forbidden` (`not_offline`) for one that is read on loan, `.limited`, `Ebooks.Refusal.off`, `Media.Refusal.noRoom`,
    /// and `.busy`, which says how far it is, where the pictures take longer than `Limits.ebooks.packingTime`: another call
    /// goes on.
    package func packing(
        of id: ID<Ebooks.Ebook>, for reader: ID<Accounts.Account>
    ) async throws -> Ebooks.Packing {
        let opened = try await opened(id, for: .reader(reader))
        let ebook = opened.ebook
        try ebook.access.check()
        guard ebook.access == .open else {
            throw Failure.forbidden(code: .notOffline, "a borrowed e-book is read as long as the loan lasts, and here")
        }
        let database = services.database
        let pictures = try await database.all(Ebooks.Statements.PicturesOf(ebook: id))
        let open = pictures.filter { $0.hash == nil && !$0.isRefused }
        let start = ContinuousClock.now
        for (done, picture) in open.enumerated() {
            guard .now - start < Limits.ebooks.packingTime else {
                throw Failure.busy(
                    "\(pictures.count - open.count + done) of \(pictures.count) pictures are made",
                    retryAfter: .seconds(1))
            }
            do {
                _ = try await self.picture(picture.number, of: id, for: .reader(reader))
            } catch Failure.notFound {
                // It cannot be shown on a page either.
                continue
            } catch Media.Refusal.off {
                break
            }
        }
        let made =
            open.isEmpty ? pictures : try await database.all(Ebooks.Statements.PicturesOf(ebook: id))
        guard let weight = try await database.first(Ebooks.Statements.WeightOf(ebook: id)) else {
            throw Failure.notFound("ebook \(id)")
        }
        return Ebooks.Packing(
            cover: try JSONWriter.bytes(opened), ebook: ebook,
            pictures: made.compactMap { picture in picture.hash.map { (picture.number, $0) } },
            weight: weight, keeping: kept(Ebooks.Keeping(ebook.audience, ebook.access)))
    }

    /// Writes a ZIP archive of an e-book: `ebook.json` is the e-book, `pages/7.json` a page, `pictures/0` a picture, each as
    /// its own call gives it. Addresses in them are paths without the server.
    ///
    /// The time that it takes is counted to `reader`. The archive holds one of a few places as long as somebody has it.
    /// Throws `.notFound`, `.limited`, `.busy` where there is no place or the e-book was changed meanwhile,
    /// `Media.Refusal.noRoom`, `Ebooks.Refusal.off`.
    package func pack(
        _ packing: Ebooks.Packing, for reader: ID<Accounts.Account>
    ) async throws -> Media.Outgoing {
        let (ebook, store) = (packing.ebook, media.facilities.store)
        guard let parser else { throw Ebooks.Refusal.off }
        guard let place = parser.packings.begin(reader) else {
            throw Failure.busy("too many archives are made or given away", retryAfter: .seconds(5))
        }
        let budget = media.facilities.budget
        let turn = try budget.begin(reader)
        let start = ContinuousClock.now
        defer { budget.end(turn, took: .now - start) }
        // All members in one file, the archive in another; as JSON a page is longer than what was counted.
        try await store.checkRoom(for: 3 * packing.weight)
        return try await media.inScratch { folder in
            let archive = try Media.Archive(in: folder, at: ebook.changedAt)
            try await archive.add("ebook.json", packing.cover)
            // A caller who hangs up ends it, between two members.
            for first in stride(from: 1, through: ebook.pages, by: Limits.ebooks.range) {
                let last = min(ebook.pages, first + Limits.ebooks.range - 1)
                try Task.checkCancellation()
                let (part, _) = try await again {
                    try await pages(first...last, layout: ebook.layout, of: ebook.id, for: .reader(reader))
                }
                for page in part { try await archive.add("pages/\(page.number).json", try JSONWriter.bytes(page)) }
            }
            for picture in packing.pictures {
                try Task.checkCancellation()
                guard let bytes = try await store.read(picture.hash) else { continue }
                try await archive.add("pictures/\(picture.number)", bytes)
            }
            return try await archive.finish(holding: place)
        }
    }

    private func again<Result>(_ read: () async throws -> Result) async throws -> Result {
        do {
            return try await read()
        } catch is Ebooks.Refusal {
            throw Failure.busy("the pages were just laid out anew", retryAfter: .seconds(1))
        }
    }
}

extension Ebooks {
    /// Archives that are made or given away, in this process: `Limits.ebooks.archives`, and `archivesEach` of one account.
    final class Packings: Sendable {
        private let running = Mutex<[ID<Accounts.Account>: Int]>([:])

        /// Held as long as the archive is there.
        final class Place: Sendable {
            fileprivate let packings: Packings
            fileprivate let account: ID<Accounts.Account>

            fileprivate init(_ packings: Packings, _ account: ID<Accounts.Account>) {
                (self.packings, self.account) = (packings, account)
            }

            deinit { packings.end(account) }
        }

        /// `nil` where there is no place.
        func begin(_ account: ID<Accounts.Account>) -> Place? {
            let isFree = running.withLock { running in
                guard running.values.reduce(0, +) < Limits.ebooks.archives,
                    running[account, default: 0] < Limits.ebooks.archivesEach
                else { return false }
                running[account, default: 0] += 1
                return true
            }
            return isFree ? Place(self, account) : nil
        }

        private func end(_ account: ID<Accounts.Account>) {
            running.withLock { running in
                let left = running[account, default: 1] - 1
                running[account] = left > 0 ? left : nil
            }
        }
    }
}

extension Ebooks.Statements {
    /// Bytes of an e-book's pages and pictures.
    struct WeightOf: Statement {
        static let sql: SQL<Self> = """
            select file.weight + file.drawn
              from ebook
              join ebook_file file on file.id = ebook.file_id
             where ebook.id = \(\.ebook)
            """
        let ebook: ID<Ebooks.Ebook>
        typealias Output = Int
    }

    /// The pictures of an e-book, and what was made of them.
    struct PicturesOf: Statement {
        static let sql: SQL<Self> = """
            select picture.number, picture.hash, picture.refused is not null as refused
              from ebook
              join ebook_picture picture on picture.file_id = ebook.file_id
             where ebook.id = \(\.ebook)
             order by picture.number
            """
        let ebook: ID<Ebooks.Ebook>

        static func decode(_ columns: inout Columns) throws -> (number: Int, hash: Media.Hash?, isRefused: Bool) {
            (try columns("number"), try columns("hash"), try columns("refused"))
        }
    }
}

import Jobs
import Postgres

extension Ebooks {
    /// What is done with e-books. How they are read stands in `Ebooks+Store+Read.swift`.
    package struct Store: Sendable {
        let services: Services
        let media: Media.Store
        /// `nil`: e-books are not read here.
        let parser: Parser?

        /// A file that arrived and was read, and is not yet anybody's. Dropped, it goes.
        package struct Prepared: Sendable {
            package let hash: Media.Hash
            let incoming: Media.Incoming
            /// `nil` where the same bytes were read before.
            let pages: Parser.Pages?
        }

        /// A file that is to arrive, in the store's own file system. Throws `Media.Refusal.noRoom`, `Refusal.off`.
        package func receive() async throws -> Media.Incoming {
            guard parser != nil else { throw Refusal.off }
            return try await media.facilities.store.receive(atMost: Limits.ebooks.upload)
        }

        /// Throws what `add` would throw now, before a file is taken.
        package func check(
            _ new: NewEbook, at edition: ID<Catalog.Edition>, by identity: Accounts.Identity
        ) async throws {
            try identity.mayWrite()
            try new.check(by: identity.role)
            guard let ground = try await services.database.first(Statements.GroundOf(edition: edition)) else {
                throw Failure.notFound("edition \(edition)")
            }
            if new.audience == .me {
                try await checkQuota(
                    of: identity.account, bytes: 1, beside: ground.edition, in: services.database)
            }
        }

        /// Reads a file that has arrived. The time that it takes is counted to `account`; `nil` for the server itself.
        ///
        /// Slow, and outside every transaction: follow it with `add` and then with `settle`. Throws `Refusal`,
        /// `Failure.busy`, `.limited`, `Parser.Unable`.
        package func prepare(
            _ incoming: Media.Incoming, for account: ID<Accounts.Account>? = nil
        ) async throws -> Prepared {
            guard let parser else { throw Refusal.off }
            let hash = try await incoming.hash()
            let isKnown = try await services.database.first(Statements.FileOf(hash: hash)) != nil
            var pages: Parser.Pages?
            if !isKnown {
                let budget = media.facilities.budget
                let turn = try account.map { try budget.begin($0) }
                let start = ContinuousClock.now
                defer { if let turn { budget.end(turn, took: .now - start) } }
                // The pages, and the draft of them.
                try await media.facilities.store.checkRoom(for: 2 * Limits.ebooks.readingFile)
                let read = try await parser.read(incoming.path)
                _ = try await Self.facts(of: try read.lines())
                pages = read
            }
            return Prepared(hash: hash, incoming: incoming, pages: pages)
        }

        /// Keeps an e-book at an edition, in the place of the one that the same reader, or the librarians, had there. Gives
        /// whether there was none.
        ///
        /// One transaction: the file, its pages and their words, the e-book. Throws `.invalid`, `.forbidden`
        /// (`account_frozen`, `not_librarian`), `.notFound` for the edition, `Refusal.quota`, `Media.Refusal.noRoom`,
        /// `Failure.busy`, `Parser.Unable`.
        package func add(
            _ new: NewEbook, _ prepared: Prepared, at edition: ID<Catalog.Edition>, by identity: Accounts.Identity
        ) async throws -> (ebook: Opened, isFirst: Bool) {
            let account = identity.account
            guard let ground = try await services.database.first(Statements.GroundOf(edition: edition)) else {
                throw Failure.notFound("edition \(edition)")
            }
            if new.audience == .me {
                try await checkQuota(
                    of: account, bytes: prepared.incoming.size, beside: ground.edition, in: services.database)
            }
            try await media.facilities.store.keep(prepared.incoming, as: prepared.hash)
            return try await services.database.transaction { transaction in
                // Reading it takes its time: who was a librarian may be none now.
                try new.check(by: try await media.lock(account, in: transaction).role)
                let kept = try await keep(
                    new, prepared, on: ground, for: new.audience == .me ? account : nil, by: account, in: transaction)
                return (try await opened(kept.id, for: .reader(account), in: transaction), kept.isFirst)
            }
        }

        /// Keeps an e-book of `reader`, or for others (`nil`), in the place of the one before. Who gives it is locked.
        func keep(
            _ new: NewEbook, _ prepared: Prepared, on ground: (work: ID<Catalog.Work>, edition: ID<Catalog.Edition>),
            for reader: ID<Accounts.Account>?, by giver: ID<Accounts.Account>?, in transaction: Transaction
        ) async throws -> (id: ID<Ebook>, isFirst: Bool) {
            let edition = ground.edition
            guard let held = try await transaction.first(Statements.HoldEdition(edition: edition)),
                let work = try await transaction.first(Catalog.HoldBook(work: held))
            else { throw Failure.notFound("edition \(edition)") }
            let former = try await transaction.all(Statements.Former(edition: edition, reader: reader))
            let file = try await store(prepared, in: transaction)
            if let reader {
                let weight = try await transaction.one(Statements.Weight(file: file))
                try await checkQuota(of: reader, bytes: weight, beside: edition, in: transaction)
            }
            let id: ID<Ebook> = try services.ids.make()
            try await transaction.run(
                Statements.Insert(
                    id: id, file: file, work: work, edition: edition, reader: reader, new: new,
                    addedBy: reader == nil ? giver : nil,
                    at: services.clock.now()))
            try await Ebooks.remove(former, in: transaction)
            return (id, former.isEmpty)
        }

        /// To be called when the write is committed: puts back a file that was taken away between `prepare` and the write.
        package func settle(_ prepared: Prepared) async throws {
            let store = media.facilities.store
            if try await !store.contains(prepared.hash) { try await store.keep(prepared.incoming, as: prepared.hash) }
        }

        private func checkQuota(
            of reader: ID<Accounts.Account>, bytes: Int, beside edition: ID<Catalog.Edition>,
            in queryable: some Queryable
        ) async throws {
            let kept = try await queryable.one(Statements.Kept(reader: reader, edition: edition))
            guard kept.count < Limits.ebooks.ebooks, kept.bytes + bytes <= Limits.ebooks.quota else {
                throw Refusal.quota
            }
        }

        /// The file's rows; those that are there where the same bytes were read before.
        private func store(_ prepared: Prepared, in transaction: Transaction) async throws -> ID<File> {
            let now = services.clock.now()
            // Read inside of the transaction, 50 pages at a time: a book is never whole in memory, and all its pages are
            // there at once.
            let lines = try prepared.pages?.lines()
            var facts: Facts?
            if let lines { facts = try await Self.facts(of: lines) }
            try await transaction.run(
                Media.Statements.InsertFile(
                    hash: prepared.hash, size: prepared.incoming.size, at: now, type: (facts ?? Facts()).type))
            if let lines, let facts {
                let insert = Statements.InsertFile(
                    id: try services.ids.make(), hash: prepared.hash, facts: facts,
                    contents: try JSON(encoding: facts.contents), at: now)
                if let file = try await transaction.first(insert) {
                    try await transaction.run(Statements.InsertPictures(file: file, pictures: facts.pictures))
                    try await write(facts, lines, of: file, in: transaction)
                    return file
                }
            }
            guard let file = try await transaction.first(Statements.HoldFile(hash: prepared.hash)) else {
                throw Failure.busy("the same file was just taken away", retryAfter: .seconds(1))
            }
            return file
        }

        /// Stores chapters, pages and their words. Throws `Refusal` for pages that are too large together.
        func write(
            _ facts: Facts, _ lines: LineFile, of file: ID<File>, in transaction: Transaction
        ) async throws {
            try await transaction.run(Statements.InsertChapters(file: file, chapters: facts.chapters))
            var (count, weight) = (0, 0)
            while true {
                let pages = try await lines.next(Limits.ebooks.stored).compactMap(\.page)
                if pages.isEmpty { break }
                weight += pages.reduce(0) { $0 + $1.html.utf8.count + $1.text.utf8.count }
                guard weight <= Limits.ebooks.weight else {
                    throw Refusal.file(code: .ebookTooLarge, "Its pages have more than \(Limits.ebooks.weight) bytes.")
                }
                try await transaction.run(Statements.InsertPages(file: file, pages: pages))
                count += pages.count
            }
            try await transaction.run(Statements.Weigh(file: file, bytes: weight))
            guard count == facts.pages else {
                throw Parser.Unable(description: "\(count) pages came of \(facts.pages)")
            }
        }

        /// Says anew who reads an e-book, and by what right. Its reader, or a librarian where it is for others.
        ///
        /// Throws `.invalid`, `.notFound`, `.forbidden` (`account_frozen`, `not_librarian`), `.preconditionFailed`. An own
        /// e-book stays its reader's.
        package func change(
            _ id: ID<Ebook>, _ change: Change, by identity: Accounts.Identity, ifVersion version: Precondition = .none
        ) async throws -> Opened {
            try await services.database.transaction { transaction in
                let before = try await hold(id, by: identity, in: transaction)
                try version.check(before.version)
                var held = before
                held.rights = change.rights ?? held.rights
                held.audience = change.audience ?? held.audience
                guard (held.audience == .me) == (before.audience == .me) else {
                    throw Failure.invalid("/audience", .mismatch, "an own e-book stays one: give it anew for others")
                }
                try Ebooks.check(held.rights, for: held.audience, root: "/")
                if held != before {
                    try await transaction.run(
                        Statements.Update(ebook: id, held: held, at: services.clock.now()))
                }
                return try await opened(id, for: .reader(identity.account), in: transaction)
            }
        }

        /// Takes an e-book away. Throws `.notFound`, `.forbidden`, `.preconditionFailed`.
        package func remove(
            _ id: ID<Ebook>, by identity: Accounts.Identity, ifVersion version: Precondition = .none
        ) async throws {
            try await services.database.transaction { transaction in
                try version.check(try await hold(id, by: identity, in: transaction).version)
                try await Ebooks.remove([id], in: transaction)
            }
        }

        private func hold(
            _ id: ID<Ebook>, by identity: Accounts.Identity, in transaction: Transaction
        ) async throws -> Held {
            let standing = try await media.lock(identity.account, in: transaction)
            guard let held = try await transaction.first(Statements.Lock(ebook: id)),
                held.reader == nil || held.reader == identity.account
            else { throw Failure.notFound("ebook \(id)") }
            guard held.reader != nil || standing.role >= .librarian else {
                throw Failure.forbidden(code: .notLibrarian, "only librarians change what they gave to others")
            }
            return held
        }
    }

    /// Removes e-books, and what was read of files that nobody keeps any more.
    static func remove(_ ebooks: [ID<Ebook>], in transaction: Transaction) async throws {
        guard !ebooks.isEmpty else { return }
        let removed = try await transaction.all(Statements.Remove(ebooks: ebooks))
        let files = try await transaction.all(Statements.LockFiles(files: removed))
        let stored = try await transaction.all(Statements.RemoveFiles(files: files))
        if !stored.isEmpty { try await Media.Clear(stored).enqueue(in: transaction) }
    }
}

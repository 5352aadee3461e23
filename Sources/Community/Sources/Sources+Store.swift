import Jobs
import Postgres

extension Sources {
    /// Asks other catalogues for books, and keeps what they say.
    package final class Store: Sendable {
        let services: Services
        let catalog: Catalog.Store
        let media: Media.Store
        let lanes: [Lane]
        /// For covers: their hosts are others, whose failures stop no look-up.
        let coverLanes: [Name: Lane]
        private let throttle: Accounts.Throttle

        /// `sources` instead of those of the settings, `timer` instead of the machine's: for tests.
        package init(
            _ services: Services, catalog: Catalog.Store, media: Media.Store, sources: [any MetadataSource]? = nil,
            timer: any Clock<Duration> = ContinuousClock()
        ) {
            self.services = services
            self.catalog = catalog
            self.media = media
            throttle = Accounts.Throttle(services: services)
            let sources = sources ?? Self.sources(services.settings)
            lanes = sources.map { Lane($0, for: .calls, services: services, timer: timer) }
            coverLanes = Dictionary(
                sources.map { ($0.name, Lane($0, for: .covers, services: services, timer: timer)) }
            ) { first, _ in first }
        }

        private static func sources(_ settings: CommunitySettings) -> [any MetadataSource] {
            let wanted = settings.sources
            let agent = "Commonplace" + (settings.isLoopback ? "" : " (+\(settings.publicURL))")
            return wanted.enabled.map { name in
                let host = wanted.host(of: name)
                let outgoing = Outgoing(allowed: [host], agent: agent)
                switch name {
                case .google:
                    return GoogleBooks(
                        host: host, key: wanted.googleKey, outgoing: outgoing, covers: covers(name, wanted, agent))
                case .openlibrary:
                    return OpenLibrary(host: host, outgoing: outgoing, covers: covers(name, wanted, agent))
                }
            }
        }

        private static func covers(_ name: Name, _ settings: Settings, _ agent: String) -> CoverHost {
            var bounds = Outgoing.Bounds()
            bounds.answer = Limits.sources.cover
            let host = settings.coverHost(of: name)
            return CoverHost(
                host: host,
                outgoing: Outgoing(
                    allowed: [host], domains: settings.coverDomains(of: name), agent: agent, accept: "image/*",
                    bounds: bounds))
        }

        /// Other catalogues are asked at all.
        package var isOn: Bool { !lanes.isEmpty }

        /// The books that answer a question: the catalogue's own where it has any, else what other catalogues know,
        /// taken in first.
        ///
        /// Takes up to `Limits.sources.lookUpSeconds` and must not be called inside a transaction. Counts for `reader`.
        /// Throws `.invalid` for a title that holds no word, `.limited` beyond `Limits.sources.lookUpsPerHour`; that
        /// catalogues fail is no error but stands in the answer.
        package func lookUp(_ question: Question, for reader: ID<Accounts.Account>?) async throws -> Answer {
            try question.validate()
            let known = try await known(question)
            guard known.isEmpty else { return Answer(books: known, asked: [], reason: .known) }
            guard isOn else { return Answer(books: [], asked: [], reason: .off) }
            let silent = try await services.database.all(
                SilentQuestions(questions: [question.key], now: services.clock.now()))
            guard silent.isEmpty else { return Answer(books: [], asked: [], reason: .silence) }
            if let reader { try await count(for: reader) }
            let hearing = try await hear(question)
            let works = try await keep(hearing, question)
            return Answer(books: try await catalog.items(works), asked: hearing.asked, reason: nil)
        }

        private func known(_ question: Question) async throws -> [Catalog.BookItem] {
            switch question {
            case .isbn(let isbn): return try await catalog.books(of: [isbn])[isbn] ?? []
            case .title(let title, let author):
                let works = try await catalog.works(
                    titled: [title], by: author.map { [$0] }, in: services.database)
                return try await catalog.items(Array(works.prefix(Limits.sources.books)))
            }
        }

        /// Has the background ask for those of these ISBNs that nobody was silent about lately, as far as the reader's
        /// hour allows. Gives those.
        package func enqueueLookUps(of isbns: [ISBN], for reader: ID<Accounts.Account>) async throws -> Set<ISBN> {
            guard isOn, !isbns.isEmpty else { return [] }
            return try await services.database.transaction { transaction in
                let keys = Dictionary(isbns.map { (Question.isbn($0).key, $0) }) { first, _ in first }
                let silent = try await transaction.all(
                    SilentQuestions(questions: keys.keys.sorted(), now: services.clock.now()))
                let wanted = keys.filter { !silent.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
                var taken: Set<ISBN> = []
                for isbn in wanted {
                    // The hour is over: the others are not looked up, which the answer says.
                    do { try await count(for: reader) } catch Failure.limited { break }
                    try await LookUp(isbn: isbn).enqueue(in: transaction)
                    taken.insert(isbn)
                }
                return taken
            }
        }

        private func count(for reader: ID<Accounts.Account>) async throws {
            let window = Accounts.Window.lookUpsPerAccount
            try await throttle.count(window, of: reader.text, upTo: window.bound)
        }

        /// Takes in what was heard, with its source, or remembers the silence. Gives the works, each once, in the order
        /// of the records.
        func keep(_ hearing: Hearing, _ question: Question) async throws -> [ID<Catalog.Work>] {
            let now = services.clock.now()
            return try await services.database.transaction { transaction in
                if hearing.isSilence {
                    try await transaction.run(
                        PutSilence(
                            question: question.key, until: now + .seconds(Limits.sources.silenceHours * 3600)))
                }
                guard !hearing.records.isEmpty else { return [] }
                let adopted = try await catalog.adopt(hearing.records.map(\.find))
                let editions = Dictionary(adopted.map { ($0.key, $0.edition) }) { first, _ in first }
                for record in hearing.records {
                    guard let edition = editions[record.key] else { continue }
                    try await put(record, as: edition, at: now, in: transaction)
                }
                var works: [ID<Catalog.Work>] = []
                for one in adopted where !works.contains(one.work) { works.append(one.work) }
                return works
            }
        }

        /// Keeps a record, and has its cover fetched unless it was.
        func put(
            _ record: Record, as edition: ID<Catalog.Edition>, at now: Timestamp, in transaction: Transaction
        ) async throws {
            let wantsCover = try await transaction.one(
                PutRecord(record: record, edition: edition, at: now, refreshAt: due(record.key, now)))
            if wantsCover, media.isOn { try await FetchCover(key: record.key).enqueue(in: transaction) }
        }

        /// A month from now, spread over three days by the key, so that what came together is not fetched together.
        func due(_ key: String, _ now: Timestamp) -> Timestamp {
            var digest = Digest()
            digest.add(key.utf8)
            let spread = Int64(UInt64(bitPattern: digest.value) % (3 * 86_400))
            return now + .seconds(Limits.sources.refreshDays * 86_400 + spread)
        }

        /// Where a book's facts came from, the newest first, at most 50; none for one that nobody was asked for. Throws
        /// `.notFound`.
        package func origins(of work: ID<Catalog.Work>) async throws -> [Origin] {
            let page = try await catalog.book(work)
            return try await services.database.all(OriginsOfWork(work: page.id))
        }
    }
}

extension Sources.Question {
    /// Throws `.invalid` for a title or author of another length than `Limits.sources.question` or without a word.
    func validate() throws(Failure) {
        guard case .title(let title, let author) = self else { return }
        var faults = Faults()
        for (name, text) in [("title", title), ("author", author ?? "-")] {
            faults.require(
                Limits.sources.question.contains(text.utf8.count), "/" + name, .tooLong,
                "must have 1 to \(Limits.sources.question.upperBound) bytes")
        }
        faults.require(!Normaliser.fold(title).isEmpty, "/title", .tooShort, "holds no word")
        try faults.check()
    }
}

extension Sources {
    /// Forgets where the facts of these works' editions came from, in the transaction that removes them.
    static func removeRecords(of works: [ID<Catalog.Work>], in transaction: Transaction) async throws {
        try await transaction.run(RemoveRecords(works: works))
    }
}

import Postgres

extension Catalog {
    /// What subjects, series and publishers of one name are told apart by, however written: folded, at most
    /// `Limits.catalog.headingKey` bytes.
    static func headingKey(_ name: String) -> String {
        Normaliser.fold(name).clipped(to: Limits.catalog.headingKey).text ?? ""
    }

    /// Which fields of works people set by hand.
    struct FieldLocks: Sendable {
        private var fields: [ID<Work>: Set<Field.Name>] = [:]

        mutating func add(_ locked: Set<Field.Name>, of work: ID<Work>) {
            if !locked.isEmpty { fields[work] = locked }
        }

        func hold(_ field: Field.Name, of work: ID<Work>) -> Bool { fields[work]?.contains(field) ?? false }
    }

    /// Writes the genres, subjects, series and imported ratings of a batch of works.
    struct Headings {
        let transaction: Transaction
        let ids: IDMaker

        /// `replaced` are those among `works` that had headings before.
        func put(
            _ works: [(ID<Work>, WorkRecord)], replaced: [ID<Work>], locks: FieldLocks = FieldLocks()
        ) async throws {
            if !replaced.isEmpty {
                // Those that are left and those that are entered, at once and in one order: two writers never wait for
                // each other.
                let entered = try await genres(of: works.map(\.1)).values
                _ = try await transaction.all(LockGenres(works: replaced, genres: entered.sorted()))
                try await transaction.run(UnlinkGenres(works: replaced.filter { !locks.hold(.genres, of: $0) }))
                try await transaction.run(UnlinkSubjects(works: replaced.filter { !locks.hold(.subjects, of: $0) }))
                try await transaction.run(UnlinkSeries(works: replaced.filter { !locks.hold(.series, of: $0) }))
            }
            try await putSubjects(works.filter { !locks.hold(.subjects, of: $0.0) })
            try await putSeries(works.filter { !locks.hold(.series, of: $0.0) })
            try await putRatings(works)
            // Last: everybody writes to the few genres, and from here on holds their numbers until the end of the
            // transaction.
            try await putGenres(works.filter { !locks.hold(.genres, of: $0.0) })
        }

        /// Makes the genres, subjects and series of these works that are not there yet, without hanging anything on
        /// them. Some may stay without a work: those of fields that people set, and of a part that never comes. Nothing
        /// shows them.
        func prepare(_ works: [WorkRecord]) async throws {
            _ = try await genres(of: works)
            _ = try await subjects(of: works)
            _ = try await series(of: works)
        }

        // MARK: Genres

        private func genres(of works: [WorkRecord]) async throws -> [String: ID<Genre>] {
            let slugs = Set(works.flatMap { $0.genres.prefix(Limits.catalog.genres) }).sorted()
            guard !slugs.isEmpty else { return [:] }
            let known = Dictionary(uniqueKeysWithValues: try await transaction.all(FindGenres(slugs: slugs)))
            let missing = slugs.filter { known[$0] == nil }
            guard !missing.isEmpty else { return known }
            try await transaction.run(
                AddGenres(
                    ids: try missing.map { _ in try ids.make(Genre.self) }, slugs: missing,
                    names: missing.map { Genres.name(of: $0) ?? $0 }))
            return Dictionary(uniqueKeysWithValues: try await transaction.all(FindGenres(slugs: slugs)))
        }

        private func putGenres(_ works: [(ID<Work>, WorkRecord)]) async throws {
            let known = try await genres(of: works.map(\.1))
            guard !known.isEmpty else { return }
            var links: (works: [ID<Work>], genres: [ID<Genre>]) = ([], [])
            for (work, record) in works {
                for slug in Set(record.genres.prefix(Limits.catalog.genres)) {
                    guard let genre = known[slug] else { continue }
                    links.works.append(work)
                    links.genres.append(genre)
                }
            }
            try await transaction.run(LinkGenres(works: links.works, genres: links.genres))
        }

        // MARK: Subjects

        /// A record's subjects, each heading once.
        private static func headings(of record: WorkRecord) -> [(heading: Heading, name: String)] {
            var seen: Set<Heading> = []
            return record.subjects.compactMap { subject in
                let heading = Heading(folded: headingKey(subject.name), scope: subject.kind)
                return heading.folded.isEmpty || !seen.insert(heading).inserted ? nil : (heading, subject.name)
            }
        }

        private func subjects(of works: [WorkRecord]) async throws -> [Heading: ID<Subject>] {
            try await subjects(named: works.flatMap(Self.headings))
        }

        private func subjects(named headings: [(heading: Heading, name: String)]) async throws -> [Heading: ID<Subject>]
        {
            let names = Dictionary(headings.map { ($0.heading, $0.name) }, uniquingKeysWith: { first, _ in first })
            guard !names.isEmpty else { return [:] }
            let wanted = names.keys.sorted { ($0.folded, $0.scope) < ($1.folded, $1.scope) }
            let found = try await transaction.all(
                FindSubjects(folded: wanted.map(\.folded), kinds: wanted.map(\.scope)))
            var known = Dictionary(uniqueKeysWithValues: found)
            let missing = wanted.filter { known[$0] == nil }
            guard !missing.isEmpty else { return known }
            for heading in missing { known[heading] = try ids.make(Subject.self) }
            let added = try await transaction.run(
                AddSubjects(
                    ids: missing.compactMap { known[$0] }, kinds: missing.map(\.scope),
                    names: missing.compactMap { names[$0] }, folded: missing.map(\.folded)))
            // Somebody added one of them at the same moment: that one counts.
            if added < missing.count {
                let all = try await transaction.all(
                    FindSubjects(folded: missing.map(\.folded), kinds: missing.map(\.scope)))
                for (heading, id) in all { known[heading] = id }
            }
            return known
        }

        private func putSubjects(_ works: [(ID<Work>, WorkRecord)]) async throws {
            let treated = works.map { ($0.0, Self.headings(of: $0.1)) }
            let known = try await subjects(named: treated.flatMap(\.1))
            guard !known.isEmpty else { return }
            var links: (works: [ID<Work>], subjects: [ID<Subject>]) = ([], [])
            for (work, headings) in treated {
                for subject in headings.compactMap({ known[$0.heading] }) {
                    links.works.append(work)
                    links.subjects.append(subject)
                }
            }
            try await transaction.run(LinkSubjects(works: links.works, subjects: links.subjects))
        }

        // MARK: Series

        private static func heading(of series: SeriesRecord) -> Heading {
            Heading(
                folded: headingKey(series.name),
                scope: series.author.clipped(to: Limits.catalog.headingKey).text ?? "")
        }

        private func series(of works: [WorkRecord]) async throws -> [Heading: ID<Series>] {
            var names: [Heading: String] = [:]
            for series in works.flatMap({ $0.series.prefix(Limits.catalog.series) }) {
                let heading = Self.heading(of: series)
                if !heading.folded.isEmpty, names[heading] == nil { names[heading] = series.name }
            }
            guard !names.isEmpty else { return [:] }
            let wanted = names.keys.sorted { ($0.folded, $0.scope) < ($1.folded, $1.scope) }
            let found = try await transaction.all(
                FindSeries(folded: wanted.map(\.folded), authors: wanted.map(\.scope)))
            var known = Dictionary(uniqueKeysWithValues: found)
            let missing = wanted.filter { known[$0] == nil }
            guard !missing.isEmpty else { return known }
            for heading in missing { known[heading] = try ids.make(Series.self) }
            let added = try await transaction.run(
                AddSeries(
                    ids: missing.compactMap { known[$0] }, names: missing.compactMap { names[$0] },
                    folded: missing.map(\.folded), authors: missing.map(\.scope)))
            if added < missing.count {
                let all = try await transaction.all(
                    FindSeries(folded: missing.map(\.folded), authors: missing.map(\.scope)))
                for (heading, id) in all { known[heading] = id }
            }
            return known
        }

        private func putSeries(_ works: [(ID<Work>, WorkRecord)]) async throws {
            let known = try await series(of: works.map(\.1))
            guard !known.isEmpty else { return }
            var links = LinkSeries()
            for (work, record) in works {
                for series in record.series.prefix(Limits.catalog.series) {
                    guard let id = known[Self.heading(of: series)] else { continue }
                    links.positions.append(series.position)
                    links.ordinals.append(series.ordinal)
                    links.places.append(links.works.last == work ? (links.places.last ?? 0) + 1 : 1)
                    links.works.append(work)
                    links.series.append(id)
                }
            }
            try await transaction.run(links)
        }

        private func putRatings(_ works: [(ID<Work>, WorkRecord)]) async throws {
            var ratings = PutImportedRatings()
            for (work, record) in works {
                guard let rating = record.rating, rating.stars.count == 5 else { continue }
                ratings.works.append(work)
                ratings.sources.append(rating.source)
                for star in 0..<5 { ratings.stars[star].append(rating.stars[star]) }
            }
            guard !ratings.works.isEmpty else { return }
            try await transaction.run(ratings)
            try await transaction.run(CountImported(works: ratings.works))
        }
    }
}

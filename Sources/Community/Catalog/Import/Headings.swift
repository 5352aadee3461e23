import Postgres

extension Catalog {
    /// What subjects, series and publishers of one name are told apart by, however written: folded, at most `Limits.Catalog.headingKey` bytes.
    static func headingKey(_ name: String) -> String {
        Search.Normaliser.fold(name).clipped(to: Limits.Catalog.headingKey).text ?? ""
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
                try await transaction.run(UnlinkGenres(works: replaced.filter { !locks.hold(.genres, of: $0) }))
                try await transaction.run(UnlinkSubjects(works: replaced.filter { !locks.hold(.subjects, of: $0) }))
                try await transaction.run(UnlinkSeries(works: replaced.filter { !locks.hold(.series, of: $0) }))
            }
            try await putGenres(works.filter { !locks.hold(.genres, of: $0.0) })
            try await putSubjects(works.filter { !locks.hold(.subjects, of: $0.0) })
            try await putSeries(works.filter { !locks.hold(.series, of: $0.0) })
            try await putRatings(works)
        }

        private func putGenres(_ works: [(ID<Work>, WorkRecord)]) async throws {
            let slugs = Set(works.flatMap(\.1.genres)).sorted()
            guard !slugs.isEmpty else { return }
            var known = Dictionary(uniqueKeysWithValues: try await transaction.all(FindGenres(slugs: slugs)))
            let missing = slugs.filter { known[$0] == nil }
            if !missing.isEmpty {
                try await transaction.run(
                    AddGenres(
                        ids: try missing.map { _ in try ids.make(Genre.self) }, slugs: missing,
                        names: missing.map { Genres.name(of: $0) ?? $0 }))
                known = Dictionary(uniqueKeysWithValues: try await transaction.all(FindGenres(slugs: slugs)))
            }
            var links: (works: [ID<Work>], genres: [ID<Genre>]) = ([], [])
            for (work, record) in works {
                for slug in Set(record.genres.prefix(Limits.Catalog.genres)) {
                    guard let genre = known[slug] else { continue }
                    links.works.append(work)
                    links.genres.append(genre)
                }
            }
            try await transaction.run(LinkGenres(works: links.works, genres: links.genres))
        }

        private func putSubjects(_ works: [(ID<Work>, WorkRecord)]) async throws {
            var names: [Heading: String] = [:]
            var links: [(ID<Work>, Heading)] = []
            for (work, record) in works {
                var seen: Set<Heading> = []
                for subject in record.subjects {
                    let heading = Heading(folded: headingKey(subject.name), scope: subject.kind)
                    guard !heading.folded.isEmpty, seen.insert(heading).inserted else { continue }
                    if names[heading] == nil { names[heading] = subject.name }
                    links.append((work, heading))
                }
            }
            guard !links.isEmpty else { return }
            let wanted = names.keys.sorted { ($0.folded, $0.scope) < ($1.folded, $1.scope) }
            let found = try await transaction.all(
                FindSubjects(folded: wanted.map(\.folded), kinds: wanted.map(\.scope)))
            var known = Dictionary(uniqueKeysWithValues: found)
            let missing = wanted.filter { known[$0] == nil }
            if !missing.isEmpty {
                for heading in missing { known[heading] = try ids.make(Subject.self) }
                let added = try await transaction.run(
                    AddSubjects(
                        ids: missing.compactMap { known[$0] }, kinds: missing.map(\.scope),
                        names: missing.compactMap { names[$0] },
                        folded: missing.map(\.folded)))
                // Somebody added one of them at the same moment: that one counts.
                if added < missing.count {
                    let all = try await transaction.all(
                        FindSubjects(folded: missing.map(\.folded), kinds: missing.map(\.scope)))
                    for (heading, id) in all { known[heading] = id }
                }
            }
            try await transaction.run(
                LinkSubjects(works: links.map(\.0), subjects: links.compactMap { known[$0.1] }))
        }

        private func putSeries(_ works: [(ID<Work>, WorkRecord)]) async throws {
            var names: [Heading: String] = [:]
            var places: [(ID<Work>, Heading, SeriesRecord)] = []
            for (work, record) in works {
                for series in record.series.prefix(Limits.Catalog.series) {
                    let heading = Heading(
                        folded: headingKey(series.name),
                        scope: series.author.clipped(to: Limits.Catalog.headingKey).text ?? "")
                    guard !heading.folded.isEmpty else { continue }
                    if names[heading] == nil { names[heading] = series.name }
                    places.append((work, heading, series))
                }
            }
            guard !places.isEmpty else { return }
            let wanted = names.keys.sorted { ($0.folded, $0.scope) < ($1.folded, $1.scope) }
            let found = try await transaction.all(
                FindSeries(folded: wanted.map(\.folded), authors: wanted.map(\.scope)))
            var known = Dictionary(uniqueKeysWithValues: found)
            let missing = wanted.filter { known[$0] == nil }
            if !missing.isEmpty {
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
            }
            var links = LinkSeries()
            for (work, heading, series) in places {
                guard let id = known[heading] else { continue }
                links.positions.append(series.position)
                links.ordinals.append(series.ordinal)
                links.places.append(links.works.last == work ? (links.places.last ?? 0) + 1 : 1)
                links.works.append(work)
                links.series.append(id)
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
